// Laws of catena/laws.hpp in a simulation: measurements and references put together once a period.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "catena/control.hpp"
#include "catena/kinematics.hpp"
#include "coordinates/placement.hpp"

namespace catena {
namespace {

int size_of(const std::vector<LawPart>& parts) {
  int size = 0;
  for (const LawPart& part : parts) size += part.size;
  return size;
}

class SampledLaw {
 public:
  SampledLaw(const Mechanism& robot, const Controller& layout, LawStepFunction step, std::function<void()> reset,
             LawReference reference, double period)
      : placement_(std::make_shared<const Mechanism>(robot)),
        measured_(layout.measurement()),
        wanted_(layout.reference()),
        step_(std::move(step)),
        reset_(std::move(reset)),
        reference_(std::move(reference)),
        period_(period),
        measurement_(index(size_of(measured_))),
        all_wanted_(index(size_of(wanted_))),
        joints_(3 * index(robot.nv())) {
    for (const LawPart& part : wanted_) {
      const bool of_joints = part.name == "q_ref" || part.name == "qd_ref" || part.name == "qdd_ref";
      if (of_joints && !reference_.joints) throw std::invalid_argument("the law needs a motion of the joints");
      if (!of_joints && part.name != "force_ref" && !reference_.frame)
        throw std::invalid_argument("the law needs a motion of its frame");
    }
  }

  void operator()(double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
    if (!(t > last_)) reset_();
    last_ = t;
    const std::size_t n = qd.size();
    if (reference_.joints)
      reference_.joints(t, std::span(joints_).first(n), std::span(joints_).subspan(n, n), std::span(joints_).last(n));
    if (reference_.frame) target_ = reference_.frame(t);
    force_ = reference_.measured_force ? reference_.measured_force(t, q, qd) : std::array<double, 6>{};
    fill(measured_, measurement_, q, qd);
    fill(wanted_, all_wanted_, q, qd);
    step_(measurement_, all_wanted_, period_, tau);
  }

 private:
  void fill(const std::vector<LawPart>& parts, std::vector<double>& array, std::span<const double> q,
            std::span<const double> qd) {
    const std::size_t n = qd.size();
    auto next = array.begin();
    for (const LawPart& part : parts) {
      const auto put = [&](std::span<const double> from) { next = std::copy_n(from.begin(), part.size, next); };
      const auto& [R, p] = target_.pose;
      const auto& [velocity, omega, acceleration, omega_dot] =
          std::tie(target_.velocity, target_.omega, target_.acceleration, target_.omega_dot);
      if (part.name == "q") put(placement_(q));
      if (part.name == "qd") put(qd);
      if (part.name == "force") put(force_);
      if (part.name == "q_ref") put(std::span(joints_).first(n));
      if (part.name == "qd_ref") put(std::span(joints_).subspan(n, n));
      if (part.name == "qdd_ref") put(std::span(joints_).last(n));
      if (part.name == "pose_ref") put(std::array{p.x, p.y, p.z, R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz});
      if (part.name == "twist_ref") put(std::array{velocity.x, velocity.y, velocity.z, omega.x, omega.y, omega.z});
      if (part.name == "twist_rate_ref")
        put(std::array{acceleration.x, acceleration.y, acceleration.z, omega_dot.x, omega_dot.y, omega_dot.z});
      if (part.name == "force_ref") put(reference_.force);
    }
  }

  PlacementOf<double> placement_;
  std::vector<LawPart> measured_, wanted_;
  LawStepFunction step_;
  std::function<void()> reset_;
  LawReference reference_;
  double period_, last_ = INFINITY;
  std::vector<double> measurement_, all_wanted_, joints_;
  FrameTarget target_{};
  std::array<double, 6> force_{};
};

}  // namespace

std::function<std::array<double, 6>(double, std::span<const double>, std::span<const double>)> force_exerted(
    const Mechanism& robot, int frame, const Wrenches& wrenches) {
  if (!wrenches) return {};
  const auto kinematics = std::make_shared<Kinematics<double>>(robot);
  const auto acting = std::make_shared<std::vector<ExternalWrench<double>>>();
  return [=, law = wrenches(robot)](double t, std::span<const double> q, std::span<const double> qd) {
    acting->clear();
    law(t, q, qd, *acting);
    kinematics->update(q);
    Vec3<double> force{}, moment{};
    for (const ExternalWrench<double>& wrench : *acting) {
      if (wrench.frame != frame) continue;
      const Mat3<double> R = wrench.axes == Axes::frame ? kinematics->pose(frame).R : Mat3<double>::identity();
      force += R * wrench.force, moment += R * wrench.moment;
    }
    return std::array<double, 6>{-force.x, -force.y, -force.z, -moment.x, -moment.y, -moment.z};
  };
}

TorqueLaw sampled_law(const Mechanism& robot, const Controller& layout, LawStepFunction step,
                      std::function<void()> reset, LawReference reference, double period) {
  const auto law =
      std::make_shared<SampledLaw>(robot, layout, std::move(step), std::move(reset), std::move(reference), period);
  return [law](double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
    (*law)(t, q, qd, tau);
  };
}

TorqueLaw sampled_law(const Mechanism& robot, const std::shared_ptr<Controller>& controller, LawReference reference,
                      double period) {
  return sampled_law(
      robot, *controller,
      [controller](std::span<const double> measurement, std::span<const double> wanted, double dt,
                   std::span<double> torque) { controller->step(measurement, wanted, dt, torque); },
      [controller] { controller->reset(); }, std::move(reference), period);
}

}  // namespace catena
