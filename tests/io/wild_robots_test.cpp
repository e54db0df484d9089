// Robots as others write them: tests/data/wild holds files of our own that do what files found in the wild do.
// CATENA_ROBOTS=FOLDER adds every URDF file of that folder to the checks that need no expected numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "catena/dynamics.hpp"
#include "catena/robot_file.hpp"
#include "support/following.hpp"
#include "support/formulations.hpp"
#include "support/same_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::wild_robots_test {
namespace {

namespace fs = std::filesystem;

const fs::path wild_folder = fs::path(CATENA_SOURCE_DIR) / "tests" / "data" / "wild";
constexpr int states = 8;

std::vector<fs::path> urdf_files() {
  std::vector<fs::path> folders{wild_folder}, files;
  if (const char* more = std::getenv("CATENA_ROBOTS")) folders.emplace_back(more);
  for (const fs::path& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Runs a check on every robot in a few states.
template <class Check>
void for_each_state(Check check) {
  for (const fs::path& file : urdf_files()) {
    SCOPED_TRACE(file);
    const Robot robot = load_robot(file.string());
    const Mechanism mechanism = make_mechanism(robot);
    Random random(17);
    for (int k = 0; k < states; ++k) check(robot, mechanism, random_state(random, robot.dof()));
  }
}

bool is_singular(const Robot& robot) {
  return std::any_of(robot.warnings.begin(), robot.warnings.end(),
                     [](const Warning& warning) { return warning.text.find("moves no mass") != std::string::npos; });
}

const JointDescription& joint_of(const Robot& robot, const std::string& name) {
  return *std::find_if(robot.joints.begin(), robot.joints.end(),
                       [&](const JointDescription& joint) { return joint.name == name; });
}

// Moving joints and links counted by hand in the files.
TEST(WildRobots, LoadWithTheWarningsTheyDeserve) {
  struct Expected {
    const char* file;
    int dof;
    std::size_t warnings;
    const char* kind;
  };
  const std::vector<Expected> all{{"carousel7.urdf", 7, 0, ""}, {"heron_torso.urdf", 15, 0, ""},
                                  {"ladle3.urdf", 3, 3, ""},    {"lintel_gantry.urdf", 6, 1, "moves no mass"},
                                  {"quill6.urdf", 6, 0, ""},    {"sprig_hand.urdf", 16, 13, "triangle inequality"}};
  for (const Expected& expected : all) {
    const Robot robot = load_robot((wild_folder / expected.file).string());
    EXPECT_EQ(robot.dof(), expected.dof) << expected.file;
    EXPECT_EQ(robot.warnings.size(), expected.warnings) << expected.file;
    for (const Warning& warning : robot.warnings)
      EXPECT_NE(warning.text.find(expected.kind), std::string::npos) << warning.text;
  }
}

TEST(WildRobots, KeepWhatTheFilesSay) {
  const Robot arm = load_robot((wild_folder / "quill6.urdf").string());
  EXPECT_EQ(joint_of(arm, "joint_1").drive.gear_ratio, 101.0);
  EXPECT_EQ(joint_of(arm, "joint_6").drive.gear_ratio, 51.0);
  EXPECT_EQ(joint_of(arm, "joint_2").drive.viscous, 2.9);
  EXPECT_EQ(joint_of(arm, "joint_2").drive.coulomb, 1.6);
  EXPECT_EQ(joint_of(arm, "joint_2").limits.effort, 210.0);
  // Frames without mass on frames without mass stay known by name.
  const auto places = poses(arm, std::vector<double>(6, 0.0));
  EXPECT_TRUE(places.contains("camera_optical"));
  expect_near(places.at("tool0").p, places.at("flange").p);

  const Robot turning = load_robot((wild_folder / "carousel7.urdf").string());
  EXPECT_EQ(joint_of(turning, "turn_1").limits.upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(joint_of(turning, "turn_2").limits.upper, 5.4);
  EXPECT_EQ(joint_of(turning, "turn_4").drive.gear_ratio, 100.0);

  const Robot torso = load_robot((wild_folder / "heron_torso.urdf").string());
  const Coupling& finger = joint_of(torso, "left_r_finger_joint").coupling;
  ASSERT_EQ(finger.terms.size(), 1U);
  EXPECT_EQ(finger.terms[0].joint, "left_l_finger_joint");

  const Robot gantry = load_robot((wild_folder / "lintel_gantry.urdf").string());
  expect_near(joint_of(gantry, "bridge").axis, Vec3<double>{1.0, 0.0, 0.0});
}

TEST(WildRobots, KeepTheToolThatNobodyNamed) {
  const Robot ladle = load_robot((wild_folder / "ladle3.urdf").string());
  EXPECT_EQ(ladle.tool_name(), "tool0");
  EXPECT_EQ(parse_toml(to_toml(ladle), "ladle3.toml").tool_name(), "tool0");
  expect_near(joint_of(ladle, "reach").axis, Vec3<double>{0.0, 1.0, 0.0});  // the first of two
}

TEST(WildRobots, RoundTrip) {
  for (const fs::path& file : urdf_files()) {
    SCOPED_TRACE(file);
    expect_round_trips(load_robot(file.string()));
  }
}

TEST(WildRobots, EveryInverseFormulationAgreesWithNewton) {
  for_each_state([](const Robot& robot, const Mechanism& mechanism, const State& x) {
    const Following following(robot);
    const State all = following.state(x);
    oracle::Torques expected = oracle::inverse_dynamics(robot, all.q, all.qd, all.qdd);
    expected.tau = following.gathered(expected.tau);
    expected.scale = following.sizes(expected.scale);
    for (const std::string_view method : inverse_methods())
      EXPECT_TRUE(near(torques(mechanism, method, x), expected.tau, expected.scale, ulps<double>(64))) << method;
  });
}

TEST(WildRobots, EveryInertiaMatrixAgreesWithNewton) {
  for_each_state([](const Robot& robot, const Mechanism& mechanism, const State& x) {
    const Following following(robot);
    const oracle::Matrix expected = following.gathered(oracle::inertia_matrix(robot, following.positions(x.q)));
    const std::size_t n = x.q.size();
    std::vector<double> M(n * n);
    for (const FormulationInfo& info : formulations("inertia")) {
      InertiaMatrix<double>{mechanism, info.name}(x.q, M);
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_TRUE(near({M.begin() + long(j * n), M.begin() + long(j * n + n)}, expected[j], relative(1e-10)))
            << info.name << ", row " << j;
    }
  });
}

TEST(WildRobots, EveryForwardFormulationReturnsTheAccelerations) {
  for_each_state([](const Robot& robot, const Mechanism& mechanism, const State& x) {
    const std::vector<double> tau = torques(mechanism, {}, x);
    std::vector<double> qdd(x.q.size());
    for (const FormulationInfo& info : formulations("forward")) {
      if (!job_info("forward").serves(mechanism, info.name)) {
        EXPECT_THROW((ForwardDynamics<double>(mechanism, info.name)), std::invalid_argument) << info.name;
        continue;
      }
      ForwardDynamics<double> forward(mechanism, info.name);
      if (is_singular(robot)) {
        EXPECT_THROW(forward(x.q, x.qd, tau, qdd), std::domain_error) << info.name;
      } else {
        forward(x.q, x.qd, tau, qdd);
        EXPECT_TRUE(near(qdd, x.qdd, relative(1e-7))) << info.name;
      }
    }
  });
}

}  // namespace
}  // namespace catena::test::wild_robots_test
