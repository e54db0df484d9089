// The stub's compiler: a kernel's code is its text.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "gpu/stub_calls.hpp"

namespace {

struct OneProgram {
  std::string text, log;
};

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  ENTER;
  *major = 13;
  *minor = 0;
  return good;
}
int nvrtcGetNumSupportedArchs(int* out) {
  ENTER;
  *out = 3;
  return good;
}
int nvrtcGetSupportedArchs(int* out) {
  ENTER;
  const bool old = std::getenv("CATENA_STUB_OLD_COMPILER") != nullptr;
  const int all[] = {75, 80, old ? 86 : 90};
  std::copy(all, all + 3, out);
  return good;
}
int nvrtcCreateProgram(void** out, const char* source, const char*, int, const char* const*, const char* const*) {
  ENTER;
  *out = new OneProgram{source, ""};
  return good;
}
int nvrtcDestroyProgram(void** program) {
  ENTER;
  delete static_cast<OneProgram*>(*program);
  *program = nullptr;
  return good;
}
int nvrtcCompileProgram(void* program, int, const char* const*) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  const int code = enter(__func__);
  if (code != good)
    static_cast<OneProgram*>(program)->log =
        "catena.cu(3): warning: something else\ncatena.cu(7): error: identifier \"arm\" is undefined\n1 error\n";
  return code;
}
int nvrtcGetProgramLogSize(void* program, std::size_t* out) {
  *out = static_cast<OneProgram*>(program)->log.size() + 1;
  return good;
}
int nvrtcGetProgramLog(void* program, char* out) {
  std::strcpy(out, static_cast<OneProgram*>(program)->log.c_str());
  return good;
}
int nvrtcGetCUBINSize(void* program, std::size_t* out) {
  ENTER;
  *out = static_cast<OneProgram*>(program)->text.size() + 1;
  return good;
}
int nvrtcGetCUBIN(void* program, char* out) {
  ENTER;
  std::strcpy(out, static_cast<OneProgram*>(program)->text.c_str());
  return good;
}
int nvrtcGetPTXSize(void* program, std::size_t* out) { return nvrtcGetCUBINSize(program, out); }
int nvrtcGetPTX(void* program, char* out) { return nvrtcGetCUBIN(program, out); }
const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_STUB"; }
}
