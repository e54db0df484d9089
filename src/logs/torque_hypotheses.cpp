#include "logs/torque_hypotheses.hpp"

#include <array>
#include <numbers>
#include <numeric>
#include <span>
#include <stdexcept>

#include "catena/dynamics.hpp"
#include "logs/findings.hpp"

namespace catena::logs {
namespace {

constexpr std::size_t fewest_rows = 20;  // to compare a joint's torques by
constexpr double better = 0.03;          // in the score, at least
constexpr double good_enough = 0.5;      // score of a guess that is reported

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Takes out of x its parts along the columns, which become orthonormal.
class Removed {
 public:
  void add(std::vector<double> column) {
    const double before = dot(column, column);
    from(column);
    const double size = dot(column, column);
    if (size <= 1e-12 * before || before == 0.0) return;
    for (double& value : column) value /= std::sqrt(size);
    basis_.push_back(std::move(column));
  }
  void from(std::vector<double>& x) const {
    for (const std::vector<double>& own : basis_) {
      const double part = dot(own, x);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= part * own[i];
    }
  }

 private:
  std::vector<std::vector<double>> basis_;
};

// tau by the model up to a factor, after an offset and friction.
Explained explain(std::vector<double> tau, std::vector<double> model, const std::vector<double>& qd) {
  Explained out;
  if (tau.size() < fewest_rows) return out;
  const double whole = dot(tau, tau), of_model = dot(model, model);
  Removed removed;
  removed.add(std::vector<double>(tau.size(), 1.0));
  std::vector<double> signs;
  for (const double speed : qd) signs.push_back(speed > 0.0 ? 1.0 : -1.0);
  removed.add(signs), removed.add(qd);
  removed.from(tau), removed.from(model);
  const double a = dot(tau, tau), b = dot(model, model), c = dot(tau, model);
  if (a <= 1e-12 * whole || b <= 1e-9 * of_model || b == 0.0) return out;
  return {c / b, c * c / (a * b), true};
}

}  // namespace

Change::Change(std::size_t joints)
    : scale(joints, 1.0), zero(joints, 0.0), torque_sign(joints, 1.0), position_of(joints), torque_of(joints) {
  std::iota(position_of.begin(), position_of.end(), std::size_t{0});
  torque_of = position_of;
}

TorqueComparison::TorqueComparison(const PreparedLog& log, const Mechanism& robot)
    : log_(log), robot_(robot), n_(log.joints.size()) {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < log.rows(); ++i)
    if (std::find(log.data.used.begin() + static_cast<std::ptrdiff_t>(i * n_),
                  log.data.used.begin() + static_cast<std::ptrdiff_t>((i + 1) * n_),
                  1) != log.data.used.begin() + static_cast<std::ptrdiff_t>((i + 1) * n_))
      usable.push_back(i);
  const std::size_t most = n_ > 12 ? 100 : 300;
  for (std::size_t k = 0; k < std::min(most, usable.size()); ++k)
    rows_.push_back(usable[k * usable.size() / std::min(most, usable.size())]);
}

std::vector<Explained> TorqueComparison::explained(const Change& change) const {
  try {
    return compared(change);
  } catch (const std::exception&) {  // the model cannot stand there
    return std::vector<Explained>(n_);
  }
}

