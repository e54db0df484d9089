// Compiled again for each level, together with the formulations: cmake/CatenaLevels.cmake.
#include "run/compiled_level.hpp"
#include "run/make_runner.hpp"

namespace catena {
// Instantiated in the other files of this folder.
template <class T>
std::unique_ptr<LaneRunner<T>> make_linked_lane_runner(const JobInfo& job,
                                                       std::shared_ptr<const BasicMechanism<T>> robot);
}  // namespace catena

namespace {

// Runners created here live in the program's arena, if one is open.
template <class S>
std::unique_ptr<catena::Runner<S>> make_in_arena(std::string_view job, std::shared_ptr<const catena::TreeFor<S>> tree,
                                                 std::string_view formulation) {
  catena::Arena* arena = catena::open_arena_of_program();
  if (arena == nullptr) return catena::make_linked_runner<S>(job, std::move(tree), formulation);
  const catena::ArenaScope scope(*arena);
  return catena::make_linked_runner<S>(job, std::move(tree), formulation);
}

}  // namespace

extern "C" {
extern const catena::LevelRunners CATENA_LEVEL_ENTRY;
const catena::LevelRunners CATENA_LEVEL_ENTRY{make_in_arena<double>, catena::make_linked_lane_runner<double>,
                                              catena::make_linked_lane_runner<float>};
}
