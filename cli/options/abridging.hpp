// `generate --significance`: summands that are left out, and the motions that decide which.
#pragma once

#include <optional>
#include <string>

#include "catena/program.hpp"
#include "options/app.hpp"

namespace catena::cli {

struct AbridgingOptions {
  std::string significance;
  std::optional<std::string> speeds, accelerations;

  void add(CLI::App& command);
  // Without --significance nothing is left out. Throws UsageError.
  Abridging of(const Robot& robot, const Mechanism& mechanism) const;
};

}  // namespace catena::cli
