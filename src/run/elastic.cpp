// Equations (1)-(6): docs/equations/elastic_joints.md.
#include "catena/elastic.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/changes.hpp"
#include "catena/dynamics.hpp"
#include "catena/scalar/dual.hpp"
#include "catena/validate.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/inverse/luh_walker_paul.hpp"
#include "jobs/checks.hpp"

namespace catena {
namespace {

// A function of time with its first two derivatives: x + ẋ ε₁ + ẋ ε₂ + ẍ ε₁ε₂.
using Timed = Dual<Dual<double>>;
Timed timed(double value, double rate, double second) { return {{value, rate}, {rate, second}}; }

[[noreturn]] void refuse(const std::string& who, const std::string& what) {
  throw std::invalid_argument("feed-forward of robot '" + who + "': " + what);
}

struct Length {
  std::size_t given, needed;
  std::string_view name;
};
void require_all(std::initializer_list<Length> lengths) {
  for (const Length& length : lengths) require_length(length.given, length.needed, length.name);
}

// The robot of what is on the links' side of the springs.
Robot links_alone(const Robot& robot) {
  Robot out = robot;
  for (JointDescription& joint : out.joints) {
    if (!std::exchange(joint.elastic, std::nullopt)) continue;
    JointDrive& drive = joint.drive;
    drive.viscous = drive.coulomb = drive.stribeck = drive.offset = drive.rotor_inertia = 0.0;
  }
  return out;
}

void require_flat(const Robot& robot, const Mechanism& links, const Mechanism& motors) {
  if (!has_elastic_joints(robot)) refuse(robot.name, "none of its joints is elastic");
  require_fixed_base(links, "feed-forward does");
  if (links.coordinates.is_closed()) refuse(robot.name, "it has closed loops");
  if (links.has_passive) refuse(robot.name, "it has passive joints, whose motion follows from the others");
  for (const JointDescription& joint : robot.joints) {
    if (!joint.elastic) continue;
    if (joint.elastic->damping > 0.0)
      refuse(robot.name, "joint '" + joint.name + "' has elastic damping, so θ follows from q only by integration");
    const int rotor = motors.frame_index(joint.name + "_rotor");
    if (rotor >= 0 && motors.link(motors.frames[index(rotor)].link).parent != base_link)
      refuse(robot.name, "joint '" + joint.name +
                             "' has full coupling, for which four derivatives of the motion are too few; "
                             "coupling = \"reduced\" is determined by them");
  }
}

}  // namespace

struct ElasticInverse::Impl {
  struct Spring {
    std::size_t link, motor;  // coordinates
    double stiffness;
  };

  Mechanism links, motors;
  std::vector<Spring> springs;
  LuhWalkerPaul::Workspace<Timed> ws;
  std::vector<Timed> q, qd, qdd, tau;
  std::vector<double> torque, rate, second;  // of the links
  InverseDynamics<double> inverse;

  explicit Impl(const Robot& robot)
      : links(make_mechanism(links_alone(robot))),
        motors(make_mechanism(robot)),
        ws(links),
        torque(index(links.nv())),
        rate(torque),
        second(torque),
        inverse(motors) {
    require_flat(robot, links, motors);
    for (auto* of_tree : {&q, &qd, &qdd, &tau}) of_tree->resize(index(links.joints()));
    std::size_t motor = torque.size();
    const std::vector<int> moving = robot.moving_joints();
    for (std::size_t k = 0; k < moving.size(); ++k)
      if (const auto& elastic = robot.joints[index(moving[k])].elastic)
        springs.push_back({k, motor++, elastic->stiffness});
  }

