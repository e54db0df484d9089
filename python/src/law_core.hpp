// A control law as Python holds it.
#pragma once

#include <memory>

#include "catena/laws.hpp"
#include "loaded.hpp"

namespace catena::python {

struct LawCore {
  LawCore(std::shared_ptr<const Loaded> known, const LawOptions& options)
      : robot(std::move(known)), controller(std::make_shared<Controller>(robot->mechanism, options)) {}
  std::shared_ptr<const Loaded> robot;
  std::shared_ptr<Controller> controller;
};

}  // namespace catena::python
