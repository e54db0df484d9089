#include "catena/control.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include "control/turns.hpp"
#include "dense/dense.hpp"
#include "model/asking.hpp"

namespace catena {
namespace {

using dense::Matrix;
using dense::Vector;

constexpr int most_steps = 100;
constexpr double longest_step = 0.5;  // rad or m, of one joint

// Gravity and springs at the passive joints, and how they change with positions.
class Balance {
 public:
  Balance(const Mechanism& robot, std::span<const ExternalWrench<double>> wrenches)
      : robot_(robot),
        wrenches_(wrenches),
        gravity_(robot, "gravity"),
        stiffness_(robot, "stiffness"),
        energy_(robot, "energy"),
        zeros_(index(robot.nv())),
        tau_(index(robot.nv())),
        P_(index(robot.nv()) * index(robot.nv())) {
    for (const Coordinate c : robot.coordinates.all())
      if (robot.is_passive(c)) passive_.push_back(index(c));
    if (passive_.empty()) throw std::invalid_argument(robot.name + " has no passive joint");
  }

  const std::vector<std::size_t>& passive() const { return passive_; }
  std::span<const double> torques() const { return tau_; }

  // g_t, on the scale of what gravity and springs do to the whole robot.
  Vector left(std::span<const double> q) {
    gravity_({.q = q, .wrenches = wrenches_}, tau_);
    Vector f(passive_.size(), 1);
    for (std::size_t k = 0; k < passive_.size(); ++k) f[k] = tau_[passive_[k]];
    return f;
  }
  Matrix slope(std::span<const double> q) {  // P_tt
    stiffness_({.q = q, .qd = zeros_, .qdd = zeros_, .wrenches = wrenches_}, P_);
    Matrix P(passive_.size(), passive_.size());
    for (std::size_t r = 0; r < passive_.size(); ++r)
      for (std::size_t c = 0; c < passive_.size(); ++c) P(r, c) = P_[passive_[r] * zeros_.size() + passive_[c]];
    return P;
  }
  double potential(std::span<const double> q) {
    double energies[2];
    energy_({.q = q, .qd = zeros_}, energies);
    return energies[1];
  }
  // What gravity can do to joint k at most, by the masses and lengths of the robot, and what springs and offsets do
  // within a radian or a metre: torques are small beside it.
  double scale() const {
    double mass = 0.0, reach = 0.0;
    for (const auto& link : robot_.links) {
      mass += link.mass;
      reach += std::sqrt(dot(link.p_parent_to_link, link.p_parent_to_link)) + std::sqrt(dot(link.com, link.com));
    }
    double pushes = 0.0;
    for (const TreeJoint j : robot_.all_joints())
      pushes += robot_.drives[j].stiffness + std::abs(robot_.drives[j].offset);
    for (const auto& w : wrenches_)
      pushes += std::sqrt(dot(w.force, w.force)) * std::max(1.0, reach) + std::sqrt(dot(w.moment, w.moment));
    return mass * std::sqrt(dot(robot_.gravity, robot_.gravity)) * std::max(1.0, reach) + pushes;
  }

