// A formulation behind one virtual call: what InverseDynamics, InertiaMatrix and the others have inside.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "catena/dynamics/checks.hpp"
#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/registry.hpp"
#include "catena/model/regroup.hpp"

namespace catena {

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

}  // namespace catena
