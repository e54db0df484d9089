// catena generate as a person uses it.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "catena/robot_file.hpp"
#include "support/program.hpp"

namespace catena::generate_cli_test {
namespace {

using Generate = ProgramTest;

TEST_F(Generate, WritesSourceAndPrototypes) {
  const auto result = run_json("generate ur5 --compute inverse,inertia,forward --name arm -o arm.c");
  EXPECT_EQ(result["files"], (std::vector<std::string>{"arm.c", "arm.h"}));
  ASSERT_EQ(result["functions"].size(), 3u);
  EXPECT_EQ(result["functions"][0]["function"], "arm_inverse");
  EXPECT_LE(result["functions"][0]["multiplications"], 180);
  EXPECT_LE(result["functions"][0]["additions"], 150);
  const std::string header = contents(folder_ / "arm.h");
  for (const char* prototype : {"void arm_inverse(const double *q, const double *qd, const double *qdd, double *tau);",
                                "void arm_inertia(const double *q, double *M);",
                                "void arm_forward(const double *q, const double *qd, const double *tau, double *qdd);"})
    EXPECT_NE(header.find(prototype), std::string::npos) << prototype;
  // A person's program against it, and the same torques as the command line.
  make("main.c",
       "#include <stdio.h>\n#include \"arm.h\"\nint main(void) { double q[6] = {0.1, -1.2, 0.8, 0.4, 0.5, 0}, v[6] = "
       "{1, 1, 1, 1, 1, "
       "1}, tau[6];\n int j; arm_inverse(q, v, v, tau); for (j = 0; j < 6; ++j) printf(\"%.17g\\n\", tau[j]); return "
       "0; }\n");
  const auto program = shell("cc -std=c99 -Wall -Wextra -Werror -pedantic arm.c main.c -lm -o main && ./main");
  ASSERT_EQ(program.status, 0) << program.err;
  const auto tau = run_json("inverse ur5 --q 0.1,-1.2,0.8,0.4,0.5,0 --qd 1,1,1,1,1,1 --qdd 1,1,1,1,1,1")["tau"];
  std::istringstream lines(program.out);
  for (const double expected : tau) {
    double actual = 0.0;
    lines >> actual;
    EXPECT_NEAR(actual, expected, 1e-11);
  }
}

TEST_F(Generate, PrintsWithoutAFile) {
  const auto result = run("generate planar2r --compute gravity --lang python --name planar");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("def planar_gravity(q):"), std::string::npos);
}

TEST_F(Generate, WritesFormulasToRead) {
  const auto text = run("generate pelican --compute inertia --lang text");
  EXPECT_NE(text.out.find("M22 = m2 l2^2 + Izz2"), std::string::npos) << text.out << text.err;
  ASSERT_EQ(run("generate pelican --compute inertia --lang latex -o pelican.tex").status, 0);
  EXPECT_NE(contents(folder_ / "pelican.tex").find("m_2 l_2^2 + I_{zz2}"), std::string::npos);
}

TEST_F(Generate, TakesUnderASecondWithoutASearch) {
#ifdef CATENA_SANITIZED
  constexpr std::chrono::seconds allowed(20);
#else
  constexpr std::chrono::seconds allowed(1);
#endif
  for (const std::string& model : shipped_models()) {
    const auto start = std::chrono::steady_clock::now();
    const auto result =
        run("generate " + model +
            " --compute inverse,gravity,inertia,bias,coriolis,forward,pose,jacobian --no-search --name arm -o arm.c");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_LT(std::chrono::steady_clock::now() - start, allowed) << model;  // all eight jobs together
  }
}

TEST_F(Generate, SearchesSevenJointsWithinFiveSeconds) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run("generate panda --compute inverse -o arm.c").status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(Generate, SaysWhatIsWrong) {
  EXPECT_NE(refused("generate ur5 --compute dance").find("--compute: no job 'dance'"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --keep mass:9").find("joints are numbered 1 to 6"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --name 'two words'").find("cannot be a function name"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --method nonsense").find("no formulation 'nonsense'"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute inverse,inertia --method denoc").find("single --compute job"),
            std::string::npos);
  EXPECT_NE(refused("generate ur5 --lang c-batch --lanes 3").find("lanes must be 2, 4, 8, 16 or 32"),
            std::string::npos);
  EXPECT_NE(refused("generate ur5 -o arm.h").find(".h"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute pose --frame nowhere").find("has no frame 'nowhere'"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --json").find("--json needs -o"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute inverse,inverse --fuse").find("asked for twice"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute inverse,inverse").find("asked for twice"), std::string::npos);
}

TEST_F(Generate, LeavesNoHalfWrittenFile) {
  EXPECT_NE(refused("generate ur5 -o missing/arm.c", 1).find("missing/arm"), std::string::npos);
  make("arm.c", "mine\n");
  // A file of at most 4 kB may be written: the disk is as good as full.
  const auto result = shell("ulimit -f 8; \"$CATENA\" generate ur5 --compute coriolis -o arm.c --force");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(contents(folder_ / "arm.c"), "mine\n");
  EXPECT_EQ(shell("ls *.tmp arm.h 2>/dev/null").out, "");
}

// The header would fit on the disk, the source does not; or the header cannot be written.
TEST_F(Generate, WritesBothFilesOrNone) {
  EXPECT_EQ(shell("ulimit -f 8; \"$CATENA\" generate ur5 --compute coriolis -o arm.c").status, 1);
  EXPECT_EQ(shell("ls arm.* 2>/dev/null").out, "");
  ASSERT_EQ(run("generate ur5 -o arm.c").status, 0);
  const std::string source = contents(folder_ / "arm.c"), header = contents(folder_ / "arm.h");
  EXPECT_EQ(shell("ulimit -f 8; \"$CATENA\" generate ur5 --compute coriolis -o arm.c").status, 1);
  EXPECT_EQ(contents(folder_ / "arm.c"), source);
  EXPECT_EQ(contents(folder_ / "arm.h"), header);
  shell("rm arm.*; mkdir arm.h");
  EXPECT_NE(refused("generate ur5 -o arm.c", 1).find("arm.h: cannot be written"), std::string::npos);
  EXPECT_EQ(shell("ls -d arm.*").out, "arm.h\n");
}

std::string chain(int joints) {
  std::string text = "name = \"chain\"\nconvention = \"classic\"\n";
  for (int j = 0; j < joints; ++j)
    text +=
        "[[link]]\njoint = \"revolute\"\nalpha = 1.2\na = 0.1\nd = 0.2\nmass = 1.5\ncom = [0.01, 0.02, 0.03]\n"
        "inertia = [0.01, 0.02, 0.025]\n";
  return text;
}

TEST_F(Generate, SaysWhenTheCodeWouldBeTooLong) {
  make("chain.toml", chain(12));
  const std::string said = refused("generate chain.toml --compute response --limit 10000 -o arm.c");
  EXPECT_NE(said.find("code for response would have "), std::string::npos) << said;
  EXPECT_NE(said.find(" operations, about "), std::string::npos) << said;
  EXPECT_NE(said.find("the limit is 10000; --limit N allows more"), std::string::npos) << said;
  EXPECT_EQ(shell("ls arm.* 2>/dev/null").out, "");
  EXPECT_EQ(run("generate chain.toml --compute response --no-search -o arm.c").status, 0);
}

// Long bodies are written in parts, of which none is long: the time of a compiler grows with their squares.
TEST_F(Generate, LongBodiesComeInParts) {
  make("chain.toml", chain(12));
  ASSERT_EQ(run("generate chain.toml --compute response --no-search --name arm -o arm.c").status, 0);
  std::istringstream lines(contents(folder_ / "arm.c"));
  int longest = 0, length = 0, parts = 0;
  for (std::string line; std::getline(lines, line); ++length) {
    if (line == "{") length = 0;
    if (line == "}") longest = std::max(longest, length);
    parts += line.starts_with("arm_response_part ") ? 1 : 0;
  }
  EXPECT_GT(parts, 2);
  EXPECT_LT(longest, 1200);
  const auto made = shell("cc -std=c99 -O0 -Wall -Wextra -Werror -pedantic -c arm.c");
  EXPECT_EQ(made.status, 0) << made.err;
}

TEST_F(Generate, AbridgesAndSaysWhatItCosts) {
  const auto result =
      run_json("generate puma560 --quiet --significance 1% --compute inverse,inertia --name arm -o arm.c");
  const auto& inverse = result["functions"][0];
  const auto& abridged = inverse["abridged"];
  EXPECT_EQ(abridged["significance"], 0.01);
  EXPECT_EQ(abridged["by"], "sampling");
  EXPECT_EQ(abridged["exact"]["multiplications"], 196);
  EXPECT_LT(inverse["multiplications"], 120);
  EXPECT_EQ(abridged["errors"].size(), 6u);
  EXPECT_LE(abridged["largest_error"], 0.01);
  EXPECT_EQ(result["functions"][1]["abridged"]["errors"].size(), 36u);
  const std::string source = contents(folder_ / "arm.c");
  for (const char* words : {"abridged: of 196 multiplications and 155 additions, for errors of at most 1 %",
                            "speeds up to 1.92, 1.51, 2.4, 5.34, 5.09, 5.74", "(a sample, not a bound)", "    tau: "})
    EXPECT_NE(source.find(words), std::string::npos) << words;
  const auto made = shell("cc -std=c99 -Wall -Wextra -Werror -pedantic -c arm.c");
  EXPECT_EQ(made.status, 0) << made.err;
  const auto same = run_json("generate puma560 --quiet --significance 0.01 --compute inverse --name arm -o arm.c");
  EXPECT_EQ(same["functions"][0], inverse);
  EXPECT_FALSE(run_json("generate puma560 --quiet --significance 0 -o arm.c")["functions"][0].contains("abridged"));
  const auto printed = run("generate puma560 --significance 5% --lang python --speeds 1 --accelerations joint2=3");
  EXPECT_NE(printed.out.find("accelerations up to 5, 3, 5, 5, 5, 5"), std::string::npos) << printed.out << printed.err;
  EXPECT_NE(printed.err.find("of 351 multiplications and additions; largest error"), std::string::npos) << printed.err;
}

TEST_F(Generate, AbridgedCodeIsStraight) {
  make("chain.toml", chain(16));
  const std::string command = "generate chain.toml --compute inverse_inertia --no-search --name arm -o arm.c";
  const std::string loop = "for (int i = 0";
  ASSERT_EQ(run(command).status, 0);
  EXPECT_NE(contents(folder_ / "arm.c").find(loop), std::string::npos);
  ASSERT_EQ(run(command + " --significance 1%").status, 0);
  EXPECT_EQ(contents(folder_ / "arm.c").find(loop), std::string::npos);
}

TEST_F(Generate, SaysWhatIsWrongWithASignificance) {
  for (const char* bad : {"-1", "-0.5%", "1", "100%", "x", "1%%", "%", "1,2", "nan", "inf", "1e400"})
    EXPECT_NE(refused(std::string("generate ur5 --significance ") + bad).find("--significance"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --speeds 1").find("--speeds goes with --significance"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --significance 1% --speeds -1").find("none may be negative"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --significance 1% --accelerations 1,2").find("UR5 takes 6"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --significance 1% --keep mass:6").find("leave out one of the two"),
            std::string::npos);
  EXPECT_NE(refused("generate ur5 --significance 1% --lang text").find("goes with --lang c"), std::string::npos);
  EXPECT_NE(run("generate --help").out.find("--significance P%"), std::string::npos);
}

TEST_F(Generate, KeptParametersAndGravityAreArguments) {
  ASSERT_EQ(run("generate ur5 --keep mass:6 --gravity-input --name arm -o arm.c").status, 0);
  const auto functions = run_json("generate ur5 --keep mass:6 --name arm -o arm.c")["functions"];
  EXPECT_EQ(functions[0]["parameters"], (nlohmann::json::array({{{"name", "m6"}, {"nominal", 0.1879}}})));
  ASSERT_EQ(run("generate ur5 --keep mass:6 --gravity-input --name arm -o arm.c").status, 0);
  EXPECT_NE(contents(folder_ / "arm.h").find("parameters[0] is m6, in the model 0.1879\n"), std::string::npos);
  EXPECT_NE(contents(folder_ / "arm.h")
                .find("void arm_inverse(const double *q, const double *qd, const double *qdd, const double *gravity, "
                      "const double *parameters, double *tau);"),
            std::string::npos);
}

// What an option says and nobody hears is refused, with what it goes with.
TEST_F(Generate, RefusesOptionsWithoutTheirCompanions) {
  const std::pair<const char*, const char*> cases[] = {
      {"ur5 --lanes 4", "--lanes goes with --lang c-batch"},
      {"ur5 --lang python --lanes 4", "--lanes goes with --lang c-batch"},
      {"ur5 --lang cuda --sincos library", "--sincos goes with --lang c, c-batch"},
      {"ur5 --packed", "--packed goes with a job that has a symmetric matrix: --compute inertia"},
      {"ur5 --compute coriolis,pose --packed", "--packed goes with a job that has a symmetric matrix"},
      {"ur5 --frame tool0", "--frame goes with a job that takes one: --compute pose, jacobian"},
      {"ur5 --lang latex --frame tool0", "--frame goes with a job that takes one"},
      {"ur5 --fuse", "--fuse goes with several jobs of --compute"},
      {"ur5 --gravity-input --gravity 0,0,-1", "leave out --gravity"},
      {"ur5 --compute inertia --gravity-input", "--gravity-input: no result of --compute inertia depends on gravity"},
      {"ur5 --compute pose --keep mass:3", "--keep mass:3: no result of --compute pose depends on these constants"},
      {"ur5 --force", "--force goes with -o FILE"},
      {"pelican --lang latex --name arm", "--name goes with --lang c, c-batch, cuda, python"},
      {"pelican --lang text --float", "--float goes with --lang c, c-batch, cuda, python"},
      {"pelican --lang text --fuse --compute inertia,gravity", "--fuse goes with --lang c,"},
      {"pelican --lang text --packed --compute inertia", "--packed goes with --lang c,"},
      {"pelican --lang text --sincos library", "--sincos goes with --lang c,"},
      {"pelican --lang text --lanes 4", "--lanes goes with --lang c,"},
      {"pelican --lang text --gravity-input", "--gravity-input goes with --lang c,"},
      {"pelican --lang text --method denoc", "--method goes with --lang c,"},
      {"pelican --lang text --no-search", "--no-search goes with --lang c,"},
      {"pelican --lang text --json", "--json goes with --lang c,"},
  };
  for (const auto& [arguments, words] : cases)
    EXPECT_NE(refused(std::string("generate ") + arguments).find(words), std::string::npos) << arguments;
  for (const char* arguments : {"ur5 --lang c-batch --lanes 4", "ur5 --compute inertia,inverse --packed",
                                "ur5 --compute inverse,pose --frame tool0", "ur5 --compute pose --keep length:a2"})
    EXPECT_EQ(run(std::string("generate --no-search ") + arguments).status, 0) << arguments;
  const std::pair<const char*, const char*> counts[] = {
      {"count ur5 --twists right", "--twists goes with --n N"},
      {"compare ur5 --twists right", "--twists goes with --n N"},
      {"count --n 4 --rigid", "--rigid goes with a MODEL"},
      {"count --n 4 --gravity 0,0,1", "--gravity goes with a MODEL"},
      {"compare --n 4 --snap 1e-6", "--snap goes with a MODEL"},
      {"count --n 4 --strict", "--strict goes with a MODEL"},
      {"count ur5 --n 4", "give a MODEL or --n, not both"},
  };
  for (const auto& [arguments, words] : counts)
    EXPECT_NE(refused(arguments).find(words), std::string::npos) << arguments;
}

TEST_F(Generate, OverwritesNobodysWork) {
  make("arm.h", "/* my own header */\n");
  EXPECT_NE(
      refused("generate planar2r -o arm.c").find("arm.h exists and was not written by catena; --force overwrites it"),
      std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "arm.c"));
  EXPECT_EQ(contents(folder_ / "arm.h"), "/* my own header */\n");
  EXPECT_EQ(run("generate planar2r -o arm.cu --lang cuda").status, 0);  // writes no header
  EXPECT_EQ(run("generate planar2r -o arm.c --force").status, 0);
  for (const char* target : {"c", "c-batch", "python", "cuda", "latex", "text", "c"})
    EXPECT_EQ(run(std::string("generate planar2r -o arm.c --lang ") + target).status, 0) << target;  // its own
  make("arm.c", "int mine;\n");
  for (const char* target : {"c", "python", "latex", "text"})
    EXPECT_NE(refused(std::string("generate planar2r -o arm.c --lang ") + target).find("arm.c exists"),
              std::string::npos);
  EXPECT_EQ(contents(folder_ / "arm.c"), "int mine;\n");
  make("empty.c", "");
  EXPECT_EQ(run("generate planar2r -o empty.c").status, 0);  // there is nothing to lose
}

