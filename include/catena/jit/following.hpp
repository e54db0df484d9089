// A job of an assembly on compiled code. When the robot changes, the generic engine serves while code for the robot as
// it is now is compiled in the background; the call says which engine serves, and why.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/jit/compile.hpp"
#include "catena/model/assembly.hpp"

namespace catena {

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
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
