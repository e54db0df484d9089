// Which of a processor's instructions the formulations use. They are compiled several times, for levels that many
// processors have in common, and one binary uses the highest level that the machine supports:
// cmake/CatenaLevels.cmake.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "jobs/runner.hpp"

namespace catena {

struct Level {
  std::string_view name;  // baseline, x86-64-v3, …
  bool runs_here;         // the machine has its instructions
};

// Those that were compiled, lowest first: the baseline runs everywhere.
const std::vector<Level>& levels();

// The level in use: the highest that the machine supports, or the one that the environment variable CATENA_LEVEL names.
// Chosen once. Throws std::runtime_error if that is not a level, or not one that runs here.
const Level& level();
// Whether it has vectors of eight doubles: some formulations are the fastest only with these.
bool has_wide_vectors();

// A runner on double or float at a level. If the level has none of its own, that of the level below. Otherwise as
// make_tree_runner, which uses level().
template <class S>
std::unique_ptr<Runner<S>> make_tree_runner_at(const Level& at, std::string_view job,
                                               std::shared_ptr<const TreeFor<S>> tree, std::string_view formulation);

}  // namespace catena
