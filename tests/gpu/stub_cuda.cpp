// A CUDA driver, and in stub_nvrtc.cpp its run-time compiler, without a graphics processor: "compiled" kernels are
// their own text, which a C compiler makes a function of; the stub calls it for every thread. Copies and launches wait
// in their streams until somebody waits for them, as on a device. Calls are counted, and any call can be told to fail:
// by stub_fail(), or for programs by $CATENA_STUB_FAIL, "cuMemAlloc_v2#2=2,…": the second call and those after it
// return 2.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gpu/stub_calls.hpp"
#include "support/plain_cuda.hpp"

std::recursive_mutex mutex;

namespace {

using Pointer = unsigned long long;
constexpr int devices = 2, invalid = 1, no_memory = 2, not_found = 500;

struct Failure {
  int from = 1, code = 0;
};
struct OneStream {
  void* context = nullptr;
  std::deque<std::function<void()>> waiting;
};
struct OneFunction {
  void (*call)(unsigned, unsigned, void**) = nullptr;
  std::size_t parameters = 0;
};
struct OneModule {
  void* library = nullptr;
  std::string text;
  std::deque<OneFunction> functions;
};

std::map<std::string, int> calls;
std::map<std::string, Failure> failures;
std::map<Pointer, std::size_t> memory;
std::map<const char*, std::size_t> pinned;
std::size_t used = 0, limit = std::size_t(8) << 30, pinned_used = 0;
int version = 13000;
char contexts[devices];
std::vector<void*> current;
OneStream default_stream;
std::set<OneStream*> streams;

void read_failures() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  if (const char* text = std::getenv("CATENA_STUB_VERSION")) version = std::atoi(text);
  if (const char* text = std::getenv("CATENA_STUB_MEMORY")) limit = std::size_t(std::atoll(text));
  const char* text = std::getenv("CATENA_STUB_FAIL");
  std::istringstream list(text != nullptr ? text : "");
  for (std::string one; std::getline(list, one, ',');) {
    const std::size_t equal = one.find('='), number = one.find('#');
    failures[one.substr(0, std::min(number, equal))] = {number < equal ? std::atoi(one.c_str() + number + 1) : 1,
                                                        std::atoi(one.c_str() + equal + 1)};
  }
}

}  // namespace

int enter(const char* name) {
  read_failures();
  const int count = ++calls[name];
  const auto failure = failures.find(name);
  return failure != failures.end() && count >= failure->second.from ? failure->second.code : good;
}

