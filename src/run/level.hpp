// Which of a processor's instructions the formulations run with. They are compiled several times, for levels that many
// processors have in common, and one binary takes the highest that the machine it runs on has:
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

// Those that were compiled, the lowest first: the baseline runs everywhere.
const std::vector<Level>& levels();

// The one that runs: the highest that the machine has, or what the environment variable CATENA_LEVEL names. Chosen
// once. Throws std::runtime_error when that is no level, or none that runs here.
const Level& level();

// A runner on double or float at a level. Where the level has none of its own, the one of the level below. As
// make_tree_runner, which takes level().
template <class S>
std::unique_ptr<Runner<S>> make_tree_runner_at(const Level& at, std::string_view job,
                                               std::shared_ptr<const TreeFor<S>> tree, std::string_view formulation);

}  // namespace catena
