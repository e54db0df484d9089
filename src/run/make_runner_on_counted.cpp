#include "catena/scalar/counted.hpp"
#include "run/make_runner.hpp"

namespace catena {

template <>
std::unique_ptr<Runner<Counted>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<Counted>> tree,
                                                  std::string_view formulation) {
  return make_linked_runner<Counted>(job, std::move(tree), formulation);
}
template std::unique_ptr<Runner<Counted>> make_runner(std::string_view, std::shared_ptr<const MechanismFor<Counted>>,
                                                      std::string_view);

}  // namespace catena
