#include "catena/control/laws.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "catena/dynamics/inverse_dynamics.hpp"

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

TorqueLaw state_feedback(std::vector<double> q, std::vector<double> tau, std::vector<double> K) {
  const std::size_t n = q.size();
  if (tau.size() != n || K.size() != 2 * n * n) throw std::invalid_argument("K must be n x 2n, for n joints");
  return [=, zero = std::vector<double>(n)](double, std::span<const double> at, std::span<const double> speed,
                                            std::span<double> out) {
    std::copy(tau.begin(), tau.end(), out.begin());
    feed_back(K, at, speed, q, zero, out);
  };
}

TorqueLaw tracking_feedback(const Mechanism& robot, Reference reference, std::vector<double> times,
                            std::vector<std::vector<double>> gains) {
  const auto n = static_cast<std::size_t>(robot.n());
  if (times.empty() || times.size() != gains.size()) throw std::invalid_argument("give one gain for each time");
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (gains[k].size() != 2 * n * n) throw std::invalid_argument("every gain must be n x 2n, for n joints");
    if (k > 0 && !(times[k] > times[k - 1])) throw std::invalid_argument("the times of the gains must increase");
  }
  struct Room {
    InverseDynamics<double> inverse;
    std::vector<double> q, qd, qdd;
  };
  const auto room = std::make_shared<Room>(
      Room{InverseDynamics<double>(robot), std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)});
  return [=](double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
    reference(t, room->q, room->qd, room->qdd);
    room->inverse(room->q, room->qd, room->qdd, tau);
    const auto after = std::upper_bound(times.begin(), times.end(), t);
    const auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - times.begin() - 1));
    feed_back(gains[k], q, qd, room->q, room->qd, tau);
  };
}

}  // namespace catena
