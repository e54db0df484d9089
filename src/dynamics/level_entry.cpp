// Compiled again for each level, together with the formulations: cmake/CatenaLevels.cmake.
#include "catena/dynamics/make_runner.hpp"
#include "compiled_level.hpp"

namespace catena {
// Instantiated in the files beside this one.
template <class T>
std::unique_ptr<LaneRunner<T>> make_linked_lane_runner(const JobInfo& job,
                                                       std::shared_ptr<const BasicMechanism<T>> robot);
}  // namespace catena

namespace {

#ifdef CATENA_LEVEL_HAS_FLOAT
constexpr catena::RunnerMaker<float>* on_float = catena::make_linked_runner<float>;
#else
constexpr catena::RunnerMaker<float>* on_float = nullptr;
#endif

}  // namespace

extern "C" {
extern const catena::LevelRunners CATENA_LEVEL_ENTRY;
const catena::LevelRunners CATENA_LEVEL_ENTRY{catena::make_linked_runner<double>, on_float,
                                              catena::make_linked_lane_runner<double>,
                                              catena::make_linked_lane_runner<float>};
}
