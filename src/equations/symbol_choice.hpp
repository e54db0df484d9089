// Which robot constants are written as symbols, under which names, and how they depend on each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/equations.hpp"
#include "catena/program.hpp"
#include "equations/relation.hpp"

namespace catena {

// A symbol that stands for a robot constant, or for part of one.
struct ChosenSymbol : Symbol {
  std::string meaning;            // for the reader
  std::optional<double> nominal;  // what the model makes of it, where that is known
};

// A robot constant that the formulas do not take as the plain number.
struct ChosenParameter {
  KeptParameter kept;
  bool symbol = false;               // its own name stands in the formulas
  std::optional<Relation> relation;  // what stands there instead
  std::string relation_text{};       // as typed
  std::string new_name_meaning{};    // of the new symbol on the right; empty: the relation says it
};

struct SymbolChoice {
  std::vector<ChosenParameter> parameters;  // neither symbol nor relation: the number
  std::vector<ChosenSymbol> symbols;
  bool gravity = false;
};

// Reads "all", "none", or a list of "all", "gravity", quantities as parse_kept reads them ("mass:3", "length:a2") and
// relations ("cx1=-a1/2": cx1 is written so; a new name on the right becomes a symbol). Constants that are zero stay
// zero. Throws std::invalid_argument with one line: what is wrong, or where a relation disagrees with the model.
SymbolChoice choose_symbols(std::string_view text, const Robot& robot, const Mechanism& mechanism);

}  // namespace catena
