// NumPy arrays, seen as rows of numbers and made from them. The only files that know NumPy's own interface: arrays.cpp,
// evaluate.cpp.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string_view>
#include <vector>

namespace catena::python {

namespace nb = nanobind;

void import_numpy();

// Makes an array of doubles, which the caller fills.
struct NewArray {
  nb::object object;
  std::span<double> values;
};
NewArray new_array(std::initializer_list<std::size_t> shape);
nb::object to_array(std::span<const double> values);
// By rows; all of one length.
nb::object to_array(const std::vector<std::vector<double>>& rows, std::size_t columns);

// Numbers of any array, list or tuple, read once. Throws std::invalid_argument on a wrong length, naming the argument.
std::vector<double> numbers(nb::handle given, std::string_view name, std::size_t length);
std::vector<double> numbers(nb::handle given, std::string_view name);
std::vector<std::vector<double>> rows_of(nb::handle given, std::string_view name, std::size_t columns);

}  // namespace catena::python
