// In which order the body of a program computes and stores. Any order in which operands stand before operations gives
// the same results; it decides how many values wait in registers.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "catena/program.hpp"

namespace catena {

struct Step {
  struct Store {
    std::size_t output;
    int entry;
  };
  std::vector<std::uint32_t> nodes;  // computed one after the other
  std::vector<Store> stores;         // then stored
};
using BodyOrder = std::vector<Step>;

// As the formulation created the nodes; each result is stored at once.
BodyOrder creation_order(const Program& program);

// Steps that compute what they store and no earlier step has computed; their nodes are in order of creation.
BodyOrder demand_order(const Program& program, const std::vector<std::vector<Step::Store>>& stores);

// Products that only one sum reads: they are written inside that sum.
std::vector<bool> products_in_sums(const Graph& graph, const std::vector<std::uint32_t>& live,
                                   const std::vector<int>& uses);

// The body on a machine with so many registers, where what is read latest makes room.
struct Traffic {
  long moves = 0;                                                     // numbers that go to memory, and come back
  std::size_t most = 0;                                               // values that wait at once, at most
  friend auto operator<=>(const Traffic&, const Traffic&) = default;  // NOLINT(modernize-use-nullptr): not written here
};
Traffic traffic(const Program& program, const BodyOrder& order, std::size_t registers);

}  // namespace catena
