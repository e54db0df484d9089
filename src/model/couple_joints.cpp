#include "couple_joints.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace catena {
namespace {

using Joint = CoupledJoint<double>;

void add_term(Joint& joint, int coordinate, double factor) {
  for (Joint::Term& term : joint.terms)
    if (term.coordinate == coordinate) {
      term.factor += factor;
      return;
    }
  joint.terms.push_back({coordinate, factor});
}

// What each joint of the robot is in the joints that move by themselves: its row of A and its entry of b.
class Rows {
 public:
  Rows(const Robot& robot, const std::vector<int>& moving) : robot_(robot), rows_(robot.joints.size()) {
    for (std::size_t k = 0; k < robot.joints.size(); ++k)
      joint_by_name_.try_emplace(robot.joints[k].name, static_cast<int>(k));
    for (std::size_t q = 0; q < moving.size(); ++q) rows_[index(moving[q])].terms = {{static_cast<int>(q), 1.0}};
    for (const int k : masters_first()) fill(k);
  }
  const Joint& of(int joint) const { return rows_[index(joint)]; }

 private:
  int master(const CouplingTerm& term) const { return joint_by_name_.at(term.joint); }

  void fill(int joint) {
    Joint& row = rows_[index(joint)];
    row.offset = robot_.joints[index(joint)].coupling.offset;
    for (const CouplingTerm& term : robot_.joints[index(joint)].coupling.terms) {
      const Joint& other = rows_[index(master(term))];
      row.offset += term.factor * other.offset;
      for (const Joint::Term& own : other.terms) add_term(row, own.coordinate, term.factor * own.factor);
    }
  }

  // The coupled joints, each after those that it is coupled to; they may stand anywhere in the file. Every joint is
  // visited once, without recursion: files chain couplings as long as they like.
  std::vector<int> masters_first() const {
    std::vector<int> order, open;
    std::vector<std::size_t> next(robot_.joints.size(), 0);
    std::vector<bool> entered(robot_.joints.size(), false);
    const auto enter = [&](int k) {
      if (!robot_.joints[index(k)].is_coupled() || entered[index(k)]) return;
      entered[index(k)] = true;
      open.push_back(k);
    };
    for (int start = 0; start < static_cast<int>(robot_.joints.size()); ++start) {
      enter(start);
      while (!open.empty()) {
        const int k = open.back();
        const auto& terms = robot_.joints[index(k)].coupling.terms;
        if (next[index(k)] < terms.size()) {
          enter(master(terms[next[index(k)]++]));
          continue;
        }
        order.push_back(k);
        open.pop_back();
      }
    }
    return order;
  }

  const Robot& robot_;
  std::vector<Joint> rows_;  // by joint of the robot; terms and offset alone
  std::unordered_map<std::string_view, int> joint_by_name_;
};

// Where q may be so that the joint keeps its own limits.
void narrow(const Joint& joint, JointLimits& limits) {
  const double factor = joint.terms.front().factor, size = std::abs(factor);
  double lower = (joint.limits.lower - joint.offset) / factor, upper = (joint.limits.upper - joint.offset) / factor;
  if (factor < 0.0) std::swap(lower, upper);
  limits.lower = std::max(limits.lower, lower);
  limits.upper = std::min(limits.upper, upper);
  limits.velocity = std::min(limits.velocity, joint.limits.velocity / size);
}

}  // namespace

void couple_joints(const Robot& robot, Mechanism& out) {
  const std::vector<int> moving = robot.moving_joints(), all = robot.tree_joints();
  if (moving.size() == all.size()) return;
  const Rows rows(robot, moving);

  const auto names = std::move(out.joint_names);
  const auto limits = std::move(out.limits);
  const auto drives = std::move(out.drives);
  const auto passive = std::move(out.passive);
  out.joint_names.clear(), out.limits.clear(), out.drives.assign(moving.size(), {}), out.passive.clear();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Joint& row = rows.of(all[k]);
    Joint joint{names[k], row.terms, row.offset, limits[k], drives[k]};
    std::erase_if(joint.terms, [](const Joint::Term& term) { return term.factor == 0.0; });
    if (!robot.joints[index(all[k])].is_coupled()) {
      out.joint_names.push_back(names[k]);
      out.limits.push_back(limits[k]);
      out.passive.push_back(passive[k]);
    }
    out.coupled.push_back(std::move(joint));
  }
  for (const Joint& joint : out.coupled) {  // what one entry of q alone moves acts on it like its own
    if (joint.terms.size() != 1) continue;
    const auto& [q, factor] = joint.terms.front();
    narrow(joint, out.limits[index(q)]);
    DriveConstants<double>& drive = out.drives[index(q)];
    drive.viscous += factor * factor * joint.drive.viscous;
    drive.coulomb += std::abs(factor) * joint.drive.coulomb;
    drive.reflected_inertia += factor * factor * joint.drive.reflected_inertia;
  }
}

}  // namespace catena
