// A job of one robot as a call: the workspace is made once and calls allocate nothing. Whoever serves it, a formulation
// or code compiled for the robot, lengths are checked before and numbers after, with the same words.
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
  std::string why{};            // one line, when compiled code was asked for and the generic engine serves
  bool from_cache = false;      // no compiler was started
  double generate_seconds = 0;  // formulation to source text
  double compile_seconds = 0;   // in the compiler; 0 from the cache
};

// A function made for one robot and one job. It takes the arrays of JobInfo::inputs_for(robot), in that order, and
// writes the results in a row.
template <class S>
struct CompiledFunction {
  void (*function)(const S* const* inputs, S* results) = nullptr;
  std::shared_ptr<const void> library;  // keeps the function loaded
  std::string formulation;
  int frame = tool_frame;  // the one it was made for, where the job takes one
  EngineReport report{};
};

// S is double or float. A call can be moved; a copy has a workspace of its own, so that every thread can have one.
template <class S>
class Call {
 public:
  // Without a formulation: the fastest, on the optimized mechanism (model/regroup.hpp). With one: that formulation on
  // the mechanism as it is. Throws std::invalid_argument when the job or the formulation does not exist.
  Call(const Mechanism& robot, std::string_view job, std::string_view formulation = {}, EngineReport report = {});
  Call(const Mechanism& robot, std::string_view job, CompiledFunction<S> code);
  // Follows an assembly (catena/assembly.hpp): lengths and results are those of the robot as it is when called.
  // Whatever was attached or detached between two calls, on double nothing is allocated while the robot is no larger
  // than it has been at an earlier call. The assembly must not change during a call. A copy follows too, and allocates.
  Call(std::shared_ptr<const LiveMechanism> robot, std::string_view job, std::string_view formulation = {});
  ~Call();
  Call(Call&&) noexcept;
  Call& operator=(Call&&) noexcept;
  Call(const Call&);
  Call& operator=(const Call&);

  // What is told of a base that moves may be left out, where it is at rest.
  // All outputs of the job in a row, matrices by rows; they must not overlap an input. Throws std::invalid_argument on
  // a wrong length, an overlap or a frame that does not exist, and std::domain_error when there is no result: a number
  // is not finite, or M cannot be inverted; the message names the cause, and `out` is not to be used.
  void operator()(const Inputs<S>& in, std::span<S> out);

  const JobInfo& job() const;
  const FormulationInfo& formulation() const;
  const EngineReport& engine() const;
  int iterations() const;    // steps of the latest call, where the formulation is a search; else 0
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
