// Equations (1)-(8): docs/equations/inverse_kinematics.md.
#include "catena/inverse_kinematics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "catena/formulation/formulation.hpp"
#include "catena/kinematics.hpp"
#include "control/turns.hpp"
#include "formulations/shared/ldlt.hpp"
#include "model/asking.hpp"

namespace catena {
namespace {

using std::numbers::pi;
using Rows = std::array<double, 6>;  // the last three are 0 where the position alone counts

constexpr double least_damping = 1e-12, first_damping = 1e-3, most_damping = 1e10;
constexpr double slow = 1e-4;       // a step that takes less than this part of the error away
constexpr int most_slow_steps = 8;  // in a row, before a start is given up

double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }
double dot(const Rows& a, const Rows& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

void require_pose(const Pose<double>& target, Aim aim) {
  if (!finite(target.p)) throw std::invalid_argument("the target is not finite");
  if (aim == Aim::position) return;
  const Mat3<double>& R = target.R;
  const Vec3<double> x = R.column_x(), y = R.column_y(), z = R.column_z();
  constexpr double slack = 1e-6;
  const bool turns = std::abs(dot(x, x) - 1.0) < slack && std::abs(dot(y, y) - 1.0) < slack &&
                     std::abs(dot(x, y)) < slack && length(cross(x, y) - z) < slack;
  if (!turns)
    throw std::invalid_argument(
        "the target's rotation matrix is not a rotation: its columns must be orthonormal and right-handed");
}

// How far the frame can be from the base at most, where joints that slide move by what their limits allow, or by as
// much as the rest is long.
double reach_of(const Mechanism& robot, int frame) {
  const auto& f = robot.frames[index(frame)];
  double rest = length(f.in_link.p), slides = 0.0;
  int endless = 0;
  for (int i = f.link; i != base_link; i = robot.link(i).parent) {
    const auto& link = robot.link(i);
    rest += length(link.p_parent_to_link);
    if (link.revolute) continue;
    const JointLimits& limits = robot.coordinates.joint_limits[link.q];
    const double most = std::max(std::abs(limits.lower), std::abs(limits.upper));
    std::isfinite(most) ? slides += most : ++endless;
  }
  rest += slides;
  return rest > 0.0 ? rest * (1.0 + endless) : 1.0;
}

}  // namespace

Vec3<double> rotation_vector(const Mat3<double>& R) {
  // The quaternion by its largest entry, so that no turn is special.
  const double squares[] = {1.0 + R.xx + R.yy + R.zz, 1.0 + R.xx - R.yy - R.zz, 1.0 - R.xx + R.yy - R.zz,
                            1.0 - R.xx - R.yy + R.zz};
  const auto largest = std::max_element(std::begin(squares), std::end(squares)) - std::begin(squares);
  double w = 0.0;
  Vec3<double> v{};
  switch (largest) {
    case 0:
      w = squares[0], v = {R.zy - R.yz, R.xz - R.zx, R.yx - R.xy};
      break;
    case 1:
      w = R.zy - R.yz, v = {squares[1], R.xy + R.yx, R.xz + R.zx};
      break;
    case 2:
      w = R.xz - R.zx, v = {R.xy + R.yx, squares[2], R.yz + R.zy};
      break;
    default:
      w = R.yx - R.xy, v = {R.xz + R.zx, R.yz + R.zy, squares[3]};
      break;
  }
  if (w < 0.0) w = -w, v = -v;
  const double sine = std::hypot(v.x, v.y, v.z);
  if (sine == 0.0) return {};
  return (2.0 * std::atan2(sine, w) / sine) * v;
}

struct InverseKinematics::Workspace {
  struct Joint {
    double lower, upper;           // of this solve
    double low, high;              // where starts are spread
    double nearest;                // of middle()
    double limit_low, limit_high;  // of the robot
    bool round;                    // a full turn makes no difference
  };

  Kinematics<double> kinematics;
  int frame;
  Aim aim;
  int rows;
  double turn;  // m/rad: what a radian of error counts
  std::vector<Joint> joints;
  std::vector<std::string> names;
  std::vector<double> middle, q, trial, step;
  std::vector<JacobianColumn<double>> J;
  std::vector<bool> held;
  Pose<double> target;
  InverseKinematicsResult result;

