// The spelling of formulas in LaTeX or plain text.
#pragma once

#include <string>

#include "catena/equations.hpp"

namespace catena {

// A place where a long formula may be broken; comes before a sign.
inline constexpr char line_break = '\x1f';

class Notation {
 public:
  enum class Style { latex, text };
  Notation(const Equations& equations, Style style, int digits);

  std::string formula(const Formula& terms) const;    // with line_break marks
  std::string product(const Product& product) const;  // its sum included
  std::string symbol(const Symbol& symbol) const;
  std::string position(int joint) const;                      // of joint 0, 1, …
  std::string number(double value) const;                     // not negative; as a fraction where a person would
  std::string decimal(double value) const;                    // of any sign
  std::string name(const std::string& text) const;            // of a symbol, as typed
  std::string indices(const std::vector<int>& joints) const;  // 12, or 1,12 where joints have two digits
  std::string entry_indices(const Equation& equation, int row, int column) const;  // of a vector or a matrix

 private:
  std::string atom(const Atom& atom, int power) const;
  std::string turn(const Atom& atom, int power) const;

  const Equations& equations_;
  bool latex_;
  int digits_;
  bool fractions_;  // the formulas have symbols: ½ m a rather than 0.5 m a
};

// How a result is called on paper: the whole of it and one of its entries in LaTeX, and in plain text.
struct Letter {
  std::string whole, entry, text;
};
Letter letter_of(const Equation& equation);

// The approximate number of characters that a formula takes on the page.
std::size_t width(const std::string& formula);

// Breaks at the marks so that lines are not wider than given; removes unused marks.
std::string fold(const std::string& formula, std::size_t first, std::size_t others, const std::string& between);

}  // namespace catena
