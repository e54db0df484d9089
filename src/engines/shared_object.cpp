#include "engines/shared_object.hpp"

#include "system/library.hpp"

namespace catena::engines {

std::shared_ptr<SharedObject> SharedObject::open(const std::vector<std::string>& candidates, std::string& why) {
  bool told_missing = false;
  for (const std::string& name : candidates) {
    std::string reason;
    bool is_missing = false;
    if (void* handle = system::load_library(name, reason, is_missing))
      return std::shared_ptr<SharedObject>(new SharedObject(name, handle));
    if (!why.empty() && !(told_missing && !is_missing)) continue;
    why = reason;
    told_missing = is_missing;
  }
  return nullptr;
}

SharedObject::~SharedObject() { system::unload_library(handle_); }

void* SharedObject::find(const char* symbol) const { return system::find_in_library(handle_, symbol); }

}  // namespace catena::engines
