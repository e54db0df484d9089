// catena equations as a person runs it.
#include <gtest/gtest.h>

#include <chrono>

#include "catena/robot_file.hpp"
#include "support/program.hpp"

namespace catena::equations_cli_test {
namespace {

class EquationsCli : public ProgramTest {};

TEST_F(EquationsCli, WritesTheFile) {
  const Result written = run("equations pelican -o pelican.tex");
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.out, "");
  const std::string text = contents(folder_ / "pelican.tex");
  EXPECT_EQ(text, run("equations pelican").out);
  EXPECT_EQ(text.find("\\documentclass"), 0u);
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(shell("ls").out, "pelican.tex\nstderr.txt\nstdout.txt\n");
  EXPECT_NE(refused("equations pelican -o nowhere/pelican.tex", 1).find("nowhere/pelican.tex: cannot be written"),
            std::string::npos);
}

TEST_F(EquationsCli, ChoosesJobsSymbolsFormatAndDigits) {
  EXPECT_NE(run("equations pelican --compute gravity --format text --symbols none --digits 4")
                .out.find("g1 = 11.51 c1 + 0.4596 c12\ng2 = 0.4596 c12\n"),
            std::string::npos);
  EXPECT_NE(run("equations --compute gravity pelican --format text --symbols mass:2")
                .out.find("g1 = m2 (2.5506 c1 + 0.224649 c12) + 6.2898 c1\n"),
            std::string::npos);
  EXPECT_NE(run("equations planar2r --compute inertia --format text --symbols "
                "all,cx1=-a1/2,Izz1=m1*a1^2/12,cx2=-a2/2,Izz2=m2*a2^2/12")
                .out.find("M11 = 1/3 m1 a1^2 + m2 (a1^2 + 1/3 a2^2 + a1 a2 c2)\n"),
            std::string::npos);
}

// A SCARA with drives: friction, rotors, gears, a joint that slides.
constexpr const char* scara = R"(name = "scara"
convention = "modified"
angles = "deg"
[[link]]
joint = "revolute"
d = 0.3
mass = 3.0
com = [0.1, 0, 0]
inertia = [0.01, 0.02, 0.03]
friction = { viscous = 0.5, coulomb = 1.5 }
rotor = { inertia = 1e-4, gear_ratio = 50 }
[[link]]
joint = "revolute"
a = 0.4
mass = 2.0
com = [0.15, 0, 0]
inertia = [0.01, 0.02, 0.03]
friction = { coulomb = 0.25 }
[[link]]
joint = "revolute"
a = 0.3
mass = 1.0
com = [0, 0, 0.05]
inertia = [0.01, 0.02, 0.03]
rotor = { inertia = 0.4 }
[[link]]
joint = "prismatic"
alpha = 180
mass = 0.5
com = [0, 0, 0.1]
inertia = [0.001, 0.002, 0.003]
friction = { viscous = 8 }
rotor = { inertia = 1e-4, gear_ratio = 50 }
)";

// Reads the printed text as a person would, by its own rules, and says the torques that it gives.
constexpr const char* reader = R"py(
import json, re, sys
from math import cos, sin
text, q, qd, qdd = open("printed.txt").read(), *json.loads(sys.argv[1])
text = re.sub(r"\n    ", " ", text)  # lines that go on
names = {"sgn": lambda v: (v > 0) - (v < 0), "cos": cos, "sin": sin}
for j in range(len(q)):
    names.update({f"q{j+1}": q[j], f"qd{j+1}": qd[j], f"qdd{j+1}": qdd[j]})
def value(formula):
    tokens = re.findall(r"\d+\.?\d*(?:e[-+]?\d+)?|\w+|\S", formula)
    out = ""
    for before, token in zip([""] + tokens, tokens):
        ends = re.fullmatch(r"\w[\w.+-]*|\)", before) and before not in ("sgn", "cos", "sin")
        if ends and re.fullmatch(r"[\w.(].*", token):
            out += "*"
        turn = re.fullmatch(r"([cs])(\d+)", token)
        if turn:
            token = ("cos" if turn[1] == "c" else "sin") + "(" + "+".join("q" + d for d in turn[2]) + ")"
        out += {"^": "**"}.get(token, token)
    return eval(out, dict(names))
for name, number in re.findall(r"^(\w+)  .*?  +(-?[\d.]+(?:e[-+]?\d+)?)(?: [\w /^]+)?$", text, re.M):
    names[name] = float(number)
