// catena regressor --base, excite and identify as a person uses them: from a model to a motion, torques, parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/model/parameters.hpp"
#include "support/program.hpp"

namespace catena::identify_cli_test {
namespace {

using nlohmann::json;

class IdentifyCli : public ProgramTest {
 protected:
  // A table of motion and torques of a model: measured.csv.
  void measure(const std::string& model, const std::string& more = "") const {
    const Result result = shell(
        "\"$CATENA\" excite " + model + " --quiet --time 8 --starts 1 --steps 10 --samples 150 -o motion.csv " + more +
        " && \"$CATENA\" inverse " + model +
        " --states motion.csv -o torques.csv && cut -d, -f2- torques.csv | paste -d, motion.csv - > measured.csv");
    ASSERT_EQ(result.status, 0) << result.err;
  }
};

TEST_F(IdentifyCli, RegressorHasSixteenColumnsForEachJoint) {
  const json Y = run_json("regressor ur5 --q 0,-1,1,0,0,0 --qd 0.1,0.2,0,0,0,0 --qdd 1,0,0,0,0,1");
  ASSERT_EQ(Y["Y"].size(), 6U);
  EXPECT_EQ(Y["Y"][0].size(), 96U);
  const json theta = run_json("regressor ur5 --parameters")["parameters"];
  ASSERT_EQ(theta.size(), 96U);
  EXPECT_EQ(theta[16]["name"], "m2");
  const json tau = run_json("inverse ur5 --q 0,-1,1,0,0,0 --qd 0.1,0.2,0,0,0,0 --qdd 1,0,0,0,0,1")["tau"];
  for (std::size_t j = 0; j < 6; ++j) {
    double sum = 0.0;
    for (std::size_t k = 0; k < theta.size(); ++k) sum += Y["Y"][j][k].get<double>() * theta[k]["value"].get<double>();
    EXPECT_NEAR(sum, tau[j].get<double>(), 1e-11);
  }
}

TEST_F(IdentifyCli, BaseParametersAreListed) {
  const json base = run_json("regressor panda --base --rigid")["base_parameters"];
  EXPECT_EQ(base.size(), 43U);
  EXPECT_EQ(base[0]["terms"][0]["factor"], 1.0);
  const Result text = run("regressor planar2r --base --rigid");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("m1 cx1 + 1 m1 + 1 m2"), std::string::npos) << text.out;
  EXPECT_NE(refused("regressor panda --base --q 0,0,0,0,0,0,0").find("leave out --q"), std::string::npos);
  EXPECT_NE(refused("regressor panda --parameters --states x.csv").find("leave out --states"), std::string::npos);
}

TEST_F(IdentifyCli, FindsTheModelFromItsOwnTorques) {
  for (const std::string model : {"panda", "stanford"}) {
    measure(model);
    const json found = run_json("identify " + model + " --states measured.csv");
    EXPECT_EQ(found["samples"], 150);
    EXPECT_EQ(found["covariance"].size(), found["estimates"].size());
    for (const json& own : found["estimates"])
      EXPECT_NEAR(own["value"].get<double>(), own["nominal"].get<double>(), 1e-6) << own["name"];
    const Result text = run("identify " + model + " --states measured.csv --weights residual");
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_NE(text.out.find("condition number"), std::string::npos);
  }
}

TEST_F(IdentifyCli, TablesOfAnyFormatAndInDegrees) {
  measure("planar2r");
  ASSERT_EQ(shell("\"$CATENA\" excite planar2r --quiet --time 8 --starts 1 --steps 10 --samples 150 -o again.csv\n"
                  "cmp motion.csv again.csv")
                .status,
            0);
  const json expected = run_json("identify planar2r --states measured.csv")["estimates"];
  const Result made =
      shell(CATENA_PYTHON
            " -c \"import numpy as np; a = np.loadtxt('measured.csv', delimiter=',', skiprows=1)[:, 1:]; "
            "np.save('a.npy', a); a[:, :6] *= 180 / np.pi; np.save('degrees.npy', a)\"");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(run_json("identify planar2r --states a.npy")["estimates"], expected);
  const json degrees = run_json("identify planar2r --states degrees.npy --deg")["estimates"];
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(degrees[k]["value"].get<double>(), expected[k]["value"].get<double>(), 1e-9);
}

TEST_F(IdentifyCli, WritesAModelThatGivesTheTorques) {
  measure("ur5");
  const json found = run_json("identify ur5 --states measured.csv -o found.toml");
  EXPECT_EQ(found["physical"]["parameters"].size(), 6U * parameters_per_joint);
  const std::string state = " --q 0,-1,1,0.5,0.3,0 --qd 1,1,1,1,1,1 --qdd 1,2,3,4,5,6";
  const json expected = run_json("inverse ur5" + state)["tau"], tau = run_json("inverse found.toml" + state)["tau"];
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(tau[j].get<double>(), expected[j].get<double>(), 0.02) << j;
  EXPECT_NE(refused("identify ur5 --states measured.csv -o found.toml").find("exists"), std::string::npos);
  EXPECT_NE(refused("identify ur5 --states measured.csv -o found.txt").find(".toml, .urdf or .xml"), std::string::npos);
  const Result text = run("identify ur5 --states measured.csv --physical");
  EXPECT_NE(text.out.find("possible parameters are"), std::string::npos) << text.out << text.err;
}

TEST_F(IdentifyCli, SaysWhatIsWrongWithTheData) {
  std::string still = "q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n", good = still;
  for (int k = 0; k < 40; ++k) {
    const double a = 0.3 * k;
    char row[200];
    std::snprintf(row, sizeof row, "%.6f,0,%.6f,0,%.6f,0,1,2\n", std::sin(a), std::cos(a), -std::sin(a));
    still += row;
  }
  make("still.csv", still);
  const std::string unseen = refused("identify planar2r --states still.csv", 1);
  EXPECT_TRUE(unseen.starts_with("catena identify: still.csv: the motion does not determine") ||
              unseen.find("still.csv: the motion does not determine") != std::string::npos)
      << unseen;
  EXPECT_NE(unseen.find("fv2"), std::string::npos) << unseen;
  make("few.csv", good + "0,0,1,1,1,1,1,1\n");
  EXPECT_NE(refused("identify planar2r --states few.csv", 1).find("samples are needed"), std::string::npos);
  make("nan.csv", good + "0,0,1,1,1,nan,1,1\n");
  EXPECT_NE(refused("identify planar2r --states nan.csv").find("nan.csv:2"), std::string::npos);
  make("short.csv", "q1,q2,qd1,qd2,qdd1,qdd2\n0,0,1,1,1,1\n");
  EXPECT_NE(refused("identify planar2r --states short.csv").find("tau"), std::string::npos);
  make("row.csv", good + "0,0,1,1,1,1,1\n");
  EXPECT_NE(refused("identify planar2r --states row.csv").find("row.csv:2"), std::string::npos);
  make("good.csv", still);
  EXPECT_NE(refused("identify planar2r --states good.csv --weights 1,2,3").find("--weights"), std::string::npos);
  EXPECT_NE(refused("identify planar2r --states good.csv --weights -1").find("positive"), std::string::npos);
  EXPECT_NE(refused("excite planar2r --time 0").find("--time"), std::string::npos);
  EXPECT_NE(refused("excite planar2r --time 5 --harmonics 0").find("--harmonics"), std::string::npos);
}

TEST_F(IdentifyCli, FitsWhatIsAskedAndHoldsItAgainstOtherData) {
  measure("ur5");
  const json found = run_json(
      "identify ur5 --states measured.csv --friction auto --offsets --folds 3 --validate measured.csv --physical "
      "--prior 1 "
      "--mass-bounds 0.5,2 --centre-within 0.2");
  EXPECT_EQ(found["friction"].size(), 6U);
  EXPECT_EQ(found["folds"]["least_squares"]["residual_rms"].size(), 6U);
  EXPECT_EQ(found["validation"]["physical"]["explained"].size(), 6U);
  EXPECT_EQ(found["estimates"][0]["terms"][0]["factor"], 1.0);
  const json one = run_json("identify ur5 --states measured.csv --only forearm_link");
  for (const json& own : one["estimates"])
    for (const json& term : own["terms"]) EXPECT_EQ((term["column"].get<int>() - 1) / 16, 2) << own["name"];
  const Result text = run("identify ur5 --states measured.csv --friction stribeck --folds 2 --physical");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("held out in turn"), std::string::npos) << text.out;
  EXPECT_NE(refused("identify ur5 --states measured.csv --friction sticky").find("one of none, viscous"),
            std::string::npos);
  EXPECT_NE(refused("identify ur5 --states measured.csv --friction elbo=tanh").find("--friction"), std::string::npos);
  EXPECT_NE(refused("identify ur5 --states measured.csv --only elbow").find("--only"), std::string::npos);
  EXPECT_NE(refused("identify ur5 --states measured.csv --only base_link").find("does not move"), std::string::npos);
  EXPECT_NE(refused("identify ur5 --states measured.csv --physical --mass-bounds 2,1").find("LEAST,MOST"),
            std::string::npos);
  EXPECT_NE(refused("identify ur5").find("--log or --states"), std::string::npos);
  const Result online = run("identify ur5 --states measured.csv --online along.csv --forgetting 50");
  EXPECT_EQ(online.status, 0) << online.err;
  EXPECT_EQ(shell("wc -l < along.csv").out, "151\n");
}

