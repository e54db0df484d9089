#include "catena/dynamics/inverse_dynamics.hpp"

#include <utility>

#include "catena/dynamics/kinematics.hpp"
#include "catena/model/regroup.hpp"
#include "engine.hpp"

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
  Kinematics<S> kinematics;
  std::vector<Wrench<S>> on_link;
  std::vector<S> zeros;

  explicit Parts(std::unique_ptr<Engine<S>> made)
      : engine(std::move(made)),
        kinematics(engine->robot),
        on_link(engine->robot.links.size()),
        zeros(engine->robot.links.size()) {}

  // Moves the wrenches from the user's frames to the origins and axes of the mechanism's links.
  void collect(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches) {
    const auto& robot = engine->robot;
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
  Inputs<S> in{q, qd, qdd, {}, {}};
  if (!wrenches.empty()) {
    parts_->collect(q, wrenches);
    in.external = parts_->on_link;
  }
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
