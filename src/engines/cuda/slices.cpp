#include "catena/gpu.hpp"

#include <atomic>
#include <exception>
#include <thread>

namespace catena {

template <class S>
GpuSlices<S>::GpuSlices(const Mechanism& robot, const std::vector<BatchJob>& jobs, const std::vector<int>& devices,
                        const GpuOptions& options) {
  if (devices.empty()) throw std::invalid_argument("no device is named");
  for (const int device : devices) {
    if (std::count(devices.begin(), devices.end(), device) > 1)
      throw std::invalid_argument("cuda:" + std::to_string(device) + " is named twice");
    GpuOptions own = options;
    own.device = device;
    batches_.emplace_back(robot, jobs, own);
  }
}

template <class S>
BatchReport GpuSlices<S>::run(std::size_t states, const BatchInputs<S>& in, std::span<const StateArray<S>> out,
                              const typename Batch<S>::Progress& progress) {
  if (batches_.size() == 1) return batches_.front().run(states, in, out, progress);
  const std::size_t count = batches_.size(), each = (states + count - 1) / count;
  std::vector<BatchReport> reports(count);
  std::vector<std::exception_ptr> thrown(count);
  std::vector<std::atomic<std::size_t>> done(count);
  std::atomic<bool> stop{false};
  const auto first = [&](std::size_t k) { return std::min(states, k * each); };
  const auto work = [&](std::size_t k) {
    const std::size_t start = first(k), own = first(k + 1) - start;
    BatchInputs<S> here;
    for (const Input input : batches_[k].inputs())
      if (in[input].data != nullptr) here[input] = in[input].from(start);
    std::vector<StateArray<S>> results;
    for (const StateArray<S>& array : out) results.push_back(array.from(start));
    try {
      reports[k] = batches_[k].run(own, here, results, [&](std::size_t now) {
        done[k] = now;
        std::size_t all = 0;
        for (const auto& slice : done) all += slice;
        if (k == 0 && progress && !progress(all)) stop = true;  // only on the caller's thread
        return !stop;
      });
    } catch (...) {
      thrown[k] = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < count; ++k) others.emplace_back(work, k);
  work(0);
  others.clear();  // waits for the threads
  for (const std::exception_ptr& error : thrown)
    if (error) std::rethrow_exception(error);
  BatchReport all;
  for (std::size_t k = 0; k < count; ++k) {
    const BatchReport& own = reports[k];
    all.stopped |= own.stopped;
    if (all.failed == 0 && own.failed > 0) {
      all.first_failed = first(k) + own.first_failed;
      all.why = own.why;
    }
    all.failed += own.failed;
  }
  all.states = all.stopped ? reports.front().states : states;
  if (progress && !all.stopped) progress(states);
  return all;
}

template class GpuSlices<double>;
template class GpuSlices<float>;

}  // namespace catena