TEST_F(Generate, SaysWhatExactAnglesWouldGain) {
  ASSERT_EQ(run("convert puma560 -o exact.urdf").status, 0);
  std::string text = contents(folder_ / "exact.urdf");
  const std::string right = "1.5707963267948966";
  for (std::size_t at; (at = text.find(right)) != std::string::npos;) text.replace(at, right.size(), "1.57079632679");
  make("typed.urdf", text);
  const auto counts = [&](const std::string& arguments) {
    const auto f = run_json("generate " + arguments + " -o arm.c")["functions"][0];
    return std::pair{f["multiplications"].get<int>(), f["additions"].get<int>()};
  };
  const auto now = counts("typed.urdf"), snapped = counts("typed.urdf --snap 1e-6");
  EXPECT_EQ(snapped, counts("exact.urdf"));
  const std::string err = run("generate typed.urdf").err, note = err.substr(err.find("catena: "));
  EXPECT_EQ(std::count(note.begin(), note.end(), '\n'), 1) << note;
  EXPECT_NE(note.find("angles of joint2, joint4, joint5, joint6 are within 4.9e-12 of right angles: with --snap 1e-06 "
                      "the code would have " +
                      std::to_string(snapped.first) + " multiplications instead of " + std::to_string(now.first) +
                      " and " + std::to_string(snapped.second) + " additions instead of " + std::to_string(now.second)),
            std::string::npos)
      << note;
  EXPECT_NE(note.find("and torques would change by at most "), std::string::npos);
  for (const std::string& model : shipped_models())
    EXPECT_EQ(run("generate " + model).err.find("right angles"), std::string::npos) << model;
  EXPECT_EQ(run("generate typed.urdf --snap 1e-6").err.find("right angles"), std::string::npos);
  EXPECT_EQ(run("generate typed.urdf --compute energy --snap 0").err.find("right angles"), std::string::npos);
}

