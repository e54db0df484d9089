// --base-twist, --base-acceleration and, over time, --base-motion: a base with a prescribed motion.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "catena/simulation.hpp"
#include "options/app.hpp"

namespace catena::cli {

struct BaseOptions {
  std::optional<std::string> twist, acceleration;
  std::string table;

  void add(CLI::App& command, bool over_time = false);
  bool given() const { return twist || acceleration || !table.empty(); }
  // The option that was given, for messages.
  std::string name() const;

  // The robot on a base that moves as given, whose calls take that motion; without one, unchanged. Throws UsageError.
  Mechanism carried(Mechanism robot) const;
  std::array<double, base_motion_size> motion() const;  // at one instant
  // Throws UsageError where one is given together with something that needs a base at rest.
  void refuse(std::string_view what) const;
  // From 0 to `time`; empty: the base is at rest. Throws UsageError and InputError.
  BaseLaw law(double time) const;
};

}  // namespace catena::cli
