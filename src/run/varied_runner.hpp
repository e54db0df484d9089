// A robot whose constants are an input, one state at a time: when they change, the runner inside is rebuilt. Batches
// of such robots run compiled code.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/model/varied.hpp"
#include "jobs/runner.hpp"

namespace catena {

template <class S>
class VariedRunner final : public Runner<S> {
 public:
  VariedRunner(std::string_view job, std::shared_ptr<const MechanismFor<S>> nominal, const FormulationInfo& info)
      : Runner<S>(info), job_(job), nominal_(std::move(nominal)) {}
  VariedRunner(const VariedRunner& other) : VariedRunner(other.job_, other.nominal_, other.formulation) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<VariedRunner>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    if (!runner_ || !std::equal(in.constants.begin(), in.constants.end(), constants_.begin(), constants_.end()))
      make(in.constants);
    return runner_->run(in, out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override { runner_->check(in, out); }

 private:
  void make(std::span<const S> constants) {
    auto robot = std::make_shared<MechanismFor<S>>(*nominal_);
    set_constants<S>(nominal_->tree(), *robot, constants);
    robot->varied = false;
    runner_ = make_runner<S>(job_, std::move(robot), this->formulation.name);
    constants_.assign(constants.begin(), constants.end());
  }
  std::string_view job_;
  std::shared_ptr<const MechanismFor<S>> nominal_;
  std::unique_ptr<Runner<S>> runner_;
  std::vector<S> constants_;
};

template <class S>
std::unique_ptr<Runner<S>> make_varied_runner(std::string_view job, std::shared_ptr<const MechanismFor<S>> robot,
                                              std::string_view formulation) {
  const JobInfo& info = job_info(job);
  if constexpr (std::floating_point<S>)
    return std::make_unique<VariedRunner<S>>(info.name, std::move(robot), info.formulation(formulation));
  throw std::invalid_argument("robot '" + robot->name + "' has constants that vary, which only numbers support");
}

}  // namespace catena
