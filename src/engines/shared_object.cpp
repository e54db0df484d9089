#include "engines/shared_object.hpp"

#include <dlfcn.h>

namespace catena::engines {

std::shared_ptr<SharedObject> SharedObject::open(const std::vector<std::string>& candidates, std::string& why) {
  for (const std::string& name : candidates) {
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return std::shared_ptr<SharedObject>(new SharedObject(name, handle));
    const char* reason = ::dlerror();
    const std::string text = reason != nullptr ? reason : "cannot be loaded";
    if (why.empty() ||
        (why.find("No such file") != std::string::npos && text.find("No such file") == std::string::npos))
      why = text;
  }
  return nullptr;
}

SharedObject::~SharedObject() { ::dlclose(handle_); }

void* SharedObject::find(const char* symbol) const { return ::dlsym(handle_, symbol); }

}  // namespace catena::engines
