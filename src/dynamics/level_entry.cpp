// Compiled again for each level, together with the formulations: cmake/CatenaLevels.cmake.
#include "catena/dynamics/make_runner.hpp"
#include "compiled_level.hpp"

namespace {

#ifdef CATENA_LEVEL_HAS_FLOAT
constexpr catena::RunnerMaker<float>* on_float = catena::make_linked_runner<float>;
#else
constexpr catena::RunnerMaker<float>* on_float = nullptr;
#endif

}  // namespace

extern "C" {
extern const catena::LevelRunners CATENA_LEVEL_ENTRY;
const catena::LevelRunners CATENA_LEVEL_ENTRY{catena::make_linked_runner<double>, on_float};
}
