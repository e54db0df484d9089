// Batches: formulations in the lanes of vectors, and compiled code over many states, against one call after the other.
// One run of the batch computes all states; its time is shared among them.
#include <memory>
#include <new>

#include "catena/batch.hpp"
#include "catena/compile.hpp"
#include "harness.hpp"

namespace catena::bench {
namespace {

// Rows of whole cache lines, which do not all begin at the same places of the cache.
constexpr std::size_t padded = state_count + 16;

template <class T>
struct LineAllocator {
  using value_type = T;
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* place, std::size_t) { ::operator delete(place, line); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
  static constexpr std::align_val_t line{64};
};

template <class S>
struct Setup {
  Batch<S> batch;
  std::vector<S, LineAllocator<S>> q, qd, qdd, tau;

  Setup(const Mechanism& robot, const BatchOptions& options) : batch(robot, {{"inverse"}}, options) {
    const States states(robot.nv());
    const auto n = static_cast<std::size_t>(robot.nv());
    for (auto* array : {&q, &qd, &qdd, &tau}) array->resize(n * padded);
    for (std::size_t k = 0; k < state_count; ++k)
      for (std::size_t j = 0; j < n; ++j) {
        q[j * padded + k] = S(states.q(k)[j]);
        qd[j * padded + k] = S(states.qd(k)[j]);
        qdd[j * padded + k] = S(states.qdd(k)[j]);
      }
  }
  void run() {
    const StateArray<S> out = states_in_columns(tau.data(), padded);
    batch.run(state_count,
              {.q = states_in_columns<const S>(q.data(), padded),
               .qd = states_in_columns<const S>(qd.data(), padded),
               .qdd = states_in_columns<const S>(qdd.data(), padded)},
              {&out, 1});
  }
};

template <class S>
std::string time_batch(const std::string& model, const Mechanism& robot, const std::string& what,
                       const BatchOptions& options) {
  const std::string name = "inverse/" + model + "/" + what + (sizeof(S) == sizeof(float) ? ", float" : "");
  const auto setup = std::make_shared<Setup<S>>(robot, options);
  add(name, [setup](std::size_t k) {
    if (k % state_count == 0) setup->run();
  });
  return name;
}

}  // namespace

void add_batch() {
  for (const std::string model : {"ur5", "panda"}) {
    const Mechanism robot = shipped(model);
    const std::string call = "inverse/" + model + "/default", generated = "inverse/" + model + "/generated";
    const BatchOptions lanes{.engine = BatchEngine::generic, .threads = 1},
        code{.engine = BatchEngine::compiled, .threads = 1}, two{.engine = BatchEngine::compiled, .threads = 2};
    const std::string in_lanes = time_batch<double>(model, robot, "batch in lanes", lanes);
    time_batch<float>(model, robot, "batch in lanes", lanes);
    const std::string compiled = time_batch<double>(model, robot, "batch, compiled", code);
    time_batch<float>(model, robot, "batch, compiled", code);
    const std::string shared = time_batch<double>(model, robot, "batch, compiled, two threads", two);
    add_ratio(model + ": batch in lanes to one call", in_lanes, call, 0.35);
    add_ratio(model + ": compiled batch to generated", compiled, generated, 0.30);
    add_ratio(model + ": two threads to one", shared, compiled, 1 / 1.8);
  }
}

}  // namespace catena::bench
