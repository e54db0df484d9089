// A shared library of the system that may be missing.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace catena::engines {

class SharedObject {
 public:
  // The first of these that can be loaded; else null, and in `why` the reason for the first one that exists.
  static std::shared_ptr<SharedObject> open(const std::vector<std::string>& candidates, std::string& why);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  const std::string& name() const { return name_; }
  void* find(const char* symbol) const;  // nullptr where there is none of that name

 private:
  SharedObject(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  std::string name_;
  void* handle_;
};

}  // namespace catena::engines
