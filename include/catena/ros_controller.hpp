// Torques for the joints of a controller of ros2_control, from a URDF text and the names of its joints. Includes
// nothing of ROS, and serves any other controller that knows joints by name. docs/ros2.md has the plug-in around it.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/call.hpp"
#include "catena/changes.hpp"
#include "catena/laws.hpp"
#include "catena/robot_file.hpp"

namespace catena {

struct RosControllerOptions {
  std::string urdf{};                 // the text of robot_description
  std::vector<std::string> joints{};  // in the order of the interfaces. Joints that mimic others may be among them
  LawOptions law{};
  std::string frame{};                   // of laws that move one: a link or frame; empty: the model's tool
  std::map<std::string, double> held{};  // joints that are not among `joints`, and where something else holds them
};

// Gravity alone: the robot stays where it is pushed to.
inline LawOptions gravity_compensation() { return {"pid", {{"kp", {0.0}}, {"ki", {0.0}}, {"kd", {0.0}}}}; }

// Made once, with all its memory. Then activate(), want() and update() allocate nothing, take no lock and let no
// exception out; only where the outcome is no_torque has one been caught inside.
class RosController {
 public:
  enum class Outcome {
    ok,
    wrong_size,  // of an argument
    not_finite,  // a measurement, a target, or a period that is not positive
    no_torque,   // the law has none here
  };

  // Throws std::invalid_argument or ModelError with one line: a joint that the URDF does not have, one that is neither
  // named nor held, a robot that the law cannot drive.
  explicit RosController(const RosControllerOptions& options)
      : robot_(mechanism_of(options)), controller_(robot_, law_of(options, robot_)), pose_(robot_, "pose") {
    for (const std::string& name : options.joints) place_.push_back(place_of(name));
    for (const LawPart& part : controller_.measurement())
      if (part.name != "q" && part.name != "qd")
        throw std::invalid_argument("law '" + options.law.law + "' measures " + part.name +
                                    ", which joints do not have");
    const std::size_t n = static_cast<std::size_t>(robot_.nv());
    measured_.resize(2 * n), torque_.resize(n), frame_ = controller_.options().frame;
    for (const LawPart& part : controller_.reference()) reference_.resize(reference_.size() + size_of(part));
    activate(std::vector<double>(place_.size()));
  }

  std::size_t joints() const { return place_.size(); }
  const Mechanism& robot() const { return robot_; }
  const Controller& controller() const { return controller_; }

  // Forgets what the law kept, and wants the robot to stay here.
  Outcome activate(std::span<const double> positions) noexcept {
    if (positions.size() != joints()) return Outcome::wrong_size;
    controller_.reset();
    std::fill(reference_.begin(), reference_.end(), 0.0);
    measure(positions, 0);
    double T[16];
    try {
      pose_({.q = std::span(measured_).first(torque_.size()), .frame = frame_}, T);
    } catch (...) {
      return Outcome::not_finite;
    }
    double* to = reference_.data();
    for (const LawPart& part : controller_.reference()) {
      if (part.name == "q_ref") std::copy_n(measured_.data(), part.size, to);
      for (int k = 0; part.name == "pose_ref" && k < part.size; ++k)
        to[k] = k < 3 ? T[4 * k + 3] : T[4 * ((k - 3) / 3) + (k - 3) % 3];
      to += part.size;
    }
    return Outcome::ok;
  }

  // What is wanted from now on, in the order of the names; an empty list leaves it as it is.
  Outcome want(std::span<const double> positions, std::span<const double> velocities = {},
               std::span<const double> accelerations = {}) noexcept {
    double* to = reference_.data();
    for (const LawPart& part : controller_.reference()) {
      const auto given = part.name == "q_ref"     ? positions
                         : part.name == "qd_ref"  ? velocities
                         : part.name == "qdd_ref" ? accelerations
                                                  : std::span<const double>{};
      if (!given.empty() && given.size() != joints()) return Outcome::wrong_size;
      if (!are_finite(given)) return Outcome::not_finite;
      for (std::size_t k = 0; k < given.size(); ++k)
        if (place_[k] >= 0) to[place_[k]] = given[k];
      to += part.size;
    }
    return Outcome::ok;
  }
  // The whole reference of the law, for laws that move a frame: controller().reference() says what it is made of.
  std::span<double> reference() noexcept { return reference_; }

  // One period. `efforts` are in the order of the names, 0 for joints that mimic others; they are left as they were
  // unless the outcome is ok.
  Outcome update(std::span<const double> positions, std::span<const double> velocities, double period,
                 std::span<double> efforts) noexcept {
    if (positions.size() != joints() || velocities.size() != joints() || efforts.size() != joints())
      return Outcome::wrong_size;
    if (!are_finite(positions) || !are_finite(velocities) || !are_finite(reference_) || !std::isfinite(period) ||
        !(period > 0.0))
      return Outcome::not_finite;
    measure(positions, 0);
    measure(velocities, torque_.size());
    try {
      controller_.step(measured_, reference_, period, torque_);
    } catch (...) {  // a singular place: the state of the law is as it was
      return Outcome::no_torque;
    }
    for (std::size_t k = 0; k < joints(); ++k)
      efforts[k] = place_[k] < 0 ? 0.0 : torque_[static_cast<std::size_t>(place_[k])];
    return Outcome::ok;
  }

 private:
  static std::size_t size_of(const LawPart& part) { return static_cast<std::size_t>(part.size); }
  static bool are_finite(std::span<const double> values) noexcept {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  }
  static Mechanism mechanism_of(const RosControllerOptions& options) {
    Robot robot = parse_urdf(options.urdf, "robot_description");
    std::vector<JointValue> locks;
    for (const auto& [name, position] : options.held) locks.push_back({name, position});
    if (!locks.empty()) robot = lock_joints(robot, locks);
    Mechanism made = make_mechanism(robot);
    if (made.coordinates.is_free()) throw std::invalid_argument("a base that moves is not measured at joints");
    if (made.coordinates.is_closed()) throw std::invalid_argument("closed loops are not driven by joint names");
    for (const Coordinate c : made.coordinates.all())
      if (std::count(options.joints.begin(), options.joints.end(), made.name_of(c)) != 1)
        throw std::invalid_argument("joint '" + made.name_of(c) +
                                    "' of the URDF is to be named once among the joints, or held");
    return made;
  }
  static LawOptions law_of(const RosControllerOptions& options, const Mechanism& robot) {
    LawOptions law = options.law;
    if (options.frame.empty()) return law;
    for (std::size_t k = 0; k < robot.frames.size(); ++k)
      if (robot.frames[k].name == options.frame) {
        law.frame = static_cast<int>(k);
        return law;
      }
    throw std::invalid_argument("the URDF has no link or frame '" + options.frame + "'");
  }
  // The coordinate of a name; -1 where it follows others.
  int place_of(const std::string& name) const {
    for (const Coordinate c : robot_.coordinates.all())
      if (robot_.name_of(c) == name) return c;
    for (const std::string& follower : robot_.joint_names)
      if (follower == name) return -1;
    throw std::invalid_argument("the URDF has no joint '" + name + "' that moves");
  }
  void measure(std::span<const double> values, std::size_t first) noexcept {
    for (std::size_t k = 0; k < place_.size(); ++k)
      if (place_[k] >= 0) measured_[first + static_cast<std::size_t>(place_[k])] = values[k];
  }

  Mechanism robot_;
  Controller controller_;
  Call<double> pose_;
  std::vector<int> place_;  // by name
  std::vector<double> measured_, reference_, torque_;
  int frame_ = tool_frame;
};

}  // namespace catena
