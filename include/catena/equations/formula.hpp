// A formula as it is written down: sums of products, common factors in front of parentheses.
#pragma once

#include <compare>
#include <span>
#include <utility>
#include <vector>

#include "catena/equations/trig_polynomial.hpp"

namespace catena {

// A factor: a symbol, or the cosine or sine of a sum of angles. Ordered as they stand in a product.
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
  std::vector<std::pair<int, int>> factors{};  // atom of the alphabet, power; in order
  std::vector<Product> sum{};
  int power = 1;
  std::vector<Product> other_sum{};
};

using Formula = std::vector<Product>;  // their sum; empty: 0

// Every factor that a set of formulas uses, in the order of writing.
using Alphabet = std::vector<Atom>;

// Where products of sines and cosines are shorter than sums of angles (cos² x, not ½ + ½ cos 2x) they are written so.
// Products without parentheses.
std::vector<Formula> written_out(std::span<const TrigPolynomial> polynomials, const TrigSpace& space,
                                 Alphabet& alphabet);

// The factor that all terms of all formulas share, which is taken out of them; a number only where all sizes are equal.
Product take_common_factor(std::vector<Formula>& formulas);

// Puts common factors before parentheses, finds squares of sums, puts terms in order. Accelerations come first, then
// speeds, then the rest; within these, masses.
Formula collect(Formula terms, const Alphabet& alphabet, const TrigSpace& space);

// The value, given those of the symbols and of the angles.
double evaluate(const Formula& formula, const Alphabet& alphabet, std::span<const double> symbols,
                std::span<const double> angles);

}  // namespace catena
