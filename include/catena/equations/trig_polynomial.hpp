// Polynomials in symbols, sines and cosines, in a form that is the same for equal expressions: every product of sines
// and cosines of joints with parallel axes is written as a sum, so that sums of angles appear by themselves:
//
//   cos q1 cos q2 - sin q1 sin q2 = cos(q1 + q2)      sin² q1 + cos² q1 = 1
//
// Sines and cosines of joints that are not parallel stay products: s1 c23, not two halves.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace catena {

// In the order in which a product is written; sines and cosines stand before the speeds.
enum class SymbolKind {
  mass,
  gravity,
  length,
  com,
  inertia,
  gear,
  rotor,
  friction,
  position,
  speed,
  acceleration,
  sign
};

struct Symbol {
  std::string name;  // as typed and as in the text format: m1, qd2
  SymbolKind kind = SymbolKind::mass;
  int joint = 0;  // from 1; 0: of no joint
};

// What polynomials are written in.
struct TrigSpace {
  std::vector<Symbol> symbols;  // in the order of writing
  std::vector<int> group;       // of each angle: angles of one group are added, those of two are multiplied
  int groups = 0;

  std::size_t angles() const { return group.size(); }
  int find(const std::string& name) const;  // -1: no such symbol
};

// The formulas would be longer than anybody reads.
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
    double value = 0.0, magnitude = 0.0;  // the sum, and the sum of the sizes of its parts
    bool is_rounding() const;             // what is left after cancellation
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
  double largest() const;        // coefficient, its size
  bool is_constant() const;
  double constant_term(const TrigSpace& space) const;

 private:
  void drop_rounding();

  Terms terms_;
};

}  // namespace catena