  // The motion of joint j of the tree, which may follow several coordinates.
  void place(TreeJoint j, const LinkMotion& x) {
    const auto add = [&](std::size_t k, double factor) {
      q[index(j)] += factor * timed(x.q[k], x.qd[k], x.qdd[k]);
      qd[index(j)] += factor * timed(x.qd[k], x.qdd[k], x.jerk[k]);
      qdd[index(j)] += factor * timed(x.qdd[k], x.jerk[k], x.snap[k]);
    };
    q[index(j)] = qd[index(j)] = qdd[index(j)] = Timed{};
    if (!links.is_coupled()) return add(index(j), 1.0);
    const FollowingJoint<double>& following = links.coordinates.following[j];
    q[index(j)] = Timed(following.offset);
    for (const auto& term : following.terms) add(index(term.coordinate), term.factor);
  }
  void pull(TreeJoint j) {
    const auto add = [&](std::size_t k, double factor) {
      const Timed& own = tau[index(j)];
      torque[k] += factor * own.value.value;
      rate[k] += factor * own.value.derivative;
      second[k] += factor * own.derivative.derivative;
    };
    if (!links.is_coupled()) return add(index(j), 1.0);
    for (const auto& term : links.coordinates.following[j].terms) add(index(term.coordinate), term.factor);
  }

  // (2)
  void find_link_torques(const LinkMotion& x) {
    const std::size_t n = torque.size();
    require_all({{x.q.size(), n, "q"},
                 {x.qd.size(), n, "qd"},
                 {x.qdd.size(), n, "qdd"},
                 {x.jerk.size(), n, "jerk"},
                 {x.snap.size(), n, "snap"}});
    for (const TreeJoint j : links.all_joints()) place(j, x);
    const Motion<Timed> motion{q, qd, qdd};
    LuhWalkerPaul::run<Timed>(links, motion, ws, tau);
    add_joint_torques<Timed>(links, motion, tau);
    for (auto* sums : {&torque, &rate, &second}) sums->assign(sums->size(), 0.0);
    for (const TreeJoint j : links.all_joints()) pull(j);
  }
};

ElasticInverse::ElasticInverse(const Robot& robot) : impl_(std::make_unique<Impl>(robot)) {}
ElasticInverse::ElasticInverse(ElasticInverse&&) noexcept = default;
ElasticInverse::~ElasticInverse() = default;

const Mechanism& ElasticInverse::links() const { return impl_->links; }
const Mechanism& ElasticInverse::motors() const { return impl_->motors; }

void ElasticInverse::link_torques(const LinkMotion& x, std::span<double> tau, std::span<double> rate,
                                  std::span<double> second) {
  const std::size_t n = impl_->torque.size();
  require_all({{tau.size(), n, "tau"}, {rate.size(), n, "rate"}, {second.size(), n, "second"}});
  impl_->find_link_torques(x);
  std::copy(impl_->torque.begin(), impl_->torque.end(), tau.begin());
  std::copy(impl_->rate.begin(), impl_->rate.end(), rate.begin());
  std::copy(impl_->second.begin(), impl_->second.end(), second.begin());
}

void ElasticInverse::operator()(const LinkMotion& x, const Motors& out) {
  const std::size_t all = index(impl_->motors.nv());
  require_all({{out.q.size(), all, "q of links and motors"},
               {out.qd.size(), all, "qd of links and motors"},
               {out.qdd.size(), all, "qdd of links and motors"},
               {out.tau.size(), all, "tau"}});
  impl_->find_link_torques(x);
  std::copy(x.q.begin(), x.q.end(), out.q.begin());
  std::copy(x.qd.begin(), x.qd.end(), out.qd.begin());
  std::copy(x.qdd.begin(), x.qdd.end(), out.qdd.begin());
  for (const auto& [link, motor, stiffness] : impl_->springs) {
    out.q[motor] = x.q[link] + impl_->torque[link] / stiffness;      // (3)
    out.qd[motor] = x.qd[link] + impl_->rate[link] / stiffness;      // (4)
    out.qdd[motor] = x.qdd[link] + impl_->second[link] / stiffness;  // (5)
  }
  impl_->inverse(out.q, out.qd, out.qdd, out.tau);  // (6)
  for (const auto& spring : impl_->springs) out.tau[spring.link] = 0.0;
}

}  // namespace catena
