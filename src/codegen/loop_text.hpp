// The statements of loops in generated C: products that fill matrices, and right-hand sides that are solved.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"

namespace catena {

// Where in kept[] they read and write.
struct LoopPlaces {
  std::vector<std::size_t> tables;
  std::size_t results = 0;
};

bool have_loops(const std::vector<Program>& programs);
// Types and macros that they need, before the functions.
std::string loop_types(const CodeOptions& options);
// How the language spells what they need: what names begin with, the type of a value, and 1 of that type.
struct LoopWords {
  std::string name, type, one;
};
std::string loop_text(const ProgramLoops& loops, const LoopPlaces& places, const LoopWords& words);

}  // namespace catena
