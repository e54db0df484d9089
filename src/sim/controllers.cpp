#include "catena/simulation.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "catena/dynamics.hpp"

namespace catena {
namespace {

// What the laws with a reference share: the reference at t, the errors, and an inverse dynamics.
struct Tracking {
  InverseDynamics<double> inverse;
  std::optional<HybridDynamics<double>> hybrid;  // where some joints are passive
  Gains gains;
  Reference reference;
  std::vector<double> q, qd, qdd, command, zeros;

  Tracking(const Mechanism& robot, Gains g, Reference r)
      : inverse(robot), gains(std::move(g)), reference(std::move(r)) {
    const std::size_t n = index(robot.nv());
    for (std::vector<double>* gain : {&gains.kp, &gains.kd}) {
      if (gain->size() == 1) gain->resize(n, gain->front());
      if (gain->size() != n)
        throw std::invalid_argument("a gain needs one value, or one per joint: " + std::to_string(gain->size()) +
                                    " were given for " + std::to_string(n) + " joints");
    }
    q.resize(index(robot.nq()));
    for (auto* v : {&qd, &qdd, &command, &zeros}) v->resize(n);
    if (robot.has_passive) hybrid.emplace(robot);
  }
  // kp (q_r - q) + kd (q̇_r - q̇) into `command`; no entries for a free base, which has no drives.
  void correct(double t, std::span<const double> q_now, std::span<const double> qd_now) {
    reference(t, q, qd, qdd);
    const std::size_t shift = q.size() - qd.size();  // 1 where the base is free
    for (std::size_t j = shift * base_joints; j < qd.size(); ++j)
      command[j] = gains.kp[j] * (q[j + shift] - q_now[j + shift]) + gains.kd[j] * (qd[j] - qd_now[j]);
  }
};

// A law that calls correct() first and `finish` on the result.
template <class Finish>
TorqueLaw tracking_law(const Mechanism& robot, Gains gains, Reference reference, Finish finish) {
  auto state = std::make_shared<Tracking>(robot, std::move(gains), std::move(reference));
  return [state, finish](double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
    state->correct(t, q, qd);
    finish(*state, q, qd, tau);
  };
}

}  // namespace

Reference hold_at(std::vector<double> q) {
  return [q = std::move(q)](double, std::span<double> q_r, std::span<double> qd_r, std::span<double> qdd_r) {
    std::copy(q.begin(), q.end(), q_r.begin());
    std::fill(qd_r.begin(), qd_r.end(), 0.0);
    std::fill(qdd_r.begin(), qdd_r.end(), 0.0);
  };
}

Reference reference_table(std::vector<MotionRow> rows) {
  if (rows.empty()) throw std::invalid_argument("a motion needs at least one row");
  for (std::size_t k = 1; k < rows.size(); ++k)
    if (!(rows[k].t > rows[k - 1].t)) throw std::invalid_argument("the times of a motion must increase");
  for (const MotionRow& row : rows)
    if (row.q.size() != row.qd.size())
      throw std::invalid_argument(
          "a table of a motion needs as many positions as rates, so it cannot have a free base");
  return [rows = std::move(rows)](double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) {
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), t, [](double at, const MotionRow& row) { return at < row.t; });
    if (after == rows.begin() || after == rows.end()) {
      const MotionRow& end = after == rows.begin() ? rows.front() : rows.back();
      std::copy(end.q.begin(), end.q.end(), q.begin());
      const bool on_the_row = t == end.t;  // at the time of the last row the motion still has its speed
      for (std::size_t j = 0; j < q.size(); ++j) {
        qd[j] = on_the_row ? end.qd[j] : 0.0;
        qdd[j] = on_the_row ? end.qdd[j] : 0.0;
      }
      return;
    }
    // From the nearer row, backwards if it is the later one: near a row at rest, the speed then has full precision and
    // the right sign, which a model with dry friction needs.
    const bool late = after->t - t < t - (after - 1)->t;
    const MotionRow &a = late ? *after : *(after - 1), &b = late ? *(after - 1) : *after;
    const double h = b.t - a.t, x = (t - a.t) / h;
    for (std::size_t j = 0; j < q.size(); ++j) {
      // a + a' x + a'' x²/2 + x³ (c0 + c1 x + c2 x²), with slopes relative to the interval
      const double va = h * a.qd[j], vb = h * b.qd[j], aa = h * h * a.qdd[j], ab = h * h * b.qdd[j];
      const double gap = b.q[j] - a.q[j] - va - 0.5 * aa, slope = vb - va - aa, bend = ab - aa;
      const double c0 = 10.0 * gap - 4.0 * slope + 0.5 * bend, c1 = -15.0 * gap + 7.0 * slope - bend,
                   c2 = 6.0 * gap - 3.0 * slope + 0.5 * bend;
      q[j] = a.q[j] + x * (va + x * (0.5 * aa + x * (c0 + x * (c1 + x * c2))));
      qd[j] = (va + x * (aa + x * (3.0 * c0 + x * (4.0 * c1 + x * 5.0 * c2)))) / h;
      qdd[j] = (aa + x * (6.0 * c0 + x * (12.0 * c1 + x * 20.0 * c2))) / (h * h);
    }
  };
}

