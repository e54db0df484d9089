#include "engines/cuda/session.hpp"

#include <mutex>
#include <vector>

#include "catena/code.hpp"

namespace catena::gpu {
namespace {

constexpr int threads_a_multiprocessor = 39;                         // CUdevice_attribute
constexpr int most_threads = 0, local_size = 3, register_count = 4;  // CUfunction_attribute
constexpr unsigned non_blocking = 1;                                 // CUstream_flags

std::string mebibytes(std::size_t bytes) { return std::to_string((bytes + (1U << 20) - 1) >> 20) + " MiB"; }

}  // namespace

std::shared_ptr<const Session> Session::open(int device) {
  // One session per device, shared by all who open it.
  static std::mutex mutex;
  static std::vector<std::weak_ptr<const Session>> opened;
  const std::lock_guard lock(mutex);
  const auto driver = Driver::load();
  const GpuDevice found = driver->device(device);
  if (opened.size() <= std::size_t(device)) opened.resize(std::size_t(device) + 1);
  if (auto session = opened[std::size_t(device)].lock()) return session;
  std::shared_ptr<Session> session(new Session);
  session->driver_ = driver;
  session->device_ = found;
  CATENA_CUDA(*driver, cuDeviceGet, &session->handle_, device);
  driver->require(driver->cuDevicePrimaryCtxRetain(&session->context_, session->handle_), "cuDevicePrimaryCtxRetain",
                  "cannot use CUDA device " + std::to_string(device));
  opened[std::size_t(device)] = session;
  return session;
}

Session::~Session() {
  if (context_ != nullptr) driver_->cuDevicePrimaryCtxRelease_v2(handle_);
}

void Session::require_stream(Stream stream) const {
  if (reinterpret_cast<std::size_t>(stream) <= 2) return;  // the default streams belong to the current context
  Context owner = nullptr;
  driver_->require(driver_->cuStreamGetCtx(stream, &owner), "cuStreamGetCtx", "the stream cannot be used");
  if (owner != context_)
    throw GpuError("the stream belongs to another device or context than CUDA device " + std::to_string(device_.index) +
                   ", which computes");
}

Session::Current::Current(const Session& session) : driver_(*session.driver_) {
  CATENA_CUDA(driver_, cuCtxPushCurrent_v2, session.context_);
}
Session::Current::~Current() {
  Context gone = nullptr;
  driver_.cuCtxPopCurrent_v2(&gone);
}

DevicePointer DeviceMemoryKind::make(const Driver& driver, std::size_t bytes) {
  DevicePointer memory = 0;
  const Result result = driver.cuMemAlloc_v2(&memory, bytes > 0 ? bytes : 1);
  if (result == out_of_memory) {
    std::size_t free = 0, all = 0;
    const bool known = driver.cuMemGetInfo_v2(&free, &all) == 0;
    throw GpuMemoryError("out of memory on the CUDA device: " + mebibytes(bytes) + " asked for" +
                         (known ? ", " + mebibytes(free) + " of " + mebibytes(all) + " free" : ""));
  }
  driver.require(result, "cuMemAlloc_v2");
  return memory;
}

void* PinnedMemoryKind::make(const Driver& driver, std::size_t bytes) {
  void* memory = nullptr;
  driver.require(driver.cuMemAllocHost_v2(&memory, bytes > 0 ? bytes : 1), "cuMemAllocHost_v2",
                 "no page-locked memory of " + mebibytes(bytes));
  return memory;
}

Stream StreamKind::make(const Driver& driver) {
  Stream stream = nullptr;
  CATENA_CUDA(driver, cuStreamCreate, &stream, non_blocking);
  return stream;
}

Event EventKind::make(const Driver& driver) {
  Event event = nullptr;
  CATENA_CUDA(driver, cuEventCreate, &event, 0);
  return event;
}

Module ModuleKind::make(const Driver& driver, const std::string* code) {
  Module module = nullptr;
  driver.require(driver.cuModuleLoadData(&module, code->data()), "cuModuleLoadData",
                 "the CUDA driver (for CUDA " + version_text(driver.version()) + ") does not take the compiled kernel");
  return module;
}

Kernel::Kernel(SessionPointer session, const std::string& code, const std::string& function, int block, int shared)
    : session_(std::move(session)), module_(session_, &code), shared_(shared) {
  const Driver& driver = session_->driver();
  const Session::Current current(*session_);
  CATENA_CUDA(driver, cuModuleGetFunction, &function_, module_.get(), function.c_str());
  CATENA_CUDA(driver, cuFuncGetAttribute, &registers_, register_count, function_);
  CATENA_CUDA(driver, cuFuncGetAttribute, &local_bytes_, local_size, function_);
  int most = 0, together = 0;
  CATENA_CUDA(driver, cuFuncGetAttribute, &most, most_threads, function_);
  DeviceHandle handle = 0;
  CATENA_CUDA(driver, cuDeviceGet, &handle, session_->device().index);
  CATENA_CUDA(driver, cuDeviceGetAttribute, &together, threads_a_multiprocessor, handle);
  int best = 0;
  for (const int size : {128, 256, 64, 32, 512, 1024}) {  // the first among equals: small blocks end together
    if (size > most || (block > 0 && size != block) || size * shared_ > cuda_shared_bytes) continue;
    int blocks = 0;
    CATENA_CUDA(driver, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function_, size,
                std::size_t(size) * std::size_t(shared_));
    if (blocks * size <= best) continue;
    best = blocks * size;
    block_ = size;
  }
  if (block_ == 0) throw GpuError("the kernel '" + function + "' fits no multiprocessor");
  occupancy_ = together > 0 ? double(best) / together : 0.0;
}

void Kernel::launch(std::size_t count, Stream stream, std::span<void*> arguments) const {
  if (count == 0) return;
  const std::size_t blocks = (count + std::size_t(block_) - 1) / std::size_t(block_);
  if (blocks > 0x7fffffffU) throw GpuError(std::to_string(count) + " states are more than one launch takes");
  const Driver& driver = session_->driver();
  driver.require(driver.cuLaunchKernel(function_, unsigned(blocks), 1, 1, unsigned(block_), 1, 1,
                                       unsigned(block_ * shared_), stream, arguments.data(), nullptr),
                 "cuLaunchKernel", "the kernel was not started");
}

}  // namespace catena::gpu