entries = {}
for line in re.findall(r"^\w+ = .*$", text, re.M):
    *left, right = line.split(" = ")
    if not left[0].startswith("c1"):
        entries.update({
name: value(right) for name in left})
n = range(1, len(q) + 1)
print(json.dumps([sum(entries[f"M{i}{j}"] * qdd[j-1] + entries[f"C{i}{j}"] * qd[j-1] for j in n)
                  + entries[f"g{i}"] + entries.get(f"f{i}", 0.0) for i in n]))
)py";

// M qdd + C qd + g + f, as printed, is what inverse dynamics gives: with symbols and without, rigid and not.
// Matrices of jobs that take accelerations are called by their names, and entry 1,10 is not entry 11,0.
TEST_F(EquationsCli, NamesMatricesAndTheirEntries) {
  const Result linearized = run("equations planar2r --compute linearize");
  for (const char* name :
       {"\\mathbf{D}(\\mathbf{q}, \\dot{\\mathbf{q}}, \\ddot{\\mathbf{q}}) = ", "\\mathbf{V}(", "P_{11} &= "})
    EXPECT_NE(linearized.out.find(name), std::string::npos) << name;
  const Result latex = run("equations planar2r --compute regressor"),
               text = run("equations planar2r --compute regressor --format text");
  EXPECT_NE(latex.out.find("Y_{1,12} &= \\operatorname{sgn}"), std::string::npos) << latex.out;
  EXPECT_NE(text.out.find("Y1,12 = sgn"), std::string::npos) << text.out;
  const Result inverse = run("equations planar2r --compute inverse");
  EXPECT_NE(inverse.out.find("\\tau_{1} &= "), std::string::npos) << inverse.out;
}

TEST_F(EquationsCli, PrintedEquationsGiveTheTorquesOfDrives) {
  make("scara.toml", scara);
  make("read.py", reader);
  const std::string q = "0.3,-0.8,1.2,0.1", qd = "1.5,-0.7,0.4,-0.2", qdd = "-2,0.6,1,0.9";
  const auto first = [](const std::string& list, int n) {
    std::size_t end = 0;
    for (int k = 0; k < n && end != std::string::npos; ++k) end = list.find(',', end + 1);
    return list.substr(0, end);
  };
  const std::pair<std::string, int> robots[] = {{"scara.toml", 4}, {"pelican", 2}, {"planar3r", 3}};
  for (const auto& [robot, n] : robots)
    for (const std::string options : {"--symbols all", "--symbols none", "--symbols friction:1,rotor:1", "--rigid"}) {
      const std::string a = first(q, n), b = first(qd, n), c = first(qdd, n);
      ASSERT_EQ(run("equations " + robot + " --format text --digits 17 " + options + " > printed.txt").status, 0);
      const auto printed = shell(CATENA_PYTHON " read.py '[[" + a + "],[" + b + "],[" + c + "]]'");
      ASSERT_EQ(printed.status, 0) << printed.err << contents(folder_ / "printed.txt");
      const auto torques = nlohmann::json::parse(printed.out);
      const auto expected = run_json("inverse " + robot + (options == "--rigid" ? " --rigid" : "") + " --q=" + a +
                                     " --qd=" + b + " --qdd=" + c)["tau"];
      for (std::size_t j = 0; j < expected.size(); ++j)
        EXPECT_NEAR(torques[j].get<double>(), expected[j].get<double>(), 1e-9) << robot << ' ' << options << ' ' << j;
    }
}

// Saha and Goel's C of arms in space, read back from what is printed: not Christoffel's, and the same torques.
TEST_F(EquationsCli, TheMatrixOfSahaAndGoelGivesTheSameTorques) {
  make("read.py", reader);
  const std::string q = "0.3,-0.8,1.2,0.1,0.7,-0.4", qd = "1.5,-0.7,0.4,-0.2,0.9,1.1", qdd = "-2,0.6,1,0.9,-0.3,0.5";
  for (const std::string robot : {"stanford", "puma560", "ur5"}) {
    const std::string command = "equations " + robot + " --rigid --quiet --format text --digits 17";
    ASSERT_EQ(run(command + " --method denoc > printed.txt").status, 0);
    EXPECT_NE(contents(folder_ / "printed.txt"), run(command).out) << robot;
    const auto printed = shell(CATENA_PYTHON " read.py '[[" + q + "],[" + qd + "],[" + qdd + "]]'");
    ASSERT_EQ(printed.status, 0) << printed.err;
    const auto torques = nlohmann::json::parse(printed.out);
    const auto expected =
        run_json("inverse " + robot + " --rigid --quiet --q=" + q + " --qd=" + qd + " --qdd=" + qdd)["tau"];
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(torques[j].get<double>(), expected[j].get<double>(), 1e-9) << robot << ' ' << j;
  }
}

