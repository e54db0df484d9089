// Calls on code that is generated and compiled for one robot.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "catena/assembly.hpp"
#include "catena/call.hpp"

namespace catena {

// Calls on generated code: printed for one robot, compiled by the system's C compiler, cached and loaded. If that is
// impossible, the same calls on the generic engine. docs/compiled-engine.md.

// One line that says why there is no compiled code.
class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How far generation and compilation have progressed.
struct CompileProgress {
  long operations = 0;     // in the code, before the search
  double seconds = 0.0;    // estimated compile time
  bool compiling = false;  // else the search for the cheapest program is running
  double share = 0.0;      // of the search or of the compile time that has passed, 0 to 1
};

inline constexpr long usual_most_operations = 200'000;  // of a function that is worth compiling

struct CompileOptions {
  std::string formulation;   // empty: the cheapest
  int frame = tool_frame;    // for jobs that take one: which frame of the mechanism
  bool search = true;        // search for the cheapest program (find_cheapest), else use the usual choices
  bool only_cached = false;  // compile nothing: what is not in the cache is an error
  std::string compiler;      // with its arguments; empty: $CC, else cc, gcc or clang on PATH
  std::string cache_folder;  // empty: $CATENA_CACHE_DIR, $XDG_CACHE_HOME/catena or ~/.cache/catena
  double timeout = 0.0;      // seconds the compiler may take; 0: $CATENA_COMPILER_TIMEOUT, else 120
  long most_operations = usual_most_operations;            // code with more is not compiled; 0: no limit
  std::function<void(const CompileProgress&)> progress{};  // called several times a second
};

// A job of the robot on compiled code; InverseDynamics<double>(compile(robot, "inverse")) names its arguments. Throws
// std::invalid_argument if the job, the formulation or the frame does not exist, and CompileError if it cannot be
// compiled. Copies of a call can run in parallel in several threads.
Call<double> compile(const Mechanism& robot, std::string_view job, const CompileOptions& options = {});

// Uses the generic engine if compilation is impossible; engine().why says why.
Call<double> compile_or_generic(const Mechanism& robot, std::string_view job, const CompileOptions& options = {});

// A job of an assembly on compiled code. After the robot changes, the generic engine runs the call while code for the
// changed robot is compiled in the background; engine() says which engine runs, and why.

class FollowingCall {
 public:
  // Starts compiling at once. Throws std::invalid_argument as compile() does.
  FollowingCall(std::shared_ptr<const LiveMechanism> robot, std::string_view job, const CompileOptions& options = {});
  ~FollowingCall();  // waits for the compiler
  FollowingCall(FollowingCall&&) noexcept;
  FollowingCall& operator=(FollowingCall&&) noexcept;

  // As Call. The first call after a change allocates: it copies the robot and starts a thread.
  void operator()(const Inputs<double>& in, std::span<double> out);
  std::size_t size();
  const EngineReport& engine();  // of the next call
  void wait();                   // until the code for the present robot is ready, or has failed

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
