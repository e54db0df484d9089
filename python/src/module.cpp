// The extension module catena._catena. The public interface is the Python package catena; nothing here is public.
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/compile.hpp"
#include "catena/validate.hpp"
#include "catena/write_error.hpp"
#include "evaluate.hpp"

namespace catena::python {
namespace {

// The library's errors, by what the user can do about them; std::invalid_argument becomes a ValueError anyway.
void bind_errors(nb::module_& module) {
  nb::exception<ModelError>(module, "ModelError", PyExc_ValueError);
  nb::exception<CompileError>(module, "CompileError", PyExc_RuntimeError);
  static nb::object no_result = nb::steal(PyErr_NewExceptionWithDoc(
      "catena._catena.NoResultError", "There is no result: a number is not finite, or the inertia matrix is singular.",
      PyExc_ArithmeticError, nullptr));
  module.attr("NoResultError") = no_result;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void*) {
        try {
          std::rethrow_exception(thrown);
        } catch (const std::domain_error& error) {
          PyErr_SetString(no_result.ptr(), error.what());
        } catch (const WriteError& error) {
          PyErr_SetString(PyExc_OSError, error.what());
        }
      },
      nullptr);
}

}  // namespace
}  // namespace catena::python

NB_MODULE(_catena, module) {
  using namespace catena::python;
  module.attr("version") = CATENA_VERSION;
  nb::set_leak_warnings(false);  // result types and calls live as long as the process
  import_numpy();
  bind_errors(module);
  make_result_types(module);
  bind_robots(module);
  bind_changes(module);
  bind_many_robots(module);
  bind_compiled(module);
  bind_simulation(module);
  bind_motion(module);
  bind_calibration(module);
  bind_identify(module);
  bind_logs(module);
  bind_control(module);
  bind_laws(module);
  bind_links(module);
  bind_batches(module);
  bind_code(module);
  bind_page(module);
  bind_gpu(module);
  bind_along(module);
  bind_rollout(module);
  bind_jax(module);
  bind_watching(module);
}
