// Second derivatives along directions.
#include "run/along_on.hpp"

namespace catena {
std::unique_ptr<Along::Base> make_second_along(const Mechanism& robot, std::string_view job) {
  return std::make_unique<AlongOn<Dual<Dual<double>>>>(robot, job);
}
}  // namespace catena
