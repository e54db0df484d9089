// catena excite and calibrate as a person uses them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/program.hpp"

namespace catena::calibrate_cli_test {
namespace {

using nlohmann::json;

class ExciteCli : public ProgramTest {};

TEST_F(ExciteCli, WritesAtTheControllersRateFromRestToRest) {
  const json found =
      run_json("excite ur5 --quiet --time 3.001 --rate 125 --starts 1 --steps 3 --acceleration 8 --floor 0");
  const json &t = found["t"], &qd = found["qd"], &qdd = found["qdd"], &q = found["q"];
  ASSERT_EQ(t.size(), 377U);  // 376 steps of 8 ms, the least that take 3.001 s
  EXPECT_NEAR(found["period"].get<double>(), 3.008, 1e-12);
  EXPECT_NEAR(t.back().get<double>(), 3.008, 1e-12);
  EXPECT_NEAR(t[100].get<double>() - t[99].get<double>(), 0.008, 1e-12);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(qd[0][j].get<double>(), 0.0, 1e-12);
    EXPECT_NEAR(qd[376][j].get<double>(), 0.0, 1e-12);
    EXPECT_NEAR(qdd[376][j].get<double>(), 0.0, 1e-11);
    EXPECT_EQ(q[0][j], q[376][j]);
    for (const json& row : qdd) EXPECT_LE(std::abs(row[j].get<double>()), 0.95 * 8.0 * (1 + 1e-9));
  }
  EXPECT_EQ(run_json("excite planar2r --quiet --time 4 --samples 9 --starts 1 --steps 0")["t"].size(), 9U);
}

TEST_F(ExciteCli, CriteriaDifferAndAreSaid) {
  const std::string some = "excite planar2r --time 5 --starts 1 --steps 60 --samples 10 --json";
  const Result even = run(some), large = run(some + " --criterion determinant");
  EXPECT_GT(json::parse(large.out)["information"].get<double>(), json::parse(even.out)["information"].get<double>());
  EXPECT_LT(json::parse(even.out)["condition"].get<double>(), json::parse(large.out)["condition"].get<double>());
  EXPECT_NE(large.err.find("log det of the information"), std::string::npos) << large.err;
  EXPECT_NE(run_json(some + " --quiet --criterion determinant --weights 1,100")["sines"],
            json::parse(large.out)["sines"]);
}

TEST_F(ExciteCli, SaysWhatIsWrong) {
  const std::string excite = "excite ur5 --time 5 --starts 1 --steps 1 ";
  EXPECT_NE(refused(excite + "--acceleration 0").find("--acceleration"), std::string::npos);
  EXPECT_NE(refused(excite + "--acceleration 1,2").find("--acceleration has 2 numbers"), std::string::npos);
  EXPECT_NE(refused(excite + "--inside 1,2,3").find("a box is its lower and upper corner"), std::string::npos);
  EXPECT_NE(refused(excite + "--inside 1,1,1,0,0,0").find("lower corner"), std::string::npos);
  EXPECT_NE(refused(excite + "--sphere tool0=0,0,0,1").find("--sphere goes with"), std::string::npos);
  EXPECT_NE(refused(excite + "--floor 0 --sphere tool0").find("LINK=x,y,z,radius"), std::string::npos);
  EXPECT_NE(refused(excite + "--floor 0 --sphere tol0=0,0,0,1").find("tol0"), std::string::npos);
  EXPECT_NE(refused(excite + "--rate 100 --samples 10").find("--samples"), std::string::npos);
  EXPECT_NE(refused(excite + "--harmonics 1").find("--harmonics"), std::string::npos);
  EXPECT_NE(refused("excite ur5 --time 5 --starts 1 --floor 5", 1).find("leaves its room"), std::string::npos);
}

class CalibrateCli : public ProgramTest {
 protected:
  // A UR5 whose upper arm is 1 mm longer in its model than it is, and poses of the real one: poses.csv, others.csv.
  void measure() const {
    std::ifstream file(CATENA_SOURCE_DIR "/models/ur5.toml");
    std::stringstream text;
    text << file.rdbuf();
    std::string model = text.str();
    const std::size_t at = model.find("0.425");
    ASSERT_NE(at, std::string::npos);
    make("nominal.toml", model.replace(at, 5, "0.426"));
    for (const char* name : {"poses", "others"}) {
      std::string q = "q1,q2,q3,q4,q5,q6\n";
      const double shift = name[0] == 'p' ? 0.0 : 0.5;
      for (int k = 0; k < 60; ++k) {
        for (int j = 0; j < 6; ++j) {
          char entry[40];
          std::snprintf(entry, sizeof entry, "%.6f%c", 1.8 * std::sin((k + shift) * (1.0 + 0.37 * j)),
                        j < 5 ? ',' : '\n');
          q += entry;
        }
      }
      make("q.csv", q);
      const Result made = shell(
          std::string("\"$CATENA\" pose ur5 --states q.csv -o T.csv && paste -d, q.csv T.csv > ") + name + ".csv");
      ASSERT_EQ(made.status, 0) << made.err;
    }
  }
};

TEST_F(CalibrateCli, FindsAnErrorOfAMillimetreAndWritesTheModel) {
  measure();
  for (const char* form : {"frames", "classic", "modified"}) {
    SCOPED_TRACE(form);
    const json found =
        run_json(std::string("calibrate nominal.toml --poses poses.csv --validate others.csv --folds 3 --force "
                             "-o corrected.toml --parameters ") +
                 form);
    EXPECT_GT(found["before"]["position_rms"].get<double>(), 1e-4);
    EXPECT_LT(found["after"]["position_rms"].get<double>(), 1e-9);
    EXPECT_LT(found["validation"]["position_rms"].get<double>(), 1e-9);
    EXPECT_LT(found["folds"]["orientation_rms"].get<double>(), 1e-9);
    EXPECT_GT(found["unobservable"].size(), 5U);
    bool seen = false;
    for (const json& own : found["corrections"]) {
      const std::string name = own["name"];
      const std::string wrong = form == std::string("frames")    ? "elbow_joint z"
                                : form == std::string("classic") ? "a shoulder_lift_joint"
                                                                 : "a elbow_joint";
      const double expected = name == wrong ? 1e-3 : 0.0;
      seen = seen || expected != 0.0;
      EXPECT_NEAR(std::abs(own["correction"].get<double>()), expected, 1e-7) << name;
      EXPECT_NEAR(own["value"].get<double>() - own["nominal"].get<double>(), own["correction"].get<double>(), 1e-15);
    }
    EXPECT_TRUE(seen) << found["corrections"];
    const std::string state = " --q 0.3,-1,1,0.5,0.3,0.1";
    const json a = run_json("pose ur5" + state)["T"], b = run_json("pose corrected.toml" + state)["T"];
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i][3].get<double>(), b[i][3].get<double>(), 1e-8);
  }
  const Result text = run("calibrate nominal.toml --poses poses.csv --known base,tool");
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* words : {"calibrated", "95 % from", "not determined by these poses", "acts like", "elbow_joint z"})
    EXPECT_NE(text.out.find(words), std::string::npos) << text.out;
}

