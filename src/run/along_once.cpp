// First derivatives along directions; a file of its own, since it compiles every job once more.
#include "run/along_on.hpp"

namespace catena {
std::unique_ptr<Along::Base> make_first_along(const Mechanism& robot, std::string_view job) {
  return std::make_unique<AlongOn<Dual<double>>>(robot, job);
}
}  // namespace catena
