#include "system/library.hpp"

#include <dlfcn.h>



namespace catena::system {

void* load_library(const std::string& path, std::string& why, bool& is_missing) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): kept for each thread
  why = reason != nullptr ? reason : "cannot be loaded";
  is_missing = why.find("No such file") != std::string::npos;
  return nullptr;
}

void* find_in_library(void* library, const char* symbol) { return ::dlsym(library, symbol); }

void unload_library(void* library) { ::dlclose(library); }

}  // namespace catena::system
