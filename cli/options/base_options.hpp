// --base-twist, --base-acceleration and, over time, --base-motion: a base that moves as it is told.
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

  // Where one is given: the robot on that base, whose calls take it; else as it is. Throws UsageError.
  Mechanism carried(Mechanism robot) const;
  std::array<double, base_motion_size> motion() const;  // at one instant
  // Throws UsageError where one is given beside what is for a base at rest.
  void refuse(std::string_view what) const;
  // From 0 to `time`; empty: the base rests. Throws UsageError and InputError.
  BaseLaw law(double time) const;
};

}  // namespace catena::cli
