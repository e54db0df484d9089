// Every job on dual numbers, compiled once for all tests.
#include "catena/scalar/dual.hpp"
#include "run/make_runner.hpp"

namespace catena {

using D = Dual<double>;
template <>
std::unique_ptr<Runner<D>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<D>> tree,
                                            std::string_view formulation) {
  return make_linked_runner<D>(job, std::move(tree), formulation);
}
template std::unique_ptr<Runner<D>> make_runner(std::string_view, std::shared_ptr<const MechanismFor<D>>,
                                                std::string_view);

}  // namespace catena
