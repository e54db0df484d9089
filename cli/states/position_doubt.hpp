// Warns where positions look like degrees; with --strict this is an error.
#pragma once

#include <span>
#include <string_view>

#include "model/plausible_positions.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

// For one command line or one table; warns once.
class PositionDoubt {
 public:
  // With --deg there is nothing to warn about.
  PositionDoubt(const Robot& robot, bool degrees) : plausible_(robot), settled_(degrees) {}

  // `where()` returns where the positions come from: an option, or a place in a file.
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

// The same for positions given on the command line.
inline void question_positions(std::span<const double> q, std::string_view option, const Robot& robot, bool degrees) {
  PositionDoubt(robot, degrees).look(q, [&] { return option; });
}

}  // namespace catena::cli
