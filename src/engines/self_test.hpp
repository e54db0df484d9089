// Tests code against the program that it was generated from, before it is used: this detects errors of an older
// generator in the cache, and of a compiler.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "catena/program.hpp"

namespace catena::engines {

using StateRows = std::vector<std::vector<double>>;  // one row per state: all inputs, or all results

// This many generic states, representable in S. Later ones are smaller.
template <class S>
StateRows test_states(const Program& program, std::size_t count);

// Compares what code computes in S with the program's own results, where these are finite, at the first `enough` such
// states. Returns what is wrong with the code, as words to follow its name; empty: nothing. Finding no such state also
// counts as wrong, because the code was not tested.
template <class S>
std::string disagreement(const Program& program, const StateRows& states, const StateRows& results,
                         std::size_t enough = std::numeric_limits<std::size_t>::max());

}  // namespace catena::engines
