// Each joint of a robot as a function of joints that are not coupled.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "catena/model/coordinates.hpp"

namespace catena {

// Its row of A and its entry of b.
class JointRows {
 public:
  // `moving`: joints of the robot at which every coupling ends.
  JointRows(const Robot& robot, const std::vector<int>& moving);
  const FollowingJoint<double>& of(int joint) const { return rows_[index(joint)]; }

 private:
  int master(const CouplingTerm& term) const { return joint_by_name_.at(term.joint); }
  void fill(int joint);
  std::vector<int> masters_first() const;

  const Robot& robot_;
  std::vector<FollowingJoint<double>> rows_;  // by joint of the robot
  std::unordered_map<std::string_view, int> joint_by_name_;
};

// Each joint of the tree by the joints in this list.
ByJoint<Closure<double>::Row> rows_by_movers(const Robot& robot, const std::vector<int>& movers);

}  // namespace catena