 private:
  const Mechanism& robot_;
  std::span<const ExternalWrench<double>> wrenches_;
  Call<double> gravity_, stiffness_, energy_;
  std::vector<double> zeros_, tau_, P_;
  std::vector<std::size_t> passive_;
};

// (3) until the torques are rounding; nothing where Newton's method does not come to an end.
std::optional<std::vector<double>> solve(Balance& balance, std::vector<double> q) {
  const double small = 1e-13 * balance.scale();
  Vector f = balance.left(q);
  for (int step = 0; step < most_steps; ++step) {
    if (largest(f) <= small) return q;
    Vector change = -least_squares(balance.slope(q), f, 1e-12);
    const double longest = largest(change);
    if (!all_finite(change) || longest == 0.0) return std::nullopt;
    if (longest > longest_step) change *= longest_step / longest;
    const double before = norm(f);
    std::vector<double> next = q;
    for (double share = 1.0; share > 1e-6; share *= 0.5) {  // as far as it helps
      for (std::size_t k = 0; k < balance.passive().size(); ++k)
        next[balance.passive()[k]] = q[balance.passive()[k]] + share * change[k];
      f = balance.left(next);
      if (norm(f) < before) break;
    }
    if (!(norm(f) < before)) {
      if (before <= 1e3 * small) return q;  // no better in this arithmetic
      return std::nullopt;
    }
    q = std::move(next);
  }
  return std::nullopt;
}

// (4)
Equilibrium judged(Balance& balance, std::vector<double> q) {
  Equilibrium out;
  out.residual = largest(balance.left(q));
  out.tau.assign(balance.torques().begin(), balance.torques().end());
  for (const std::size_t j : balance.passive()) out.tau[j] = 0.0;
  for (const auto& value : eigenvalues(balance.slope(q))) out.stiffness.push_back(value.real());
  std::reverse(out.stiffness.begin(), out.stiffness.end());
  out.potential = balance.potential(q);
  const double nothing = 1e-9 * balance.scale();
  out.stability = out.stiffness.front() < -nothing  ? Stability::unstable
                  : out.stiffness.front() > nothing ? Stability::stable
                                                    : Stability::neutral;
  out.q = std::move(q);
  return out;
}

// The k-th of places that fill the space of the passive joints evenly (additive recurrence): a turn either way for
// angles, half a metre for lengths; every other one about where springs rest.
std::vector<double> place_around(const Mechanism& robot, std::span<const double> q,
                                 const std::vector<std::size_t>& passive, int k) {
  std::vector<double> out(q.begin(), q.end());
  double root = 1.0;  // of x^(d+1) = x + 1: the most irrational numbers for d dimensions
  for (int repeat = 0; repeat < 50; ++repeat)
    root = std::pow(1.0 + root, 1.0 / (static_cast<double>(passive.size()) + 1.0));
  double step = 1.0;
  for (const std::size_t j : passive) {
    step /= root;
    const double part = std::fmod(0.5 + step * k, 1.0) - 0.5;
    const auto& drive = robot.drives[robot.coordinates.joints[Coordinate(j)]];
    if (k % 2 == 1 && drive.stiffness != 0.0) out[j] = drive.rest;
    out[j] += part * (control::turns(robot, Coordinate(j)) ? 2.0 * std::numbers::pi : 1.0);
  }
  return out;
}

// A full turn winds a spring.
bool comes_round(const Mechanism& robot, Coordinate c) {
  return control::comes_round(robot, c) && robot.drives[robot.coordinates.joints[c]].stiffness == 0.0;
}

bool same_place(const Mechanism& robot, const Equilibrium& a, const Equilibrium& b) {
  constexpr double near = 1e-6;
  for (const Coordinate c : robot.coordinates.all()) {
    const double gap = a.q[index(c)] - b.q[index(c)];
    if (std::abs(comes_round(robot, c) ? std::remainder(gap, 2.0 * std::numbers::pi) : gap) > near) return false;
  }
  return true;
}

// Angles of passive joints within half a turn of where the search began: full turns make no difference.
void unwind(const Mechanism& robot, std::span<const double> from, std::vector<double>& q) {
  for (const Coordinate c : robot.coordinates.all()) {
    double& at = q[index(c)];
    if (comes_round(robot, c) && robot.is_passive(c))
      at = from[index(c)] + std::remainder(at - from[index(c)], 2.0 * std::numbers::pi);
  }
}

[[noreturn]] void report_none(const Mechanism& robot, Balance& balance, std::span<const double> q) {
  balance.left(q);
  const auto smaller = [torques = balance.torques()](std::size_t a, std::size_t b) {
    return std::abs(torques[a]) < std::abs(torques[b]);
  };
  const std::size_t worst = *std::max_element(balance.passive().begin(), balance.passive().end(), smaller);
  throw std::domain_error("no equilibrium found: at the start gravity has " +
                          std::to_string(std::abs(balance.torques()[worst])) + " on joint '" +
                          robot.name_of(Coordinate(worst)) + "'");
}

void require_positions(const Mechanism& robot, std::span<const double> q) {
  require_fixed_base(robot, "the search for equilibria does");
  if (q.size() != index(robot.nv())) throw std::invalid_argument("q needs one value per joint");
}

}  // namespace

std::string_view name_of(Stability stability) {
  return stability == Stability::stable ? "stable" : stability == Stability::unstable ? "unstable" : "neutral";
}

Equilibrium find_equilibrium(const Mechanism& robot, std::span<const double> q,
                             std::span<const ExternalWrench<double>> wrenches) {
  require_positions(robot, q);
  Balance balance(robot, wrenches);
  for (int k = 0; k <= 32; ++k)
    if (auto found = solve(balance, place_around(robot, q, balance.passive(), k))) {
      unwind(robot, q, *found);
      return judged(balance, std::move(*found));
    }
  report_none(robot, balance, q);
}

std::vector<Equilibrium> find_equilibria(const Mechanism& robot, std::span<const double> q, int starts,
                                         std::span<const ExternalWrench<double>> wrenches) {
  require_positions(robot, q);
  if (starts < 0) throw std::invalid_argument("the number of starts must not be negative");
  Balance balance(robot, wrenches);
  std::vector<Equilibrium> all;
  for (int k = 0; k <= starts; ++k) {
    ask(static_cast<double>(k) / (starts + 1));
    auto found = solve(balance, place_around(robot, q, balance.passive(), k));
    if (!found) continue;
    unwind(robot, q, *found);
    Equilibrium next = judged(balance, std::move(*found));
    const bool known = std::any_of(all.begin(), all.end(), [&](const Equilibrium& other) {
      return (next.stability == Stability::neutral && other.stability == Stability::neutral) ||
             same_place(robot, other, next);
    });
    if (!known) all.push_back(std::move(next));
  }
  if (all.empty()) report_none(robot, balance, q);
  std::stable_sort(all.begin(), all.end(),
                   [](const Equilibrium& a, const Equilibrium& b) { return a.potential < b.potential; });
  return all;
}

}  // namespace catena
