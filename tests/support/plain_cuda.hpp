// CUDA C as plain C: with a few words defined, a kernel is a function of one thread. Threads run one after the other;
// those that wait for their warp have stacks of their own, and each runs from one wait to the next in its turn.
#pragma once

#include <cctype>
#include <sstream>
#include <string>
#include <vector>

namespace catena::test {

inline constexpr const char* plain_cuda_words = R"(#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#define __global__
#define __device__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __restrict__ restrict
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t plain_caller, plain_lanes[32];
static unsigned plain_lane, plain_done;
static void **plain_arguments;
static inline void plain_wait(void) { swapcontext(&plain_lanes[plain_lane], &plain_caller); }
#define __syncwarp() plain_wait()
typedef struct { float x, y; } float2;
typedef struct { double x, y; } double2;
typedef struct { float x, y, z, w; } float4;
typedef struct { double x, y, z, w; } double4;
static inline float2 make_float2(float x, float y) { float2 v = {x, y}; return v; }
static inline double2 make_double2(double x, double y) { double2 v = {x, y}; return v; }
static inline float4 make_float4(float x, float y, float z, float w) { float4 v = {x, y, z, w}; return v; }
static inline double4 make_double4(double x, double y, double z, double w) { double4 v = {x, y, z, w}; return v; }
static struct { unsigned x; } blockIdx, blockDim, threadIdx;
static inline void plain_warp(void (*thread)(void), char *stacks, unsigned size)
{
  const unsigned first = threadIdx.x, count = blockDim.x - first < 32u ? blockDim.x - first : 32u;
  for (plain_lane = 0; plain_lane < count; ++plain_lane) {
    ucontext_t *c = &plain_lanes[plain_lane];
    getcontext(c);
    c->uc_stack.ss_sp = stacks + (size_t)size*plain_lane;
    c->uc_stack.ss_size = size;
    c->uc_link = &plain_caller;
    makecontext(c, thread, 0);
  }
  for (plain_done = 0; plain_done != (count == 32u ? 0xffffffffu : (1u << count) - 1u);)
    for (plain_lane = 0; plain_lane < count; ++plain_lane) {
      threadIdx.x = first + plain_lane;
      if ((plain_done >> plain_lane & 1u) == 0u) swapcontext(&plain_caller, &plain_lanes[plain_lane]);
    }
}
static inline int __float_as_int(float x) { int n; memcpy(&n, &x, sizeof n); return n; }
static inline float __int_as_float(int n) { float x; memcpy(&x, &n, sizeof x); return x; }
static inline int __double2loint(double x) { long long n; memcpy(&n, &x, sizeof n); return (int)n; }
static inline unsigned atomicAdd(unsigned *a, unsigned b) { const unsigned old = *a; *a += b; return old; }
)";

// Compiles as gnu99 or later.
inline std::string plain_cuda(std::string source) {
  const std::string linkage = "extern \"C\" ";
  for (std::size_t at; (at = source.find(linkage)) != std::string::npos;) source.erase(at, linkage.size());
  const std::string shared = "extern __shared__ ";
  for (std::size_t at; (at = source.find(shared)) != std::string::npos;) {
    source.replace(at, shared.size(), "static ");
    source.insert(source.find("[]", at) + 1, "48 << 10");
  }
  return plain_cuda_words + source;
}

// "float const *__restrict__ q" without its last word.
inline std::string plain_type(const std::string& parameter) {
  std::size_t end = parameter.size();
  while (end > 0 && (std::isalnum(static_cast<unsigned char>(parameter[end - 1])) || parameter[end - 1] == '_')) --end;
  return parameter.substr(0, end);
}
inline std::vector<std::string> plain_parameters(const std::string& text, const std::string& function) {
  const std::size_t at = text.find("__global__ void " + function + "(");
  if (at == std::string::npos) return {};
  const std::size_t open = text.find('(', at), close = text.find(')', open);
  std::istringstream list(text.substr(open + 1, close - open - 1));
  std::vector<std::string> types;
  for (std::string one; std::getline(list, one, ',');) types.push_back(plain_type(one));
  return types;
}
// For every kernel a function that calls it for all threads.
inline std::string plain_callers(const std::string& text) {
  std::string all;
  const std::string mark = "__global__ void ";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t start = at + mark.size();
    const std::string name = text.substr(start, text.find('(', start) - start);
    std::string arguments;
    std::size_t k = 0;
    for (const std::string& type : plain_parameters(text, name))
      arguments += (k == 0 ? "*(" : ", *(") + type + "*)plain_arguments[" + std::to_string(k) + "]", ++k;
    all += "static void one_" + name + "(void)\n{\n  " + name + "(" + arguments +
           ");\n  plain_done |= 1u << plain_lane;\n}\nvoid all_" + name +
           "(unsigned blocks, unsigned block, void **p)\n{\n  char *stacks = malloc((size_t)32 << 21);\n" +
           "  plain_arguments = p;\n  blockDim.x = block;\n" +
           "  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)\n" +
           "    for (unsigned first = 0; first < block; first += 32) {\n      threadIdx.x = first;\n" +
           "      plain_warp(one_" + name + ", stacks, 1u << 21);\n    }\n  free(stacks);\n}\n";
  }
  return all;
}

}  // namespace catena::test
