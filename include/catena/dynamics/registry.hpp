// Every formulation, listed once. The command line, the tests, the benchmarks and the tables iterate over these lists:
// a new formulation is one header, one line here and no other edit.
#pragma once

#include "catena/dynamics/bias/base_origin.hpp"
#include "catena/dynamics/bias/by_inverse.hpp"
#include "catena/dynamics/coriolis/denoc.hpp"
#include "catena/dynamics/coriolis/progressive.hpp"
#include "catena/dynamics/forward/articulated_body.hpp"
#include "catena/dynamics/forward/composite_ldlt.hpp"
#include "catena/dynamics/forward/conjugate_gradient.hpp"
#include "catena/dynamics/forward/denoc.hpp"
#include "catena/dynamics/forward/noc.hpp"
#include "catena/dynamics/inertia/base_origin.hpp"
#include "catena/dynamics/inertia/denoc.hpp"
#include "catena/dynamics/inertia/fijany_bejczy.hpp"
#include "catena/dynamics/inertia/generalized_links.hpp"
#include "catena/dynamics/inertia/noc.hpp"
#include "catena/dynamics/inertia/progressive.hpp"
#include "catena/dynamics/inertia/renaud.hpp"
#include "catena/dynamics/inertia/walker_orin.hpp"
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
  // Others first, then what each formulation of this list serves as.
  template <template <class> class As, class... Others>
  using Serving = FormulationList<Others..., As<F>...>;
};

using InverseFormulations =
    FormulationList<Hollerbach4x4, Hollerbach3x3, LuhWalkerPaul, DenocInverse, Tensor, TensorAugmented>;

using InertiaFormulations = FormulationList<WalkerOrin, GeneralizedLinks, DenocInertia, BaseOriginInertia, Renaud,
                                            FijanyBejczy, Noc, ProgressiveInertia>;

using CoriolisFormulations = FormulationList<DenocCoriolis, DenocChristoffel, ProgressiveCoriolis>;

using BiasFormulations = InverseFormulations::Serving<BiasByInverse, BaseOriginBias>;

using ForwardFormulations =
    FormulationList<DenocForward, ArticulatedBody, CompositeForward, NocForward, ConjugateGradient>;

// All jobs, one list after the other.
template <class... Lists>
struct JoinedLists {
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (Lists::for_each(visit), ...);
  }
};
using AllFormulations =
    JoinedLists<InverseFormulations, InertiaFormulations, CoriolisFormulations, BiasFormulations, ForwardFormulations>;

}  // namespace catena
