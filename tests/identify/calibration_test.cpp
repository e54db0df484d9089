// Calibration: measured poses of robots whose kinematics are off by known amounts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "catena/calibration.hpp"
#include "catena/call.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "identify/kinematic_parameters.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::calibration_test {
namespace {

using identification::KinematicModel;

Robot shipped(const std::string& name) {
  return load_robot(std::string(CATENA_SOURCE_DIR "/models/") + name + ".toml");
}

double normal(Random& random) {  // Box and Muller
  return std::sqrt(-2.0 * std::log(1.0 - random.unit())) * std::cos(2.0 * 3.141592653589793 * random.unit());
}
Vec3<double> normal3(Random& random, double sigma) {
  return sigma * Vec3<double>{normal(random), normal(random), normal(random)};
}

Pose<double> pose_of(Call<double>& call, const Values& q, int frame) {
  Values T(16);
  call({.q = q, .frame = frame}, T);
  return {{T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]}, {T[3], T[7], T[11]}};
}

struct Device {
  Pose<double> base{}, tool{};
  double position = 0.0, orientation = 0.0;  // standard deviations of a coordinate
  bool oriented = false;
};

MeasuredPoses measure(const Robot& robot, const std::string& frame, const Device& device, int count, Random& random) {
  const Mechanism mechanism = make_mechanism(robot);
  Call<double> call(mechanism, "pose");
  const int at = frame.empty() ? mechanism.tool : mechanism.frame_index(frame);
  MeasuredPoses out;
  for (int k = 0; k < count; ++k) {
    Values q;
    for (const Coordinate c : mechanism.coordinates.all()) {
      const JointLimits& limits = mechanism.limits(c);
      q.push_back(random.between(std::max(limits.lower, -2.0), std::min(limits.upper, 2.0)));
    }
    const Pose<double> seen = device.base * pose_of(call, q, at) * device.tool;
    out.q.insert(out.q.end(), q.begin(), q.end());
    out.positions.push_back(seen.p + normal3(random, device.position));
    const Vec3<double> turn = normal3(random, device.orientation);
    const double angle = std::sqrt(dot(turn, turn));
    const Mat3<double> off = angle == 0.0 ? Mat3<double>::identity() : rotation_about((1.0 / angle) * turn, angle);
    if (device.oriented) out.rotations.push_back(off * seen.R);
  }
  return out;
}

Device somewhere(bool oriented, double position = 1e-4, double orientation = 2e-4) {
  return {{rotation_from_rpy({0.3, -0.2, 2.1}), {1.7, -2.4, 0.6}},
          {rotation_from_rpy({0.5, 0.1, -1.0}), {0.05, -0.03, 0.08}},
          position,
          orientation,
          oriented};
}

std::vector<bool> seen_of(const KinematicModel& model, const Calibration& found) {
  std::vector<bool> out;
  for (const identification::Screw& screw : model.screws())
    out.push_back(std::any_of(found.corrections.begin(), found.corrections.end(),
                              [&](const Correction& own) { return own.parameter.name == screw.parameter.name; }));
  return out;
}
// Errors of a millimetre and a milliradian: of every parameter, or of those that show.
Values some_errors(const std::vector<bool>& of, Random& random) {
  Values out;
  for (const bool own : of) out.push_back(own ? 1e-3 * normal(random) : 0.0);
  return out;
}

// A tree with a camera on a side branch, and an arm whose wrist follows other joints.
Robot branched() {
  Random random(11);
  Robot robot = random_robot(random, {.joints = 6, .shape = Shape::tree, .fixed_links = true});
  for (JointDescription& joint : robot.joints) joint.limits = {};
  int deepest = 0, most = -1;
  for (std::size_t link = 0; link < robot.links.size(); ++link) {
    const int count =
        static_cast<int>(kinematic_parameters(robot, KinematicForm::offsets, robot.links[link].name).size());
    if (count > most) most = count, deepest = static_cast<int>(link);
  }
  robot.add_frame("camera", deepest, {rotation_from_rpy({0.2, 0.3, -0.4}), {0.1, 0.2, 0.05}});
  return robot;
}
Robot coupled() {
  Robot robot = shipped("ur5");
  robot.joints[robot.moving_joints()[3]].coupling = {
      {{robot.joints[robot.moving_joints()[1]].name, -1.0}, {robot.joints[robot.moving_joints()[2]].name, -0.5}}, 0.2};
  return robot;
}

