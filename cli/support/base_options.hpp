// --base-twist, --base-acceleration and, over time, --base-motion: a base that moves as it is told.
#pragma once

#include <optional>
#include <string>

#include "catena/sim/base_motion.hpp"
#include "support/app.hpp"

namespace catena::cli {

struct BaseOptions {
  std::optional<std::string> twist, acceleration;
  std::string table;

  void add(CLI::App& command, bool over_time = false);
  bool given() const { return twist || acceleration || !table.empty(); }
  // The option that was given, for messages.
  std::string name() const;

  // At one instant. Throws UsageError.
  BaseMotion<double> motion() const;
  // From 0 to `time`; empty: the base rests. Throws UsageError and InputError.
  BaseLaw law(double time) const;
};

}  // namespace catena::cli
