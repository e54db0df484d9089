// A robot as Python holds it: its description, the model used for computing, and calls kept between uses.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "catena/batch.hpp"
#include "catena/call.hpp"
#include "catena/gpu.hpp"
#include "catena/mechanism.hpp"
#include "model/plausible_positions.hpp"
#include "system/forking.hpp"

namespace catena::python {

namespace nb = nanobind;

// Idle calls of one job and scalar type. The first is taken without a lock.
template <class S>
class Idle {
 public:
  Idle() = default;
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  ~Idle() { delete first_.load(); }

  std::unique_ptr<Call<S>> take() {
    if (Call<S>* call = first_.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<Call<S>>(call);
    const std::lock_guard lock(mutex_);
    if (others_.empty()) return nullptr;
    std::unique_ptr<Call<S>> call = std::move(others_.back());
    others_.pop_back();
    return call;
  }
  void give_back(std::unique_ptr<Call<S>> call) {
    Call<S>* nobody = nullptr;
    if (first_.compare_exchange_strong(nobody, call.get(), std::memory_order_release)) {
      call.release();
      return;
    }
    const std::lock_guard lock(mutex_);
    others_.push_back(std::move(call));
  }

 private:
  std::atomic<Call<S>*> first_ = nullptr;
  system::ForkedMutex mutex_;
  std::vector<std::unique_ptr<Call<S>>> others_;
};

// What distinguishes one batch from another.
struct BatchKey {
  std::size_t job = 0;
  std::string formulation{};
  int frame = tool_frame, threads = 0;
  BatchEngine engine = default_engine;
  std::vector<int> devices{};         // graphics processors; empty: the CPU
  std::vector<WrenchPlace> places{};  // where wrenches act

  auto operator<=>(const BatchKey&) const = default;
};

template <class S>
std::shared_ptr<Batch<S>> make_batch(const Mechanism& robot, const BatchKey& key) {
  const BatchOptions options{.engine = key.engine, .threads = key.threads, .frame = key.frame};
  return std::make_shared<Batch<S>>(with_wrenches(robot, key.places),
                                    std::vector<BatchJob>{{std::string(jobs()[key.job].name), key.formulation}},
                                    options);
}

// On graphics processors; used by one thread at a time.
template <class S>
struct DeviceBatch {
  system::ForkedMutex mutex;
  GpuSlices<S> own;
  DeviceBatch(const Mechanism& robot, const BatchKey& key)
      : own(with_wrenches(robot, key.places), {{std::string(jobs()[key.job].name), key.formulation}}, key.devices,
            {.frame = key.frame, .threads = key.threads}) {}
};

// What runs jobs in Python: idle calls, and batches.
template <class S>
class Servers {
 public:
  explicit Servers(std::size_t how_many_jobs) : standard_(how_many_jobs) {}

  Idle<S>& standard(std::size_t job) { return standard_[job]; }
  Idle<S>& named(std::size_t job, const std::string& formulation) {
    const std::lock_guard lock(mutex_);
    return named_[{job, formulation}];
  }
  // Created at the first use, and kept.
  std::shared_ptr<Batch<S>> batch(const Mechanism& robot, const BatchKey& key) {
    const std::lock_guard lock(of_batches_);
    std::shared_ptr<Batch<S>>& kept = batches_[key];
    if (!kept) kept = make_batch<S>(robot, key);
    return kept;
  }
  std::shared_ptr<DeviceBatch<S>> device_batch(const Mechanism& robot, const BatchKey& key) {
    const std::lock_guard lock(of_batches_);
    std::shared_ptr<DeviceBatch<S>>& kept = device_batches_[key];
    if (!kept) kept = std::make_shared<DeviceBatch<S>>(robot, key);
    return kept;
  }

 private:
  std::vector<Idle<S>> standard_;
  system::ForkedMutex mutex_;
  std::map<std::pair<std::size_t, std::string>, Idle<S>> named_;
  system::ForkedMutex of_batches_;  // creating one may take as long as compiling
  std::map<BatchKey, std::shared_ptr<Batch<S>>> batches_;
  std::map<BatchKey, std::shared_ptr<DeviceBatch<S>>> device_batches_;
};

class AlongStates;  // along_states.hpp

// Constant except for the calls, which synchronise themselves: any number of threads may share one.
struct Loaded {
  Robot written;
  MechanismOptions options;
  Robot robot;  // with motors of elastic joints
  Mechanism mechanism;
  Sizes sizes;
  PlausiblePositions plausible;
  std::vector<std::vector<Input>> inputs;  // inputs of each job for this robot; the motion of its base may be left out
  Servers<double> doubles{jobs().size()};
  Servers<float> floats{jobs().size()};
  system::ForkedMutex of_alongs;
  std::map<std::array<int, 4>, std::shared_ptr<AlongStates>> alongs;  // by job, order, frame, and whether weighed

  // What differs from robot to robot, of robots in a batch: in double, in float; made once.
  struct Constants {
    nb::object of_double, of_float;
  };
  std::optional<Constants> constants{};

  explicit Loaded(Robot described, bool on_moving_base = false, const MechanismOptions& made = {}, bool varied = false);

  template <class S>
  Servers<S>& servers() {
    if constexpr (std::is_same_v<S, double>)
      return doubles;
    else
      return floats;
  }
};

// The class of this name in Python; catena.Robot derives from it.
struct RobotCore {
  std::shared_ptr<Loaded> loaded;
};
inline bool moves(const RobotCore& core) { return core.loaded->mechanism.coordinates.is_moving(); }

// A call that is returned at the end of its scope.
template <class S>
class Borrowed {
 public:
  Borrowed(Loaded& robot, std::size_t job, std::string_view formulation)
      : idle_(formulation.empty() ? robot.servers<S>().standard(job)
                                  : robot.servers<S>().named(job, std::string(formulation))),
        call_(idle_.take()) {
    if (!call_) call_ = std::make_unique<Call<S>>(robot.mechanism, jobs()[job].name, formulation);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() { idle_.give_back(std::move(call_)); }

  Call<S>& operator*() { return *call_; }

 private:
  Idle<S>& idle_;
  std::unique_ptr<Call<S>> call_;
};

// The name of a job in Python: the full words that people use where the job's own name is an abbreviation.
std::string python_name(const JobInfo& job);
// By either name. Throws std::invalid_argument that lists the names.
std::size_t job_index(std::string_view name);
// A link or frame by its name; empty: the tool. Throws std::invalid_argument.
int frame_of(const Mechanism& robot, std::string_view name);

}  // namespace catena::python