std::vector<Explained> TorqueComparison::compared(const Change& change) const {
  const std::size_t rows = log_.rows();
  std::vector<std::vector<double>> tau(n_), model(n_), speeds(n_);
  std::vector<double> q(n_), qd(n_), qdd(n_), torque(n_);
  InverseDynamics<double> inverse(robot_);
  for (const std::size_t row : rows_) {
    const std::ptrdiff_t later = static_cast<std::ptrdiff_t>(row) + change.lag;
    if (later < 0 || later >= static_cast<std::ptrdiff_t>(rows)) continue;
    for (std::size_t j = 0; j < n_; ++j) {
      const std::size_t at = row * n_ + change.position_of[j];
      q[j] = change.scale[j] * log_.data.q[at] + change.zero[j];
      qd[j] = change.scale[j] * log_.data.qd[at], qdd[j] = change.scale[j] * log_.data.qdd[at];
    }
    inverse(q, qd, qdd, torque);
    for (std::size_t j = 0; j < n_; ++j) {
      if (!log_.data.used[row * n_ + change.position_of[j]] || !log_.data.used[row * n_ + change.torque_of[j]])
        continue;
      tau[j].push_back(change.torque_sign[j] *
                       log_.data.tau[static_cast<std::size_t>(later) * n_ + change.torque_of[j]]);
      model[j].push_back(torque[j]), speeds[j].push_back(qd[j]);
    }
  }
  std::vector<Explained> out;
  for (std::size_t j = 0; j < n_; ++j) out.push_back(explain(std::move(tau[j]), std::move(model[j]), speeds[j]));
  return out;
}

double TorqueComparison::score(const Change& change) const {
  double sum = 0.0, known = 0.0;
  for (const Explained& own : explained(change)) {
    known += own.known;
    if (own.known && own.factor > 0.0) sum += own.share;
  }
  return known > 0.0 ? sum / known : 0.0;
}

double TorqueComparison::usual_factor(const Change& change) const {
  std::vector<double> factors;
  for (const Explained& own : explained(change))
    if (own.known && own.share > 0.1) factors.push_back(std::abs(own.factor));
  return factors.empty() ? 1e-9 : quantile(std::move(factors), 0.5);
}

namespace {

class Guesses {
 public:
  Guesses(const TorqueComparison& comparison, const Change& from, const PreparedLog& log, const Mechanism& robot,
          std::span<const double> gears)
      : comparison_(comparison), from_(from), log_(log), robot_(robot), gears_(gears), n_(log.joints.size()) {
    least_ = comparison.score(from);
    before_ = least_;
    least_ += better;
  }

  std::optional<Guess> best() {
    angles();
    signs();
    zeros();
    swaps();
    // Much less is left unexplained; a little more is explained by chance too, or where the model is not quite right.
    const double left = (1.0 - least_) / (1.0 - before_), gain = least_ - before_;
    const bool told = best_ && least_ > good_enough && ((left < 0.7 && gain > 0.1) || (left < 0.3 && gain > better));
    if (!told) return {};
    best_->finding.text += fmt::format("; the model would then explain {:.0f} % of the torques instead of {:.0f} %",
                                       100.0 * least_, 100.0 * before_);
    return best_;
  }

 private:
  bool turns(std::size_t j) const { return robot_.links[index(robot_.link_of(Coordinate(j)))].revolute; }

  void consider(const Change& change, const char* kind, int joint, const std::string& text, const std::string& cure) {
    const double score = comparison_.score(change);
    if (score <= least_ + (best_ ? 0.02 : 0.0)) return;
    least_ = score;
    best_ = Guess{change, {kind, LogFinding::Weight::warning, joint, score, text, cure}};
  }

  void angles() {
    Change degrees = from_, motors = from_;
    bool geared = false;
    for (std::size_t j = 0; j < n_; ++j) {
      if (turns(j)) degrees.scale[j] *= std::numbers::pi / 180.0;
      const double gear = gears_.empty() ? 1.0 : gears_[j];
      geared = geared || std::abs(gear) > 1.0;
      motors.scale[j] /= gear;
    }
    // The shares do not know about factors: another scale of the positions must bring the torques' nearer to 1.
    const double off = off_one(from_);
    if (off_one(degrees) < off) consider(degrees, "degrees", -1, "the positions seem to be in degrees", "--unit q=deg");
    if (geared && off_one(motors) < off)
      consider(motors, "motor-angles", -1, "the positions seem to be those of the motors", "--gear model");
  }

  double off_one(const Change& change) const { return std::abs(std::log(comparison_.usual_factor(change))); }