struct Case {
  const char* name;
  Robot robot;
  std::string frame;
};
std::vector<Case> cases() {
  return {{"ur5", shipped("ur5"), ""},         {"panda", shipped("panda"), ""}, {"stanford", shipped("stanford"), ""},
          {"puma560", shipped("puma560"), ""}, {"tree", branched(), "camera"},  {"coupled", coupled(), ""}};
}
constexpr KinematicForm forms[] = {KinematicForm::offsets, KinematicForm::frames, KinematicForm::classic_dh,
                                   KinematicForm::modified_dh};

TEST(Calibration, SensitivitiesAreDerivatives) {
  for (const std::uint64_t seed : test::seeds(0, 30)) {
    Random random(seed);
    Robot robot = random_robot(
        random, {.joints = 1 + static_cast<int>(seed % 7), .shape = seed % 2 != 0 ? Shape::tree : Shape::chain});
    if (seed % 3 == 0) couple_some(random, robot);
    const Mechanism mechanism = make_mechanism(robot);
    const Values q = random_state(random, mechanism.nv()).q;
    for (const KinematicForm form : forms) {
      SCOPED_TRACE(testing::Message() << "robot " << seed << ", " << name_of(form));
      const KinematicModel model(robot, form, "");
      const std::size_t p = model.screws().size();
      const Values S = kinematic_sensitivity(robot, form, q);
      ASSERT_EQ(S.size(), 6 * p);
      for (std::size_t k = 0; k < p; ++k) {
        const double h = 1e-6;
        Pose<double> ends[2];
        for (int side = 0; side < 2; ++side) {
          Values changes(p);
          changes[k] = side == 0 ? -h : h;
          const Mechanism changed = make_mechanism(model.changed(changes));
          Call<double> pose(changed, "pose");
          ends[side] = pose_of(pose, q, changed.frame_index(model.frame()));
        }
        const Vec3<double> v = (0.5 / h) * (ends[1].p - ends[0].p);
        const Mat3<double> turn = ends[1].R * ends[0].R.transpose();
        const Vec3<double> w = (0.25 / h) * Vec3<double>{turn.zy - turn.yz, turn.xz - turn.zx, turn.yx - turn.xy};
        const double expected[] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (std::size_t i = 0; i < 6; ++i)
          EXPECT_NEAR(S[i * p + k], expected[i], 1e-7) << model.screws()[k].parameter.name << " " << i;
      }
    }
  }
}

// Errors of every parameter, seen or not: what is computed afterwards agrees with new measurements.
TEST(Calibration, PosesOfTheCorrectedRobotAreThoseThatAreMeasured) {
  for (const Case& own : cases())
    for (const KinematicForm form : {KinematicForm::frames, KinematicForm::classic_dh, KinematicForm::modified_dh})
      for (const bool oriented : {false, true}) {
        SCOPED_TRACE(testing::Message() << own.name << ", " << name_of(form) << ", " << oriented);
        Random random(5);
        const KinematicModel model(own.robot, KinematicForm::frames, own.frame);
        const Robot real = model.changed(some_errors(std::vector<bool>(model.screws().size(), true), random));
        const Device device = somewhere(oriented);
        const MeasuredPoses poses = measure(real, own.frame, device, 120, random),
                            others = measure(real, own.frame, device, 100, random);
        const Calibration found = calibrate(own.robot, poses, {.form = form, .frame = own.frame});
        EXPECT_TRUE(validate(found.robot).ok());
        EXPECT_TRUE(found.outliers.empty());
        const PoseErrors held_out = pose_errors(found, others);
        EXPECT_GT(found.before.position, 5e-4);
        EXPECT_NEAR(found.position_sigma, 1e-4, 1.5e-5);
        EXPECT_LT(held_out.position, 2.4e-4);  // √3 · 1e-4 without errors of the parameters
        EXPECT_EQ(held_out.poses, 100U);
        EXPECT_NEAR(found.orientation_sigma, oriented ? 2e-4 : 0.0, 3e-5);
        EXPECT_LT(held_out.orientation, 4.8e-4);
        const PoseErrors folded = cross_validate(own.robot, poses, {.form = form, .frame = own.frame}, 4);
        EXPECT_EQ(folded.poses, 120U);
        EXPECT_LT(folded.position, 2.6e-4);
        EXPECT_GT(folded.position, found.after.position);
      }
}

