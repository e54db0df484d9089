// A robot's equations of motion as text: polynomials in sines and cosines, formulas built from them, and their printed
// forms.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catena/job.hpp"
#include "catena/mechanism.hpp"
#include "catena/program.hpp"
#include "catena/robot.hpp"

namespace catena {

// Polynomials in symbols, sines and cosines, in a canonical form: equal expressions look the same. Every product of
// sines and cosines of joints with parallel axes is written as a sum, so that sums of angles appear by themselves:
//
//   cos q1 cos q2 - sin q1 sin q2 = cos(q1 + q2)      sin² q1 + cos² q1 = 1
//
// Sines and cosines of joints that are not parallel stay products: s1 c23, not two halves.

// In the order in which they appear in a product; sines and cosines come before the speeds.
enum class SymbolKind {
  mass,
  gravity,
  length,
  com,
  inertia,
  gear,
  rotor,
  friction,
  spring,
  position,
  speed,
  acceleration,
  sign,
  decay  // exp(-(q̇/stribeck_speed)²)
};

struct Symbol {
  std::string name;  // as typed and as in the text format: m1, qd2
  SymbolKind kind = SymbolKind::mass;
  int joint = 0;  // from 1; 0: belongs to no joint
};

// The variables that polynomials are written in.
struct TrigSpace {
  std::vector<Symbol> symbols;  // in the order in which they are written
  std::vector<int> group;       // of each angle: angles in one group are added, those in two are multiplied
  int groups = 0;

  std::size_t angles() const { return group.size(); }
  int find(const std::string& name) const;  // -1: no such symbol
};

// The formulas would be too long to read.
class TooManyTerms : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How long polynomials may become, and how many products of terms may still be formed.
struct TermLimit {
  std::size_t terms, work;
  explicit TermLimit(std::size_t most_terms = 20000) : terms(most_terms), work(2000 * most_terms) {}
};

class TrigPolynomial {
 public:
  // One byte each: powers of the symbols, factors of the angles, and for each group whether it is a sine.
  using Monomial = std::string;
  struct Coefficient {
    double value = 0.0, magnitude = 0.0;  // the sum, and the sum of the magnitudes of its terms
    bool is_rounding() const;             // the sum is only rounding error left after cancellation
  };
  using Terms = std::unordered_map<Monomial, Coefficient>;

  static TrigPolynomial constant(const TrigSpace& space, double value);
  static TrigPolynomial symbol(const TrigSpace& space, std::size_t which);
  // Cosine and sine of Σ factors[k] angle_k + offset.
  static std::pair<TrigPolynomial, TrigPolynomial> cosine_and_sine(const TrigSpace& space, std::span<const int> factors,
                                                                   double offset = 0.0);

  void add(const TrigPolynomial& other, double factor = 1.0);
  TrigPolynomial times(const TrigPolynomial& other, const TrigSpace& space, TermLimit& limit) const;

  friend TrigPolynomial operator+(TrigPolynomial a, const TrigPolynomial& b) { return a.add(b), a; }
  friend TrigPolynomial operator-(TrigPolynomial a, const TrigPolynomial& b) { return a.add(b, -1.0), a; }

  const Terms& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  void drop_below(double size);  // terms with smaller coefficients
  double largest() const;        // the largest magnitude of a coefficient
  bool is_constant() const;
  double constant_term(const TrigSpace& space) const;

 private:
  void drop_rounding();

  Terms terms_;
};

// A formula as it is written: sums of products, common factors in front of parentheses.

// A factor: a symbol, or the cosine or sine of a sum of angles. Ordered as they appear in a product.
struct Atom {
  int rank = 0;                 // by kind
  int symbol = -1;              // of the space; -1: a sine or cosine
  std::vector<int> joints{};    // where the angle's factors are not 0
  std::vector<int> multiple{};  // these factors
  bool sine = false;

