// A formulation of a job that computes several states at once, one in each lane of a vector (scalar/pack.hpp), with one
// virtual call for many of them. Compiled at every instruction level, with as many lanes as its vectors have.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/formulation/formulation.hpp"
#include "catena/state_array.hpp"

namespace catena {

template <class T>
class LaneRunner {
 public:
  virtual ~LaneRunner() = default;
  virtual std::unique_ptr<LaneRunner> clone() const = 0;
  virtual int lanes() const = 0;

  // Computes `states` states; `out` has an array for each output of the job. Returns true if all results are valid.
  // Otherwise `doubtful` is set, by state, for those that are not finite or whose pivots of M are in doubt: a call can
  // decide (catena/call.hpp).
  virtual bool run(std::size_t states, const BatchInputs<T>& in, int frame, const StateArray<T>* out,
                   unsigned char* doubtful) = 0;

 protected:
  LaneRunner() = default;
  LaneRunner(const LaneRunner&) = default;
  LaneRunner& operator=(const LaneRunner&) = default;
};

// The formulation of a job that runs in lanes; empty if there is none. Not all jobs have one: each takes seconds to
// compile, at each level.
std::string_view formulation_in_lanes(std::string_view job);

// Creates a runner of formulation_in_lanes(job), on the mechanism as it is, at the machine's level, for any chart. Null
// if there is none, or if the robot uses the standard library's sines.
template <class T>
std::unique_ptr<LaneRunner<T>> make_lane_runner(std::string_view name, const BasicMechanism<T>& robot);

}  // namespace catena
