// A job of one robot as a call: the workspace is created once and calls allocate nothing. Whether a formulation or code
// compiled for the robot runs it, lengths are checked before and numbers after, with the same error messages.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catena/assembly.hpp"
#include "catena/job.hpp"

namespace catena {

// What runs a call: a formulation of the library, or code compiled for the robot.
enum class EngineKind { generic, compiled };
struct EngineReport {
  EngineKind kind = EngineKind::generic;
  std::string why{};            // one line: why the generic engine runs although compiled code was asked for
  bool from_cache = false;      // no compiler was run
  double generate_seconds = 0;  // from the formulation to source text
  double compile_seconds = 0;   // in the compiler; 0 from the cache
};

// A function generated for one robot and one job. It takes the arrays of JobInfo::inputs_for(robot), in that order, and
// writes all results one after the other.
template <class S>
struct CompiledFunction {
  void (*function)(const S* const* inputs, S* results) = nullptr;
  std::shared_ptr<const void> library;  // keeps the function loaded
  std::string formulation;
  int frame = tool_frame;  // the frame it was generated for, if the job takes one
  EngineReport report{};
};

// S is double or float. A call can be moved; a copy has its own workspace, so each thread can have one.
template <class S>
class Call {
 public:
  // Without a formulation: the fastest, on the optimized mechanism (model/regroup.hpp). With one: that formulation, on
  // the mechanism as it is. Throws std::invalid_argument if the job or the formulation does not exist.
  Call(const Mechanism& robot, std::string_view job, std::string_view formulation = {}, EngineReport report = {});
  Call(const Mechanism& robot, std::string_view job, CompiledFunction<S> code);
  // Follows an assembly (catena/assembly.hpp): lengths and results are those of the robot at the time of the call. With
  // double, a call allocates nothing as long as the robot is no larger than at some earlier call, whatever was attached
  // or detached in between. The assembly must not change during a call. A copy also follows it, and allocates.
  Call(std::shared_ptr<const LiveMechanism> robot, std::string_view job, std::string_view formulation = {});
  ~Call();
  Call(Call&&) noexcept;
  Call& operator=(Call&&) noexcept;
  Call(const Call&);
  Call& operator=(const Call&);

  // The base motion may be left out for a base at rest.
  // All outputs of the job in sequence, matrices by rows; they must not overlap an input. Throws std::invalid_argument
  // on a wrong length, an overlap or an unknown frame, and std::domain_error if there is no result (a number is not
  // finite, or M cannot be inverted); the message names the cause, and `out` must not be used.
  void operator()(const Inputs<S>& in, std::span<S> out);

  const JobInfo& job() const;
  const FormulationInfo& formulation() const;
  const EngineReport& engine() const;
  int iterations() const;    // of the latest call, if the formulation is iterative; else 0
  int nq() const;            // entries of q
  int nv() const;            // and of q̇, τ
  std::size_t size() const;  // of all outputs

 protected:
  // Forward dynamics in two halves.
  void factor(const Inputs<S>& in);
  void solve(std::span<const S> tau, std::span<S> qdd);
  void require_job(std::string_view job) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Call<double>;
extern template class Call<float>;

}  // namespace catena
