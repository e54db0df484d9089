// What would have to be wrong with a log for its torques to be those of the model: each guess is tried by inverse
// dynamics.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/log.hpp"

namespace catena::logs {

// What is done to a log before it is compared.
struct Change {
  std::vector<double> scale, zero;                  // by joint: q -> scale q + zero
  std::vector<double> torque_sign;                  // by joint
  std::vector<std::size_t> position_of, torque_of;  // by joint: which joint's columns are taken
  std::ptrdiff_t lag = 0;                           // rows by which torques come later than motions

  explicit Change(std::size_t joints);
};

// How well the model explains a joint's torque beyond friction and an offset, which are fitted.
struct Explained {
  double factor = 0.0;  // measured torque over the model's
  double share = 0.0;   // of the variance; 0 where there is nothing to compare
  bool known = false;
};

class TorqueComparison {
 public:
  TorqueComparison(const PreparedLog& log, const Mechanism& robot);

  // By joint; nothing is known where the model refuses the motion.
  std::vector<Explained> explained(const Change& change) const;
  // The mean share over the joints, counting those with a positive factor only.
  double score(const Change& change) const;
  // The median over the joints of the measured torque over the model's, without sign.
  double usual_factor(const Change& change) const;

 private:
  std::vector<Explained> compared(const Change& change) const;

  const PreparedLog& log_;
  const Mechanism& robot_;
  std::size_t n_;
  std::vector<std::size_t> rows_;  // those that are compared
};

// A change that would explain the torques much better, and what it says.
struct Guess {
  Change change;
  LogFinding finding;
};
// The best of all single changes to `from`; nothing if none is clearly better.
std::optional<Guess> best_guess(const TorqueComparison& comparison, const Change& from, const PreparedLog& log,
                                const Mechanism& robot, std::span<const double> gears);

}  // namespace catena::logs
