#include "identify/motion_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "catena/math/index.hpp"
#include "identify/random_positions.hpp"

namespace catena {
namespace identification {
namespace {

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// How far a curve through samples at even steps leaves the chords on both sides of one of them: h²/8 of its second
// derivative, taken as twice what the second difference says.
constexpr double bow = 2.0 / 8.0;

// The largest |value| of a periodic curve, between samples too; column of a table with `width` columns.
double largest(const std::vector<double>& table, std::size_t column, std::size_t width) {
  const std::size_t rows = table.size() / width;
  double most = 0.0;
  for (std::size_t k = 0; k < rows; ++k) {
    const double before = table[(k + rows - 1) % rows * width + column], own = table[k * width + column],
                 after = table[(k + 1) % rows * width + column];
    most = std::max(most, std::abs(own) + bow * std::abs(before - 2.0 * own + after));
  }
  return most;
}

}  // namespace

MotionLimits::MotionLimits(const Mechanism& robot, const ExcitationOptions& options, std::size_t samples)
    : robot_(robot),
      options_(options),
      n_(index(robot.nv())),
      samples_(samples),
      inverse_(robot, "inverse"),
      place_(robot, "place"),
      kinematics_(robot),
      q_(samples * n_),
      qd_(samples * n_),
      qdd_(samples * n_),
      tau_(samples * n_),
      tree_(samples * index(robot.joints())) {
  for (const Coordinate c : robot.coordinates.all())
    efforts_ = efforts_ || (std::isfinite(robot.limits(c).effort) && !robot.is_passive(c));
  followers_ = robot.coordinates.is_closed();
  for (const auto& joint : robot.coordinates.following) followers_ = followers_ || joint.terms.size() > 1;
  if (options.around.empty()) return;
  for (const LinkSphere& sphere : options.around.spheres) {
    const int frame = robot.frame_index(sphere.frame);
    if (frame < 0) throw std::invalid_argument("a sphere is on '" + sphere.frame + "', which is not a link or frame");
    if (!(sphere.radius >= 0.0)) throw std::invalid_argument("the radius of a sphere is negative");
    spheres_.push_back({frame, sphere.centre, sphere.radius, sphere.frame});
  }
  keep_moving_spheres();
}

// A sphere that stands in the same place at ten random positions is moved by no joint.
void MotionLimits::keep_moving_spheres() {
  std::mt19937_64 engine(1);
  std::vector<double> q(n_);
  std::vector<Vec3<double>> first;
  std::vector<bool> moves(spheres_.size(), false);
  RandomPositions positions(robot_);
  for (int placed = 0; placed < 10; ++placed) {
    for (double& position : q) position = 0x1.0p-52 * static_cast<double>(engine() >> 11) - 1.0;
    positions(q);
    kinematics_.update(q);
    for (std::size_t k = 0; k < spheres_.size(); ++k) {
      const Pose<double> pose = kinematics_.pose(spheres_[k].frame);
      const Vec3<double> centre = pose.p + pose.R * spheres_[k].centre;
      if (placed == 0) first.push_back(centre);
      moves[k] = moves[k] || norm(centre - first[k]) > 1e-9;
    }
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < spheres_.size(); ++k)
    if (moves[k]) spheres_[kept++] = spheres_[k];
  spheres_.resize(kept);
  centres_.resize(samples_ * kept);
}

// Loops that do not close are much more than any limit that is passed, and the less of the way they close the more.
bool MotionLimits::sample(const FourierMotion& motion) {
  for (std::size_t s = 0; s < samples_; ++s) try {
      sample(motion, s);
    } catch (const std::domain_error& error) {
      worst_ = error.what();
      sum_ += 1e6;
    }
  return sum_ == 0.0;
}

void MotionLimits::sample(const FourierMotion& motion, std::size_t s) {
  const double t = motion.period * static_cast<double>(s) / static_cast<double>(samples_);
  const auto row = [&](std::vector<double>& all, std::size_t width) {
    return std::span<double>(all).subspan(s * width, width);
  };
  motion.at(t, row(q_, n_), row(qd_, n_), row(qdd_, n_));
  if (efforts_) inverse_({.q = row(q_, n_), .qd = row(qd_, n_), .qdd = row(qdd_, n_)}, row(tau_, n_));
  if (followers_) place_({.q = row(q_, n_)}, row(tree_, index(robot_.joints())));
  if (spheres_.empty()) return;
  kinematics_.update(row(q_, n_));
  Pose<double> pose;
  for (std::size_t k = 0; k < spheres_.size(); ++k) {
    if (k == 0 || spheres_[k].frame != spheres_[k - 1].frame) pose = kinematics_.pose(spheres_[k].frame);
    centres_[s * spheres_.size() + k] = pose.p + pose.R * spheres_[k].centre;
  }
}

void MotionLimits::add(double excess, const std::string& what) {
  if (!(excess > 0.0)) return;
  sum_ += excess;
  if (!(excess > most_)) return;
  most_ = excess;
  char text[40];
  std::snprintf(text, sizeof text, " by %.3g", excess);
  worst_ = what + text;
}

void MotionLimits::add_efforts() {
  for (const Coordinate c : robot_.coordinates.all()) {
    const double limit = options_.share * robot_.limits(c).effort;
    if (!std::isfinite(limit) || robot_.is_passive(c)) continue;
    const double over = largest(tau_, index(c), n_) - limit;
    add(limit > 0.0 ? over / limit : over, "the effort of joint '" + robot_.name_of(c) + "' passes its limit");
  }
}

// Of those that follow several joints or closed loops; the series themselves are within the limits of all others.
void MotionLimits::add_followers(double step) {
  const std::size_t m = index(robot_.joints());
  std::vector<double> rates(tree_.size()), from_middle(tree_.size());
  for (std::size_t s = 0; s < samples_; ++s)
    for (std::size_t j = 0; j < m; ++j)
      rates[s * m + j] = (tree_[(s + 1) % samples_ * m + j] - tree_[s * m + j]) / step;
  for (const TreeJoint joint : robot_.all_joints()) {
    const JointLimits& limits = robot_.coordinates.joint_limits[joint];
    const std::string who = "of joint '" + robot_.joint_names[joint] + "' passes its limit";
    if (std::isfinite(limits.velocity))
      add(largest(rates, index(joint), m) / (options_.share * limits.velocity) - 1.0, "the speed " + who);
    for (const double end : {limits.lower, limits.upper}) {
      if (!std::isfinite(end)) continue;
      // Distances into the range, whose least is wanted: a large number minus them, whose largest is.
      const double sign = end == limits.upper ? 1.0 : -1.0, shift = 1e3;
      for (std::size_t s = 0; s < samples_; ++s)
        from_middle[s * m + index(joint)] = shift + sign * (tree_[s * m + index(joint)] - end);
      add(largest(from_middle, index(joint), m) - shift, "the position " + who);
    }
  }
}

// From a point to the floor and to the walls of the boxes it stays in: a chord is nearest at one of its ends.
double MotionLimits::to_walls(const Vec3<double>& point) const {
  double least = point.z - options_.around.floor;
  for (const Box& box : options_.around.inside) {
    const Vec3<double> below = point - box.lower, above = box.upper - point;
    least = std::min({least, below.x, below.y, below.z, above.x, above.y, above.z});
  }
  return least;
}

// From a point to the boxes it stays out of; negative within one.
double MotionLimits::to_boxes(const Vec3<double>& point) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Box& box : options_.around.outside) {
    const auto beyond = [](double at, double low, double high) { return std::max(low - at, at - high); };
    const Vec3<double> out{beyond(point.x, box.lower.x, box.upper.x), beyond(point.y, box.lower.y, box.upper.y),
                           beyond(point.z, box.lower.z, box.upper.z)};
    const Vec3<double> away{std::max(out.x, 0.0), std::max(out.y, 0.0), std::max(out.z, 0.0)};
    const double deepest = std::max({out.x, out.y, out.z});
    least = std::min(least, deepest > 0.0 ? norm(away) : deepest);
  }
  return least;
}

