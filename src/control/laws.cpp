#include "catena/control.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "catena/dynamics.hpp"
#include "catena/factorization.hpp"
#include "catena/inverse_kinematics.hpp"
#include "catena/trajectory.hpp"

namespace catena {
namespace {

// tau -= K (x - x_r)
void feed_back(std::span<const double> K, std::span<const double> q, std::span<const double> qd,
               std::span<const double> q_r, std::span<const double> qd_r, std::span<double> tau) {
  const std::size_t n = tau.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      tau[i] -= K[i * 2 * n + j] * (q[j] - q_r[j]) + K[i * 2 * n + n + j] * (qd[j] - qd_r[j]);
}

}  // namespace

std::vector<double> gain_of_all_joints(const Mechanism& robot, std::span<const double> K) {
  require_fixed_base(robot, "gains of all joints do");
  const std::size_t columns = 2 * index(robot.nv());
  std::vector<double> all;
  all.reserve(columns * index(robot.nv()));
  for (const Coordinate c : robot.coordinates.all()) {
    const bool driven = !robot.is_passive(c);
    if (driven && K.size() < columns) break;
    if (driven) all.insert(all.end(), K.begin(), K.begin() + static_cast<std::ptrdiff_t>(columns));
    if (driven) K = K.subspan(columns);
    if (!driven) all.insert(all.end(), columns, 0.0);
  }
  if (!K.empty() || all.size() != columns * index(robot.nv()))
    throw std::invalid_argument("K must be m x 2n, for m joints with a motor of n");
  return all;
}

TorqueLaw state_feedback(std::vector<double> q, std::vector<double> tau, std::vector<double> K) {
  const std::size_t n = q.size();
  if (tau.size() != n || K.size() != 2 * n * n) throw std::invalid_argument("K must be n x 2n, for n joints");
  return [q = std::move(q), tau = std::move(tau), K = std::move(K), zero = std::vector<double>(n)](
             double, std::span<const double> at, std::span<const double> speed, std::span<double> out) {
    std::copy(tau.begin(), tau.end(), out.begin());
    feed_back(K, at, speed, q, zero, out);
  };
}

TorqueLaw regulated_posture(const Mechanism& robot, const std::vector<double>& q, const CostOf& cost) {
  const std::vector<double> zeros(q.size());
  Linearization linearization(robot);
  const StateSpace model = linearization.along(q, zeros, zeros);
  for (std::size_t j = 0; j < q.size(); ++j)
    if (robot.is_passive(Coordinate(j)) && std::abs(linearization.accelerations()[j]) > 1e-6)
      throw std::invalid_argument("no equilibrium: passive joint '" + robot.name_of(Coordinate(j)) +
                                  "' would accelerate by " + std::to_string(linearization.accelerations()[j]));
  const std::span<const double> tau = linearization.torques();
  return state_feedback(q, {tau.begin(), tau.end()}, gain_of_all_joints(robot, lqr(model, cost(model)).K));
}

TorqueLaw tracking_feedback(const Mechanism& robot, Reference reference, std::vector<double> times,
                            std::vector<std::vector<double>> gains) {
  require_fixed_base(robot, "feedback along a motion does");
  const auto n = static_cast<std::size_t>(robot.nv());
  if (times.empty() || times.size() != gains.size()) throw std::invalid_argument("give one gain for each time");
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (gains[k].size() != 2 * n * n) throw std::invalid_argument("every gain must be n x 2n, for n joints");
    if (k > 0 && !(times[k] > times[k - 1])) throw std::invalid_argument("the times of the gains must increase");
  }
  struct Workspace {
    InverseDynamics<double> inverse;
    std::vector<double> q, qd, qdd, K;
  };
  const auto workspace = std::make_shared<Workspace>(Workspace{InverseDynamics<double>(robot), std::vector<double>(n),
                                                               std::vector<double>(n), std::vector<double>(n),
                                                               std::vector<double>(2 * n * n)});
  return [workspace, reference = std::move(reference), times = std::move(times), gains = std::move(gains)](
             double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
    reference(t, workspace->q, workspace->qd, workspace->qdd);
    workspace->inverse(workspace->q, workspace->qd, workspace->qdd, tau);
    const auto after = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
    const std::size_t a = after == 0 ? 0 : after - 1, b = std::min(after, times.size() - 1);
    const double part = a == b ? 0.0 : (t - times[a]) / (times[b] - times[a]);
    for (std::size_t k = 0; k < workspace->K.size(); ++k)
      workspace->K[k] = gains[a][k] + part * (gains[b][k] - gains[a][k]);
    feed_back(workspace->K, q, qd, workspace->q, workspace->qd, tau);
  };
}