TEST_F(EquationsCli, ChoosesFormulations) {
  const std::string command = "equations stanford --quiet --compute inertia,coriolis --format text";
  const std::string own = run(command).out, saha = run(command + " --method denoc").out;
  EXPECT_NE(own, saha);
  EXPECT_EQ(run(command + " --method coriolis=denoc").out, saha);
  EXPECT_EQ(run(command + " --method denoc,inertia=renaud").out, saha);
  EXPECT_EQ(run(command + " --method inertia=renaud").out, own);
  EXPECT_NE(refused(command + " --method gravity=denoc").find("--method gravity=denoc: --compute has no 'gravity'"),
            std::string::npos);
  EXPECT_NE(refused(command + " --method renaud").find("--method: no formulation 'renaud' of coriolis"),
            std::string::npos);
  for (const char* twice : {"denoc,denoc", "inertia=noc,inertia=renaud", "inertia=", "denoc,"})
    EXPECT_NE(refused(command + " --method " + twice).find("write NAME for all jobs, JOB=NAME for one, each once"),
              std::string::npos)
        << twice;
  EXPECT_NE(refused("equations pelican --method inertia=walker-orin").find("walker-orin of inertia: "),
            std::string::npos);
}

TEST_F(EquationsCli, WritesFrictionAndRotorsAsSymbols) {
  make("scara.toml", scara);
  const std::string text = run("equations scara.toml --format text --symbols all").out;
  for (const char* line : {"scara: M(q) qdd + C(q, qd) qd + g(q) + f(qd) = tau\n", "M33 = Izz3 + Izz4 + Ir3\n",
                           "M44 = m4 + G4^2 Ir4\n", "f1 = fv1 qd1 + fc1 sgn(qd1)\n", "f2 = fc2 sgn(qd2)\n", "f3 = 0\n",
                           "f4 = fv4 qd4\n", "G1    gear ratio of joint 1                       50\n",
                           "Ir3   inertia of the rotor of joint 3             0.4 kg m^2\n",
                           "fc1   Coulomb friction of joint 1                 1.5 N m\n",
                           "fv4   viscous friction of joint 4                 8 N s/m\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  const std::string latex = run("equations scara.toml --symbols all").out;
  for (const char* part : {"+ \\mathbf{g} + \\mathbf{f} = \\boldsymbol{\\tau}", "\\mathbf{f}(\\dot{\\mathbf{q}}) = ",
                           "f_{v1} \\dot\\theta_1 + f_{c1} \\operatorname{sgn}(\\dot\\theta_1)", "G_4^2 I_{r4}"})
    EXPECT_NE(latex.find(part), std::string::npos) << part << latex;
  const std::string rigid = run("equations scara.toml --format text --symbols all --rigid").out;
  for (const char* part : {"f(qd)", "Ir", "G1", "fv"}) EXPECT_EQ(rigid.find(part), std::string::npos) << part;
  // Where friction is in the result already it is not said twice.
  const std::string tau = run("equations scara.toml --format text --compute inverse --symbols all").out;
  EXPECT_EQ(tau.find("\nf1 ="), std::string::npos);
  EXPECT_NE(tau.find("fv4 qd4"), std::string::npos) << tau;
}

// A common mass is found wherever it stands: of many terms, of one, of a square.
TEST_F(EquationsCli, GathersMassesEverywhere) {
  make("scara.toml", scara);
  const std::string text = run("equations scara.toml --format text --symbols all").out;
  for (const char* line : {"M22 = m2 cx2^2 + a3^2 (m3 + m4) + Izz2", "a3 (m3 + m4) (a3 + a2 c2)",
                           "+ (m3 + m4) (a2^2 + a3^2 + 2 a2 a3 c2)", "C21 = a2 s2 qd1 (m2 cx2 + a3 (m3 + m4))\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("m3 a3"), std::string::npos) << text;
  const std::string stanford = run("equations stanford --format text --compute inertia --symbols all").out;
  EXPECT_NE(stanford.find("(m5 + m6) (d4 + q3)^2"), std::string::npos);
}

// Right angles of few digits: what would be thousands of terms is written as if they were exact, and that is said.
TEST_F(EquationsCli, TakesNearlyRightAnglesAsExact) {
  ASSERT_EQ(run("convert puma560 -o exact.urdf").status, 0);
  const std::string exact = contents(folder_ / "exact.urdf");
  const std::string plain = run("equations exact.urdf --format text --compute gravity --digits 4").out;
  EXPECT_EQ(run("equations exact.urdf --format text --compute gravity 2>&1 | grep -c 'right ones'").out, "0\n");
  for (const char* typed : {"1.57079632679", "1.5708"}) {
    std::string text = exact;
    const std::string right = "1.5707963267948966";
    for (std::size_t at; (at = text.find(right)) != std::string::npos;) text.replace(at, right.size(), typed);
    make("typed.urdf", text);
    const auto start = std::chrono::steady_clock::now();
    const Result result = run("equations typed.urdf --format text --compute inertia,gravity --digits 5");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    EXPECT_EQ(result.out,
              run("equations typed.urdf --format text --compute inertia,gravity --digits 5 --snap 1e-5").out);
    EXPECT_EQ(run("equations typed.urdf --format text --compute gravity --digits 4").out, plain);
    const std::string note = result.err.substr(result.err.find("catena: "));
    EXPECT_EQ(std::count(note.begin(), note.end(), '\n'), 1) << note;
    EXPECT_NE(note.find("angles of joint2, joint4, joint5, joint6 are within"), std::string::npos) << note;
    EXPECT_NE(note.find("and taken as exact, as by --snap 1e-0"), std::string::npos) << note;
    EXPECT_NE(note.find("torques change by at most"), std::string::npos) << note;
    // Somebody who asks for the angles as they are gets them.
    EXPECT_EQ(run("equations typed.urdf --format text --compute gravity --snap 0").err.find("taken as exact"),
              std::string::npos);
  }
  for (const std::string& model : shipped_models())
    EXPECT_EQ(run("equations " + model + " --compute gravity").err.find("right ones"), std::string::npos) << model;
}

TEST_F(EquationsCli, TakesAFrame) {
  const std::string flange = run("equations puma560 --compute pose --format text --frame flange").out;
  EXPECT_NE(flange, run("equations puma560 --compute pose --format text --frame link6").out);
  EXPECT_EQ(flange, run("generate puma560 --compute pose --lang text --frame flange").out);
  EXPECT_NE(
      refused("equations pelican --frame link2").find("--frame goes with a job that takes one: --compute pose, jac"),
      std::string::npos);
}

TEST_F(EquationsCli, OverwritesNobodysWork) {
  make("paper.tex", "\\documentclass{article}\nmonths of work\n");
  EXPECT_NE(refused("equations pelican -o paper.tex").find("paper.tex exists and was not written by catena; --force"),
            std::string::npos);
  EXPECT_NE(contents(folder_ / "paper.tex").find("months of work"), std::string::npos);
  for (const char* format : {"latex", "text", "latex"})  // its own, of either kind
    EXPECT_EQ(run(std::string("equations pelican -o own.tex --format ") + format).status, 0);
  EXPECT_EQ(run("equations pelican -o paper.tex --force").status, 0);
  EXPECT_EQ(contents(folder_ / "paper.tex"), run("equations pelican").out);
  EXPECT_NE(refused("equations pelican --force").find("--force goes with -o FILE"), std::string::npos);
}

TEST_F(EquationsCli, SaysWhatIsWrongInOneLine) {
  EXPECT_NE(refused("equations pelican --compute forward").find("solve M qdd = tau - C qd - g"), std::string::npos);
  EXPECT_NE(refused("equations pelican --compute inertai").find("did you mean 'inertia'?"), std::string::npos);
  EXPECT_NE(refused("equations pelican --symbols mass").find("--symbols 'mass': write QUANTITY:JOINT"),
            std::string::npos);
  EXPECT_NE(refused("equations pelican --symbols cx1=-a1/2").find("of the model is -0.1617"), std::string::npos);
  EXPECT_NE(refused("equations panda --compute inertia --limit 50").find("or raise --limit"), std::string::npos);
  EXPECT_NE(refused("equations pelican --format word").find("--format"), std::string::npos);
  EXPECT_NE(refused("equations pelican --digits 0").find("--digits"), std::string::npos);
  refused("equations nosuchrobot");
}

}  // namespace
}  // namespace catena::equations_cli_test
