#include "along_states.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "arrays.hpp"
#include "bindings.hpp"

namespace catena::python {

AlongStates::AlongStates(const Loaded& robot, const AlongKey& key)
    : robot_(&robot), key_(key), inputs_(robot.inputs[key.job]), pool_(int(std::thread::hardware_concurrency())) {
  std::vector<std::size_t> own, results;
  for (const Input input : inputs_) own.push_back(index(info_of(input).size(robot.sizes)));
  for (const OutputInfo& output : jobs()[key.job].outputs) results.push_back(index(output.size(robot.sizes)));
  for (int k = key.weighed ? 1 : 0; k <= key.order; ++k) in_sizes_.insert(in_sizes_.end(), own.begin(), own.end());
  if (key.weighed) in_sizes_.push_back(index(jobs()[key.job].size(robot.sizes)));
  out_sizes_ = key.weighed ? own : results;
  workers_.push_back(made());
}
AlongStates::Worker AlongStates::made() const {
  Worker worker{Along(robot_->mechanism, jobs()[key_.job].name, key_.order), {}, {}, {}};
  for (const std::size_t size : in_sizes_) worker.in.emplace_back(size);
  worker.results.resize(worker.along.size());
  for (const std::size_t size : out_sizes_) worker.out.resize(worker.out.size() + size);
  return worker;
}

Inputs<double> AlongStates::inputs_at(const Worker& worker, std::size_t first) const {
  Inputs<double> in{.frame = key_.frame};
  for (std::size_t k = 0; k < inputs_.size(); ++k) in[inputs_[k]] = worker.in[first + k];
  return in;
}
void AlongStates::compute(Worker& worker) const {
  const Inputs<double> at = inputs_at(worker, 0);
  Inputs<double> directions[Along::most];
  const std::size_t order = std::size_t(key_.order), given = order - (key_.weighed ? 1 : 0);
  for (std::size_t k = 0; k < given; ++k) directions[k] = inputs_at(worker, (k + 1) * inputs_.size());
  if (!key_.weighed) return worker.along(at, {directions, order}, worker.out);
  const std::vector<double>& weights = worker.in.back();
  std::size_t next = 0;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    std::vector<double> unit(in_sizes_[k]);
    directions[order - 1] = {};
    directions[order - 1][inputs_[k]] = unit;
    for (double& entry : unit) {
      entry = 1.0;
      worker.along(at, {directions, order}, worker.results);
      entry = 0.0;
      double sum = 0.0;
      for (std::size_t r = 0; r < weights.size(); ++r) sum += weights[r] * worker.results[r];
      worker.out[next++] = sum;
    }
  }
}

template <class S>
void AlongStates::run(std::size_t states, const std::vector<const S*>& in, const std::vector<S*>& out) {
  constexpr std::size_t block = 16;
  const std::lock_guard lock(mutex_);
  const std::size_t blocks = (states + block - 1) / block;
  const int count = int(std::clamp<std::size_t>(blocks / 2, 1, std::size_t(std::max(pool_.threads(), 1))));
  while (workers_.size() < std::size_t(count)) workers_.push_back(made());
  std::atomic<std::size_t> next = 0;
  pool_.run(count, [&](int number) {
    Worker& worker = workers_[std::size_t(number)];
    for (std::size_t b = next++; b < blocks; b = next++)
      for (std::size_t state = b * block; state < std::min(states, (b + 1) * block); ++state) {
        for (std::size_t k = 0; k < in.size(); ++k)
          std::copy_n(in[k] + state * in_sizes_[k], in_sizes_[k], worker.in[k].begin());
        try {
          compute(worker);
        } catch (const std::exception&) {  // loops that do not close
          std::fill(worker.out.begin(), worker.out.end(), std::numeric_limits<double>::quiet_NaN());
        }
        auto from = worker.out.begin();
        for (std::size_t k = 0; k < out.size(); ++k)
          for (std::size_t j = 0; j < out_sizes_[k]; ++j) out[k][state * out_sizes_[k] + j] = static_cast<S>(*from++);
      }
  });
}
template void AlongStates::run(std::size_t, const std::vector<const double*>&, const std::vector<double*>&);
template void AlongStates::run(std::size_t, const std::vector<const float*>&, const std::vector<float*>&);

AlongStates& along_of(Loaded& robot, const AlongKey& key) {
  const std::lock_guard lock(robot.of_alongs);
  std::shared_ptr<AlongStates>& kept = robot.alongs[{int(key.job), key.order, key.frame, int(key.weighed)}];
  if (!kept) kept = std::make_shared<AlongStates>(robot, key);
  return *kept;
}

void bind_along(nb::module_& module) {
  using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  module.def(
      "along",
      [](const RobotCore& robot, const std::string& job, int order, const std::string& frame, bool weighed,
         const std::vector<Rows>& given) {
        AlongStates& work =
            along_of(*robot.loaded, {job_index(job), order, frame_of(robot.loaded->mechanism, frame), weighed});
        if (given.size() != work.in_sizes().size())
          throw std::invalid_argument(std::to_string(given.size()) + " arrays were given, " +
                                      std::to_string(work.in_sizes().size()) + " are needed");
        const std::size_t states = given.front().shape(0);
        std::vector<const double*> in;
        std::vector<double*> out;
        nb::list all;
        for (std::size_t k = 0; k < given.size(); ++k) {
          if (given[k].shape(0) != states || given[k].shape(1) != work.in_sizes()[k])
            throw std::invalid_argument("array " + std::to_string(k + 1) + " has another shape than (" +
                                        std::to_string(states) + ", " + std::to_string(work.in_sizes()[k]) + ")");
          in.push_back(given[k].data());
        }
        for (const std::size_t size : work.out_sizes()) {
          const NewArray array = new_array({states, size});
          out.push_back(array.values.data());
          all.append(array.object);
        }
        {
          const nb::gil_scoped_release others_may_run;
          work.run(states, in, out);
        }
        return all;
      },
      nb::arg("robot"), nb::arg("job"), nb::arg("order"), nb::arg("frame"), nb::arg("weighed"), nb::arg("given"));
}

}  // namespace catena::python
