// Asks whether positions are in degrees, where they look like it: a warning, or with --strict an error.
#pragma once

#include <span>
#include <string_view>

#include "model/plausible_positions.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

// Of a command line or a table; it asks once.
class PositionDoubt {
 public:
  // With --deg nobody need be asked.
  PositionDoubt(const Robot& robot, bool degrees) : plausible_(robot), settled_(degrees) {}

  // `where()` says where the positions stand: an option, or a place in a file.
  template <class Where>
  void look(std::span<const double> q, const Where& where) {
    if (settled_ || plausible_.holds(q)) return;
    settled_ = true;
    doubt(std::string(where()) + ": " + plausible_.doubt(q) + " (--deg)");
  }

 private:
  PlausiblePositions plausible_;
  bool settled_;
};

// The same for positions that were typed.
inline void question_positions(std::span<const double> q, std::string_view option, const Robot& robot, bool degrees) {
  PositionDoubt(robot, degrees).look(q, [&] { return option; });
}

}  // namespace catena::cli
