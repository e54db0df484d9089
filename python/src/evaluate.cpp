#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL catena_numpy
#define NO_IMPORT_ARRAY

#include "evaluate.hpp"
#include "bindings.hpp"

#include <nanobind/stl/string.h>
#include <numpy/arrayobject.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "arrays.hpp"

namespace catena::python {
namespace {

PyArrayObject* array_of(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

nb::object steal(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

// --- one state in plain arrays: the path for loops with millions of calls ---

constexpr int plain_flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;

// The numbers of the object, where it is a contiguous row of doubles.
const double* plain_row(PyObject* object, std::size_t length) {
  if (!PyArray_CheckExact(object)) return nullptr;
  PyArrayObject* array = array_of(object);
  const bool plain = PyArray_NDIM(array) == 1 && PyArray_TYPE(array) == NPY_DOUBLE &&
                     (PyArray_FLAGS(array) & plain_flags) == plain_flags && PyArray_ISNOTSWAPPED(array) &&
                     static_cast<std::size_t>(PyArray_DIM(array, 0)) == length;
  return plain ? static_cast<const double*>(PyArray_DATA(array)) : nullptr;
}

bool plain_inputs(std::span<const Input> inputs, const Sizes& sizes, std::span<const nb::handle> given,
                  Inputs<double>& in) {
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::size_t length = index(info_of(inputs[k]).size(sizes));
    const double* data = plain_row(given[k].ptr(), length);
    if (data == nullptr) return false;
    in[inputs[k]] = {data, length};
  }
  return true;
}

struct Sides {
  int count = 0;
  npy_intp side[2];
};
Sides sides_of(const OutputInfo& output, const Sizes& sizes) {
  if (output.is_number()) return {};
  if (!output.is_matrix()) return {1, {output.rows(sizes), 0}};
  return {2, {output.rows(sizes), output.columns(sizes)}};
}

// Several results of one state, each in its own array.
nb::object one_state_of_many(Call<double>& call, std::size_t job_number, const Sizes& sizes, const Inputs<double>& in) {
  const JobInfo& job = call.job();
  std::vector<double> row(call.size());
  call(in, row);
  const double* next = row.data();
  nb::object values = steal(PyTuple_New(static_cast<Py_ssize_t>(job.outputs.size())));
  for (std::size_t k = 0; k < job.outputs.size(); ++k) {
    Sides sides = sides_of(job.outputs[k], sizes);
    PyObject* array = PyArray_SimpleNew(sides.count, sides.side, NPY_DOUBLE);
    if (array == nullptr) throw nb::python_error();
    const int size = job.outputs[k].size(sizes);
    std::copy_n(next, size, static_cast<double*>(PyArray_DATA(array_of(array))));
    next += size;
    PyTuple_SetItem(values.ptr(), static_cast<Py_ssize_t>(k), PyArray_Return(array_of(array)));
  }
  return steal(PyObject_CallObject(result_types()[job_number].ptr(), values.ptr()));
}

nb::object one_state(Call<double>& call, const JobInfo& job, const Sizes& sizes, const Inputs<double>& in) {
  Sides sides = sides_of(job.outputs[0], sizes);
  nb::object result = steal(PyArray_SimpleNew(sides.count, sides.side, NPY_DOUBLE));
  call(in, {static_cast<double*>(PyArray_DATA(array_of(result.ptr()))), call.size()});
  return result;
}

// --- arrays of states ---

template <class S>
constexpr int type_number = std::is_same_v<S, double> ? NPY_DOUBLE : NPY_FLOAT;

// An array whose entries can be read in place: double or float, aligned, in the machine's byte order.
nb::object readable(nb::handle given, std::string_view name) {
  if (PyArray_Check(given.ptr())) {
    PyArrayObject* array = array_of(given.ptr());
    const int type = PyArray_TYPE(array);
    if ((type == NPY_DOUBLE || type == NPY_FLOAT) && PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array))
      return nb::borrow(given);
  }
  const nb::object array = steal(PyArray_FROMANY(given.ptr(), NPY_NOTYPE, 0, 0, 0));
  const int own = PyArray_TYPE(array_of(array.ptr())), type = own == NPY_FLOAT ? NPY_FLOAT : NPY_DOUBLE;
  if (!PyArray_CanCastSafely(own, NPY_DOUBLE)) {
    const auto type_name = nb::cast<std::string>(array.attr("dtype").attr("name"));
    throw nb::type_error((std::string(name) + " is an array of " + type_name +
                          "; numbers are needed that float64 holds: " + std::string(name) + ".astype(float) makes them")
                             .c_str());
  }
  return steal(PyArray_FROMANY(array.ptr(), type, 0, 0, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
}

// The same as S, with strides in whole entries: copied only where the layout requires it. (Where doubles need not lie
// at multiples of their size, being aligned is not enough.)
template <class S>
nb::object as_scalar(const nb::object& array) {
  PyArrayObject* a = array_of(array.ptr());
  bool whole = PyArray_TYPE(a) == type_number<S>;
  for (int d = 0; d < PyArray_NDIM(a); ++d) whole = whole && PyArray_STRIDE(a, d) % npy_intp(sizeof(S)) == 0;
  if (whole) return array;
  return steal(PyArray_FROMANY(array.ptr(), type_number<S>, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
}

std::string shape_text(PyArrayObject* array, int dimensions) {
  std::string text = "(";
  for (int d = 0; d < dimensions; ++d) text += (d ? ", " : "") + std::to_string(PyArray_DIM(array, d));
  return text + (dimensions == 1 ? ",)" : ")");
}

void require_columns(PyArrayObject* array, const InputInfo& info, const Loaded& robot) {
  const int wanted = info.size(robot.sizes);
  if (PyArray_NDIM(array) > 0 && PyArray_DIM(array, PyArray_NDIM(array) - 1) == wanted) return;
  const bool alike = robot.sizes.positions == robot.sizes.velocities;
  std::string has = "robot '" + robot.robot.name + "' has " + std::to_string(wanted) +
                    (alike                                   ? " joints"
                     : info.size.of == Extent::Of::positions ? " positions"
                                                             : " velocities");
  if (!info.by_joint()) has = std::to_string(wanted) + " are needed: v, w, and their derivatives";
  const std::string name(info.name);
  if (PyArray_NDIM(array) == 0) throw std::invalid_argument(name + " is a single number, " + has);
  throw std::invalid_argument(name + " has " + std::to_string(PyArray_DIM(array, PyArray_NDIM(array) - 1)) +
                              " columns, " + has);
}

// The leading dimensions of all inputs, broadcast by NumPy's rules.
struct Leading {
  std::vector<npy_intp> shape;
  std::size_t states() const {
    std::size_t product = 1;
    for (const npy_intp side : shape) product *= static_cast<std::size_t>(side);
    return product;
  }
};
Leading leading_of(std::span<const std::string> names, std::span<const nb::object> arrays) {
  Leading all;
  for (const nb::object& object : arrays)
    all.shape.resize(std::max(all.shape.size(), static_cast<std::size_t>(PyArray_NDIM(array_of(object.ptr())) - 1)), 1);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    PyArrayObject* array = array_of(arrays[k].ptr());
    const std::size_t own = static_cast<std::size_t>(PyArray_NDIM(array) - 1), missing = all.shape.size() - own;
    for (std::size_t d = 0; d < own; ++d) {
      const npy_intp side = PyArray_DIM(array, static_cast<int>(d));
      npy_intp& common = all.shape[missing + d];
      if (common == 1) common = side;
      if (side == 1 || side == common) continue;
      std::string others;
      for (std::size_t before = 0; before < k; ++before) others += (before ? ", " : "") + names[before];
      throw std::invalid_argument(names[k] + " has leading dimensions " + shape_text(array, PyArray_NDIM(array) - 1) +
                                  ", which do not go with those of " + others);
    }
  }
  return all;
}

// The strides of an array along the common leading dimensions, 0 where it is broadcast, then along its entries (one or
// two dimensions taken as one).
template <class S>
Walk<S> walk_of(const nb::object& object, const Leading& leading, int own_sides) {
  PyArrayObject* array = array_of(object.ptr());
  Walk<S> walk;
  walk.data = static_cast<S*>(PyArray_DATA(array));
  const int own = PyArray_NDIM(array) - own_sides;
  const int missing = static_cast<int>(leading.shape.size()) - own;
  for (int d = 0; d < static_cast<int>(leading.shape.size()); ++d) {
    const bool repeated = d < missing || (PyArray_DIM(array, d - missing) == 1 && leading.shape[std::size_t(d)] != 1);
    walk.strides.push_back(repeated ? 0 : PyArray_STRIDE(array, d - missing) / npy_intp(sizeof(S)));
  }
  walk.by_entry = own_sides == 0 ? 1 : PyArray_STRIDE(array, PyArray_NDIM(array) - 1) / npy_intp(sizeof(S));
  return walk;
}

// --- results ---

bool overlap(PyArrayObject* a, PyArrayObject* b) {
  const auto bounds = [](PyArrayObject* array) {
    const char *low = PyArray_BYTES(array), *high = low + PyArray_ITEMSIZE(array);
    for (int d = 0; d < PyArray_NDIM(array); ++d) {
      const npy_intp reach = (PyArray_DIM(array, d) - 1) * PyArray_STRIDE(array, d);
      (reach < 0 ? low : high) += reach;
    }
    return std::pair(low, high);
  };
  if (PyArray_SIZE(a) == 0 || PyArray_SIZE(b) == 0) return false;
  const auto [a_low, a_high] = bounds(a);
  const auto [b_low, b_high] = bounds(b);
  return a_low < b_high && b_low < a_high;
}

template <class S>
nb::object result_array(const OutputInfo& output, const Sizes& sizes, const Leading& leading, nb::handle given) {
  std::vector<npy_intp> shape = leading.shape;
  const Sides sides = sides_of(output, sizes);
  shape.insert(shape.end(), sides.side, sides.side + sides.count);
  if (given.is_none()) return steal(PyArray_SimpleNew(int(shape.size()), shape.data(), type_number<S>));
  const auto refuse = [&](const std::string& why) {
    std::string wanted;
    for (const npy_intp side : shape) wanted += std::to_string(side) + ", ";
    throw std::invalid_argument("out for " + std::string(output.name) + " " + why + "; it takes a writable array of " +
                                (std::is_same_v<S, double> ? "float64" : "float32") + " of shape (" + wanted + ")");
  };
  if (!PyArray_Check(given.ptr())) refuse("is not an array");
  PyArrayObject* array = array_of(given.ptr());
  if (PyArray_TYPE(array) != type_number<S>) refuse("has another type");
  if (!PyArray_ISWRITEABLE(array)) refuse("is read-only");
  if (PyArray_NDIM(array) != int(shape.size()) || !std::equal(shape.begin(), shape.end(), PyArray_DIMS(array)))
    refuse("has the shape " + shape_text(array, PyArray_NDIM(array)));
  // Of another order: computed beside it, and copied at the end.
  if (!PyArray_ISCARRAY(array)) return steal(PyArray_SimpleNew(int(shape.size()), shape.data(), type_number<S>));
  return nb::borrow(given);
}

template <class S>
std::vector<nb::object> result_arrays(std::size_t job_number, const Sizes& sizes, const Leading& leading,
                                      nb::handle out) {
  const JobInfo& job = jobs()[job_number];
  std::vector<nb::object> arrays;
  if (job.outputs.size() == 1) return {result_array<S>(job.outputs[0], sizes, leading, out)};
  if (!out.is_none() && (!nb::isinstance<nb::tuple>(out) || nb::len(out) != job.outputs.size()))
    throw std::invalid_argument("out of " + python_name(job) + " takes a tuple of " +
                                std::to_string(job.outputs.size()) + " arrays");
  for (std::size_t k = 0; k < job.outputs.size(); ++k)
    arrays.push_back(
        result_array<S>(job.outputs[k], sizes, leading, out.is_none() ? nb::handle(out) : nb::handle(out[k])));
  return arrays;
}

nb::object packed(std::size_t job_number, std::span<const nb::object> arrays) {
  // A number instead of an array without dimensions, as NumPy's own functions return it.
  const auto shown = [](const nb::object& array) {
    return steal(PyArray_Return(array_of(nb::object(array).release().ptr())));
  };
  if (arrays.size() == 1) return shown(arrays[0]);
  nb::list values;
  for (const nb::object& array : arrays) values.append(shown(array));
  return result_types()[job_number](*values);
}

// Into the caller's own arrays, where they have another order.
void copy_out(nb::handle out, std::span<nb::object> results) {
  for (std::size_t k = 0; !out.is_none() && k < results.size(); ++k) {
    const nb::object wanted = results.size() == 1 ? nb::borrow(out) : nb::object(out[k]);
    if (wanted.is_none() || wanted.is(results[k])) continue;
    if (PyArray_CopyInto(array_of(wanted.ptr()), array_of(results[k].ptr())) < 0) throw nb::python_error();
    results[k] = wanted;
  }
}

void warn_of_engine(const std::string& why) {
  const nb::object category = nb::module_::import_("catena").attr("EngineWarning");
  const std::string text = "the generic engine ran instead of compiled code: " + why;
  if (PyErr_WarnEx(category.ptr(), text.c_str(), 1) < 0) throw nb::python_error();
}

void warn_of_failures(const BatchReport& report, const Leading& leading) {
  std::string where;
  std::size_t inside = report.states, k = report.first_failed;
  for (const npy_intp side : leading.shape) {
    inside /= static_cast<std::size_t>(side);
    where += (where.empty() ? "" : ", ") + std::to_string(k / inside);
    k %= inside;
  }
  const std::string text = std::to_string(report.failed) + " of " + std::to_string(report.states) +
                           " states have no result and are marked by nan, the first at [" + where + "]: " + report.why;
  const nb::object category = nb::module_::import_("catena").attr("NoResultWarning");
  if (PyErr_WarnEx(category.ptr(), text.c_str(), 1) < 0) throw nb::python_error();
}

// Checks only the first states, where degrees already show; checking all would cost a noticeable share of the time.
template <class S>
void question_states(const Loaded& robot, std::span<const Input> inputs, const Walks<S>& walks, std::size_t states) {
  if (inputs.empty() || inputs.front() != Input::q) return;
  constexpr std::size_t looked_at = 1000;
  const Walk<S>& walk = walks.inputs.front();
  std::vector<double> q(index(robot.sizes.positions));
  for (std::size_t k = 0; k < std::min(states, looked_at); ++k) {
    const S* from = walk.data;
    for (std::size_t d = walks.shape.size(), rest = k; d-- > 0; rest /= std::size_t(walks.shape[d]))
      from += std::ptrdiff_t(rest % std::size_t(walks.shape[d])) * walk.strides[d];
    for (std::size_t j = 0; j < q.size(); ++j) q[j] = static_cast<double>(from[std::ptrdiff_t(j) * walk.by_entry]);
    if (!robot.plausible.holds<double>(q)) return question_positions(robot, q, "q");
  }
}

template <class T>
T argument(nb::handle given, const char* name, const char* wanted) {
  T value{};
  if (nb::try_cast(given, value)) return value;
  const std::string shown = nb::cast<std::string>(nb::repr(given));
  throw nb::type_error((std::string(name) + " takes " + wanted + ", not " + shown).c_str());
}

// All wrenches as one array (..., 6 for each).
nb::object in_one_array(const std::vector<ExternalWrench<double>>& wrenches, std::vector<nb::object> rows) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto& [frame, f, m, axes] = wrenches[k];
    if (rows[k].is_none()) rows[k] = to_array(std::vector<double>{f.x, f.y, f.z, m.x, m.y, m.z});
  }
  if (rows.size() == 1) return rows[0];
  nb::list all;
  for (const nb::object& row : rows) all.append(row);
  const nb::object numpy = nb::module_::import_("numpy");
  return numpy.attr("concatenate")(numpy.attr("broadcast_arrays")(*all), nb::arg("axis") = -1);
}

// The arguments other than the state, in the library's terms; `pushes`: the numbers of all wrenches.
Extra extra_of(Loaded& robot, const JobInfo& job, const Asked& asked, nb::object& pushes) {
  Extra extra;
  if (robot.constants) extra.engine = BatchEngine::compiled;  // what runs in lanes
  if (!asked.method.is_none()) {
    extra.formulation = argument<std::string>(asked.method, "method", "the name of a formulation");
    job.formulation(extra.formulation);  // throws
  }
  if (!asked.frame.is_none()) {
    if (!job.takes_frame) throw std::invalid_argument(python_name(job) + " takes no frame");
    extra.frame = frame_of(robot.mechanism, argument<std::string>(asked.frame, "frame", "the name of a link or frame"));
  }
  if (!asked.wrenches.is_none()) {
    if (!job.feels_wrenches()) throw std::invalid_argument(python_name(job) + " does not take external wrenches");
    std::vector<nb::object> rows;
    extra.wrenches = wrenches_by_state(robot.mechanism, asked.wrenches, rows);
    if (!rows.empty()) pushes = in_one_array(extra.wrenches, std::move(rows));
  }
  if (!asked.threads.is_none()) {
    extra.threads = argument<int>(asked.threads, "threads", "a whole number");
    if (extra.threads < 1)
      throw std::invalid_argument("threads must be at least 1, not " + std::to_string(extra.threads));
  }
  if (!asked.engine.is_none())
    extra.engine = batch_engine(argument<std::string>(asked.engine, "engine", "the name of an engine"));
  const std::string device =
      asked.device.is_none() ? "cpu" : argument<std::string>(asked.device, "device", "the name of a device");
  if (device != "cpu") {
    if (!asked.engine.is_none()) throw std::invalid_argument("device takes the place of engine");
    extra.devices = parse_devices(device);
  }
  return extra;
}

template <class S>
nb::object evaluate_as(Loaded& robot, std::size_t job_number, std::vector<Input> inputs, std::span<nb::object> arrays,
                       const Extra& extra, nb::handle out, Call<double>* own) {
  const JobInfo& job = jobs()[job_number];
  for (nb::object& array : arrays) array = as_scalar<S>(array);
  std::vector<std::string> names;
  for (const Input input : inputs) names.emplace_back(info_of(input).name);
  const Leading leading = leading_of(names, arrays);
  std::vector<nb::object> results = result_arrays<S>(job_number, robot.sizes, leading, out);
  for (std::size_t k = 0; !out.is_none() && k < arrays.size(); ++k)
    for (const nb::object& result : results)
      if (overlap(array_of(result.ptr()), array_of(arrays[k].ptr())))
        throw std::invalid_argument("out overlaps " + names[k]);
  Walks<S> walks{.shape = {leading.shape.begin(), leading.shape.end()}};
  for (std::size_t k = 0; k < arrays.size(); ++k) walks.inputs.push_back(walk_of<S>(arrays[k], leading, 1));
  for (std::size_t k = 0; k < results.size(); ++k)
    walks.outputs.push_back(walk_of<S>(results[k], leading, sides_of(job.outputs[k], robot.sizes).count));
  question_states(robot, inputs, walks, leading.states());
  const bool pushed_by_state =
      !inputs.empty() && inputs.back() == Input::pushes && PyArray_NDIM(array_of(arrays.back().ptr())) > 1;
  walks.of = std::move(inputs);
  RunReport report;
  if (leading.states() == 1 && extra.devices.empty() && !pushed_by_state) {
    run_one(robot, job_number, walks, extra, own);  // throws where there is no result
  } else if (leading.states() > 0) {
    const nb::gil_scoped_release others_run;
    report = run_many(robot, job_number, walks, extra, goes_on);
  }
  if (report.stopped) throw nb::python_error();
  if (report.failed > 0 && leading.states() == 1) throw std::domain_error(report.why);  // as on the CPU
  if (report.failed > 0) warn_of_failures(report, leading);
  if (!report.not_compiled.empty()) warn_of_engine(report.not_compiled);
  copy_out(out, results);
  return packed(job_number, results);
}

nb::object evaluate_arrays(Loaded& robot, std::size_t job_number, std::span<const nb::handle> given, const Extra& extra,
                           const nb::object& pushes, nb::handle out, Call<double>* own) {
  std::vector<Input> inputs = robot.inputs[job_number];
  std::vector<nb::object> arrays;
  bool all_float = own == nullptr;
  for (std::size_t k = 0; k < given.size(); ++k) {
    arrays.push_back(readable(given[k], info_of(inputs[k]).name));
    require_columns(array_of(arrays[k].ptr()), info_of(inputs[k]), robot);
    all_float = all_float && PyArray_TYPE(array_of(arrays[k].ptr())) == NPY_FLOAT;
  }
  if (given.size() + (robot.constants ? 1 : 0) < inputs.size()) {  // a base at rest
    npy_intp size = base_motion_size;
    arrays.push_back(steal(PyArray_ZEROS(1, &size, NPY_FLOAT, 0)));
  }
  if (robot.constants) arrays.push_back(all_float ? robot.constants->of_float : robot.constants->of_double);
  if (!pushes.is_none()) arrays.push_back(pushes), inputs.push_back(Input::pushes);
  if (all_float) return evaluate_as<float>(robot, job_number, std::move(inputs), arrays, extra, out, nullptr);
  return evaluate_as<double>(robot, job_number, std::move(inputs), arrays, extra, out, own);
}

}  // namespace

void question_positions(const Loaded& robot, std::span<const double> q, const std::string& what) {
  if (q.empty() || robot.plausible.holds(q)) return;
  const nb::object category = nb::module_::import_("catena").attr("UnitsWarning");
  if (PyErr_WarnEx(category.ptr(), (what + ": " + robot.plausible.doubt(q)).c_str(), 1) < 0) throw nb::python_error();
}

nb::object evaluate(Loaded& robot, std::size_t job_number, std::span<const nb::handle> given, const Asked& asked) {
  const JobInfo& job = jobs()[job_number];
  if (given.size() + (robot.constants ? 1 : 0) > robot.inputs[job_number].size()) [[unlikely]]
    throw std::invalid_argument("robot '" + robot.robot.name +
                                "' is not on a moving base and takes no motion of it; on_moving_base() gives one");
  if (asked.nothing() && !robot.constants) [[likely]] {
    Inputs<double> in;
    if (plain_inputs(robot.inputs[job_number], robot.sizes, given, in)) [[likely]] {
      question_positions(robot, in.q, "q");
      Borrowed<double> call(robot, job_number, {});
      return job.outputs.size() == 1 ? one_state(*call, job, robot.sizes, in)
                                     : one_state_of_many(*call, job_number, robot.sizes, in);
    }
  }
  nb::object pushes = nb::none();
  const Extra extra = extra_of(robot, job, asked, pushes);
  return evaluate_arrays(robot, job_number, given, extra, pushes, asked.out, nullptr);
}

nb::object evaluate(Call<double>& call, Loaded& robot, std::size_t job_number, std::span<const nb::handle> given,
                    const Extra& extra) {
  Inputs<double> in;
  if (call.job().outputs.size() == 1 && plain_inputs(robot.inputs[job_number], robot.sizes, given, in)) [[likely]]
    return one_state(call, call.job(), robot.sizes, in);
  return evaluate_arrays(robot, job_number, given, extra, nb::none(), nb::none(), &call);
}

}  // namespace catena::python