  Workspace(const Mechanism& robot, int the_frame, Aim the_aim)
      : kinematics(robot),
        frame(the_frame),
        aim(the_aim),
        rows(the_aim == Aim::pose ? 6 : 3),
        joints(size(robot)),
        names(coordinate_names(robot)),
        middle(size(robot)),
        q(size(robot)),
        trial(size(robot)),
        step(size(robot)),
        J(size(robot)),
        held(size(robot)) {
    const double reach = reach_of(robot, frame);
    turn = reach / 3.0;
    for (const Coordinate c : robot.coordinates.all()) {
      Joint& joint = joints[index(c)];
      joint.round = control::comes_round(robot, c);
      joint.limit_low = robot.limits(c).lower, joint.limit_high = robot.limits(c).upper;
      spread(joint, control::turns(robot, c) ? pi : reach);
      middle[index(c)] = joint.nearest;
    }
    result.q.resize(size(robot));
    result.at_limit.reserve(size(robot));
  }

  static std::size_t size(const Mechanism& robot) { return index(robot.nv()); }

  static void spread(Joint& joint, double far) {
    const bool below = std::isfinite(joint.limit_low), above = std::isfinite(joint.limit_high);
    joint.nearest = below && above ? 0.5 * (joint.limit_low + joint.limit_high)
                                   : std::clamp(0.0, std::min(joint.limit_low, joint.limit_high), joint.limit_high);
    joint.low = below ? joint.limit_low : std::min(-far, joint.limit_high - 2.0 * far);
    joint.high = above ? joint.limit_high : std::max(far, joint.limit_low + 2.0 * far);
    if (!joint.round || joint.high - joint.low <= 2.0 * far) return;
    joint.low = std::max(joint.low, joint.nearest - far);  // one turn has every position
    joint.high = std::min(joint.high, joint.nearest + far);
  }

  void set_limits(bool kept) {
    for (Joint& joint : joints) {
      constexpr double endless = std::numeric_limits<double>::infinity();
      joint.lower = kept ? joint.limit_low : -endless;
      joint.upper = kept ? joint.limit_high : endless;
    }
  }

  // (1): what is left of the way from where `at` brings the frame; leaves the links there.
  Rows error(std::span<const double> at, double& position, double& rotation) {
    kinematics.update(at);
    const Pose<double> pose = kinematics.pose(frame);
    const Vec3<double> way = target.p - pose.p;
    position = length(way), rotation = 0.0;
    if (aim == Aim::position) return {way.x, way.y, way.z};
    const Vec3<double> left = rotation_vector(target.R * pose.R.transpose());
    rotation = length(left);
    return {way.x, way.y, way.z, turn * left.x, turn * left.y, turn * left.z};
  }
  Rows column(std::size_t j) const {
    const auto& [linear, angular] = J[j];
    if (aim == Aim::position) return {linear.x, linear.y, linear.z};
    return {linear.x, linear.y, linear.z, turn * angular.x, turn * angular.y, turn * angular.z};
  }
  void take_step(std::size_t j, Rows& left) const {
    const Rows c = column(j);
    for (std::size_t a = 0; a < c.size(); ++a) left[a] -= step[j] * c[a];
  }

  // A y = left with A = Σ c cᵀ + damping × the mean of its diagonal, c the columns of joints that are not held; 0 where
  // none moves the frame.
  Rows shared(const Rows& left, double damping) const {
    std::array<double, 36> entries{};
    const MatrixView<double> A{std::span(entries).first(index(rows * rows)), rows};
    for (std::size_t j = 0; j < q.size(); ++j) {
      if (held[j]) continue;
      const Rows c = column(j);
      for (int a = 0; a < rows; ++a)
        for (int b = a; b < rows; ++b) A(a, b) += c[index(a)] * c[index(b)];
    }
    double size = 0.0;
    for (int a = 0; a < rows; ++a) size += A(a, a) / rows;
    if (!(size > 0.0)) return {};
    for (int a = 0; a < rows; ++a) A(a, a) += damping * size;
    Rows inverse_pivots, y = left;
    factor_ldlt<double>(A, inverse_pivots);
    solve_ldlt<double>(A, inverse_pivots, y);
    return y;
  }

