// Orocos KDL, Debian's: torques of chains and trees, inertia matrices and accelerations of chains.
#include <algorithm>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "contender.hpp"

namespace catena::peers {
namespace {

// As kdl_parser makes it: the joint's axis in the parent's frame, the link's frame at the tip.
KDL::Segment segment(const Body& b, std::size_t i) {
  const KDL::Rotation R(b.R[0], b.R[1], b.R[2], b.R[3], b.R[4], b.R[5], b.R[6], b.R[7], b.R[8]);
  const KDL::Vector p(b.p[0], b.p[1], b.p[2]);
  const std::string name = std::to_string(i);
  const KDL::Joint joint(name, p, R.UnitZ(), b.revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis);
  const auto& I = b.inertia;
  return KDL::Segment(name, joint, KDL::Frame(R, p),
                      KDL::RigidBodyInertia(b.mass, KDL::Vector(b.com[0], b.com[1], b.com[2]),
                                            KDL::RotationalInertia(I[0], I[1], I[2], I[3], I[4], I[5])));
}

KDL::Vector gravity(const Description& robot) { return {robot.gravity[0], robot.gravity[1], robot.gravity[2]}; }

// The arrays that every solver takes.
struct Arrays {
  Arrays(const Description& robot, const Table& states)
      : n(static_cast<unsigned>(robot.n())), table(states), q(n), qd(n), x(n), out(n) {}
  void fill(std::size_t k) {
    std::copy_n(table.q_of(k), n, q.data.data());
    std::copy_n(table.qd_of(k), n, qd.data.data());
    std::copy_n(table.x_of(k), n, x.data.data());
  }
  std::vector<double> read() const { return {out.data.data(), out.data.data() + n}; }
  unsigned n;
  const Table& table;
  KDL::JntArray q, qd, x, out;
};

class OnChain {
 public:
  OnChain(const Description& robot, Job job, const Table& table)
      : chain_(make(robot)),
        inverse_(chain_, gravity(robot)),
        forward_(chain_, gravity(robot)),
        parameters_(chain_, gravity(robot)),
        arrays_(robot, table),
        inertia_(arrays_.n),
        forces_(robot.n()),
        job_(job) {}

  void call(std::size_t k) {
    arrays_.fill(k);
    if (job_ == Job::inverse) inverse_.CartToJnt(arrays_.q, arrays_.qd, arrays_.x, forces_, arrays_.out);
    if (job_ == Job::inertia) parameters_.JntToMass(arrays_.q, inertia_);
    if (job_ == Job::forward) forward_.CartToJnt(arrays_.q, arrays_.qd, arrays_.x, forces_, arrays_.out);
  }
  std::vector<double> read() const {
    if (job_ != Job::inertia) return arrays_.read();
    return {inertia_.data.data(), inertia_.data.data() + inertia_.data.size()};
  }

 private:
  static KDL::Chain make(const Description& robot) {
    KDL::Chain chain;
    for (std::size_t i = 0; i < robot.n(); ++i) chain.addSegment(segment(robot.bodies[i], i));
    return chain;
  }
  KDL::Chain chain_;
  KDL::ChainIdSolver_RNE inverse_;
  KDL::ChainFdSolver_RNE forward_;
  KDL::ChainDynParam parameters_;
  Arrays arrays_;
  KDL::JntSpaceInertiaMatrix inertia_;
  KDL::Wrenches forces_;
  Job job_;
};

class OnTree {
 public:
  OnTree(const Description& robot, const Table& table)
      : tree_(make(robot)), inverse_(tree_, gravity(robot)), arrays_(robot, table) {}
  void call(std::size_t k) {
    arrays_.fill(k);
    inverse_.CartToJnt(arrays_.q, arrays_.qd, arrays_.x, forces_, arrays_.out);
  }
  std::vector<double> read() const { return arrays_.read(); }

 private:
  static KDL::Tree make(const Description& robot) {
    KDL::Tree tree("base");
    for (std::size_t i = 0; i < robot.n(); ++i) {
      const int parent = robot.bodies[i].parent;
      tree.addSegment(segment(robot.bodies[i], i), parent < 0 ? "base" : std::to_string(parent));
    }
    return tree;
  }
  KDL::Tree tree_;
  KDL::TreeIdSolver_RNE inverse_;
  Arrays arrays_;
  KDL::WrenchMap forces_;
};

}  // namespace

std::unique_ptr<Contender> make_kdl(const Description& robot, Job job, const Table& table) {
  if (is_derivative(job)) return nullptr;
  if (robot.free) return nullptr;
  if (robot.is_chain()) return std::make_unique<Looped<OnChain>>(robot, job, table);
  if (job == Job::inverse) return std::make_unique<Looped<OnTree>>(robot, table);
  return nullptr;
}

}  // namespace catena::peers
