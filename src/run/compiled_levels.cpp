// The levels this library was compiled for: a processor must have every instruction set that cmake/CatenaLevels.cmake
// lets the compiler use. tools/check_levels.py compares the two lists.
#include "run/compiled_level.hpp"

#ifdef CATENA_LEVELS_X86_64
extern "C" const catena::LevelRunners catena_level_x86_64_v3, catena_level_x86_64_v4;
#endif

namespace catena {

std::span<const CompiledLevel> compiled_levels() {
#ifdef CATENA_LEVELS_X86_64
  __builtin_cpu_init();
  static const bool v3 = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2") &&
                         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                         __builtin_cpu_supports("bmi2");
  static const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                         __builtin_cpu_supports("avx512vl");
  static const CompiledLevel list[] = {{"x86-64-v3", v3, &catena_level_x86_64_v3},
                                       {"x86-64-v4", v4, &catena_level_x86_64_v4}};
  return list;
#else
  return {};
#endif
}

}  // namespace catena