// Errors of the parameters that show are found again, and 95 % of the intervals hold them.
TEST(Calibration, IntervalsHoldTheErrorsAsOftenAsTheyShould) {
  std::size_t inside_of_all = 0, all_of_all = 0;
  for (const Case& own : cases())
    for (const KinematicForm form : forms) {
      SCOPED_TRACE(testing::Message() << own.name << ", " << name_of(form));
      Random random(17);
      const KinematicModel model(own.robot, form, own.frame);
      const CalibrationOptions options{.form = form, .frame = own.frame};
      const std::vector<bool> seen =
          seen_of(model, calibrate(own.robot, measure(own.robot, own.frame, somewhere(true), 60, random), options));
      std::size_t inside = 0, all = 0;
      double squares = 0.0;
      for (int draw = 0; draw < 25; ++draw) {
        const Values errors = some_errors(seen, random);
        const Device device = somewhere(draw % 2 == 0);
        const MeasuredPoses poses = measure(model.changed(errors), own.frame, device, 60, random);
        for (const Correction& correction : calibrate(own.robot, poses, options).corrections)
          for (std::size_t k = 0; k < errors.size(); ++k) {
            if (model.screws()[k].parameter.name != correction.parameter.name) continue;
            ++all;
            inside += correction.lower <= errors[k] && errors[k] <= correction.upper ? 1 : 0;
            squares += std::pow((correction.change - errors[k]) / correction.standard_error, 2);
          }
      }
      const double coverage = static_cast<double>(inside) / static_cast<double>(all);
      EXPECT_GT(coverage, 0.88);
      EXPECT_NEAR(squares / static_cast<double>(all), 1.0, 0.3);
      inside_of_all += inside, all_of_all += all;
    }
  const double coverage = static_cast<double>(inside_of_all) / static_cast<double>(all_of_all);
  RecordProperty("coverage", std::to_string(coverage));
  EXPECT_GT(coverage, 0.94);
  EXPECT_LT(coverage, 0.96);
}

const UnseenParameter* unseen(const Calibration& found, const std::string& name) {
  for (const UnseenParameter& own : found.unseen)
    if (own.name == name) return &own;
  return nullptr;
}

// A planar arm cannot show what is across its plane; parallel axes share what is along them; the first joint's offset
// is a turn of the base and the last one's a turn of the tool.
TEST(Calibration, NamesWhatDoesNotShow) {
  Random random(3);
  const Robot planar = shipped("planar3r");
  const Calibration flat = calibrate(planar, measure(planar, "", somewhere(true, 1e-5, 1e-5), 40, random), {});
  const std::string first = planar.joints[0].name, second = planar.joints[1].name, last = planar.joints[2].name;
  for (const std::string& name : {first + " offset", last + " offset", first + " z", second + " z", last + " z"})
    EXPECT_NE(unseen(flat, name), nullptr) << name;
  EXPECT_EQ(unseen(flat, second + " offset"), nullptr);
  EXPECT_EQ(unseen(flat, first + " offset")->as, "base rz");
  EXPECT_NE(unseen(flat, second + " z")->as.find("base z"), std::string::npos) << unseen(flat, second + " z")->as;
  // Base and tool known: the outer offsets show, heights still act alike.
  const Device known{{}, {}, 1e-5, 1e-5, true};
  const Calibration seen =
      calibrate(planar, measure(planar, "", known, 40, random), {.base_known = true, .tool_known = true});
  for (const std::string& name : {first + " offset", second + " offset", last + " offset", first + " z"})
    EXPECT_EQ(unseen(seen, name), nullptr) << name;
  EXPECT_EQ(unseen(seen, second + " z")->as, first + " z");
  EXPECT_TRUE(seen.placements.empty());
  // The UR5's shoulder, elbow and first wrist axes are parallel: d of two of the rows is a sum of others.
  const Robot ur5 = shipped("ur5");
  const Calibration rows =
      calibrate(ur5, measure(ur5, "", somewhere(true), 60, random), {.form = KinematicForm::classic_dh});
  int heights = 0, betas = 0;
  for (const UnseenParameter& own : rows.unseen) heights += own.name.starts_with("d ") ? 1 : 0;
  for (const Correction& own : rows.corrections) betas += own.parameter.name.starts_with("beta ") ? 1 : 0;
  EXPECT_GE(heights, 2);
  EXPECT_EQ(betas, 2);
  // Complete and minimal: 4 numbers for each revolute joint, and the 6 of the base (Mooring, Roth and Driels).
  EXPECT_EQ(rows.corrections.size() + rows.placements.size(), 4U * 6U + 6U);
  const Robot stanford = shipped("stanford");  // 5 revolute joints, and a slide of 2
  const Calibration frames = calibrate(stanford, measure(stanford, "", somewhere(true), 60, random), {});
  EXPECT_EQ(frames.corrections.size() + frames.placements.size(), 4U * 5U + 2U + 6U);
}

