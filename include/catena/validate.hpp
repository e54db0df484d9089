// Checks whether a description is a valid robot. Every rule of the file formats that does not depend on the format
// (docs/robot-files.md) is checked here, for robots read from files and robots built in code alike.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// One problem: where (line 0 if built in code) and one sentence.
struct Problem {
  int line = 0;
  std::string text;    // starts with what it concerns, if anything: "link 2 'rod': mass …"
  std::string who{};   // and
  std::string kind{};  // as in Warning; only for warnings
};

struct Findings {
  std::vector<Problem> errors;
  std::vector<Problem> warnings;

  bool ok() const { return errors.empty(); }
};

// Collects all problems of the robot, not only the first.
Findings validate(const Robot& robot);

// Its two halves: every link, joint and frame by itself, and how they connect. A reader that could not resolve all
// names calls only the first: the second would repeat what it has already reported.
Findings validate_parts(const Robot& robot);
Findings validate_tree(const Robot& robot);

// Finds positions in which the closed loops of a valid robot are closed, and which joints follow from the others: sets
// Robot::closed and JointDescription::dependent. Readers of files do it; make_mechanism does it for a robot without.
// Returns what is wrong: a loop that cannot close, independent joints that are too few. Does nothing without loops.
std::vector<Problem> close_loops(Robot& robot);

// Principal moments in ascending order.
Vec3<double> eigenvalues(const Sym3<double>& matrix);

// Thrown if a model cannot be used; what() has one line per problem.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "FILE:LINE: TEXT" for each problem, joined by newlines ("LINE" left out if 0, "FILE" the robot's name if built in
// code).
std::string format_problems(const std::string& file, const std::vector<Problem>& problems);

}  // namespace catena