// Code for a robot that has no accelerations would have to divide by zero: nothing is written.
TEST_F(Generate, RefusesNumbersThatAreNotFinite) {
  const auto refused = run("generate planar2r --only link1 --compute forward -o arm.c");
  EXPECT_NE(refused.status, 0);
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_NE(refused.err.find("a constant in the code is not finite: some joint moves nothing that has mass"),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "arm.c"));
}

TEST_F(Generate, DerivativesOfAnyOrder) {
  const Result made = run("generate ur5 --derivatives 2 --compute inverse,pose --name arm -o arm.c --json");
  ASSERT_EQ(made.status, 0) << made.err;
  const auto functions = nlohmann::json::parse(made.out)["functions"];
  ASSERT_EQ(functions.size(), 8U);
  EXPECT_EQ(functions[1]["function"], "arm_inverse_jacobian");
  EXPECT_EQ(functions[1]["methods"][0], "tensor");  // by the job linearize, which is cheaper
  EXPECT_EQ(functions[3]["function"], "arm_inverse_gradient_jacobian");
  EXPECT_EQ(functions[5]["function"], "arm_pose_jacobian");
  EXPECT_NE(refused("generate ur5 --derivatives 3").find("--derivatives"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --derivatives 1 --significance 1%").find("--derivatives 0"), std::string::npos);
  EXPECT_NE(refused("generate panda --derivatives 2 --compute forward --limit 5000").find("--limit N allows more"),
            std::string::npos);
}

TEST_F(Generate, CallsOfCasadi) {
  ASSERT_EQ(run("generate ur5 --abi casadi --name arm -o arm.c").status, 0);
  EXPECT_NE(contents(folder_ / "arm.h").find("int jac_arm_inverse(const double **arg"), std::string::npos);
  EXPECT_EQ(contents(folder_ / "arm.h").find("adj1_arm_inverse"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --abi casadi --lang cuda").find("--abi goes with --lang c"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --abi casadi --float").find("double precision"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --abi casadi --name a__b").find("no double underscore"), std::string::npos);
}

}  // namespace
}  // namespace catena::generate_cli_test
