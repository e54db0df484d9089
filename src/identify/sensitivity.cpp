#include "catena/identify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "identify/matrices.hpp"
#include "jobs/checks.hpp"

namespace catena {

using identification::Matrix;

struct ParameterSensitivity::Impl {
  // State and sensitivities, and their rates.
  struct Point {
    std::vector<double> q, qd;
    Matrix S;  // (10) ∂q/∂θ above ∂q̇/∂θ
  };

  Call<double> forward, response, regressor;
  std::vector<int> chosen;
  std::size_t n;
  int width;  // of the regressor: parameters of all joints of the tree
  std::vector<double> qdd, answers, Y, tau;
  Matrix columns;  // of Y, those chosen
  // The run.
  double t = 0.0;
  Point at;
  std::vector<double> torques;

  Impl(const Mechanism& robot, std::vector<int> parameters)
      : forward(robot, "forward"),
        response(robot, "response"),
        regressor(robot, "regressor"),
        chosen(std::move(parameters)),
        n(index(robot.nv())),
        width(robot.joints() * parameters_per_joint),
        qdd(n),
        answers(response.size()),
        Y(regressor.size()),
        tau(n) {
    require_fixed_base(robot, "sensitivities do");
    if (chosen.empty())
      for (int k = 0; k < width; ++k) chosen.push_back(k);
    for (const int k : chosen)
      if (k < 0 || k >= width)
        throw std::invalid_argument("there is no parameter " + std::to_string(k) + "; they are 0 to " +
                                    std::to_string(width - 1));
    columns = {n, chosen.size()};
  }

  // (8): -M⁻¹ Y, of the chosen parameters; `answers` then has how q̈ answers q, q̇ and τ.
  Matrix by_parameters(std::span<const double> q, std::span<const double> qd, std::span<const double> torque,
                       std::span<const ExternalWrench<double>> wrenches) {
    forward({.q = q, .qd = qd, .tau = torque, .wrenches = wrenches}, qdd);
    response({.q = q, .qd = qd, .tau = torque, .wrenches = wrenches}, answers);
    regressor({.q = q, .qd = qd, .qdd = qdd}, Y);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < chosen.size(); ++k) columns(j, k) = Y[j * index(width) + index(chosen[k])];
    return -answer(2) * columns;
  }
  // The k-th matrix of `answers`.
  Matrix answer(std::size_t k) const { return {n, n, std::span(answers).subspan(k * n * n, n * n)}; }

  // (9), (10)
  Point rate(const Point& x, std::span<const double> torque) {
    const Matrix direct = by_parameters(x.q, x.qd, torque, {});
    const Matrix of_q = x.S.block(0, 0, n, x.S.columns()), of_qd = x.S.block(n, 0, n, x.S.columns());
    return {x.qd, qdd, dense::blocks({{of_qd}, {answer(0) * of_q + answer(1) * of_qd + direct}})};
  }
  static Point moved(const Point& x, double h, const Point& rate) {
    Point out = x;
    for (std::size_t j = 0; j < x.q.size(); ++j) out.q[j] += h * rate.q[j], out.qd[j] += h * rate.qd[j];
    out.S += h * rate.S;
    return out;
  }
  // The classic method of Runge and Kutta; torque(part) is the torque after that part of the step.
  template <class Torque>
  void step(double h, Torque&& torque) {
    const Point k1 = rate(at, torque(0.0));
    const Point k2 = rate(moved(at, 0.5 * h, k1), torque(0.5));
    const Point k3 = rate(moved(at, 0.5 * h, k2), torque(0.5));
    const Point k4 = rate(moved(at, h, k3), torque(1.0));
    at = moved(moved(moved(moved(at, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4);
  }
};

ParameterSensitivity::ParameterSensitivity(const Mechanism& robot, std::vector<int> parameters)
    : impl_(std::make_unique<Impl>(robot, std::move(parameters))) {}
ParameterSensitivity::~ParameterSensitivity() = default;
ParameterSensitivity::ParameterSensitivity(ParameterSensitivity&&) noexcept = default;
ParameterSensitivity& ParameterSensitivity::operator=(ParameterSensitivity&&) noexcept = default;

std::size_t ParameterSensitivity::parameters() const { return impl_->chosen.size(); }

void ParameterSensitivity::accelerations(std::span<const double> q, std::span<const double> qd,
                                         std::span<const double> tau, std::span<double> out,
                                         std::span<const ExternalWrench<double>> wrenches) {
  require_length(out.size(), impl_->n * parameters(), "the accelerations by parameters");
  const Matrix result = impl_->by_parameters(q, qd, tau, wrenches);
  std::copy(result.begin(), result.end(), out.begin());
}

void ParameterSensitivity::start(double t, std::span<const double> q, std::span<const double> qd,
                                 std::span<const double> tau) {
  Impl& p = *impl_;
  for (const auto& [given, name] : {std::pair{q, "q"}, {qd, "qd"}, {tau, "tau"}})
    require_length(given.size(), p.n, name);
  p.t = t;
  p.torques.assign(tau.begin(), tau.end());
  p.at = {{q.begin(), q.end()}, {qd.begin(), qd.end()}, {2 * p.n, p.chosen.size()}};
}

void ParameterSensitivity::advance(double t, std::span<const double> q, std::span<const double> qd,
                                   std::span<const double> tau, double step) {
  Impl& p = *impl_;
  for (const auto& [given, name] : {std::pair{q, "q"}, {qd, "qd"}, {tau, "tau"}})
    require_length(given.size(), p.n, name);
  if (p.torques.empty() && p.n > 0) throw std::logic_error("call start() before advance()");
  if (!(t > p.t)) throw std::invalid_argument("the times of a run must increase");
  if (!(step > 0.0)) throw std::invalid_argument("the step must be positive");
  const double length = t - p.t;
  const double steps = std::ceil(length / step - 1e-9);
  if (!(steps < 1e9)) throw std::invalid_argument("a sample is more than 1e9 steps after the one before");
  const auto torque_at = [&](double part) -> std::span<const double> {
    for (std::size_t j = 0; j < p.n; ++j) p.tau[j] = p.torques[j] + part * (tau[j] - p.torques[j]);
    return p.tau;
  };
  for (double k = 0.0; k < steps; k += 1.0)
    p.step(length / steps, [&](double part) { return torque_at((k + part) / steps); });
  if (!all_finite(p.at.S)) throw std::domain_error("the sensitivities are not finite");
  // The record is followed, not a run of our own that would leave it where the motion is unstable.
  p.at.q.assign(q.begin(), q.end());
  p.at.qd.assign(qd.begin(), qd.end());
  p.torques.assign(tau.begin(), tau.end());
  p.t = t;
}

std::span<const double> ParameterSensitivity::values() const { return impl_->at.S; }

}  // namespace catena
