// Every job on dual numbers, compiled once for all tests.
#include "catena/dynamics/make_runner.hpp"

#include "catena/scalar/dual.hpp"

namespace catena {

using D = Dual<double>;
using DD = Dual<D>;
template std::unique_ptr<Runner<D>> make_runner<D>(std::string_view, const MechanismFor<D>&, std::string_view);
template std::unique_ptr<Runner<DD>> make_runner<DD>(std::string_view, const MechanismFor<DD>&, std::string_view);

}  // namespace catena
