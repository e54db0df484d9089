// The energy balance of a run: the robot's energy minus the energy supplied, which is constant except for integration
// errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "catena/simulation.hpp"

namespace catena {

class EnergyAccount {
 public:
  // `brought`: energy of parts attached since the start.
  void add(const Sample& s, double brought = 0.0) {
    const double account = s.kinetic + s.potential - s.work - s.external - s.base_work + s.losses - brought;
    if (!first_) first_ = account;
    balance_ = std::max(balance_, std::abs(account - *first_));
  }
  double balance() const { return balance_; }  // the largest change so far, J

 private:
  std::optional<double> first_;
  double balance_ = 0.0;
};

}  // namespace catena
