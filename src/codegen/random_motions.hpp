// Motions of one robot at random, within its limits, as arguments of its programs.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "catena/call.hpp"
#include "catena/program.hpp"
#include "coordinates/placement.hpp"

namespace catena {

// With all its ranges. Throws std::invalid_argument if there are too many or too few, or a number is out of range.
Abridging with_ranges(const Mechanism& robot, Abridging how);

class RandomMotions {
 public:
  // `ranges` has all of them. Throws std::invalid_argument if the program has an argument that is not part of a motion.
  RandomMotions(const Mechanism& robot, const Program& program, const Abridging& ranges, std::uint64_t seed);

  // All arguments of the program in sequence. The rates of every second state are at the ends of their ranges, where
  // most errors are largest. Torques are those that the motion takes. Throws std::domain_error if loops do not close.
  std::vector<double> draw();

 private:
  double within(double lower, double upper);
  double rate(double most) { return at_ends_ ? (engine_() & 1U ? most : -most) : within(-most, most); }
  void draw_positions();

  std::shared_ptr<const Mechanism> robot_;
  PlacementOf<double> placement_;
  Call<double> inverse_;
  std::vector<Input> wanted_;
  std::vector<double> speeds_, accelerations_;  // by coordinate
  std::vector<double> q_, qd_, qdd_, tau_, base_;
  std::mt19937_64 engine_;
  bool at_ends_ = true;
};

}  // namespace catena
