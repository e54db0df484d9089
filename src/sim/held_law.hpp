// A torque law that is asked once a period; its torques are held in between.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "catena/simulation.hpp"

namespace catena {

class HeldLaw {
 public:
  HeldLaw(TorqueLaw law, double period, int joints)
      : law_(std::move(law)), period_(period), held_(std::make_shared<std::vector<double>>(joints)) {}
  bool samples() const { return period_ > 0.0; }
  void replace(TorqueLaw law) { law_ = std::move(law); }
  TorqueLaw as_seen() const {
    if (!samples()) return law_;
    return [held = held_](double, auto, auto, std::span<double> tau) {
      std::copy(held->begin(), held->end(), tau.begin());
    };
  }
  void start(double t) { start_ = t, ticks_ = 0; }
  // Whether its next moment has come; and up to where torques stay, at most `end`.
  bool is_due(double t) const { return samples() && t >= next() - slack(); }
  double until(double end) const { return samples() && next() < end - slack() ? next() : end; }
  void ask(double t, std::span<const double> q, std::span<const double> qd) {
    law_(t, q, qd, *held_);
    ++ticks_;
  }

 private:
  double next() const { return start_ + static_cast<double>(ticks_) * period_; }
  double slack() const { return 1e-6 * period_; }
  TorqueLaw law_;
  double period_, start_ = 0.0;
  long ticks_ = 0;
  std::shared_ptr<std::vector<double>> held_;
};

}  // namespace catena