TEST_F(IdentifyCli, FindsALoadAndGains) {
  measure("ur5");
  ASSERT_EQ(
      shell("cp measured.csv free.csv && \"$CATENA\" inverse ur5 --payload tool0:3,0,0.02,0.1 --states motion.csv -o "
            "loaded.csv && cut -d, -f2- loaded.csv | paste -d, motion.csv - > held.csv")
          .status,
      0);
  const json load = run_json("identify ur5 --states held.csv --payload-at tool0 -o held.toml");
  EXPECT_NEAR(load["payload"]["mass"].get<double>(), 3.0, 0.01);
  EXPECT_NEAR(load["payload"]["com"][2].get<double>(), 0.1, 1e-3);
  const json gains = run_json("identify ur5 --states free.csv --loaded held.csv --load tool0:3,0,0.02,0.1");
  for (const json& own : gains["gains"]) EXPECT_NEAR(own["value"].get<double>(), 1.0, 1e-4) << own["name"];
  EXPECT_NE(refused("identify ur5 --states held.csv --payload-at nowhere").find("nowhere"), std::string::npos);
}

TEST_F(IdentifyCli, StrictEndsWithStatusOneWhereDoubtsAre) {
  std::string rows = "q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n";
  for (int k = 0; k < 80; ++k) {  // the elbow moves by a degree
    const double a = 0.3 * k, b = 0.17 * k;
    char row[300];
    std::snprintf(row, sizeof row, "%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f\n", std::sin(a), 0.01 * std::sin(b),
                  std::cos(a), 0.01 * std::cos(b), -std::sin(a), -0.01 * std::sin(b), std::sin(7.0 * k),
                  std::cos(5.0 * k));
    rows += row;
  }
  make("small.csv", rows);
  const Result loose = run("identify planar2r --states small.csv --subset");
  EXPECT_EQ(loose.status, 0) << loose.err;
  EXPECT_NE(loose.err.find("warning: joint"), std::string::npos) << loose.err;
  EXPECT_NE(refused("identify planar2r --states small.csv --subset --strict", 1).find("hardly"), std::string::npos);
}

}  // namespace
}  // namespace catena::identify_cli_test