  friend auto operator<=>(const Atom&, const Atom&) = default;  // NOLINT(modernize-use-nullptr): there is none
};

// coefficient · Π factors · (Σ other_sum) · (Σ sum)^power; an empty sum is 1.
struct Product {
  double coefficient = 1.0;
  std::vector<std::pair<int, int>> factors{};  // index into the alphabet, power; in order
  std::vector<Product> sum{};
  int power = 1;
  std::vector<Product> other_sum{};
};

using Formula = std::vector<Product>;  // their sum; empty: 0

// Every factor that a set of formulas uses, in the order in which they are written.
using Alphabet = std::vector<Atom>;

// Products of sines and cosines are written out where they are shorter than sums of angles (cos² x, not ½ + ½ cos 2x).
// The products have no parentheses.
std::vector<Formula> written_out(std::span<const TrigPolynomial> polynomials, const TrigSpace& space,
                                 Alphabet& alphabet);

// Takes out the factor that all terms of all formulas share; a number only if all magnitudes are equal.
Product take_common_factor(std::vector<Formula>& formulas);

// Puts common factors in front of parentheses, finds squares of sums and sorts the terms. Accelerations come first,
// then speeds, then the rest; within these, masses.
Formula collect(Formula terms, const Alphabet& alphabet, const TrigSpace& space);

// The value for given values of the symbols and of the angles.
double evaluate(const Formula& formula, const Alphabet& alphabet, std::span<const double> symbols,
                std::span<const double> angles);

// The equations of one robot, as a person would write them: M(q) q̈ + C(q, q̇) q̇ + g(q) + f(q̇) = τ with collected terms,
// sums of angles and symbols for the robot's constants, as LaTeX or plain text.

// The list of symbols cannot be read or does not fit the robot; what() starts with the item.
class SymbolError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct EquationsRequest {
  // Not the jobs that invert M. The friction f of a robot that has any is listed beside the velocity terms of coriolis.
  std::vector<std::string> jobs{"inertia", "coriolis", "gravity"};
  // By job; jobs that are not named take their standard one. Equal results print alike; C is not unique.
  std::map<std::string, std::string> formulations{};
  // Constants that are symbols: "all", "none" or a list, such as "mass:2,length:a1,cx1=-a1/2,gravity"
  // (docs/commands.md). Empty: all for robots of at most three joints, none for others.
  std::string symbols{};
  TermLimit limit{};
  int frame = tool_frame;  // for jobs that take one: which frame of the mechanism
  // Results that belong to no job, after those of the jobs: each has its LaTeX in place of a meaning.
  MoreResults more{};
};

// A matrix or vector.
struct Equation {
  std::string job, name;  // name: that of the program's output, M, C, g, tau, …; friction has no job and is called f
  int rows = 0, columns = 1;
  bool symmetric = false;
  std::vector<Formula> entries;                    // by rows
  Product common{};                                // the factor that all entries share, and
  std::vector<Formula> inside{};                   // the entries without it
  std::string head{};                              // LaTeX, if it belongs to no job
  std::string words{};                             // what it is, where the equation of motion does not say so
  std::string frame{};                             // its name, if the job takes one
  bool by_speed = false, by_acceleration = false;  // depends on q̇, on q̈

  const Formula& entry(int row, int column) const {
    return entries[std::size_t(row) * std::size_t(columns) + std::size_t(column)];
  }
  bool is_number() const { return rows == 1 && columns == 1; }
  bool is_friction() const { return job.empty() && head.empty(); }
};

// What a symbol means.
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
  std::vector<bool> revolute;          // by q
  bool has_friction = false;           // the equation of motion contains f(q̇)
  std::vector<double> stribeck_speed;  // by q; 0: no Stribeck friction
  std::vector<int> independent;        // of a robot with closed loops: which of the tree's joints, which q then are
  std::vector<SymbolNote> notes;       // for the robot's symbols that appear
  std::vector<Equation> equations;

  // Whether any of them is a term of the equation of motion.
  bool of_motion() const;

  // The value of each symbol of the space, with the model's constants.
  std::vector<double> symbol_values(std::span<const double> q, std::span<const double> qd,
                                    std::span<const double> qdd) const;
  // All entries in sequence.
  std::vector<double> evaluate(std::span<const double> q, std::span<const double> qd,
                               std::span<const double> qdd) const;
};

// Throws std::invalid_argument, with one line, for a request that cannot be met, and TooManyTerms beyond its limit.
Equations make_equations(const Robot& robot, const Mechanism& mechanism, const EquationsRequest& request);

// Appears in the first line of the text, after the robot's name.
inline constexpr std::string_view motion_text = "M(q) qdd + C(q, qd) qd + g(q)";

// A complete document that needs only amsmath. `digits`: significant digits of numbers that are not simple fractions.
std::string to_latex(const Equations& equations, int digits = 6);
std::string to_text(const Equations& equations, int digits = 6);

// The formats that equations can be written in, each described once.
struct EquationFormat {
  std::string_view name;  // as typed: latex
  std::string_view words;
  std::string (*print)(const Equations& equations, int digits);
};
std::span<const EquationFormat> equation_formats();

}  // namespace catena
