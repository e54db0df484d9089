// The few functions of NVIDIA's driver that this layer calls, declared here: no CUDA header is needed to build. The
// library is loaded at the first use ($CATENA_CUDA_LIBRARY names another one).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "catena/gpu.hpp"
#include "engines/shared_object.hpp"

namespace catena::gpu {

using Result = int;  // 0: success
using DeviceHandle = int;
using Context = void*;
using Module = void*;
using Function = void*;
using Stream = void*;
using Event = void*;
using DevicePointer = unsigned long long;

inline constexpr int oldest_driver = 11000;  // in the driver's numbering: 1000 * major + 10 * minor
inline constexpr Result out_of_memory = 2;

// Name in the library, result, arguments: the complete list of functions called.
#define CATENA_DRIVER_FUNCTIONS(X)                                                                                  \
  X(cuInit, unsigned)                                                                                               \
  X(cuDriverGetVersion, int*)                                                                                       \
  X(cuGetErrorName, Result, const char**)                                                                           \
  X(cuGetErrorString, Result, const char**)                                                                         \
  X(cuDeviceGetCount, int*)                                                                                         \
  X(cuDeviceGet, DeviceHandle*, int)                                                                                \
  X(cuDeviceGetName, char*, int, DeviceHandle)                                                                      \
  X(cuDeviceGetAttribute, int*, int, DeviceHandle)                                                                  \
  X(cuDeviceTotalMem_v2, std::size_t*, DeviceHandle)                                                                \
  X(cuDevicePrimaryCtxRetain, Context*, DeviceHandle)                                                               \
  X(cuDevicePrimaryCtxRelease_v2, DeviceHandle)                                                                     \
  X(cuCtxPushCurrent_v2, Context)                                                                                   \
  X(cuCtxGetDevice, DeviceHandle*)                                                                                  \
  X(cuCtxPopCurrent_v2, Context*)                                                                                   \
  X(cuMemGetInfo_v2, std::size_t*, std::size_t*)                                                                    \
  X(cuMemAlloc_v2, DevicePointer*, std::size_t)                                                                     \
  X(cuMemFree_v2, DevicePointer)                                                                                    \
  X(cuMemAllocHost_v2, void**, std::size_t)                                                                         \
  X(cuMemFreeHost, void*)                                                                                           \
  X(cuMemcpyHtoDAsync_v2, DevicePointer, const void*, std::size_t, Stream)                                          \
  X(cuMemcpyDtoHAsync_v2, void*, DevicePointer, std::size_t, Stream)                                                \
  X(cuMemcpyDtoDAsync_v2, DevicePointer, DevicePointer, std::size_t, Stream)                                        \
  X(cuMemsetD8Async, DevicePointer, unsigned char, std::size_t, Stream)                                             \
  X(cuPointerGetAttribute, void*, int, DevicePointer)                                                               \
  X(cuStreamCreate, Stream*, unsigned)                                                                              \
  X(cuStreamDestroy_v2, Stream)                                                                                     \
  X(cuStreamSynchronize, Stream)                                                                                    \
  X(cuStreamGetCtx, Stream, Context*)                                                                               \
  X(cuEventCreate, Event*, unsigned)                                                                                \
  X(cuEventDestroy_v2, Event)                                                                                       \
  X(cuEventRecord, Event, Stream)                                                                                   \
  X(cuEventSynchronize, Event)                                                                                      \
  X(cuEventElapsedTime, float*, Event, Event)                                                                       \
  X(cuModuleLoadData, Module*, const void*)                                                                         \
  X(cuModuleUnload, Module)                                                                                         \
  X(cuModuleGetFunction, Function*, Module, const char*)                                                            \
  X(cuFuncGetAttribute, int*, int, Function)                                                                        \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, Function, int, std::size_t)                                  \
  X(cuLaunchKernel, Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, \
    void**)

class Driver {
 public:
  // The driver, loaded and initialized once. Throws GpuError where there is none or it is too old.
  static std::shared_ptr<const Driver> load();

  // Throws GpuError: "CUDA: out of memory (cuMemAlloc_v2)", preceded by `doing` where given.
  void require(Result result, const char* function, const std::string& doing = {}) const;

  const std::string& library() const { return object_->name(); }
  int version() const { return version_; }
  int device_count() const;
  GpuDevice device(int index) const;  // throws GpuError that lists the devices

#define CATENA_DECLARE(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
  CATENA_DRIVER_FUNCTIONS(CATENA_DECLARE)
#undef CATENA_DECLARE

 private:
  Driver() = default;
  std::shared_ptr<engines::SharedObject> object_;
  int version_ = 0;
};

// Calls a function of the driver and throws GpuError where it fails: call(driver, cuStreamSynchronize, stream).
#define CATENA_CUDA(driver, name, ...) (driver).require((driver).name(__VA_ARGS__), #name)

// "13.0" for 13000.
std::string version_text(int version);

}  // namespace catena::gpu
