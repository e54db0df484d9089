#include "run/along.hpp"

#include <stdexcept>
#include <string>

namespace catena {

Along::Along(const Mechanism& robot, std::string_view job, int order) {
  if (order < 1 || order > most)
    throw std::invalid_argument("derivatives of order " + std::to_string(order) + " are asked for; there are 1 and 2");
  impl_ = order == 1 ? make_first_along(robot, job) : make_second_along(robot, job);
}
Along::~Along() = default;
Along::Along(Along&&) noexcept = default;
Along& Along::operator=(Along&&) noexcept = default;

void Along::operator()(const Inputs<double>& at, std::span<const Inputs<double>> along, std::span<double> out) {
  impl_->run(at, along, out);
}
std::size_t Along::size() const { return impl_->size; }

}  // namespace catena
