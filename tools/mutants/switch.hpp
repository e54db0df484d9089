// Part of every file in the tree that mutants.py builds: which change acts, and which changes were reached.
#pragma once

namespace catena_mutants {

inline int active = 0;  // none; the first is 1
inline unsigned char reached[1 << 14] = {};

constexpr bool on(int change) {
  if (__builtin_is_constant_evaluated()) return false;
  reached[change] = 1;
  return active == change;
}

}  // namespace catena_mutants
