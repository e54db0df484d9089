// A formulation of a job with its workspace, for one robot and one scalar, behind one virtual call.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>

#include "catena/dynamics/jobs/job.hpp"

namespace catena {

template <class S>
class Runner {
 public:
  // Not in line: copying a robot is much code, and every formulation would have it again. dynamics/runner_base.hpp.
  Runner(const MechanismFor<S>& given, const FormulationInfo& formulation_, std::string_view result_);
  virtual ~Runner();
  virtual std::unique_ptr<Runner> clone() const = 0;

  // All outputs of the job in a row. Lengths are the caller's business.
  virtual void run(const Inputs<S>& in, std::span<S> out) = 0;
  // Without friction and rotors around it: what is counted.
  virtual void run_formulation(const Inputs<S>& in, std::span<S> out) = 0;
  // Throws std::domain_error when the result of the last run is none, naming the cause. Machine numbers only.
  virtual void check(const Inputs<S>& in, std::span<const S> out) = 0;

  // Both, behind one virtual call.
  virtual void run_and_check(const Inputs<S>& in, std::span<S> out) {
    run(in, out);
    check(in, out);
  }

  // Forward dynamics in two halves. A runner that keeps nothing does all of it in solve().
  virtual void factor(const Inputs<S>&) {}
  virtual void solve(const Inputs<S>& in, std::span<S> out) { run(in, out); }

  // The robot that it computes with. Copies share it.
  const MechanismFor<S>& robot() const { return *robot_; }
  // From now on another one, whose numbers may change: rebuild() after every change, before the next run. Up to so many
  // joints it allocates nothing. What a copy of the runner rebuilds is allocated.
  virtual void follow(std::shared_ptr<const MechanismFor<S>> changing, int most_joints) = 0;
  virtual void rebuild() = 0;

  // Steps of the latest run, where the formulation is a search; 0 where it is none.
  virtual int iterations() const { return 0; }

  // For code generation, by link of the mechanism: dynamics/early_omega.hpp. Most formulations have no such choice.
  virtual void choose_early_omega(std::span<const char> /*by_link*/) {}

  FormulationInfo formulation;
  std::string_view result;  // in messages

 protected:
  Runner(const Runner&);
  std::shared_ptr<const MechanismFor<S>> robot_;
};

// Throws std::invalid_argument when there is no such job or formulation. On the mechanism as it is.
template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, const MechanismFor<S>& robot,
                                       std::string_view formulation);

// One job's share of that. Instantiated once for a job and a scalar: src/dynamics/CMakeLists.txt.
template <class Job, class S>
std::unique_ptr<Runner<S>> make_runner_of(const MechanismFor<S>& robot, std::string_view formulation);

}  // namespace catena