  void signs() {
    Change all = from_;
    for (double& sign : all.torque_sign) sign = -sign;
    consider(all, "torque-sign", -1, "all torques seem to have the wrong sign", "--unit tau=-1");
    for (std::size_t j = 0; j < n_; ++j) {
      Change torque = from_, position = from_;
      torque.torque_sign[j] = -torque.torque_sign[j];
      consider(torque, "torque-sign", static_cast<int>(j),
               fmt::format("the torque of {} seems to have the wrong sign", log_.joints[j]),
               fmt::format("--unit tau{}=-1", j + 1));
      position.scale[j] = -position.scale[j], position.zero[j] = -position.zero[j];
      consider(position, "position-sign", static_cast<int>(j),
               fmt::format("the position of {} seems to have the wrong sign", log_.joints[j]),
               fmt::format("--unit q{}=-1", j + 1));
    }
  }

  // One joint's, or those of two neighbours in opposite senses: what comes after stands then as it should.
  void zeros() {
    const auto angle = [](int quarters) { return quarters == 2 ? "pi" : quarters == 1 ? "pi/2" : "-pi/2"; };
    const auto option = [&](std::size_t j, int quarters) {
      return fmt::format("--offset q{}={}", j + 1, angle(quarters));
    };
    const auto moved = [&](Change from, std::size_t j, int quarters) {
      from.zero[j] += 0.5 * quarters * std::numbers::pi;
      return from;
    };
    for (std::size_t j = 0; j < n_; ++j)
      for (const int quarters : {-1, 1, 2})
        if (turns(j))
          consider(moved(from_, j, quarters), "zero", static_cast<int>(j),
                   fmt::format("the zero of {} seems to be off: the model's position is the log's plus {}",
                               log_.joints[j], angle(quarters)),
                   option(j, quarters));
    for (std::size_t j = 0; j + 1 < n_; ++j)
      for (const int quarters : {-1, 1})
        if (turns(j) && turns(j + 1))
          consider(moved(moved(from_, j, quarters), j + 1, -quarters), "zero", static_cast<int>(j),
                   fmt::format("the zeros of {} and {} seem to be off, by {} and {}", log_.joints[j],
                               log_.joints[j + 1], angle(quarters), angle(-quarters)),
                   option(j, quarters) + " " + option(j + 1, -quarters));
  }

  void swaps() {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = i + 1; j < n_ && (n_ <= 12 || j <= i + 2); ++j) {
        Change torques = from_, positions = from_;
        std::swap(torques.torque_of[i], torques.torque_of[j]);
        std::swap(positions.position_of[i], positions.position_of[j]);
        Change both = positions;
        both.torque_of = torques.torque_of;
        const std::string who = fmt::format("{} and {} seem to be swapped", log_.joints[i], log_.joints[j]);
        consider(both, "swapped", static_cast<int>(i), "the columns of " + who,
                 cure("q", i, j) + " " + cure("tau", i, j));
        consider(torques, "swapped-torques", static_cast<int>(i), "the torques of " + who, cure("tau", i, j));
        consider(positions, "swapped-positions", static_cast<int>(i), "the positions of " + who, cure("q", i, j));
      }
  }
  static std::string cure(const char* group, std::size_t i, std::size_t j) {
    return fmt::format("--swap {0}{1},{0}{2}", group, i + 1, j + 1);
  }

  const TorqueComparison& comparison_;
  const Change& from_;
  const PreparedLog& log_;
  const Mechanism& robot_;
  std::span<const double> gears_;
  std::size_t n_;
  double before_ = 0.0, least_ = 0.0;
  std::optional<Guess> best_;
};

}  // namespace

std::optional<Guess> best_guess(const TorqueComparison& comparison, const Change& from, const PreparedLog& log,
                                const Mechanism& robot, std::span<const double> gears) {
  return Guesses(comparison, from, log, robot, gears).best();
}

}  // namespace catena::logs
