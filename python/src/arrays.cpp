#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL catena_numpy

#include "arrays.hpp"

#include <numpy/arrayobject.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace catena::python {
namespace {

PyArrayObject* as_array(const nb::object& object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

// A contiguous array of doubles with at most this many dimensions.
nb::object contiguous(nb::handle given, int most_dimensions) {
  PyObject* array = PyArray_FROMANY(given.ptr(), NPY_DOUBLE, 0, most_dimensions, NPY_ARRAY_CARRAY_RO);
  if (array == nullptr) throw nb::python_error();
  return nb::steal(array);
}
std::span<const double> values_of(const nb::object& array) {
  return {static_cast<const double*>(PyArray_DATA(as_array(array))),
          static_cast<std::size_t>(PyArray_SIZE(as_array(array)))};
}

}  // namespace

void import_numpy() {
  if (_import_array() < 0) throw nb::python_error();
}

NewArray new_array(std::initializer_list<std::size_t> shape) {
  std::vector<npy_intp> sides;
  std::size_t size = 1;
  for (const std::size_t side : shape) {
    sides.push_back(static_cast<npy_intp>(side));
    size *= side;
  }
  PyObject* array = PyArray_SimpleNew(static_cast<int>(sides.size()), sides.data(), NPY_DOUBLE);
  if (array == nullptr) throw nb::python_error();
  NewArray made{nb::steal(array), {}};
  made.values = {static_cast<double*>(PyArray_DATA(as_array(made.object))), size};
  return made;
}

nb::object to_array(std::span<const double> values) {
  const NewArray made = new_array({values.size()});
  std::copy(values.begin(), values.end(), made.values.begin());
  return made.object;
}

nb::object to_array(const std::vector<std::vector<double>>& rows, std::size_t columns) {
  const NewArray made = new_array({rows.size(), columns});
  auto next = made.values.begin();
  for (const std::vector<double>& row : rows) next = std::copy(row.begin(), row.end(), next);
  return made.object;
}

std::vector<double> numbers(nb::handle given, std::string_view name) {
  const nb::object array = contiguous(given, 0);
  if (PyArray_NDIM(as_array(array)) > 1)
    throw std::invalid_argument(std::string(name) + " must be a row of numbers, not an array of " +
                                std::to_string(PyArray_NDIM(as_array(array))) + " dimensions");
  const std::span<const double> values = values_of(array);
  return {values.begin(), values.end()};
}

std::vector<double> numbers(nb::handle given, std::string_view name, std::size_t length) {
  std::vector<double> values = numbers(given, name);
  if (values.size() != length)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) + " entries, not " +
                                std::to_string(length));
  return values;
}

RowArray row_array(nb::handle given, std::string_view name, std::size_t columns) {
  nb::object array = contiguous(given, 0);
  if (PyArray_NDIM(as_array(array)) != 2)
    throw std::invalid_argument(std::string(name) + " must be an array of rows (2 dimensions), not of " +
                                std::to_string(PyArray_NDIM(as_array(array))));
  if (static_cast<std::size_t>(PyArray_DIM(as_array(array), 1)) != columns)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(PyArray_DIM(as_array(array), 1)) +
                                " columns, not " + std::to_string(columns));
  const auto count = static_cast<std::size_t>(PyArray_DIM(as_array(array), 0));
  const double* data = values_of(array).data();
  return {std::move(array), data, count, columns};
}

std::vector<std::vector<double>> rows_of(nb::handle given, std::string_view name, std::size_t columns) {
  const RowArray array = row_array(given, name, columns);
  std::vector<std::vector<double>> rows;
  for (std::size_t k = 0; k < array.count; ++k) rows.emplace_back(array.row(k).begin(), array.row(k).end());
  return rows;
}

}  // namespace catena::python
