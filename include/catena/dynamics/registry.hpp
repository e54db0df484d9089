// Every formulation, listed once. The command line, the tests, the benchmarks and the tables iterate over these lists: a new
// formulation is one header, one line here and no other edit.
#pragma once

#include "catena/dynamics/inertia/generalized_links.hpp"
#include "catena/dynamics/inverse/denoc.hpp"
#include "catena/dynamics/inverse/hollerbach_3x3.hpp"
#include "catena/dynamics/inverse/hollerbach_4x4.hpp"
#include "catena/dynamics/inverse/luh_walker_paul.hpp"
#include "catena/dynamics/inverse/tensor.hpp"
#include "catena/dynamics/inverse/tensor_augmented.hpp"

namespace catena {

template <class... F>
struct FormulationList {
  // Calls visit(F{}) for each formulation.
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (visit(F{}), ...);
  }
};

using InverseFormulations =
    FormulationList<Hollerbach4x4, Hollerbach3x3, LuhWalkerPaul, DenocInverse, Tensor, TensorAugmented>;

using InertiaFormulations = FormulationList<GeneralizedLinks>;

// All jobs, one list after the other.
template <class... Lists>
struct JoinedLists {
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (Lists::for_each(visit), ...);
  }
};
using AllFormulations = JoinedLists<InverseFormulations, InertiaFormulations>;

}  // namespace catena
