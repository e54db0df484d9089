#include "run/kinematics_of.hpp"

namespace catena {
template class Kinematics<double>;
template class Kinematics<float>;
}  // namespace catena
