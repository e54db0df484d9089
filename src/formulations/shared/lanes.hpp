// Machine numbers side by side, for dense loops with as many rows or right-hand sides as joints: four, or as many as
// fit in a vector of the instruction level that a file is compiled for.
#pragma once

#include <concepts>
#include <cstddef>

// Marks a function in which the compiler may vectorize components that are treated alike. g++ is told not to do so
// elsewhere: most sweeps become slower; one without a long chain of dependent steps gains a third.
#if defined(__GNUC__) && !defined(__clang__)
#define CATENA_PACK_COMPONENTS [[gnu::optimize("tree-slp-vectorize")]]
#else
#define CATENA_PACK_COMPONENTS
#endif

namespace catena::detail {

#ifdef __AVX__
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif
// The widest vectors and how many there are, for loops that keep nothing but vectors busy.
#ifdef __AVX512F__
inline constexpr int widest_bytes = 64, vector_registers = 32;
#elif defined(__aarch64__)
inline constexpr int widest_bytes = vector_bytes, vector_registers = 32;
#else
inline constexpr int widest_bytes = vector_bytes, vector_registers = 16;
#endif
template <std::floating_point S>
inline constexpr int lane_count = vector_bytes >= int(4 * sizeof(S)) ? 4 : vector_bytes / int(sizeof(S));
template <std::floating_point S>
struct LanesOf {
  typedef S type __attribute__((vector_size(lane_count<S> * sizeof(S))));  // NOLINT(modernize-use-using)
};
template <std::floating_point S>
using Lanes = typename LanesOf<S>::type;

// By reference: the calling convention for vectors by value differs between levels.
template <class S>
[[gnu::always_inline]] inline void load_lanes(const S* from, Lanes<S>& lanes) {
  __builtin_memcpy(&lanes, from, sizeof(lanes));
}
template <class S>
[[gnu::always_inline]] inline void store_lanes(const Lanes<S>& lanes, S* to) {
  __builtin_memcpy(to, &lanes, sizeof(lanes));
}

// visit(k) for the first of each lane_count; the last ones of n are done together, and some of them twice.
template <class S, class Visitor>
[[gnu::always_inline]] inline void for_each_lanes(int n, const Visitor& visit) {
  for (int k = 0; k + lane_count<S> < n; k += lane_count<S>) visit(k);
  visit(n - lane_count<S>);
}

// Four rows of four as columns.
template <class Four>
[[gnu::always_inline]] inline void transpose_four(const Four (&rows)[4], Four (&columns)[4]) {
  const Four even[] = {__builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6),
                       __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6)};
  const Four odd[] = {__builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7),
                      __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7)};
  columns[0] = __builtin_shufflevector(even[0], even[1], 0, 1, 4, 5);
  columns[1] = __builtin_shufflevector(odd[0], odd[1], 0, 1, 4, 5);
  columns[2] = __builtin_shufflevector(even[0], even[1], 2, 3, 6, 7);
  columns[3] = __builtin_shufflevector(odd[0], odd[1], 2, 3, 6, 7);
}

}  // namespace catena::detail