TorqueLaw zero_torque() {
  return [](double, auto, auto, std::span<double> tau) { std::fill(tau.begin(), tau.end(), 0.0); };
}

TorqueLaw constant_torque(std::vector<double> value) {
  return [value = std::move(value)](double, auto, auto, std::span<double> tau) {
    std::copy(value.begin(), value.end(), tau.begin());
  };
}

TorqueLaw torque_table(std::vector<double> times, std::vector<std::vector<double>> rows) {
  if (times.empty() || times.size() != rows.size())
    throw std::invalid_argument("a torque table needs one row for each time");
  for (std::size_t k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1])) throw std::invalid_argument("the times of a torque table must increase");
  return [times = std::move(times), rows = std::move(rows)](double t, auto, auto, std::span<double> tau) {
    const auto after = std::upper_bound(times.begin(), times.end(), t);
    if (after == times.begin() || after == times.end()) {
      const auto& row = after == times.begin() ? rows.front() : rows.back();
      std::copy(row.begin(), row.end(), tau.begin());
      return;
    }
    const auto k = static_cast<std::size_t>(after - times.begin());
    const double part = (t - times[k - 1]) / (times[k] - times[k - 1]);
    for (std::size_t j = 0; j < tau.size(); ++j) tau[j] = rows[k - 1][j] + part * (rows[k][j] - rows[k - 1][j]);
  };
}

TorqueLaw pd_control(const Mechanism& robot, Gains gains, Reference reference) {
  return tracking_law(robot, std::move(gains), std::move(reference),
                      [](Tracking& s, auto, auto, std::span<double> tau) {
                        std::copy(s.command.begin(), s.command.end(), tau.begin());
                      });
}

TorqueLaw pd_gravity_control(const Mechanism& robot, Gains gains, Reference reference) {
  return tracking_law(robot, std::move(gains), std::move(reference),
                      [](Tracking& s, std::span<const double> q, auto, std::span<double> tau) {
                        s.inverse.gravity(q, tau);
                        for (std::size_t j = 0; j < tau.size(); ++j) tau[j] += s.command[j];
                      });
}

TorqueLaw computed_torque_control(const Mechanism& robot, Gains gains, Reference reference) {
  return tracking_law(robot, std::move(gains), std::move(reference),
                      [](Tracking& s, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
                        for (std::size_t j = 0; j < tau.size(); ++j) s.command[j] += s.qdd[j];
                        if (s.hybrid) return s.hybrid->underactuated(q, qd, s.command, s.qdd, tau);
                        s.inverse(q, qd, s.command, tau);
                      });
}

TorqueLaw feedforward_control(const Mechanism& robot, Gains gains, Reference reference) {
  return tracking_law(robot, std::move(gains), std::move(reference),
                      [](Tracking& s, auto, auto, std::span<double> tau) {
                        s.inverse(s.q, s.qd, s.qdd, tau);
                        for (std::size_t j = 0; j < tau.size(); ++j) tau[j] += s.command[j];
                      });
}

}  // namespace catena
