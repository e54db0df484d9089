// A device in use, and the resources held on it: memory, streams, events, kernels. Each owner frees what it holds.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "engines/cuda/driver.hpp"

namespace catena::gpu {

class GpuMemoryError : public GpuError {
 public:
  using GpuError::GpuError;
};

// The device's primary context, which other libraries in the process share.
class Session {
 public:
  static std::shared_ptr<const Session> open(int device);  // throws GpuError
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Driver& driver() const { return *driver_; }
  const GpuDevice& device() const { return device_; }
  // Throws GpuError where the caller's stream belongs to another device.
  void require_stream(Stream stream) const;

  // Makes the context current while this lives; then the thread's previous one is restored.
  class Current {
   public:
    explicit Current(const Session& session);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Driver& driver_;
  };

 private:
  Session() = default;
  std::shared_ptr<const Driver> driver_;
  GpuDevice device_;
  DeviceHandle handle_ = 0;
  Context context_ = nullptr;
};
using SessionPointer = std::shared_ptr<const Session>;

// A driver resource with an owner. Kind defines how it is created and freed.
template <class Kind>
class Held {
 public:
  using Handle = typename Kind::Handle;
  Held() = default;
  template <class... Arguments>
  explicit Held(SessionPointer session, Arguments... arguments) : session_(std::move(session)) {
    const Session::Current current(*session_);
    handle_ = Kind::make(session_->driver(), arguments...);
  }
  ~Held() { reset(); }
  Held(Held&& other) noexcept : session_(std::move(other.session_)), handle_(std::exchange(other.handle_, Handle{})) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  Handle get() const { return handle_; }
  void reset() {
    if (handle_ == Handle{}) return;
    const Handle held = std::exchange(handle_, Handle{});
    try {
      const Session::Current current(*session_);
      Kind::give_back(session_->driver(), held);
    } catch (const GpuError&) {  // the context cannot be made current: free without it
      Kind::give_back(session_->driver(), held);
    }
  }

 private:
  SessionPointer session_;
  Handle handle_{};
};

struct DeviceMemoryKind {
  using Handle = DevicePointer;
  static Handle make(const Driver& driver, std::size_t bytes);
  static void give_back(const Driver& driver, Handle handle) { driver.cuMemFree_v2(handle); }
};
struct PinnedMemoryKind {
  using Handle = void*;
  static Handle make(const Driver& driver, std::size_t bytes);
  static void give_back(const Driver& driver, Handle handle) { driver.cuMemFreeHost(handle); }
};
struct StreamKind {
  using Handle = Stream;
  static Handle make(const Driver& driver);
  static void give_back(const Driver& driver, Handle handle) { driver.cuStreamDestroy_v2(handle); }
};
struct EventKind {
  using Handle = Event;
  static Handle make(const Driver& driver);
  static void give_back(const Driver& driver, Handle handle) { driver.cuEventDestroy_v2(handle); }
};
struct ModuleKind {
  using Handle = Module;
  static Handle make(const Driver& driver, const std::string* code);
  static void give_back(const Driver& driver, Handle handle) { driver.cuModuleUnload(handle); }
};
using DeviceMemory = Held<DeviceMemoryKind>;
using PinnedMemory = Held<PinnedMemoryKind>;
using OwnStream = Held<StreamKind>;
using OwnEvent = Held<EventKind>;

// A kernel of a module, with the launch size that keeps most threads active on a multiprocessor.
class Kernel {
 public:
  Kernel() = default;
  // block 0: chosen automatically. shared: bytes of shared memory per thread.
  Kernel(SessionPointer session, const std::string& code, const std::string& function, int block = 0, int shared = 0);

  // One thread for each of `count`; arguments in the driver's form. Requires the context to be current.
  void launch(std::size_t count, Stream stream, std::span<void*> arguments) const;
  explicit operator bool() const { return function_ != nullptr; }
  int block() const { return block_; }
  int registers() const { return registers_; }
  int local_bytes() const { return local_bytes_; }
  double occupancy() const { return occupancy_; }  // relative to the number of threads that a multiprocessor can hold

 private:
  SessionPointer session_;
  Held<ModuleKind> module_;
  Function function_ = nullptr;
  int block_ = 0, shared_ = 0, registers_ = 0, local_bytes_ = 0;
  double occupancy_ = 0.0;
};

}  // namespace catena::gpu
