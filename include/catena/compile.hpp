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

// Calls on generated code: printed for one robot, compiled by the system's C compiler, kept in a cache, loaded. Where
// that cannot be done, the same calls on the generic engine. docs/compiled-engine.md.

// One line that says why there is no compiled code.
class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How far it is.
struct CompileProgress {
  long operations = 0;     // of the code, before the search
  double seconds = 0.0;    // that the compiler takes, about
  bool compiling = false;  // else it is searched for the cheapest program
  double share = 0.0;      // of the search or of the compiler's time, 0 to 1
};

inline constexpr long usual_most_operations = 200'000;  // of a function that is worth compiling

struct CompileOptions {
  std::string formulation;   // empty: the cheapest
  int frame = tool_frame;    // for jobs that take one: which frame of the mechanism
  bool search = true;        // look for the cheapest program (find_cheapest), else take the usual choices
  bool only_cached = false;  // compile nothing: what is not in the cache is an error
  std::string compiler;      // with its arguments; empty: $CC, else cc, gcc or clang on PATH
  std::string cache_folder;  // empty: $CATENA_CACHE_DIR, $XDG_CACHE_HOME/catena or ~/.cache/catena
  double timeout = 120.0;    // seconds that the compiler may take
  long most_operations = usual_most_operations;            // of code that is worth compiling; 0: any number
  std::function<void(const CompileProgress&)> progress{};  // told several times a second while code is made
};

// A job of the robot on compiled code; InverseDynamics<double>(compile(robot, "inverse")) names its arguments. Throws
// std::invalid_argument when the job, the formulation or the frame does not exist, and CompileError when it cannot be
// compiled. Copies of a call run side by side in several threads.
Call<double> compile(const Mechanism& robot, std::string_view job, const CompileOptions& options = {});

// What cannot be compiled is served by the generic engine; engine().why says why.
Call<double> compile_or_generic(const Mechanism& robot, std::string_view job, const CompileOptions& options = {});

// A job of an assembly on compiled code. When the robot changes, the generic engine serves while code for the robot as
// it is now is compiled in the background; the call says which engine serves, and why.

class FollowingCall {
 public:
  // Starts compiling at once. Throws std::invalid_argument as compile() does.
  FollowingCall(std::shared_ptr<const LiveMechanism> robot, std::string_view job, const CompileOptions& options = {});
  ~FollowingCall();  // waits for the compiler
  FollowingCall(FollowingCall&&) noexcept;
  FollowingCall& operator=(FollowingCall&&) noexcept;

  // As Call. The first call after a change copies the robot and starts a thread, and so allocates.
  void operator()(const Inputs<double>& in, std::span<double> out);
  std::size_t size();
  const EngineReport& engine();  // of the next call
  void wait();                   // until code for the robot as it is now is there, or cannot be

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
