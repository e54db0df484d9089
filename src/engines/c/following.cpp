#include "catena/compile.hpp"

#include <chrono>
#include <future>
#include <optional>

#include "system/forking.hpp"

namespace catena {

struct FollowingCall::Impl final : system::Forked {
  std::shared_ptr<const LiveMechanism> live;
  std::string job;
  CompileOptions options;
  Call<double> generic;
  std::optional<Call<double>> compiled;  // or the generic call used instead, which says why
  std::uint64_t compiled_version = 0;
  std::future<Call<double>> coming;
  std::uint64_t coming_version = 0;
  EngineReport waiting;

  Impl(std::shared_ptr<const LiveMechanism> robot, std::string_view name, const CompileOptions& given)
      : live(std::move(robot)), job(name), options(given), generic(live, name, given.formulation) {
    waiting.why = "code for the robot as it is now is being compiled";
    start();
  }

  void start() {
    coming_version = live->version;
    coming = std::async(std::launch::async, [robot = live->robot, name = job, how = options] {
      return compile_or_generic(robot, name, how);
    });
  }
  // Nobody compiles there: it begins again when it is next called.
  void in_child() noexcept override { new (&coming) std::future<Call<double>>; }
  bool up_to_date() const { return compiled && compiled_version == live->version; }
  void take() {
    compiled.emplace(coming.get());
    compiled_version = coming_version;
  }
  // Takes a finished compilation, and starts another where that one is for an earlier version of the robot.
  void keep_up() {
    if (up_to_date()) return;
    if (coming.valid()) {
      if (coming.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
      take();
    }
    if (!up_to_date()) start();
  }
};

FollowingCall::FollowingCall(std::shared_ptr<const LiveMechanism> robot, std::string_view job,
                             const CompileOptions& options)
    : impl_(std::make_unique<Impl>(std::move(robot), job, options)) {}
FollowingCall::~FollowingCall() = default;
FollowingCall::FollowingCall(FollowingCall&&) noexcept = default;
FollowingCall& FollowingCall::operator=(FollowingCall&&) noexcept = default;

void FollowingCall::operator()(const Inputs<double>& in, std::span<double> out) {
  impl_->keep_up();
  (impl_->up_to_date() ? *impl_->compiled : impl_->generic)(in, out);
}

std::size_t FollowingCall::size() { return impl_->generic.size(); }

const EngineReport& FollowingCall::engine() {
  impl_->keep_up();
  return impl_->up_to_date() ? impl_->compiled->engine() : impl_->waiting;
}

void FollowingCall::wait() {
  for (impl_->keep_up(); !impl_->up_to_date(); impl_->keep_up()) impl_->coming.wait();
}

}  // namespace catena
