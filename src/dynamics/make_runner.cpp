#include "catena/dynamics/make_runner.hpp"

#include "catena/scalar/counted.hpp"

namespace catena {

template class Runner<double>;
template std::unique_ptr<Runner<double>> make_runner<double>(std::string_view, const MechanismFor<double>&,
                                                             std::string_view);
template class Runner<float>;
template std::unique_ptr<Runner<float>> make_runner<float>(std::string_view, const MechanismFor<float>&,
                                                           std::string_view);
template class Runner<Counted>;
template std::unique_ptr<Runner<Counted>> make_runner<Counted>(std::string_view, const MechanismFor<Counted>&,
                                                               std::string_view);

}  // namespace catena