// An axis that a file has 4e-6 rad off parallel, as 1.5708 for a quarter turn, shows no more than a parallel one.
TEST(Calibration, AlmostParallelAxesAreNotTakenForShown) {
  Random random(9);
  Robot robot = shipped("ur5");
  JointDescription& elbow = robot.joints[index(robot.moving_joints()[2])];
  elbow.origin.R = elbow.origin.R * rotation_about({1.0, 0.0, 0.0}, 4e-6);
  const Calibration found = calibrate(robot, measure(robot, "", somewhere(true), 60, random), {});
  EXPECT_EQ(found.corrections.size() + found.placements.size(), 30U);
  for (const Correction& own : found.corrections) EXPECT_LT(own.standard_error, 0.01) << own.parameter.name;
}

// A joint that stood still shows no offset of its own.
TEST(Calibration, NamesJointsThatDidNotMove) {
  Random random(8);
  const Robot robot = shipped("ur5");
  MeasuredPoses poses = measure(robot, "", somewhere(true), 50, random);
  const Mechanism mechanism = make_mechanism(robot);
  Call<double> call(mechanism, "pose");
  const Device device = somewhere(true);
  for (std::size_t k = 0; k < poses.positions.size(); ++k) {
    poses.q[6 * k + 2] = 0.7;
    const Values q(poses.q.begin() + static_cast<std::ptrdiff_t>(6 * k),
                   poses.q.begin() + static_cast<std::ptrdiff_t>(6 * k + 6));
    const Pose<double> seen = device.base * pose_of(call, q, mechanism.tool) * device.tool;
    poses.positions[k] = seen.p + normal3(random, 1e-4), poses.rotations[k] = seen.R;
  }
  const Calibration found = calibrate(robot, poses, {});
  EXPECT_GT(found.unseen.size(), 12U);
  EXPECT_LT(found.corrections.size() + found.placements.size(), 30U);
}

TEST(Calibration, LeavesOutPosesThatDoNotFit) {
  Random random(21);
  const Robot robot = shipped("panda");
  for (const bool oriented : {false, true}) {
    const KinematicModel model(robot, KinematicForm::offsets, "");
    const Robot real = model.changed(some_errors(std::vector<bool>(model.screws().size(), true), random));
    MeasuredPoses poses = measure(real, "", somewhere(oriented), 60, random);
    poses.positions[7] += Vec3<double>{0.05, 0.0, 0.0};  // the beam was reflected elsewhere
    poses.positions[31] += Vec3<double>{0.0, -0.003, 0.002};
    poses.positions[32] += Vec3<double>{0.4, 0.8, -0.3};
    const Calibration found = calibrate(robot, poses, {.form = KinematicForm::offsets});
    EXPECT_EQ(found.outliers, (std::vector<std::size_t>{7, 31, 32}));
    EXPECT_NEAR(found.position_sigma, 1e-4, 2e-5);
    EXPECT_EQ(found.after.poses, 57U);
  }
}

// What is written and what stays.
TEST(Calibration, KeepsWhatItIsToldToAndDrivesAndBodies) {
  Random random(4);
  const Robot robot = shipped("ur5");
  const MeasuredPoses poses = measure(robot, "", somewhere(true), 50, random);
  const std::string kept = robot.joints[robot.moving_joints()[2]].name + " offset";
  const Calibration found = calibrate(robot, poses, {.kept = {kept}});
  for (const Correction& own : found.corrections) EXPECT_NE(own.parameter.name, kept);
  EXPECT_EQ(unseen(found, kept), nullptr);
  ASSERT_EQ(found.robot.joints.size(), robot.joints.size());
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    EXPECT_EQ(found.robot.joints[j].limits.upper, robot.joints[j].limits.upper);
    EXPECT_EQ(found.robot.joints[j].drive.viscous, robot.joints[j].drive.viscous);
    EXPECT_EQ(found.robot.links[j].inertial.mass, robot.links[j].inertial.mass);
  }
  EXPECT_EQ(found.covariance.size(), found.corrections.size() * found.corrections.size());
  for (std::size_t k = 0; k < found.corrections.size(); ++k)
    EXPECT_NEAR(std::sqrt(found.covariance[k * (found.corrections.size() + 1)]), found.corrections[k].standard_error,
                1e-12);
}

