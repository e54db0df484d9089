// Fixed steps, for comparison: classic Runge-Kutta of fourth order, and Adams-Bashforth of fourth order started by it.
// There are no events: a fixed step cannot end at the time of one.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/solver.hpp"
#include "sim/sundials_solver.hpp"

namespace catena {
namespace {

class FixedStep final : public Solver {
 public:
  FixedStep(const SimulationOptions& options, InitialValueProblem problem)
      : problem_(std::move(problem)), options_(options) {
    for (auto* v : {&stage_, &k1_, &k2_, &k3_, &k4_}) v->resize(problem_.size);
  }

  void restart(double, std::span<const double>) override { history_.clear(); }

  // Takes a whole number of equal steps, as close as possible to the requested step, so that t_out is met exactly.
  std::vector<std::size_t> advance(double t_out, double& t, std::span<double> y) override {
    const double start = t;
    const long count = std::max(1L, std::lround((t_out - start) / options_.step));
    const double h = (t_out - start) / static_cast<double>(count);
    if (h != step_) history_.clear();  // the formula requires equal steps
    step_ = h;
    for (long k = 0; k < count; ++k) {
      t = start + static_cast<double>(k) * h;
      if (++steps_ > options_.max_steps)
        throw std::runtime_error("the allowed steps are used up at t = " + std::to_string(t) + " s");
      if (options_.integrator == Integrator::adams_bashforth_4) {
        adams_bashforth(t, h, y);
      } else {
        runge_kutta(t, h, y);
      }
    }
    t = t_out;
    return {};
  }
  long steps() const override { return steps_; }
  long evaluations() const override { return evaluations_; }

 private:
  void evaluate(double t, std::span<const double> y, std::vector<double>& k) {
    ++evaluations_;
    problem_.derivative(t, y, k);
  }
  void runge_kutta(double t, double h, std::span<double> y) {
    const auto stage = [&](const std::vector<double>& k, double part) {
      for (std::size_t i = 0; i < y.size(); ++i) stage_[i] = y[i] + part * h * k[i];
    };
    evaluate(t, y, k1_);
    stage(k1_, 0.5);
    evaluate(t + 0.5 * h, stage_, k2_);
    stage(k2_, 0.5);
    evaluate(t + 0.5 * h, stage_, k3_);
    stage(k3_, 1.0);
    evaluate(t + h, stage_, k4_);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6.0 * (k1_[i] + 2.0 * (k2_[i] + k3_[i]) + k4_[i]);
  }
  void adams_bashforth(double t, double h, std::span<double> y) {
    if (history_.size() < 3) {
      runge_kutta(t, h, y);
      history_.push_back(k1_);
      return;
    }
    evaluate(t, y, k1_);
    const auto& [f1, f2, f3] = std::tie(history_[2], history_[1], history_[0]);  // one, two, three steps ago
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] += h / 24.0 * (55.0 * k1_[i] - 59.0 * f1[i] + 37.0 * f2[i] - 9.0 * f3[i]);
    std::rotate(history_.begin(), history_.begin() + 1, history_.end());
    history_.back() = k1_;
  }

  InitialValueProblem problem_;
  SimulationOptions options_;
  std::vector<double> stage_, k1_, k2_, k3_, k4_;
  std::vector<std::vector<double>> history_;  // derivatives at the last three steps, oldest first
  double step_ = 0.0;
  long steps_ = 0, evaluations_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_solver(const SimulationOptions& options, InitialValueProblem problem) {
  switch (options.integrator) {
    case Integrator::verner:
    case Integrator::dormand_prince:
      return make_arkode(options, std::move(problem));
    case Integrator::adams:
    case Integrator::bdf:
      return make_cvode(options, std::move(problem));
    case Integrator::runge_kutta_4:
    case Integrator::adams_bashforth_4:
      return std::make_unique<FixedStep>(options, std::move(problem));
  }
  throw std::invalid_argument("unknown integrator");
}

}  // namespace catena
