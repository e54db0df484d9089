#include "bindings.hpp"
namespace catena::python {
void bind_simulation(nb::module_&) {}
void bind_motion(nb::module_&) {}
void bind_code(nb::module_&) {}
}  // namespace catena::python
