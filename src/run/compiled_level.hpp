// The interface of an object file compiled for one instruction level.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "jobs/runner.hpp"
#include "run/lane_runner.hpp"

namespace catena {

class Arena;
// The arena that is open in the program, or null: a level has its own copy of everything, including the variable that
// holds it.
Arena* open_arena_of_program();

template <class S>
using RunnerMaker = std::unique_ptr<Runner<S>>(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                               std::string_view formulation);

// Around those that `make` creates on the tree.
template <class S>
using ChartedRunnerMaker = std::unique_ptr<Runner<S>>(std::string_view job,
                                                      std::shared_ptr<const MechanismFor<S>> robot,
                                                      std::string_view formulation, TreeRunnerMaker<S> make);

template <class T>
using LaneRunnerMaker = std::unique_ptr<LaneRunner<T>>(const JobInfo& job,
                                                       std::shared_ptr<const BasicMechanism<T>> robot);

// The only name that such a file exports. Nothing runs until it is called, so that any machine can load it.
struct LevelRunners {
  RunnerMaker<double>* on_double;  // in single precision, single states run at the baseline
  ChartedRunnerMaker<double>* charted_on_double;
  LaneRunnerMaker<double>* lanes_on_double;
  LaneRunnerMaker<float>* lanes_on_float;

  template <class T>
  LaneRunnerMaker<T>* lanes_on() const {
    if constexpr (sizeof(T) == sizeof(double)) {
      return lanes_on_double;
    } else {
      return lanes_on_float;
    }
  }
};

struct CompiledLevel {
  std::string_view name;
  bool runs_here;
  const LevelRunners* runners;
};

// Without the baseline, lowest first.
std::span<const CompiledLevel> compiled_levels();

}  // namespace catena
