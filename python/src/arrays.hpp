// NumPy arrays, read as rows of numbers and built from them. Only arrays.cpp and evaluate.cpp use NumPy's own
// interface.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string_view>
#include <vector>

namespace catena::python {

namespace nb = nanobind;

void import_numpy();

// Allocates an array of doubles, which the caller fills.
struct NewArray {
  nb::object object;
  std::span<double> values;
};
NewArray new_array(std::initializer_list<std::size_t> shape);
nb::object to_array(std::span<const double> values);
// From rows, all of the same length.
nb::object to_array(const std::vector<std::vector<double>>& rows, std::size_t columns);

// The numbers of any array, list or tuple. Throws std::invalid_argument on a wrong length, naming the argument.
std::vector<double> numbers(nb::handle given, std::string_view name, std::size_t length);
std::vector<double> numbers(nb::handle given, std::string_view name);
// Rows that are read in place, where they are numbers of 64 bits in C order; else from a copy.
struct RowArray {
  nb::object kept;
  const double* data = nullptr;
  std::size_t count = 0, columns = 0;
  std::span<const double> row(std::size_t k) const { return {data + k * columns, columns}; }
};
RowArray row_array(nb::handle given, std::string_view name, std::size_t columns);
std::vector<std::vector<double>> rows_of(nb::handle given, std::string_view name, std::size_t columns);

}  // namespace catena::python