// An offset of a joint that others follow moves them too.
TEST(Calibration, OffsetsMoveThoseThatFollow) {
  Random random(6);
  const Robot robot = coupled();
  const std::string master = robot.joints[robot.moving_joints()[1]].name;
  const KinematicModel model(robot, KinematicForm::offsets, "");
  Values changes(model.screws().size());
  for (std::size_t k = 0; k < changes.size(); ++k)
    if (model.screws()[k].parameter.name == master + " offset") changes[k] = 0.02;
  const Mechanism changed = make_mechanism(model.changed(changes)), plain = make_mechanism(robot);
  Call<double> one(changed, "pose"), other(plain, "pose");
  Values q = random_state(random, plain.nv()).q, shifted = q;
  shifted[1] += 0.02;
  const Pose<double> a = pose_of(one, q, changed.tool), b = pose_of(other, shifted, plain.tool);
  EXPECT_LT(std::sqrt(dot(a.p - b.p, a.p - b.p)), 1e-12);
}

TEST(Calibration, OneJointAndForty) {
  for (const int n : {1, 40}) {
    Random random(static_cast<std::uint64_t>(n));
    const Robot robot = random_robot(random, {.joints = n, .mix = JointMix::revolute, .fixed_links = false});
    const KinematicModel model(robot, KinematicForm::frames, "");
    const Robot real = model.changed(some_errors(std::vector<bool>(model.screws().size(), true), random));
    const Device device = somewhere(true);
    const Calibration found = calibrate(robot, measure(real, "", device, 4 * n + 20, random), {});
    EXPECT_LT(pose_errors(found, measure(real, "", device, 50, random)).position, n == 1 ? 2.4e-4 : 4e-4) << n;
  }
}

std::string refusal(const Robot& robot, const MeasuredPoses& poses, const CalibrationOptions& options = {}) {
  try {
    calibrate(robot, poses, options);
  } catch (const std::domain_error& error) {
    return std::string("domain: ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("invalid: ") + error.what();
  }
  return "none";
}

TEST(Calibration, SaysWhatIsWrong) {
  Random random(2);
  const Robot robot = shipped("ur5");
  const MeasuredPoses good = measure(robot, "", somewhere(true), 40, random);
  const auto has = [](const std::string& text, const char* what) {
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  MeasuredPoses poses = good;
  for (Vec3<double>& p : poses.positions) p = 1000.0 * p;
  has(refusal(robot, poses), "another unit of length?");
  poses = good;
  for (double& q : poses.q) q *= 57.29577951308232;
  has(refusal(robot, poses), "joint positions in degrees, another order of joints, or another frame?");
  poses = good;
  for (std::size_t k = 0; k < poses.q.size(); k += 6) std::swap(poses.q[k], poses.q[k + 2]);
  has(refusal(robot, poses), "another order of joints");
  poses = good;
  poses.q.pop_back();
  has(refusal(robot, poses), "invalid: q has 239 numbers for 40 poses of 6 joints");
  poses = good;
  poses.rotations.pop_back();
  has(refusal(robot, poses), "invalid: 39 rotations for 40 positions");
  poses = good;
  poses.positions[3].y = std::nan("");
  has(refusal(robot, poses), "invalid: the position of pose 4 is not finite");
  poses = good;
  poses.rotations[5].xx += 0.1;
  has(refusal(robot, poses), "invalid: the rotation of pose 6 is not a rotation");
  has(refusal(robot, good, {.kept = {"nonsense"}}), "invalid: no parameter is called 'nonsense'");
  has(refusal(robot, good, {.frame = "nowhere"}), "no link or frame 'nowhere'");
  poses = {};
  has(refusal(robot, poses), "domain: at least 3 poses are needed");
  has(refusal(robot, measure(robot, "", somewhere(true), 2, random)), "domain: at least 3 poses are needed, not 2");
  EXPECT_EQ(refusal(robot, measure(robot, "", somewhere(true), 3, random)).find("at least"), std::string::npos);
  poses = measure(robot, "", somewhere(false), 8, random);
  has(refusal(robot, poses), "too few for");
  has(refusal(shipped("fourbar_press"), good), "closed loops, which calibration does not support");
  EXPECT_THROW(cross_validate(robot, good, {}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test::calibration_test
