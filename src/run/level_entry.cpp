// Compiled again for each level, together with the formulations: cmake/CatenaLevels.cmake.
#include "run/compiled_level.hpp"
#include "run/make_runner.hpp"

namespace catena {
// Instantiated in the other files of this folder.
template <class T>
std::unique_ptr<LaneRunner<T>> make_linked_lane_runner(const JobInfo& job,
                                                       std::shared_ptr<const BasicMechanism<T>> robot);
extern template std::unique_ptr<Runner<double>> make_runner_around<double>(std::string_view,
                                                                           std::shared_ptr<const Mechanism>,
                                                                           std::string_view, TreeRunnerMaker<double>);
}  // namespace catena

namespace {

// Runners created here live in the program's arena, if one is open.
template <auto make, class... In>
auto in_arena(In... in) {
  catena::Arena* arena = catena::open_arena_of_program();
  if (arena == nullptr) return make(std::move(in)...);
  const catena::ArenaScope scope(*arena);
  return make(std::move(in)...);
}

}  // namespace

extern "C" {
extern const catena::LevelRunners CATENA_LEVEL_ENTRY;
const catena::LevelRunners CATENA_LEVEL_ENTRY{
    in_arena<catena::make_linked_runner<double>>, in_arena<catena::make_runner_around<double>>,
    catena::make_linked_lane_runner<double>, catena::make_linked_lane_runner<float>};
}
