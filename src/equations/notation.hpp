// How formulas are spelled: LaTeX or plain text.
#pragma once

#include <string>

#include "catena/equations.hpp"

namespace catena {

// A place where a long formula may go on in the next line; stands before a sign.
inline constexpr char line_break = '\x1f';

class Notation {
 public:
  enum class Style { latex, text };
  Notation(const Equations& equations, Style style, int digits);

  std::string formula(const Formula& terms) const;    // with line_break marks
  std::string product(const Product& product) const;  // its sum included
  std::string symbol(const Symbol& symbol) const;
  std::string position(int joint) const;                      // of joint 0, 1, …
  std::string number(double value) const;                     // not negative; fractions where a person writes them
  std::string decimal(double value) const;                    // any
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

// Characters that a formula takes on the page, nearly.
std::size_t width(const std::string& formula);

// Cuts at the marks so that lines are not wider than that; marks that are not used vanish.
std::string fold(const std::string& formula, std::size_t first, std::size_t others, const std::string& between);

}  // namespace catena