TEST_F(CalibrateCli, TablesInOtherUnits) {
  measure();
  const Result made =
      shell(CATENA_PYTHON
            " -c \"import csv, math\n"
            "rows = list(csv.DictReader(open('poses.csv')))\n"
            "out = open('mm.csv', 'w')\n"
            "out.write('q1,q2,q3,q4,q5,q6,note,x,y,z,qx,qy,qz,qw\\n')\n"
            "for k, r in enumerate(rows):\n"
            "    T = [[float(r[f'T{i}_{j}']) for j in (1, 2, 3, 4)] for i in (1, 2, 3)]\n"
            "    w = math.sqrt(max(0, 1 + T[0][0] + T[1][1] + T[2][2])) / 2\n"
            "    if w < 0.05: continue\n"
            "    v = [(T[2][1] - T[1][2]) / 4 / w, (T[0][2] - T[2][0]) / 4 / w, (T[1][0] - T[0][1]) / 4 / w]\n"
            "    p = ['nan'] * 3 if k == 7 else [1000 * T[i][3] for i in range(3)]\n"
            "    q = [math.degrees(float(r[f'q{j}'])) for j in range(1, 7)]\n"
            "    out.write(','.join(map(str, [*q, k, *p, *v, w])) + '\\n')\n\"");
  ASSERT_EQ(made.status, 0) << made.err;
  const json found = run_json("calibrate nominal.toml --poses mm.csv --unit mm --deg --quiet");
  EXPECT_LT(found["after"]["position_rms"].get<double>(), 1e-8);
  EXPECT_EQ(found["without_numbers"], 1);
  EXPECT_GT(found["after"]["poses"].get<int>(), 40);
  EXPECT_NE(refused("calibrate nominal.toml --poses mm.csv --deg", 1).find("another unit of length?"),
            std::string::npos);
  EXPECT_NE(refused("calibrate nominal.toml --poses mm.csv --unit mm", 1).find("degrees"), std::string::npos);
}

TEST_F(CalibrateCli, SensitivityIsTheJacobianForOffsets) {
  const std::string q = " --q 0.1,-1,1,0.2,0.3,0.4";
  const json J = run_json("jacobian ur5" + q)["J"],
             S = run_json("calibrate ur5 --sensitivity --parameters offsets" + q);
  ASSERT_EQ(S["sensitivity"].size(), 6U);
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(S["sensitivity"][j]["column"][i].get<double>(), J[i][j].get<double>(), 1e-12);
  EXPECT_NE(run("calibrate ur5 --sensitivity --parameters classic").out.find("alpha elbow_joint"), std::string::npos);
}

TEST_F(CalibrateCli, SaysWhatIsWrong) {
  measure();
  EXPECT_NE(refused("calibrate ur5").find("--poses"), std::string::npos);
  EXPECT_NE(refused("calibrate ur5 --poses q.csv").find("columns x, y and z"), std::string::npos);
  EXPECT_NE(refused("calibrate ur5 --poses T.csv").find("q1"), std::string::npos);
  EXPECT_NE(refused("calibrate ur5 --poses poses.csv --known table").find("--known"), std::string::npos);
  EXPECT_NE(refused("calibrate ur5 --poses poses.csv --keep nothing").find("'nothing'"), std::string::npos);
  EXPECT_NE(refused("calibrate ur5 --poses poses.csv --frame nowhere").find("nowhere"), std::string::npos);
  EXPECT_NE(refused("calibrate ur5 --q 1,1,1,1,1,1").find("--q goes with --sensitivity"), std::string::npos);
  EXPECT_NE(refused("calibrate five_bar --sensitivity").find("closed loops"), std::string::npos);
  make("few.csv", "q1,q2,q3,q4,q5,q6,x,y,z\n0,0,0,0,0,0,1,1,1\n");
  EXPECT_NE(refused("calibrate ur5 --poses few.csv", 1).find("at least 3 poses"), std::string::npos);
  make("bad.csv", "q1,q2,q3,q4,q5,q6,x,y,z\n0,0,0,0,0,0,1,one,1\n");
  EXPECT_NE(refused("calibrate ur5 --poses bad.csv").find("bad.csv:2"), std::string::npos);
}

}  // namespace
}  // namespace catena::calibrate_cli_test
