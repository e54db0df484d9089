// Expands expression graphs to polynomials.
#pragma once

#include <span>
#include <vector>

#include "catena/equations.hpp"
#include "catena/scalar/graph.hpp"

namespace catena {

// What an input of the graph means: a polynomial in the symbols, and whether it is an angle too, of which sines and
// cosines are taken.
struct InputMeaning {
  int angle = -1;
  TrigPolynomial value{};
};

// `signs[k]`: the symbol for sign(input k), or -1.
// Throws std::domain_error where the graph divides, and TooManyTerms.
std::vector<TrigPolynomial> expand(const Graph& graph, std::span<const NodeRef> outputs,
                                   const std::vector<InputMeaning>& inputs, const std::vector<int>& signs,
                                   const TrigSpace& space, TermLimit& limit);

}  // namespace catena
