#include "model/set_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "model/close_loops.hpp"

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

// Each joint of the robot as a function of the independent joints: its row of A and its entry of b.
class Rows {
 public:
  Rows(const Robot& robot, const std::vector<int>& moving) : robot_(robot), rows_(robot.joints.size()) {
    for (std::size_t k = 0; k < robot.joints.size(); ++k)
      joint_by_name_.try_emplace(robot.joints[k].name, static_cast<int>(k));
    for (std::size_t q = 0; q < moving.size(); ++q) rows_[index(moving[q])].terms = {{Coordinate(q), 1.0}};
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

  // The coupled joints, each after those it is coupled to; the file may list them in any order. Visits every joint
  // once, without recursion: couplings in a file may form chains of any length.
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
  std::vector<Joint> rows_;  // by joint of the robot; only terms and offset are used
  std::unordered_map<std::string_view, int> joint_by_name_;
};

// The range of q in which the joint keeps its own limits.
void narrow(const Joint& joint, const JointLimits& own, JointLimits& limits) {
  const double factor = joint.terms.front().factor, size = std::abs(factor);
  double lower = (own.lower - joint.offset) / factor, upper = (own.upper - joint.offset) / factor;
  if (factor < 0.0) std::swap(lower, upper);
  limits.lower = std::max(limits.lower, lower);
  limits.upper = std::min(limits.upper, upper);
  limits.velocity = std::min(limits.velocity, own.velocity / size);
}

// Coordinates are the joints that the loops leave independent.
void set_closed(const Robot& robot, Mechanism& out) {
  std::vector<Problem> problems;
  Coordinates& coordinates = out.coordinates;
  coordinates.closure = find_closure(robot, out, problems);
  if (!problems.empty()) throw ModelError(format_problems(robot.name, problems));
  out.has_passive = false;
  for (const TreeJoint j : out.all_joints()) {
    const auto& movers = coordinates.closure.movers;
    const auto mover = std::find(movers.begin(), movers.end(), j);
    if (mover == movers.end() || coordinates.closure.coordinate[static_cast<std::size_t>(mover - movers.begin())] < 0) {
      out.passive[j] = 0;  // coordinates may have motors
      continue;
    }
    out.has_passive = out.has_passive || out.passive[j] != 0;
    coordinates.joints.push_back(j);
    coordinates.limits.push_back(coordinates.joint_limits[j]);
  }
}

}  // namespace

ByJoint<Closure<double>::Row> rows_by_movers(const Robot& robot, const std::vector<int>& movers) {
  const Rows rows(robot, movers);
  ByJoint<Closure<double>::Row> out;
  for (const int joint : robot.tree_joints()) {
    Closure<double>::Row row{{}, rows.of(joint).offset};
    for (const Joint::Term& term : rows.of(joint).terms)
      if (term.factor != 0.0) row.terms.push_back({term.coordinate, term.factor});
    out.push_back(row);
  }
  return out;
}

void set_coordinates(const Robot& robot, Mechanism& out) {
  if (!robot.loops.empty()) return set_closed(robot, out);
  const std::vector<int> moving = robot.moving_joints(), all = robot.tree_joints();
  Coordinates& coordinates = out.coordinates;
  for (const TreeJoint j : out.all_joints()) {
    if (robot.joints[index(all[index(j)])].is_coupled()) {
      out.passive[j] = 0;  // the joints it follows may have motors
      continue;
    }
    coordinates.joints.push_back(j);
    coordinates.limits.push_back(coordinates.joint_limits[j]);
  }
  if (moving.size() == all.size()) return;
  const Rows rows(robot, moving);
  for (const TreeJoint j : out.all_joints()) {
    Joint joint = rows.of(all[index(j)]);
    std::erase_if(joint.terms, [](const Joint::Term& term) { return term.factor == 0.0; });
    if (joint.terms.size() == 1)  // its forces act on that one coordinate as the coordinate's own do
      narrow(joint, coordinates.joint_limits[j], coordinates.limits[joint.terms.front().coordinate]);
    coordinates.following.push_back(joint);
  }
}

ByCoordinate<DriveConstants<double>> drives_by_coordinate(const Mechanism& robot) {
  ByCoordinate<DriveConstants<double>> drives(index(robot.nv()));
  if (!robot.is_coupled()) {
    for (const Coordinate c : robot.coordinates.all()) drives[c] = robot.drives[robot.coordinates.joints[c]];
    return drives;
  }
  for (const TreeJoint j : robot.all_joints()) {
    const Joint& joint = robot.coordinates.following[j];
    if (joint.terms.size() != 1) continue;
    const auto& [c, factor] = joint.terms.front();
    drives[c].viscous += factor * factor * robot.drives[j].viscous;
    drives[c].coulomb += std::abs(factor) * robot.drives[j].coulomb;
    drives[c].reflected_inertia += factor * factor * robot.drives[j].reflected_inertia;
  }
  return drives;
}

std::vector<std::string> coordinate_names(const Mechanism& robot) {
  std::vector<std::string> names;
  for (const Coordinate c : robot.coordinates.all()) names.push_back(robot.name_of(c));
  return names;
}
Mechanism with_all_positions(const Mechanism& robot) {
  Mechanism out = robot;
  out.coordinates.closure.placed = robot.coordinates.is_closed();
  return out;
}
std::vector<std::string> position_names(const Mechanism& robot) {
  std::vector<std::string> names = coordinate_names(robot);
  if (robot.coordinates.closure.placed) {
    names.clear();
    for (const TreeJoint joint : robot.coordinates.closure.movers) names.push_back(robot.joint_names[joint]);
  }
  if (!robot.coordinates.is_free()) return names;
  const std::string stem = names.front().substr(0, names.front().size() - 1);  // NAME_x
  names.insert(names.begin() + 3, stem + "qx");
  for (std::size_t k = 0; k < 3; ++k) names[4 + k] = stem + (k == 0 ? "qy" : k == 1 ? "qz" : "qw");
  return names;
}

}  // namespace catena
