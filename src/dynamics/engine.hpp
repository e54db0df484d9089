// A formulation behind one virtual call: what InverseDynamics, InertiaMatrix and the others have inside.
#pragma once

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/registry.hpp"
#include "catena/model/regroup.hpp"

namespace catena {

// Everything a job may be handed; each takes what it needs.
template <class S>
struct Inputs {
  std::span<const S> q, qd, qdd, tau;
  std::span<const Wrench<S>> external;
};

template <class S>
struct Engine {
  using T = ConstantOf<S>;
  BasicMechanism<T> robot;
  FormulationInfo info;

  Engine(const Mechanism& mechanism, const FormulationInfo& formulation)
      : robot(mechanism.cast<T>()), info(formulation) {}
  virtual ~Engine() = default;
  virtual void run(const Inputs<S>& in, std::span<S> out) = 0;
};

// Job says which list of formulations serves it and how one of them is called.
template <class Job, class S, class Formulation>
struct EngineOf final : Engine<S> {
  typename Formulation::template Workspace<S> workspace;

  explicit EngineOf(const Mechanism& mechanism) : Engine<S>(mechanism, Formulation::info), workspace(this->robot) {}
  void run(const Inputs<S>& in, std::span<S> out) override {
    Job::template call<Formulation, S>(this->robot, in, workspace, out);
  }
};

// make(formulation) for the formulation of that name.
template <class Job, class Made, class Make>
std::unique_ptr<Made> make_by_name(std::string_view method, Make make) {
  std::unique_ptr<Made> made;
  std::string known;
  Job::Formulations::for_each([&](auto formulation) {
    known += (known.empty() ? "" : ", ") + std::string(formulation.info.name);
    if (formulation.info.name == method) made = make(formulation);
  });
  if (!made)
    throw std::invalid_argument("no formulation '" + std::string(method) + "' of " + std::string(Job::name) +
                                "; known: " + known);
  return made;
}

template <class Job, class S>
std::unique_ptr<Engine<S>> make_engine(const Mechanism& robot, std::string_view method) {
  return make_by_name<Job, Engine<S>>(
      method, [&](auto formulation) { return std::make_unique<EngineOf<Job, S, decltype(formulation)>>(robot); });
}

// Without a method: the job's standard one, on the optimized mechanism.
template <class Job, class S>
std::unique_ptr<Engine<S>> choose_engine(const Mechanism& robot, std::string_view method) {
  return method.empty() ? make_engine<Job, S>(optimize(robot), Job::standard(robot.n()))
                        : make_engine<Job, S>(robot, method);
}

template <class S>
void require_length(std::span<const S> values, std::size_t n, const char* name) {
  if (values.size() != n)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) + " values, " +
                                std::to_string(n) + " are needed");
}

template <class S>
bool all_finite(std::span<const S> values) {
  bool finite = true;
  for (const S& v : values) finite &= std::abs(v) <= std::numeric_limits<S>::max();
  return finite;
}

// Results that are not finite: says which input was the cause, or that the result overflowed.
template <class S>
[[noreturn]] void report_not_finite(const Inputs<S>& in, const char* result) {
  const auto blame = [](std::span<const S> values, const char* name) {
    for (std::size_t j = 0; j < values.size(); ++j)
      if (!std::isfinite(values[j]))
        throw std::domain_error(std::string(name) + "[" + std::to_string(j) + "] is not a finite number");
  };
  blame(in.q, "q");
  blame(in.qd, "qd");
  blame(in.qdd, "qdd");
  blame(in.tau, "tau");
  for (const auto& w : in.external)
    for (const S& v : {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z})
      if (!std::isfinite(v)) throw std::domain_error("an external wrench is not a finite number");
  throw std::domain_error(std::string(result) + " is not finite: the values are too large to compute with");
}

}  // namespace catena
