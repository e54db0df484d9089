// The equations of one robot, as a person would write them: M(q) q̈ + C(q, q̇) q̇ + g(q) + f(q̇) = τ with collected terms,
// sums of angles and symbols for the robot's constants, as LaTeX or plain text.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/codegen/program.hpp"
#include "catena/dynamics/jobs/job.hpp"
#include "catena/equations/formula.hpp"
#include "catena/model/mechanism.hpp"
#include "catena/model/robot.hpp"

namespace catena {

// The list of symbols cannot be read, or does not fit the robot; what() starts with the item.
class SymbolError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct EquationsRequest {
  // Not those that invert M. Beside the velocity terms of coriolis stands f, the friction of a robot that has any.
  std::vector<std::string> jobs{"inertia", "coriolis", "gravity"};
  // Constants that are symbols: "all", "none" or a list, such as "mass:2,length:a1,cx1=-a1/2,gravity"
  // (docs/commands.md). Empty: all for robots of at most three joints, none for others.
  std::string symbols{};
  TermLimit limit{};
  int frame = tool_frame;  // for jobs that take one: which frame of the mechanism
  // Results that are no job's, behind those of the jobs: each with its LaTeX in the place of a meaning.
  MoreResults more{};
};

// A matrix or vector.
struct Equation {
  std::string job, name;  // name: that of the program's output, M, C, g, tau, …; friction has no job and is f
  int rows = 0, columns = 1;
  bool symmetric = false;
  std::vector<Formula> entries;   // by rows
  Product common{};               // what all entries share, and
  std::vector<Formula> inside{};  // what is left of them
  std::string head{};             // LaTeX, where it is no job's

  const Formula& entry(int row, int column) const {
    return entries[std::size_t(row) * std::size_t(columns) + std::size_t(column)];
  }
};

// What a symbol stands for.
struct SymbolNote {
  int symbol = 0;                 // of the space
  std::string meaning;            // one line
  std::optional<double> nominal;  // the model's value
  std::string unit;
};

struct Equations {
  std::string robot_name;
  TrigSpace space;  // angle k is q_k
  Alphabet alphabet;
  std::vector<bool> revolute;     // by q
  bool has_friction = false;      // f(q̇) stands in the equation of motion
  std::vector<SymbolNote> notes;  // of the symbols of the robot that appear
  std::vector<Equation> equations;

  // Whether something of them is in the equation of motion.
  bool of_motion() const;

  // The value of each symbol of the space, for the model's constants.
  std::vector<double> symbol_values(std::span<const double> q, std::span<const double> qd,
                                    std::span<const double> qdd) const;
  // All entries in a row.
  std::vector<double> evaluate(std::span<const double> q, std::span<const double> qd,
                               std::span<const double> qdd) const;
};

// Throws std::invalid_argument for a request that cannot be met, in one line, and TooManyTerms beyond its limit.
Equations make_equations(const Robot& robot, const Mechanism& mechanism, const EquationsRequest& request);

// What stands in the first line of the text, behind the robot's name.
inline constexpr std::string_view motion_text = "M(q) qdd + C(q, qd) qd + g(q)";

// A complete document that needs amsmath alone. `digits`: significant ones of numbers that are no simple fractions.
std::string to_latex(const Equations& equations, int digits = 6);
std::string to_text(const Equations& equations, int digits = 6);

// The forms that equations are written in, described once.
struct EquationFormat {
  std::string_view name;  // as typed: latex
  std::string_view words;
  std::string (*print)(const Equations& equations, int digits);
};
std::span<const EquationFormat> equation_formats();

}  // namespace catena
