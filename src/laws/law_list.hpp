// Every law, listed once. To add a law: write a struct with info(), shape() and On<S>, and name it here.
#pragma once

#include <tuple>

#include "laws/frame_laws.hpp"
#include "laws/joint_laws.hpp"
#include "laws/observer_law.hpp"
#include "laws/passive_laws.hpp"

namespace catena::laws {

template <class... Law>
struct LawList {
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (visit(Law{}), ...);
  }
};
using AllLaws = LawList<PidGravity, Computed, Passivity, Adaptive, SlidingMode, Regulator, OperationalSpace, Impedance,
                        HybridForce, NullSpace, MomentumObserver>;

// The robot as a law sees it, and everything else that steps and programs share.
struct PreparedLaw {
  Mechanism robot;
  LawOptions options;
  const LawInfo* info;
  LawShape shape;
  std::vector<double> inertias;
  LawSetup setup() const { return {robot, options, *info, inertias}; }
};
// Throws std::invalid_argument if the law does not fit the robot.
PreparedLaw prepare(const Mechanism& robot, const LawOptions& options);

template <class S>
std::unique_ptr<ControlLaw<S>> make_law(const PreparedLaw& law) {
  std::unique_ptr<ControlLaw<S>> made;
  AllLaws::for_each([&]<class L>(L) {
    if (L::info().name == law.info->name) made = std::make_unique<typename L::template On<S>>(law.setup());
  });
  return made;
}

// Entries of all parts.
int size_of(const std::vector<Part>& parts);
// Gives the parts their places in one array, one after the other.
template <class S, class Spans>
void place(const std::vector<Part>& parts, std::span<S> all, Spans& spans) {
  std::size_t at = 0;
  for (const Part& part : parts) {
    spans[static_cast<std::size_t>(part.signal)] = all.subspan(at, index(part.size));
    at += index(part.size);
  }
}

}  // namespace catena::laws
