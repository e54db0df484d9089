// What an object file that was compiled for a level has to offer.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "jobs/runner.hpp"
#include "run/lane_runner.hpp"

namespace catena {

class Arena;
// The arena that is open in the program, null where none is: a level has its own copy of everything, of the variable
// that says so too.
Arena* open_arena_of_program();

template <class S>
using RunnerMaker = std::unique_ptr<Runner<S>>(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                               std::string_view formulation);

template <class T>
using LaneRunnerMaker = std::unique_ptr<LaneRunner<T>>(const JobInfo& job,
                                                       std::shared_ptr<const BasicMechanism<T>> robot);

// The one name that such a file exports. Nothing runs before it is asked for, so that any machine can load it.
struct LevelRunners {
  RunnerMaker<double>* on_double;  // a state in single precision runs at the baseline
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

// Without the baseline, the lowest first.
std::span<const CompiledLevel> compiled_levels();

}  // namespace catena
