// Every step of a chart, listed once, from the user to the tree. To add a constraint, write a header in this folder and
// list its name here.
#pragma once

#include <string>
#include <type_traits>

#include "coordinates/closed_loops.hpp"
#include "coordinates/coupled.hpp"
#include "coordinates/free_base.hpp"
#include "coordinates/moving_base.hpp"

namespace catena {

template <template <class> class... Step>
struct StepList {
  template <class S>
  static bool know(const std::string& name) {
    return ((Step<S>::name == name) || ...);
  }
  // The steps that such coordinates need.
  template <class S>
  static void make(const BasicCoordinates<ConstantOf<S>>& coordinates, const TreeFor<S>& tree,
                   std::vector<std::unique_ptr<ChartStep<S>>>& steps) {
    const auto add = [&]<class Made>(std::type_identity<Made>) {
      if (Made::is_in(coordinates)) steps.push_back(std::make_unique<Made>(coordinates, tree));
    };
    (add(std::type_identity<Step<S>>{}), ...);
  }
};
using AllSteps = StepList<FreeBaseStep, MovingBaseStep, CoupledStep, LoopStep>;

template <class S>
Chart<S>::Chart(const BasicCoordinates<ConstantOf<S>>& coordinates, const TreeFor<S>& tree) {
  AllSteps::make<S>(coordinates, tree, steps_);
}

}  // namespace catena
