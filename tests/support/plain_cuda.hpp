// CUDA C as plain C: with a few words defined, a kernel is a function of one thread.
#pragma once

#include <string>

namespace catena::test {

inline constexpr const char* plain_cuda_words = R"(#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#define __global__
#define __device__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __restrict__ restrict
static struct { unsigned x; } blockIdx, blockDim, threadIdx;
static inline int __float_as_int(float x) { int n; memcpy(&n, &x, sizeof n); return n; }
static inline float __int_as_float(int n) { float x; memcpy(&x, &n, sizeof x); return x; }
static inline int __double2loint(double x) { long long n; memcpy(&n, &x, sizeof n); return (int)n; }
static inline unsigned atomicAdd(unsigned *a, unsigned b) { const unsigned old = *a; *a += b; return old; }
)";

// Compiles as gnu99 or later.
inline std::string plain_cuda(std::string source) {
  const std::string linkage = "extern \"C\" ";
  for (std::size_t at; (at = source.find(linkage)) != std::string::npos;) source.erase(at, linkage.size());
  return plain_cuda_words + source;
}

}  // namespace catena::test
