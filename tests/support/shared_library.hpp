// Generated C made callable: compiled by the C compiler into a shared library in a folder of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace catena::test {

class SharedLibrary {
 public:
  // Throws std::runtime_error with the compiler's words when the text does not compile.
  SharedLibrary(const std::string& source, const std::string& flags);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  // Calls a function of one to five arrays of doubles (or floats): first those it reads, last the one it fills.
  template <class T>
  void call(const std::string& function, const std::vector<const T*>& inputs, T* output) const {
    void* f = symbol(function);
    const auto& in = inputs;
    if (in.size() == 1) reinterpret_cast<void (*)(const T*, T*)>(f)(in[0], output);
    if (in.size() == 2) reinterpret_cast<void (*)(const T*, const T*, T*)>(f)(in[0], in[1], output);
    if (in.size() == 3) reinterpret_cast<void (*)(const T*, const T*, const T*, T*)>(f)(in[0], in[1], in[2], output);
    if (in.size() == 4)
      reinterpret_cast<void (*)(const T*, const T*, const T*, const T*, T*)>(f)(in[0], in[1], in[2], in[3], output);
  }
  template <class T>
  void call_batch(const std::string& function, std::size_t count, std::size_t stride,
                  const std::vector<const T*>& inputs, T* output) const {
    void* f = symbol(function);
    const auto& in = inputs;
    using Size = std::size_t;
    if (in.size() == 1) reinterpret_cast<void (*)(Size, Size, const T*, T*)>(f)(count, stride, in[0], output);
    if (in.size() == 2)
      reinterpret_cast<void (*)(Size, Size, const T*, const T*, T*)>(f)(count, stride, in[0], in[1], output);
    if (in.size() == 3)
      reinterpret_cast<void (*)(Size, Size, const T*, const T*, const T*, T*)>(f)(count, stride, in[0], in[1], in[2],
                                                                                  output);
  }

 private:
  void* symbol(const std::string& name) const;

  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

// Runs a command in the shell; its output, both streams. Throws std::runtime_error with it unless the status is 0.
std::string run_command(const std::string& command);

}  // namespace catena::test
