// Derivatives of a job along directions at many states: rows of numbers, on all cores.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engines/batch/pool.hpp"
#include "loaded.hpp"
#include "run/along.hpp"

namespace catena::python {

struct AlongKey {
  std::size_t job = 0;
  int order = 1, frame = tool_frame;
  // The gradient of the results times weights: the last direction is each entry of the inputs in turn.
  bool weighed = false;
};

class AlongStates {
 public:
  AlongStates(const Loaded& robot, const AlongKey& key);

  // Sizes of the rows that run() takes: the inputs, a direction for each order (weighed: the last is the weights of all
  // results instead); and that it gives: the results (weighed: the inputs).
  const std::vector<std::size_t>& in_sizes() const { return in_sizes_; }
  const std::vector<std::size_t>& out_sizes() const { return out_sizes_; }
  // A state without a result has NaN.
  template <class S>
  void run(std::size_t states, const std::vector<const S*>& in, const std::vector<S*>& out);

 private:
  struct Worker {
    Along along;
    std::vector<std::vector<double>> in;
    std::vector<double> results, out;
  };
  Worker made() const;
  Inputs<double> inputs_at(const Worker& worker, std::size_t first) const;
  void compute(Worker& worker) const;

  const Loaded* robot_;
  AlongKey key_;
  std::vector<Input> inputs_;
  std::vector<std::size_t> in_sizes_, out_sizes_;
  system::ForkedMutex mutex_;  // one caller at a time
  batch::Pool pool_;
  std::vector<Worker> workers_;
};

// Made at the first use, and kept as long as the robot.
AlongStates& along_of(Loaded& robot, const AlongKey& key);

}  // namespace catena::python
