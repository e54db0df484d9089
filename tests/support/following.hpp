// q_all = A q + b of a robot with coupled joints, by following names from joint to joint: shares nothing with the
// library's.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "catena/robot.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

class Following {
 public:
  explicit Following(const Robot& robot) : free_(robot.moving_joints()) {
    for (const int k : robot.tree_joints()) {
      A_.emplace_back(free_.size(), 0.0);
      b_.push_back(0.0);
      follow(robot, k, 1.0);
    }
  }

  std::vector<double> positions(const std::vector<double>& q) const {
    std::vector<double> all = rates(q);
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += b_[k];
    return all;
  }
  std::vector<double> rates(const std::vector<double>& qd) const {
    std::vector<double> all(A_.size(), 0.0);
    for (std::size_t k = 0; k < all.size(); ++k)
      for (std::size_t j = 0; j < qd.size(); ++j) all[k] += A_[k][j] * qd[j];
    return all;
  }
  State state(const State& x) const { return {positions(x.q), rates(x.qd), rates(x.qdd)}; }
  std::vector<double> gathered(const std::vector<double>& tau) const {
    std::vector<double> out(free_.size(), 0.0);
    for (std::size_t k = 0; k < tau.size(); ++k)
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += A_[k][j] * tau[k];
    return out;
  }
  // |A|ᵀ s: how large the terms of gathered(tau) are where those of tau are as large as s.
  std::vector<double> sizes(const std::vector<double>& s) const {
    std::vector<double> out(free_.size(), 0.0);
    for (std::size_t k = 0; k < s.size(); ++k)
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += std::abs(A_[k][j]) * s[k];
    return out;
  }
  // AᵀMA.
  std::vector<std::vector<double>> gathered(const std::vector<std::vector<double>>& M) const {
    std::vector<std::vector<double>> out;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      std::vector<double> column(M.size(), 0.0);
      for (std::size_t i = 0; i < M.size(); ++i)
        for (std::size_t k = 0; k < M.size(); ++k) column[i] += M[i][k] * A_[k][j];
      out.push_back(gathered(column));
    }
    return out;  // symmetric
  }

 private:
  void follow(const Robot& robot, int k, double factor) {
    for (std::size_t j = 0; j < free_.size(); ++j)
      if (free_[j] == k) {
        A_.back()[j] += factor;
        return;
      }
    const Coupling& coupling = robot.joints[static_cast<std::size_t>(k)].coupling;
    b_.back() += factor * coupling.offset;
    for (const CouplingTerm& term : coupling.terms) follow(robot, robot.joint_index(term.joint), factor * term.factor);
  }

  std::vector<int> free_;
  std::vector<std::vector<double>> A_;  // by joint of the tree
  std::vector<double> b_;
};

}  // namespace catena::test
