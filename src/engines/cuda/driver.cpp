#include "engines/cuda/driver.hpp"

#include <mutex>

#include "system/own_process.hpp"

namespace catena::gpu {
namespace {

constexpr int multiprocessor_count = 16, capability_major = 75, capability_minor = 76;  // CUdevice_attribute

std::vector<std::string> candidates() {
  if (const std::string own = system::variable("CATENA_CUDA_LIBRARY"); !own.empty()) return {own};
  if (system::on_windows) return {"nvcuda.dll"};
  return {"libcuda.so.1", "libcuda.so", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::shared_ptr<const Driver> Driver::load() {
  static std::mutex mutex;
  static std::shared_ptr<const Driver> loaded;
  const std::lock_guard lock(mutex);
  if (loaded) return loaded;
  std::shared_ptr<Driver> driver(new Driver);
  std::string why;
  driver->object_ = engines::SharedObject::open(candidates(), why);
  if (!driver->object_) throw GpuError("no CUDA driver: " + why);
#define CATENA_FIND(name, ...)                                                           \
  driver->name = reinterpret_cast<decltype(driver->name)>(driver->object_->find(#name)); \
  if (driver->name == nullptr)                                                           \
    throw GpuError("the CUDA driver '" + driver->library() + "' is too old: it has no " + #name);
  CATENA_DRIVER_FUNCTIONS(CATENA_FIND)
#undef CATENA_FIND
  if (const Result result = driver->cuInit(0); result != 0)
    driver->require(result, "cuInit", "the CUDA driver does not start");
  CATENA_CUDA(*driver, cuDriverGetVersion, &driver->version_);
  if (driver->version_ < oldest_driver)
    throw GpuError("the CUDA driver is for CUDA " + version_text(driver->version_) + ", at least " +
                   version_text(oldest_driver) + " is needed");
  loaded = driver;
  return loaded;
}

void Driver::require(Result result, const char* function, const std::string& doing) const {
  if (result == 0) return;
  const char* words = nullptr;
  if (cuGetErrorString == nullptr || cuGetErrorString(result, &words) != 0 || words == nullptr) words = "unknown error";
  throw GpuError((doing.empty() ? "CUDA" : doing) + ": " + words + " (" + function + ", error " +
                 std::to_string(result) + ")");
}

int Driver::device_count() const {
  int count = 0;
  CATENA_CUDA(*this, cuDeviceGetCount, &count);
  return count;
}

GpuDevice Driver::device(int index) const {
  const int count = device_count();
  if (index < 0 || index >= count)
    throw GpuError("no CUDA device " + std::to_string(index) + ": " +
                   (count == 0   ? std::string("there is none")
                    : count == 1 ? std::string("there is one, 0")
                                 : "there are 0 to " + std::to_string(count - 1)));
  GpuDevice device;
  device.index = index;
  DeviceHandle handle = 0;
  CATENA_CUDA(*this, cuDeviceGet, &handle, index);
  char name[256] = "";
  CATENA_CUDA(*this, cuDeviceGetName, name, int(sizeof name), handle);
  device.name = name;
  CATENA_CUDA(*this, cuDeviceGetAttribute, &device.major, capability_major, handle);
  CATENA_CUDA(*this, cuDeviceGetAttribute, &device.minor, capability_minor, handle);
  CATENA_CUDA(*this, cuDeviceGetAttribute, &device.multiprocessors, multiprocessor_count, handle);
  CATENA_CUDA(*this, cuDeviceTotalMem_v2, &device.memory, handle);
  return device;
}

}  // namespace catena::gpu
