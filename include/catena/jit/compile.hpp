// Calls on generated code: printed for one robot, compiled by the system's C compiler, kept in a cache, loaded. Where
// that cannot be done, the same calls on the generic path. docs/compiled-engine.md.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/mechanism.hpp"

namespace catena {

enum class EngineKind { generic, compiled };

// One line that says why there is no compiled code.
class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CompileOptions {
  std::string method;        // a formulation, with a single job; empty: the cheapest
  int frame = -1;            // pose, jacobian: which frame of the mechanism; -1: its tool
  bool search = true;        // look for the cheapest program (find_cheapest), else take the usual choices
  bool only_cached = false;  // compile nothing: what is not in the cache is an error
  std::string compiler;      // with its arguments; empty: $CC, else cc, gcc or clang on PATH
  std::string cache_folder;  // empty: $CATENA_CACHE_DIR, $XDG_CACHE_HOME/catena or ~/.cache/catena
  double timeout = 120.0;    // seconds that the compiler may take for one job
};

// How one job came to be.
struct JobReport {
  std::string job, method;
  EngineKind engine = EngineKind::generic;
  std::string why;              // one line, when it is generic
  bool from_cache = false;      // no compiler was started
  double generate_seconds = 0;  // formulation to source text
  double compile_seconds = 0;   // in the compiler; 0 from the cache
};

// The jobs of one robot as calls. They own what they load; they can be moved, not copied.
//
// Calls may run in several threads at once and allocate nothing. Compiled ones run side by side; generic ones, which
// share a workspace, one after the other. Results must not overlap arguments. They throw what the generic calls throw:
// std::invalid_argument on a wrong length or overlap, std::domain_error when a number is not finite or the robot cannot
// be accelerated; and std::logic_error for a job that was not asked for.
class RobotCalls {
 public:
  using In = std::span<const double>;
  using Out = std::span<double>;

  ~RobotCalls();
  RobotCalls(RobotCalls&&) noexcept;
  RobotCalls& operator=(RobotCalls&&) noexcept;

  void inverse(In q, In qd, In qdd, Out tau) const;
  void gravity(In q, Out g) const;
  void inertia(In q, Out M) const;  // n x n, row-major
  void bias(In q, In qd, Out b) const;
  void coriolis(In q, In qd, Out C) const;  // n x n, row-major
  void forward(In q, In qd, In tau, Out qdd) const;
  void pose(In q, Out T) const;      // 4 x 4, row-major: base link from frame
  void jacobian(In q, Out J) const;  // 6 x n, row-major: velocity over angular velocity, base link axes

  int n() const;
  EngineKind engine() const;                      // compiled: all jobs are
  std::string why() const;                        // of the first job that is not; empty when all are
  const std::vector<JobReport>& reports() const;  // in the order of the jobs
  const JobReport& report(std::string_view job) const;

  // Internal; made by compile() and compile_or_generic().
  struct Parts;
  explicit RobotCalls(std::unique_ptr<Parts> parts);

 private:
  std::unique_ptr<Parts> parts_;
};

// Jobs are those of program_jobs(): inverse, gravity, inertia, bias, coriolis, forward, pose, jacobian. Both throw
// std::invalid_argument when a job or a method does not exist.

// Throws CompileError when some job cannot be compiled.
RobotCalls compile(const Mechanism& robot, const std::vector<std::string>& jobs, const CompileOptions& options = {});

// What cannot be compiled is served by the generic path, and its report says why.
RobotCalls compile_or_generic(const Mechanism& robot, const std::vector<std::string>& jobs,
                              const CompileOptions& options = {});

// The same calls without compiling: `why` goes into the reports.
RobotCalls generic_calls(const Mechanism& robot, const std::vector<std::string>& jobs,
                         const CompileOptions& options = {},
                         const std::string& why = "the generic engine was asked for");

}  // namespace catena