  // (4): the step from q, and the error that it would leave were the frame's motion linear. A joint that the step would
  // take beyond a limit goes to the limit, and the others share what is left, until none goes beyond.
  Rows damped_step(const Rows& e, double damping) {
    std::fill(held.begin(), held.end(), false);
    std::fill(step.begin(), step.end(), 0.0);
    Rows left = e;
    for (bool again = true; again;) {
      again = false;
      const Rows y = shared(left, damping);
      for (std::size_t j = 0; j < q.size(); ++j) {
        if (held[j]) continue;
        step[j] = dot(column(j), y);
        const double there = q[j] + step[j], kept = std::clamp(there, joints[j].lower, joints[j].upper);
        if (kept == there) continue;
        step[j] = kept - q[j];
        held[j] = again = true;
        take_step(j, left);
      }
    }
    for (std::size_t j = 0; j < q.size(); ++j)
      if (!held[j]) take_step(j, left);
    return left;
  }

  // (3)-(6) from q: true when it arrives. Leaves q at the best that it found, and its errors.
  bool descend(const InverseKinematicsOptions& options, double& position, double& rotation, double& cost) {
    const auto there = [&](double p, double r) {
      return p <= options.position_tolerance && r <= options.rotation_tolerance;
    };
    Rows e = error(q, position, rotation);
    cost = dot(e, e);
    double damping = first_damping, growth = 2.0;
    int slow_steps = 0;
    for (int k = 0; k < options.iterations && slow_steps < most_slow_steps && damping < most_damping; ++k) {
      if (there(position, rotation)) return true;
      if (growth == 2.0) kinematics.jacobian(frame, J);  // the last step was taken: the links stand at q
      ++result.iterations;
      const Rows expected = damped_step(e, damping);
      for (std::size_t j = 0; j < q.size(); ++j)
        trial[j] = std::clamp(q[j] + step[j], joints[j].lower, joints[j].upper);
      double p = 0.0, r = 0.0;
      const Rows next = error(trial, p, r);
      const double after = dot(next, next);
      if (!(after < cost)) {  // (6), refused
        damping *= growth, growth *= 2.0;
        continue;
      }
      const double kept = (cost - after) / (cost - dot(expected, expected));
      slow_steps = after > (1.0 - slow) * cost ? slow_steps + 1 : 0;
      std::swap(q, trial);
      e = next, cost = after, position = p, rotation = r;
      damping = std::max(least_damping, damping * (kept > 0.75 ? 0.1 : kept > 0.25 ? 0.5 : 2.0)), growth = 2.0;
    }
    return there(position, rotation);
  }

  // (7): the k-th start.
  void put_start(int k, std::span<const double> given) {
    if (k == 0) {
      std::copy(given.begin(), given.end(), q.begin());
      return;
    }
    double root = 2.0;  // of x^(n+1) = x + 1
    for (int i = 0; i < 60; ++i) root = std::pow(1.0 + root, 1.0 / (static_cast<double>(q.size()) + 1.0));
    double step_of_joint = 1.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      step_of_joint /= root;
      const double part = std::fmod(0.5 + k * step_of_joint, 1.0);
      q[j] = std::clamp(joints[j].low + part * (joints[j].high - joints[j].low), joints[j].lower, joints[j].upper);
    }
  }

  // (8): the turn nearest the start, of every joint that comes round.
  void unwind(std::span<double> at, std::span<const double> start) const {
    for (std::size_t j = 0; j < at.size(); ++j) {
      if (!joints[j].round) continue;
      long turns = std::lround((at[j] - start[j]) / (2.0 * pi));
      const long toward = turns > 0 ? -1 : 1;
      for (; turns != 0; turns += toward) {
        const double turned = at[j] - static_cast<double>(turns) * 2.0 * pi;
        if (turned < joints[j].lower || turned > joints[j].upper) continue;
        at[j] = turned;
        break;
      }
    }
  }