// The least distance of a sphere's centre along its chords, less what the way may bow out. Chords near a box are gone
// along in eight parts: a distance changes by no more than the way that was gone.
double MotionLimits::least_distance(std::size_t sphere) const {
  constexpr int parts = 8;
  const auto at = [&](std::size_t s) -> const Vec3<double>& {
    return centres_[s % samples_ * spheres_.size() + sphere];
  };
  double least = std::numeric_limits<double>::infinity();
  Vec3<double> before = at(0) - at(samples_ - 1);
  for (std::size_t s = 0; s < samples_; ++s) {
    const Vec3<double> way = at(s + 1) - at(s), after = at(s + 2) - at(s + 1);
    const double out = bow * std::max(norm(way - before), norm(after - way)), length = norm(way);
    before = way;
    least = std::min(least, to_walls(at(s)) - out);
    if (options_.around.outside.empty()) continue;
    const double here = to_boxes(at(s)) - out;
    if (here - length > least) continue;
    for (int part = 0; part < parts; ++part)
      least = std::min(least, to_boxes(at(s) + ((part + 0.5) / parts) * way) - out - length / (2.0 * parts));
  }
  return least;
}

void MotionLimits::add_surroundings() {
  for (std::size_t k = 0; k < spheres_.size(); ++k)
    add(spheres_[k].radius - least_distance(k), "a sphere of '" + spheres_[k].of + "' leaves its room");
}

double MotionLimits::excess(const FourierMotion& motion) {
  sum_ = most_ = 0.0;
  worst_.clear();
  if (!sample(motion)) return sum_;
  if (efforts_) add_efforts();
  if (followers_) add_followers(motion.period / static_cast<double>(samples_));
  add_surroundings();
  return sum_;
}

}  // namespace identification

std::vector<LinkSphere> link_spheres(const Robot& robot, double radius) {
  if (!(radius > 0.0)) throw std::invalid_argument("the radius of spheres must be a positive number");
  std::vector<LinkSphere> out;
  const auto line = [&](int link, const Vec3<double>& from, const Vec3<double>& to) {
    const Vec3<double> way = to - from;
    const int parts = std::max(1, static_cast<int>(std::ceil(identification::norm(way) / radius)));
    for (int k = 0; k <= parts; ++k)
      out.push_back({robot.links[index(link)].name, from + (static_cast<double>(k) / parts) * way, radius});
  };
  const int root = robot.root();
  for (const JointDescription& joint : robot.joints) {
    line(joint.child, joint.child_frame.inverse().p, {});
    if (joint.parent != root && identification::norm(joint.origin.p) > 0.0) line(joint.parent, {}, joint.origin.p);
  }
  for (const FrameDescription& frame : robot.frames)
    if (frame.link != root && identification::norm(frame.pose.p) > 0.0) line(frame.link, {}, frame.pose.p);
  return out;
}

}  // namespace catena
