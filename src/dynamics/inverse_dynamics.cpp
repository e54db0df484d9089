#include "catena/dynamics/inverse_dynamics.hpp"

#include <utility>

#include "catena/model/regroup.hpp"
#include "engine.hpp"
#include "wrenches.hpp"

namespace catena {
namespace {

struct InverseJob {
  static constexpr std::string_view name = "inverse dynamics";
  using Formulations = InverseFormulations;
  template <class Formulation, class S, class Workspace>
  static void call(const BasicMechanism<ConstantOf<S>>& robot, const Inputs<S>& in, Workspace& ws, std::span<S> tau) {
    Formulation::template run<S>(robot, {in.q, in.qd, in.qdd}, in.external, ws, tau);
  }
};

}  // namespace

template <class S>
struct InverseDynamics<S>::Parts {
  std::unique_ptr<Engine<S>> engine;
  WrenchCollector<S> wrenches;
  std::vector<S> zeros;

  explicit Parts(std::unique_ptr<Engine<S>> made)
      : engine(std::move(made)), wrenches(engine->robot), zeros(engine->robot.links.size()) {}
};

template <class S>
InverseDynamics<S>::InverseDynamics(const Mechanism& robot, std::string_view method)
    : parts_(std::make_unique<Parts>(method.empty() ? make_engine<InverseJob, S>(optimize(robot), default_inverse)
                                                    : make_engine<InverseJob, S>(robot, method))) {}

template <class S>
InverseDynamics<S>::~InverseDynamics() = default;
template <class S>
InverseDynamics<S>::InverseDynamics(InverseDynamics&&) noexcept = default;
template <class S>
InverseDynamics<S>& InverseDynamics<S>::operator=(InverseDynamics&&) noexcept = default;

template <class S>
void InverseDynamics<S>::operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> qdd,
                                    std::span<S> tau, std::span<const ExternalWrench<S>> wrenches) {
  Engine<S>& engine = *parts_->engine;
  const std::size_t n = engine.robot.links.size();
  require_length<S>(q, n, "q");
  require_length<S>(qd, n, "qd");
  require_length<S>(qdd, n, "qdd");
  require_length<S>(tau, n, "tau");
  const Inputs<S> in{q, qd, qdd, {}, parts_->wrenches.collect(q, wrenches)};
  engine.run(in, tau);
  add_drive_torques<S>(engine.robot, {q, qd, qdd}, tau);
  if (!all_finite<S>(tau)) report_not_finite(in, "the torque");
}

template <class S>
void InverseDynamics<S>::gravity(std::span<const S> q, std::span<S> tau) {
  statics(q, {}, tau);
}

template <class S>
void InverseDynamics<S>::statics(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches, std::span<S> tau) {
  (*this)(q, parts_->zeros, parts_->zeros, tau, wrenches);
}

template <class S>
const FormulationInfo& InverseDynamics<S>::method() const {
  return parts_->engine->info;
}

template class InverseDynamics<double>;
template class InverseDynamics<float>;

}  // namespace catena
