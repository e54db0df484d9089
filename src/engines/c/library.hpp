// A shared library, loaded as long as its owner lives.
#pragma once

#include <string>

namespace catena::jit {

class Library {
 public:
  Library() = default;
  explicit Library(const std::string& path);  // absolute; throws CompileError
  ~Library();
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;

  void* symbol(const std::string& name) const;  // throws CompileError

 private:
  void* handle_ = nullptr;
};

}  // namespace catena::jit
