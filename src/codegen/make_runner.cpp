#include "run/make_runner.hpp"

#include "catena/scalar/expr.hpp"

namespace catena {

template <>
std::unique_ptr<Runner<Expr>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<Expr>> tree,
                                               std::string_view formulation) {
  return make_linked_runner<Expr>(job, std::move(tree), formulation);
}
template std::unique_ptr<Runner<Expr>> make_runner(std::string_view, std::shared_ptr<const MechanismFor<Expr>>,
                                                   std::string_view);

}  // namespace catena