GainSchedule regulated_gains(const Mechanism& robot, const Reference& reference, const Horizon& horizon,
                             const QuadraticCost& cost) {
  require_fixed_base(robot, "feedback along a motion does");
  if (!(horizon.end > horizon.start) || !(horizon.dt > 0.0))
    throw std::invalid_argument("a regulator along a motion needs an end after the start and a positive time step");
  const auto n = static_cast<std::size_t>(robot.nv());
  const auto steps =
      static_cast<std::size_t>(std::max(1.0, std::ceil((horizon.end - horizon.start) / horizon.dt - 1e-9)));
  const double dt = (horizon.end - horizon.start) / static_cast<double>(steps);
  std::vector<double> q(n), qd(n), qdd(n), times;
  std::vector<StateSpace> sampled;
  Linearization linearization(robot);
  for (std::size_t k = 0; k < steps; ++k) {
    times.push_back(horizon.start + static_cast<double>(k) * dt);
    reference(times.back(), q, qd, qdd);
    sampled.push_back(discretize(linearization.along(q, qd, qdd), dt));
  }
  reference(horizon.end, q, qd, qdd);
  const std::vector<double> still(n);
  const Regulator last = sampled_lqr(discretize(linearization.along(q, still, still), dt), cost);
  std::vector<std::vector<double>> gains = finite_horizon_lqr(sampled, cost, last.S);
  times.push_back(horizon.end);
  gains.push_back(last.K);
  for (std::vector<double>& gain : gains) gain = gain_of_all_joints(robot, gain);
  return {std::move(times), std::move(gains)};
}

TorqueLaw regulated_tracking(const Mechanism& robot, Reference reference, const Horizon& horizon,
                             const QuadraticCost& cost) {
  GainSchedule found = regulated_gains(robot, reference, horizon, cost);
  return tracking_feedback(robot, std::move(reference), std::move(found.times), std::move(found.gains));
}

FrameReference frame_path(std::vector<Pose<double>> poses, std::function<PathProgress(double t)> progress) {
  if (poses.empty()) throw std::invalid_argument("a path needs at least one pose");
  return [poses = std::move(poses), progress = std::move(progress)](double t) -> FrameTarget {
    const PathProgress at = progress(t);
    const double last = static_cast<double>(poses.size()) - 1.0, s = std::clamp(at.s, 0.0, last);
    const auto k = static_cast<std::size_t>(std::min(std::floor(s), std::max(0.0, last - 1.0)));
    const Pose<double>&a = poses[k], &b = poses[std::min(k + 1, poses.size() - 1)];
    const double part = s - static_cast<double>(k);
    const Vec3<double> way = b.p - a.p, turn = rotation_vector(b.R * a.R.transpose());
    const double angle = std::sqrt(dot(turn, turn));
    const Mat3<double> turned = angle > 0.0 ? rotation_about((1.0 / angle) * turn, part * angle) * a.R : a.R;
    return {{turned, a.p + part * way}, at.rate * way, at.rate * turn, at.acceleration * way, at.acceleration * turn};
  };
}

