// Wrenches on the user's frames, moved to where the formulations want them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/kinematics.hpp"

namespace catena {

template <class S>
class WrenchCollector {
 public:
  // The robot must outlive the collector.
  explicit WrenchCollector(const BasicMechanism<ConstantOf<S>>& robot)
      : robot_(robot), kinematics_(robot), on_link_(robot.links.size()) {}

  // About the origins and along the axes of the mechanism's links; empty when there are none. Valid until the next
  // call.
  std::span<const Wrench<S>> collect(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches) {
    if (wrenches.empty()) return {};
    for (auto& w : on_link_) w = {};
    bool placed = false;
    for (const auto& w : wrenches) {
      if (w.frame < 0 || w.frame >= static_cast<int>(robot_.frames.size()))
        throw std::invalid_argument("external wrench: frame " + std::to_string(w.frame) +
                                    " does not exist; the robot has " + std::to_string(robot_.frames.size()) +
                                    " frames");
      const auto& f = robot_.frames[index(w.frame)];
      if (f.link == base) continue;  // pushes on the base move nothing
      Mat3<S> to_link = f.in_link.R;
      if (w.axes == Axes::world) {
        if (!placed) kinematics_.update(q);
        placed = true;
        to_link = f.in_link.R * kinematics_.pose(w.frame).R.transpose();
      }
      const Vec3<S> force = to_link * w.force;
      on_link_[index(f.link)].force += force;
      on_link_[index(f.link)].moment += to_link * w.moment + cross(f.in_link.p, force);
    }
    return on_link_;
  }

 private:
  const BasicMechanism<ConstantOf<S>>& robot_;
  Kinematics<S> kinematics_;
  std::vector<Wrench<S>> on_link_;
};

}  // namespace catena
