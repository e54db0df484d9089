#include "device.hpp"

#include <algorithm>
#include <vector>

#include "engines/cuda/nvrtc.hpp"

namespace catena::bench {
namespace {

constexpr const char* text = R"(
extern "C" __global__ void fill(unsigned long long count, real *to, double range, unsigned long long seed)
{
  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;
  unsigned long long x = (k + seed*0x9e3779b97f4a7c15ull)*0xbf58476d1ce4e5b9ull;
  if (k >= count) return;
  x ^= x >> 30; x *= 0xbf58476d1ce4e5b9ull; x ^= x >> 27; x *= 0x94d049bb133111ebull; x ^= x >> 31;
  to[k] = (real)(range*((double)(x >> 11)*0x1p-52 - 1.0));
}
extern "C" __global__ void normalize(unsigned long long count, real *q, unsigned long long state, unsigned long long entry)
{
  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;
  if (k >= count) return;
  real *const x = q + k*state + 3*entry, *const y = x + entry, *const z = y + entry, *const w = z + entry;
  const double scale = rsqrt((double)*x * *x + (double)*y * *y + (double)*z * *z + (double)*w * *w);
  *x *= scale; *y *= scale; *z *= scale; *w *= scale;
}
extern "C" __global__ void count(unsigned long long count, const real *from, unsigned *bad)
{
  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;
  if (k < count && !(0*from[k] == 0)) atomicAdd(bad, 1u);
}
extern "C" __global__ void move(unsigned long long count, long long in, long long out, const wide *__restrict__ from, wide *__restrict__ to)
{
  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;
  wide sum = {};
  if (k >= count) return;
#pragma unroll 8
  for (long long j = 0; j < in; ++j) { const wide x = from[j*count + k]; sum.x += x.x; sum.y += x.y; }
#pragma unroll 8
  for (long long j = 0; j < out; ++j) to[j*count + k] = sum;
}
)";

}  // namespace

gpu::Kernel Device::kernel(const char* name, bool single) const {
  const std::string real = single ? "float" : "double";
  const std::string source = "typedef " + real + " real;\ntypedef " + real + "2 wide;\n" + text;
  return gpu::Kernel(session_, gpu::Nvrtc::load()->compile(source, session_->device().architecture()), name);
}

Device::Device(int index) : session_(gpu::Session::open(index)), stream_(session_) {
  for (const bool single : {false, true}) {
    fill_[single] = kernel("fill", single);
    normalize_[single] = kernel("normalize", single);
    count_[single] = kernel("count", single);
    move_[single] = kernel("move", single);
  }
}

void Device::to_device(gpu::DevicePointer to, const void* from, std::size_t bytes) const {
  const gpu::Session::Current current(*session_);
  CATENA_CUDA(session_->driver(), cuMemcpyHtoDAsync_v2, to, from, bytes, stream());
  CATENA_CUDA(session_->driver(), cuStreamSynchronize, stream());
}
void Device::to_host(void* to, gpu::DevicePointer from, std::size_t bytes) const {
  const gpu::Session::Current current(*session_);
  CATENA_CUDA(session_->driver(), cuMemcpyDtoHAsync_v2, to, from, bytes, stream());
  CATENA_CUDA(session_->driver(), cuStreamSynchronize, stream());
}
void Device::poison(gpu::DevicePointer to, std::size_t bytes) const {
  const gpu::Session::Current current(*session_);
  CATENA_CUDA(session_->driver(), cuMemsetD8Async, to, 0xff, bytes, stream());
}
void Device::wait() const {
  const gpu::Session::Current current(*session_);
  CATENA_CUDA(session_->driver(), cuStreamSynchronize, stream());
}
void Device::copy(gpu::DevicePointer to, gpu::DevicePointer from, std::size_t bytes) const {
  const gpu::Session::Current current(*session_);
  CATENA_CUDA(session_->driver(), cuMemcpyDtoDAsync_v2, to, from, bytes, stream());
}

double Device::milliseconds(int repeats, const std::function<void()>& work) const {
  const gpu::Session::Current current(*session_);
  const gpu::Driver& driver = session_->driver();
  const gpu::OwnEvent start(session_), end(session_);
  std::vector<float> times;
  for (int k = 0; k < repeats + 3; ++k) {
    CATENA_CUDA(driver, cuEventRecord, start.get(), stream());
    work();
    CATENA_CUDA(driver, cuEventRecord, end.get(), stream());
    CATENA_CUDA(driver, cuEventSynchronize, end.get());
    float time = 0.0F;
    CATENA_CUDA(driver, cuEventElapsedTime, &time, start.get(), end.get());
    if (k >= 3) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return double(times[times.size() / 2]);
}

void Device::fill(gpu::DevicePointer to, std::size_t count, bool single, double range, unsigned seed) const {
  const gpu::Session::Current current(*session_);
  unsigned long long n = count, s = seed;
  void* arguments[] = {&n, &to, &range, &s};
  fill_[single].launch(count, stream(), arguments);
}
void Device::normalize(gpu::DevicePointer q, std::size_t states, std::size_t state, std::size_t entry,
                       bool single) const {
  const gpu::Session::Current current(*session_);
  unsigned long long n = states, next_state = state, next_entry = entry;
  void* arguments[] = {&n, &q, &next_state, &next_entry};
  normalize_[single].launch(states, stream(), arguments);
}
std::size_t Device::not_finite(gpu::DevicePointer from, std::size_t count, bool single) const {
  const gpu::Session::Current current(*session_);
  const gpu::DeviceMemory bad = memory(sizeof(unsigned));
  CATENA_CUDA(session_->driver(), cuMemsetD8Async, bad.get(), 0, sizeof(unsigned), stream());
  unsigned long long n = count;
  gpu::DevicePointer result = bad.get();
  void* arguments[] = {&n, &from, &result};
  count_[single].launch(count, stream(), arguments);
  unsigned found = 0;
  to_host(&found, bad.get(), sizeof found);
  return found;
}
void Device::move(std::size_t states, int in, int out, gpu::DevicePointer from, gpu::DevicePointer to,
                  bool single) const {
  const gpu::Session::Current current(*session_);
  unsigned long long n = states / 2;  // two states a thread, as the fastest kernels have it
  long long reads = in, writes = out;
  void* arguments[] = {&n, &reads, &writes, &from, &to};
  move_[single].launch(states / 2, stream(), arguments);
}

}  // namespace catena::bench
