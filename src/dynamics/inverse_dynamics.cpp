#include "catena/dynamics/inverse_dynamics.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "catena/dynamics/kinematics.hpp"
#include "catena/dynamics/registry.hpp"

namespace catena {

std::vector<FormulationInfo> formulations(std::string_view job) {
  std::vector<FormulationInfo> list;
  InverseFormulations::for_each([&](auto formulation) {
    if (job.empty() || formulation.info.computes == job) list.push_back(formulation.info);
  });
  return list;
}

// A formulation behind one virtual call, with the robot in the constants' type, its workspace and room for wrenches.
template <class S>
struct InverseDynamics<S>::Engine {
  using T = ConstantOf<S>;
  BasicMechanism<T> robot;
  FormulationInfo info;
  Kinematics<S> kinematics;
  std::vector<Wrench<S>> on_link;

  Engine(const Mechanism& mechanism, const FormulationInfo& formulation)
      : robot(mechanism.cast<T>()), info(formulation), kinematics(robot), on_link(index(robot.n())) {}
  virtual ~Engine() = default;
  virtual void run(const Motion<S>& x, std::span<const Wrench<S>> external, std::span<S> tau) = 0;

  // Moves the wrenches from the user's frames to the origins and axes of the mechanism's links.
  void collect(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches) {
    for (auto& w : on_link) w = {};
    bool placed = false;
    for (const auto& w : wrenches) {
      if (w.frame < 0 || w.frame >= static_cast<int>(robot.frames.size()))
        throw std::invalid_argument("external wrench: frame " + std::to_string(w.frame) + " does not exist; the robot has " +
                                    std::to_string(robot.frames.size()) + " frames");
      const auto& f = robot.frames[index(w.frame)];
      if (f.link == base) continue;  // pushes on the base move nothing
      Mat3<S> to_link = f.in_link.R;
      if (w.axes == Axes::world) {
        if (!std::exchange(placed, true)) kinematics.update(q);
        to_link = f.in_link.R * kinematics.pose(w.frame).R.transpose();
      }
      const Vec3<S> force = to_link * w.force;
      on_link[index(f.link)].force += force;
      on_link[index(f.link)].moment += to_link * w.moment + cross(f.in_link.p, force);
    }
  }
};

namespace {

template <class S, class Formulation, class Engine>
struct EngineOf final : Engine {
  typename Formulation::template Workspace<S> workspace;

  explicit EngineOf(const Mechanism& mechanism) : Engine(mechanism, Formulation::info), workspace(this->robot) {}
  void run(const Motion<S>& x, std::span<const Wrench<S>> external, std::span<S> tau) override {
    Formulation::template run<S>(this->robot, x, external, workspace, tau);
  }
};

std::string known_methods(std::string_view job) {
  std::string names;
  for (const FormulationInfo& f : formulations(job)) names += (names.empty() ? "" : ", ") + std::string(f.name);
  return names;
}

template <class S>
void require_length(std::span<const S> values, std::size_t n, const char* name) {
  if (values.size() != n)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) + " values, the robot has " +
                                std::to_string(n) + " joints");
}

template <class S>
[[noreturn]] void report_not_finite(const Motion<S>& x, std::span<const S> tau) {
  const auto find = [](std::span<const S> values, const char* name) {
    for (std::size_t j = 0; j < values.size(); ++j)
      if (!std::isfinite(values[j]))
        throw std::domain_error(std::string(name) + "[" + std::to_string(j) + "] is not a finite number");
  };
  find(x.q, "q");
  find(x.qd, "qd");
  find(x.qdd, "qdd");
  find(tau, "the torque tau");
  throw std::domain_error("the torques overflow");
}

}  // namespace

template <class S>
InverseDynamics<S>::InverseDynamics(const Mechanism& robot, std::string_view method) {
  InverseFormulations::for_each([&](auto formulation) {
    if (formulation.info.name == method) engine_ = std::make_unique<EngineOf<S, decltype(formulation), Engine>>(robot);
  });
  if (!engine_)
    throw std::invalid_argument("no inverse dynamics '" + std::string(method) + "'; known: " + known_methods("inverse"));
}

template <class S>
InverseDynamics<S>::~InverseDynamics() = default;
template <class S>
InverseDynamics<S>::InverseDynamics(InverseDynamics&&) noexcept = default;
template <class S>
InverseDynamics<S>& InverseDynamics<S>::operator=(InverseDynamics&&) noexcept = default;

template <class S>
void InverseDynamics<S>::operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> qdd,
                                    std::span<S> tau, std::span<const ExternalWrench<S>> wrenches) {
  const std::size_t n = engine_->robot.links.size();
  require_length<S>(q, n, "q");
  require_length<S>(qd, n, "qd");
  require_length<S>(qdd, n, "qdd");
  require_length<S>(tau, n, "tau");
  const Motion<S> x{q, qd, qdd};
  if (!wrenches.empty()) engine_->collect(q, wrenches);
  engine_->run(x, wrenches.empty() ? std::span<const Wrench<S>>{} : std::span<const Wrench<S>>(engine_->on_link), tau);
  add_drive_torques<S>(engine_->robot, x, tau);
  bool finite = true;
  for (const S& t : tau) finite = finite && std::isfinite(t);
  if (!finite) report_not_finite<S>(x, tau);
}

template <class S>
const FormulationInfo& InverseDynamics<S>::method() const {
  return engine_->info;
}

template class InverseDynamics<double>;
template class InverseDynamics<float>;

}  // namespace catena
