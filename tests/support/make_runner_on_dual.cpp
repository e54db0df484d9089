// Every job on dual numbers, compiled once for all tests.
#include "catena/dynamics/make_runner.hpp"
#include "catena/scalar/dual.hpp"

namespace catena {

using D = Dual<double>;
template class Runner<D>;
template std::unique_ptr<Runner<D>> make_runner<D>(std::string_view, const MechanismFor<D>&, std::string_view);

}  // namespace catena
