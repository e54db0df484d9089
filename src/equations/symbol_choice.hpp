// Selects which robot constants are written as symbols, under which names, and how they depend on each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/equations.hpp"
#include "catena/program.hpp"
#include "equations/relation.hpp"

namespace catena {

// A symbol for a robot constant, or for a term of one.
struct ChosenSymbol : Symbol {
  std::string meaning;            // for the reader
  std::optional<double> nominal;  // the value that follows from the model, where known
};

// A robot constant that may be written in the formulas as something other than its number.
struct ChosenParameter {
  KeptParameter kept;
  bool symbol = false;               // written by its own name
  std::optional<Relation> relation;  // written as this instead
  std::string relation_text{};       // as typed
  std::string new_name_meaning{};    // meaning of a new symbol in the relation; empty: the relation defines it
};

struct SymbolChoice {
  std::vector<ChosenParameter> parameters;  // without symbol and relation: written as a number
  std::vector<ChosenSymbol> symbols;
  bool gravity = false;
};

// Reads "all", "none", or a list of "all", "gravity", quantities as in parse_kept ("mass:3", "length:a2") and relations
// ("cx1=-a1/2": cx1 is written like this; a new name on the right becomes a symbol). Zero constants stay zero. Throws
// std::invalid_argument with one line: what is wrong, or where a relation disagrees with the model.
SymbolChoice choose_symbols(std::string_view text, const Robot& robot, const Mechanism& mechanism);

}  // namespace catena