namespace {

// The accelerations that a frame is to have, (7), (9), along the base link's axes, translation first.
std::array<double, 6> wanted_acceleration(const FrameTarget& target, std::span<const double> T,
                                          std::span<const double> twist, const OperationalGains& gains) {
  const Mat3<double> R{T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
  const Vec3<double> place = target.pose.p - Vec3<double>{T[3], T[7], T[11]};
  const Vec3<double> turn = rotation_vector(target.pose.R * R.transpose());
  const Vec3<double> speed = target.velocity - Vec3<double>{twist[0], twist[1], twist[2]};
  const Vec3<double> spin = target.omega - Vec3<double>{twist[3], twist[4], twist[5]};
  const Vec3<double> linear = target.acceleration + gains.kp * place + gains.kd * speed;
  const Vec3<double> angular = target.omega_dot + gains.kp * turn + gains.kd * spin;
  return {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
}

}  // namespace

// (7)-(9)
FrameReference frame_path(std::vector<Pose<double>> poses, double time) {
  std::vector<JointPoint> points;
  std::vector<double> times;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    points.push_back({static_cast<double>(k)});
    times.push_back(time * static_cast<double>(k) / static_cast<double>(poses.size() - 1));
  }
  const auto along = std::make_shared<const Trajectory>(Trajectory::through(ProfileKind::cycloid, points, times));
  return frame_path(std::move(poses), [along](double t) {
    PathProgress at;
    along->at(t, {&at.s, 1}, {&at.rate, 1}, {&at.acceleration, 1});
    return at;
  });
}

namespace {

// Its rigid links without weight: what inverse dynamics gives at q̈ = 0 is then C q̇.
Mechanism links_alone(Mechanism robot) {
  robot.gravity = {};
  robot.has_drives = false;
  return robot;
}

}  // namespace

TorqueLaw resolved_acceleration_control(const Mechanism& robot, int frame, FrameReference reference,
                                        Directions directions, const OperationalGains& gains) {
  require_frame(robot, frame);
  require_fixed_base(robot, "control of a frame does");
  if (!reference) throw std::invalid_argument("the law needs a motion to follow");
  const auto n = static_cast<std::size_t>(robot.nv());
  struct Workspace {
    Call<double> inverse, pose, jacobian, drift, swing;
    Factorization<double> inertia;
    std::vector<double> J, qdd, bias, zeros;
    std::array<double, 16> T{};
    std::array<double, 6> drift_now{}, twist{}, missing{};
    std::array<double, 36> Lambda{};
  };
  const auto workspace = std::make_shared<Workspace>(Workspace{{robot, "inverse"},
                                                               {robot, "pose"},
                                                               {robot, "jacobian"},
                                                               {robot, "drift"},
                                                               {links_alone(robot), "inverse"},
                                                               Factorization<double>(robot),
                                                               std::vector<double>(6 * n),
                                                               std::vector<double>(n),
                                                               std::vector<double>(n),
                                                               std::vector<double>(n)});
  const std::size_t m = directions == Directions::all ? 6 : 3;
  return [=, reference = std::move(reference)](double t, std::span<const double> q, std::span<const double> qd,
                                               std::span<double> tau) {
    Workspace& r = *workspace;
    r.pose({.q = q, .frame = frame}, r.T);
    r.jacobian({.q = q, .frame = frame}, r.J);
    r.drift({.q = q, .qd = qd, .frame = frame}, r.drift_now);
    r.inertia.factor(q);
    r.inertia.operational_inertia(frame, std::span(r.Lambda).first(m * m), directions);
    for (std::size_t a = 0; a < 6; ++a) {
      r.twist[a] = 0.0;
      for (std::size_t j = 0; j < n; ++j) r.twist[a] += r.J[a * n + j] * qd[j];
    }
    const std::array<double, 6> wanted = wanted_acceleration(reference(t), r.T, r.twist, gains);
    // The free motion first: the links swing on as they would by themselves and slow down, M q̈ = -C q̇ - damping M q̇.
    // What that does to the frame is taken back.
    std::fill(r.qdd.begin(), r.qdd.end(), 0.0);
    if (n > m) {
      r.swing({.q = q, .qd = qd, .qdd = r.zeros}, r.bias);
      r.inertia.solve(r.bias, r.qdd);
      for (std::size_t j = 0; j < n; ++j) r.qdd[j] = -r.qdd[j] - gains.damping * qd[j];
    }
    for (std::size_t a = 0; a < m; ++a) {
      r.missing[a] = wanted[a] - r.drift_now[a];
      for (std::size_t j = 0; j < n; ++j) r.missing[a] -= r.J[a * n + j] * r.qdd[j];
    }
    r.inverse({.q = q, .qd = qd, .qdd = r.qdd}, tau);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t a = 0; a < m; ++a)
        for (std::size_t b = 0; b < m; ++b) tau[j] += r.J[a * n + j] * r.Lambda[m * a + b] * r.missing[b];
  };
}

TorqueLaw operational_space_control(const Mechanism& robot, int frame, const Vec3<double>& target,
                                    const OperationalGains& gains) {
  FrameTarget held;
  held.pose.p = target;
  return resolved_acceleration_control(
      robot, frame, [held](double) { return held; }, Directions::translation, gains);
}

}  // namespace catena
