// Is this description a robot? Every rule of the file formats that does not depend on the format (docs/robot-files.md),
// checked once for robots read from files and robots built in code alike.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// One problem: where (line 0 when built in code) and one sentence.
struct Problem {
  int line = 0;
  std::string text;    // starts with who it is about, if anyone: "link 2 'rod': mass …"
  std::string who{};   // and
  std::string kind{};  // as in Warning; of warnings only
};

struct Findings {
  std::vector<Problem> errors;
  std::vector<Problem> warnings;

  bool ok() const { return errors.empty(); }
};

// Collects all problems of the robot, not only the first.
Findings validate(const Robot& robot);

// Its two halves: every link, joint and frame by itself, and how they hang together. A reader that could not resolve
// all names asks for the first only: the second would repeat what it has already said.
Findings validate_parts(const Robot& robot);
Findings validate_tree(const Robot& robot);

// Principal moments in ascending order.
Vec3<double> eigenvalues(const Sym3<double>& matrix);

// Thrown where a model cannot be used; what() holds one line a problem.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "FILE:LINE: TEXT" for each problem, joined by newlines ("LINE" left out when 0, "FILE" the robot's name when built in
// code).
std::string format_problems(const std::string& file, const std::vector<Problem>& problems);

}  // namespace catena
