#include "engines/c/library.hpp"

#include <dlfcn.h>

#include <utility>

#include "catena/compile.hpp"

namespace catena::jit {
namespace {

std::string reason() {
  const char* text = ::dlerror();
  return text != nullptr ? text : "unknown reason";
}

}  // namespace

Library::Library(const std::string& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw CompileError("cannot load compiled code: " + reason());
}

Library::~Library() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

Library::Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

void* Library::symbol(const std::string& name) const {
  void* found = ::dlsym(handle_, name.c_str());
  if (found == nullptr) throw CompileError("cannot load compiled code: " + reason());
  return found;
}

}  // namespace catena::jit