  // Words are made where they are needed: solving allocates nothing.
  [[noreturn]] void refuse(std::size_t j, const std::string& words) const {
    throw std::invalid_argument("joint '" + names[j] + "' " + words);
  }
  void require(std::span<const double> start, const InverseKinematicsOptions& options) const {
    if (start.size() != q.size())
      throw std::invalid_argument("the start has " + std::to_string(start.size()) + " positions; the robot has " +
                                  std::to_string(q.size()) + " joints");
    if (!(options.position_tolerance > 0.0) || !(options.rotation_tolerance > 0.0) || options.iterations < 1 ||
        options.starts < 1)
      throw std::invalid_argument("tolerances and numbers of iterations and starts must be positive");
    for (std::size_t j = 0; j < q.size(); ++j) {
      const double lower = joints[j].lower, upper = joints[j].upper;
      if (lower > upper) refuse(j, "has its limits reversed, so no position is within them");
      if (!std::isfinite(start[j])) refuse(j, "starts at a position that is not finite");
      if (start[j] < lower || start[j] > upper)
        refuse(j, "starts at " + std::to_string(start[j]) + ", outside of its limits, " + std::to_string(lower) +
                      " to " + std::to_string(upper));
    }
  }

  const InverseKinematicsResult& solve(std::span<const double> start, const InverseKinematicsOptions& options) {
    result.iterations = result.starts = 0;
    result.reached = false;
    double nearest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < options.starts && !result.reached; ++k) {
      ask();
      put_start(k, start);
      ++result.starts;
      double position = 0.0, rotation = 0.0, cost = 0.0;
      result.reached = descend(options, position, rotation, cost);
      if (!result.reached && !(cost < nearest)) continue;
      nearest = cost;
      std::copy(q.begin(), q.end(), result.q.begin());
    }
    unwind(result.q, start);
    error(result.q, result.position_error, result.rotation_error);
    result.at_limit.clear();
    for (std::size_t j = 0; j < q.size(); ++j)
      if (result.q[j] <= joints[j].lower || result.q[j] >= joints[j].upper)
        result.at_limit.push_back(static_cast<int>(j));
    return result;
  }
};

InverseKinematics::InverseKinematics(const Mechanism& robot, int frame, Aim aim) {
  require_fixed_base(robot, "inverse kinematics does");
  require_frame(robot, frame);
  ws_ = std::make_unique<Workspace>(robot, frame, aim);
}
InverseKinematics::~InverseKinematics() = default;
InverseKinematics::InverseKinematics(InverseKinematics&&) noexcept = default;
InverseKinematics& InverseKinematics::operator=(InverseKinematics&&) noexcept = default;

std::span<const double> InverseKinematics::middle() const { return ws_->middle; }

const InverseKinematicsResult& InverseKinematics::solve(const Pose<double>& target, std::span<const double> start,
                                                        const InverseKinematicsOptions& options) {
  require_pose(target, ws_->aim);
  if (start.empty()) start = ws_->middle;
  ws_->set_limits(options.limits);
  ws_->require(start, options);
  ws_->target = target;
  return ws_->solve(start, options);
}

std::string out_of_reach(const InverseKinematicsResult& result, Aim aim) {
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::string(text);
  };
  std::string text = "the target was not reached from " + std::to_string(result.starts) + " starts: ";
  text += number(result.position_error) + " m";
  if (aim == Aim::pose) text += " and " + number(result.rotation_error) + " rad";
  text += " are left at the nearest q found, ";
  for (std::size_t j = 0; j < result.q.size(); ++j) {
    if (j > 0) text += ',';
    text += number(result.q[j]);
  }
  return text;
}

std::vector<double> joint_positions(const Mechanism& robot, int frame, Aim aim, const Pose<double>& target,
                                    std::span<const double> start, const InverseKinematicsOptions& options) {
  InverseKinematics solver(robot, frame, aim);
  const InverseKinematicsResult& result = solver.solve(target, start, options);
  if (!result.reached) throw std::domain_error(out_of_reach(result, aim));
  return result.q;
}

}  // namespace catena
