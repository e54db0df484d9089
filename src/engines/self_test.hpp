// Code against the program that it was made of, before anybody uses it: what an older generator left in the cache, or a
// compiler made wrong, is found out.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "catena/program.hpp"

namespace catena::engines {

using StateRows = std::vector<std::vector<double>>;  // by state, all inputs or all results in a row

// So many states, nothing special about them, as S can hold them. Later ones are smaller.
template <class S>
StateRows test_states(const Program& program, std::size_t count);

// Compares what code computes in S with the program's own results, where these are finite: at the first `enough` such
// states. Says what is wrong with the code, in words that follow its name; empty: nothing. Code for which no such state
// is found was not tested, and that is wrong too.
template <class S>
std::string disagreement(const Program& program, const StateRows& states, const StateRows& results,
                         std::size_t enough = std::numeric_limits<std::size_t>::max());

}  // namespace catena::engines
