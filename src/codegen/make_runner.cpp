#include "catena/dynamics/make_runner.hpp"

#include "catena/scalar/expr.hpp"

namespace catena {

template class Runner<Expr>;
template std::unique_ptr<Runner<Expr>> make_runner<Expr>(std::string_view, const MechanismFor<Expr>&, std::string_view);

}  // namespace catena
