#include "model/joint_rows.hpp"

namespace catena {
namespace {

using Joint = FollowingJoint<double>;

void add_term(Joint& joint, Coordinate coordinate, double factor) {
  for (Joint::Term& term : joint.terms)
    if (term.coordinate == coordinate) {
      term.factor += factor;
      return;
    }
  joint.terms.push_back({coordinate, factor});
}

}  // namespace

JointRows::JointRows(const Robot& robot, const std::vector<int>& moving) : robot_(robot), rows_(robot.joints.size()) {
  for (std::size_t k = 0; k < robot.joints.size(); ++k)
    joint_by_name_.try_emplace(robot.joints[k].name, static_cast<int>(k));
  for (std::size_t q = 0; q < moving.size(); ++q) rows_[index(moving[q])].terms = {{Coordinate(q), 1.0}};
  for (const int k : masters_first()) fill(k);
}

void JointRows::fill(int joint) {
  Joint& row = rows_[index(joint)];
  row.offset = robot_.joints[index(joint)].coupling.offset;
  for (const CouplingTerm& term : robot_.joints[index(joint)].coupling.terms) {
    const Joint& other = rows_[index(master(term))];
    row.offset += term.factor * other.offset;
    for (const Joint::Term& own : other.terms) add_term(row, own.coordinate, term.factor * own.factor);
  }
}

// The coupled joints, each after those it is coupled to; the file may list them in any order. Visits every joint
// once, without recursion: couplings in a file may form chains of any length.
std::vector<int> JointRows::masters_first() const {
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

ByJoint<Closure<double>::Row> rows_by_movers(const Robot& robot, const std::vector<int>& movers) {
  const JointRows rows(robot, movers);
  ByJoint<Closure<double>::Row> out;
  for (const int joint : robot.tree_joints()) {
    Closure<double>::Row row{{}, rows.of(joint).offset};
    for (const Joint::Term& term : rows.of(joint).terms)
      if (term.factor != 0.0) row.terms.push_back({term.coordinate, term.factor});
    out.push_back(row);
  }
  return out;
}

}  // namespace catena
