// What RobotCalls has inside: for each job a function of a loaded library, or a generic job behind a lock.
#pragma once

#include <array>
#include <mutex>

#include "catena/jit/compile.hpp"
#include "generic_job.hpp"
#include "library.hpp"

namespace catena {

namespace jit {

inline constexpr std::array<std::string_view, 8> job_names = {"inverse",  "gravity", "inertia", "bias",
                                                              "coriolis", "forward", "pose",    "jacobian"};
enum class Job : std::size_t { inverse, gravity, inertia, bias, coriolis, forward, pose, jacobian };

struct Slot {
  Library library;
  void* function = nullptr;
  std::unique_ptr<GenericJob> generic;
  std::unique_ptr<std::mutex> turn;  // of the generic job
};

}  // namespace jit

struct RobotCalls::Parts {
  int n = 0;
  std::array<jit::Slot, jit::job_names.size()> slots;
  std::vector<JobReport> reports;

  // Checks, runs compiled code with these arguments or the generic job, checks.
  template <jit::Job job, class... Arguments>
  void run(const Inputs<double>& in, std::span<double> out, Arguments... arguments) const;
};

}  // namespace catena