namespace {

OneStream& stream_of(void* handle) { return handle == nullptr ? default_stream : *static_cast<OneStream*>(handle); }
void finish(OneStream& stream) {
  while (!stream.waiting.empty()) {
    stream.waiting.front()();
    stream.waiting.pop_front();
  }
}
bool on_device(Pointer start, std::size_t bytes) {
  auto after = memory.upper_bound(start);
  if (after == memory.begin()) return false;
  --after;
  return start + bytes <= after->first + after->second;
}

// Made once a text, and kept.
void* made_library(const std::string& text) {
  static std::map<std::string, void*> made;
  if (const auto found = made.find(text); found != made.end()) return found->second;
  std::string base = (std::filesystem::temp_directory_path() / "catena_stub_XXXXXX").string();
  if (::mkdtemp(base.data()) == nullptr) return nullptr;
  if (FILE* file = std::fopen((base + "/k.c").c_str(), "w")) {
    const std::string plain = catena::test::plain_cuda(text) + catena::test::plain_callers(text);
    std::fwrite(plain.data(), 1, plain.size(), file);
    std::fclose(file);
  }
  const std::string command = "cc -std=gnu99 -O0 -w -shared -fPIC -o " + base + "/k.so " + base + "/k.c -lm";
  void* library =
      std::system(command.c_str()) == 0 ? ::dlopen((base + "/k.so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  for (const char* name : {"/k.c", "/k.so", ""}) std::remove((base + name).c_str());
  return made[text] = library;
}

}  // namespace

extern "C" {

// --- for tests ---
void stub_reset() {
  calls.clear();
  failures.clear();
  limit = std::size_t(8) << 30;
}
void stub_fail(const char* function, int from, int code) { failures[function] = {from, code}; }
int stub_calls(const char* function) { return calls[function]; }
void stub_limit(std::size_t bytes) { limit = bytes; }
std::size_t stub_used() { return used + pinned_used; }

// --- driver ---
int cuInit(unsigned) {
  ENTER;
  return good;
}
int cuDriverGetVersion(int* out) {
  ENTER;
  *out = version;
  return good;
}
int cuGetErrorName(int, const char** out) {
  *out = "CUDA_ERROR_STUB";
  return good;
}
int cuGetErrorString(int code, const char** out) {
  *out = code == no_memory ? "out of memory"
         : code == 100     ? "no CUDA-capable device is detected"
         : code == 700     ? "an illegal memory access was encountered"
         : code == 719     ? "unspecified launch failure"
                           : "stub error";
  return good;
}
int cuDeviceGetCount(int* out) {
  ENTER;
  *out = devices;
  return good;
}
int cuDeviceGet(int* out, int index) {
  ENTER;
  *out = index;
  return good;
}
int cuDeviceGetName(char* out, int size, int device) {
  ENTER;
  std::snprintf(out, std::size_t(size), "Stub %d", device);
  return good;
}
int cuDeviceGetAttribute(int* out, int attribute, int) {
  ENTER;
  *out = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 4 : attribute == 39 ? 2048 : 1;
  return good;
}
int cuDeviceTotalMem_v2(std::size_t* out, int) {
  ENTER;
  *out = limit;
  return good;
}
int cuDevicePrimaryCtxRetain(void** out, int device) {
  ENTER;
  *out = &contexts[device];
  return good;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER;
  return good;
}
int cuCtxPushCurrent_v2(void* context) {
  ENTER;
  current.push_back(context);
  return good;
}
int cuCtxGetDevice(int* out) {
  ENTER;
  if (current.empty()) return 201;
  *out = int(static_cast<const char*>(current.back()) - contexts);
  return good;
}
int cuCtxPopCurrent_v2(void** out) {
  ENTER;
  if (current.empty()) return invalid;
  *out = current.back();
  current.pop_back();
  return good;
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* all) {
  ENTER;
  *free = limit - used;
  *all = limit;
  return good;
}
int cuMemAlloc_v2(Pointer* out, std::size_t bytes) {
  ENTER;
  if (current.empty()) return 201;
  if (bytes == 0) return invalid;
  if (used + bytes > limit) return no_memory;
  void* block = std::malloc(bytes);
  std::memset(block, 0xa5, bytes);
  *out = reinterpret_cast<Pointer>(block);
  memory[*out] = bytes;
  used += bytes;
  return good;
}
int cuMemFree_v2(Pointer block) {
  ENTER;
  for (OneStream* stream : streams) finish(*stream);
  finish(default_stream);
  const auto found = memory.find(block);
  if (found == memory.end()) return invalid;
  used -= found->second;
  memory.erase(found);
  std::free(reinterpret_cast<void*>(block));
  return good;
}
int cuMemAllocHost_v2(void** out, std::size_t bytes) {
  ENTER;
  *out = std::malloc(bytes);
  pinned[static_cast<const char*>(*out)] = bytes;
  pinned_used += bytes;
  return good;
}
int cuMemFreeHost(void* block) {
  ENTER;
  for (OneStream* stream : streams) finish(*stream);
  const auto found = pinned.find(static_cast<const char*>(block));
  if (found == pinned.end()) return invalid;
  pinned_used -= found->second;
  pinned.erase(found);
  std::free(block);
  return good;
}
int cuMemcpyHtoDAsync_v2(Pointer to, const void* from, std::size_t bytes, void* stream) {
  ENTER;
  if (from == nullptr || !on_device(to, bytes)) return invalid;
  stream_of(stream).waiting.emplace_back([=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
  return good;
}
int cuMemcpyDtoHAsync_v2(void* to, Pointer from, std::size_t bytes, void* stream) {
  ENTER;
  if (to == nullptr || !on_device(from, bytes)) return invalid;
  stream_of(stream).waiting.emplace_back([=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
  return good;
}
int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, std::size_t bytes, void* stream) {
  ENTER;
  if (!on_device(from, bytes) || !on_device(to, bytes)) return invalid;
  stream_of(stream).waiting.emplace_back(
      [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
  return good;
}
int cuMemsetD8Async(Pointer to, unsigned char value, std::size_t bytes, void* stream) {
  ENTER;
  if (!on_device(to, bytes)) return invalid;
  stream_of(stream).waiting.emplace_back([=] { std::memset(reinterpret_cast<void*>(to), value, bytes); });
  return good;
}
int cuPointerGetAttribute(void* out, int attribute, Pointer block) {
  ENTER;
  auto after = pinned.upper_bound(reinterpret_cast<const char*>(block));
  if (attribute != 2 || after == pinned.begin()) return invalid;
  --after;
  if (reinterpret_cast<const char*>(block) >= after->first + after->second) return invalid;
  *static_cast<unsigned*>(out) = 1;
  return good;
}
int cuStreamCreate(void** out, unsigned) {
  ENTER;
  auto* stream = new OneStream;
  stream->context = current.empty() ? nullptr : current.back();
  streams.insert(stream);
  *out = stream;
  return good;
}
int cuStreamDestroy_v2(void* stream) {
  ENTER;
  finish(stream_of(stream));
  streams.erase(static_cast<OneStream*>(stream));
  delete static_cast<OneStream*>(stream);
  return good;
}
int cuStreamSynchronize(void* stream) {
  ENTER;
  finish(stream_of(stream));
  return good;
}
int cuStreamGetCtx(void* stream, void** out) {
  ENTER;
  *out = stream_of(stream).context;
  return good;
}
int cuEventCreate(void** out, unsigned) {
  ENTER;
  *out = new char;
  return good;
}
int cuEventDestroy_v2(void* event) {
  ENTER;
  delete static_cast<char*>(event);
  return good;
}
int cuEventRecord(void*, void*) {
  ENTER;
  return good;
}
int cuEventSynchronize(void*) {
  ENTER;
  for (OneStream* stream : streams) finish(*stream);
  finish(default_stream);
  return good;
}
int cuEventElapsedTime(float* out, void*, void*) {
  ENTER;
  *out = 1.0F;
  return good;
}
int cuModuleLoadData(void** out, const void* code) {
  ENTER;
  auto* module = new OneModule;
  module->text = static_cast<const char*>(code);
  module->library = made_library(module->text);
  if (module->library == nullptr) {
    delete module;
    return 200;
  }
  *out = module;
  return good;
}
int cuModuleUnload(void* module) {
  ENTER;
  delete static_cast<OneModule*>(module);
  return good;
}
int cuModuleGetFunction(void** out, void* module, const char* name) {
  ENTER;
  auto& own = *static_cast<OneModule*>(module);
  OneFunction function;
  function.call = reinterpret_cast<void (*)(unsigned, unsigned, void**)>(
      ::dlsym(own.library, ("all_" + std::string(name)).c_str()));
  function.parameters = catena::test::plain_parameters(own.text, name).size();
  if (function.call == nullptr) return not_found;
  own.functions.push_back(function);
  *out = &own.functions.back();
  return good;
}
int cuFuncGetAttribute(int* out, int attribute, void*) {
  ENTER;
  *out = attribute == 0 ? 1024 : attribute == 4 ? 64 : 0;
  return good;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, void*, int block, std::size_t) {
  ENTER;
  *out = 1024 / block;
  return good;
}
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void**) {
  ENTER;
  if (y != 1 || z != 1 || by != 1 || bz != 1 || bx > 1024 || shared > (48U << 10)) return invalid;
  const auto& own = *static_cast<const OneFunction*>(function);
  std::vector<Pointer> values;  // every parameter has eight bytes
  for (std::size_t k = 0; k < own.parameters; ++k) values.push_back(*static_cast<const Pointer*>(arguments[k]));
  stream_of(stream).waiting.emplace_back([call = own.call, x, bx, values]() mutable {
    std::vector<void*> places;
    for (Pointer& value : values) places.push_back(&value);
    call(x, bx, places.data());
  });
  return good;
}
}
