// Every job on dual numbers of dual numbers, for second derivatives.
#include "catena/dynamics/make_runner.hpp"
#include "catena/scalar/dual.hpp"

namespace catena {

using DD = Dual<Dual<double>>;
template class Runner<DD>;
template std::unique_ptr<Runner<DD>> make_runner<DD>(std::string_view, const MechanismFor<DD>&, std::string_view);

}  // namespace catena
