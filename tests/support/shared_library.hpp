// Generated C made callable: compiled by the C compiler into a shared library in a folder of its own.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catena/program.hpp"
#include "support/temporary_folder.hpp"

namespace catena::test {

class SharedLibrary {
 public:
  // Throws std::runtime_error with the compiler's words when the text does not compile.
  SharedLibrary(const std::string& source, const std::string& flags);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  // Calls a function of arrays: first those it reads, then those it fills. Throws where it has more than ten.
  template <class T>
  void call(const std::string& function, const std::vector<const T*>& inputs, const std::vector<T*>& outputs) const {
    call_with(symbol(function), pointers(inputs, outputs));
  }
  template <class T>
  void call(const std::string& function, const std::vector<const T*>& inputs, T* output) const {
    call(function, inputs, std::vector<T*>{output});
  }
  // The same of a batch, behind its size and the length of its rows.
  template <class T>
  void call_batch(const std::string& function, std::size_t count, std::size_t stride,
                  const std::vector<const T*>& inputs, const std::vector<T*>& outputs) const {
    call_with(symbol(function), pointers(inputs, outputs), count, stride);
  }

  void* symbol(const std::string& name) const;

 private:
  template <class T>
  static std::vector<void*> pointers(const std::vector<const T*>& inputs, const std::vector<T*>& outputs) {
    std::vector<void*> all;
    for (const T* input : inputs) all.push_back(const_cast<T*>(input));
    all.insert(all.end(), outputs.begin(), outputs.end());
    return all;
  }
  template <class... First>
  static void call_with(void* f, const std::vector<void*>& p, First... first) {
    constexpr std::size_t most = 10;
    const bool called = [&]<std::size_t... count>(std::index_sequence<count...>) {
      return ((p.size() == count && (call_counted(f, p, std::make_index_sequence<count>{}, first...), true)) || ...);
    }
    (std::make_index_sequence<most + 1>{});
    if (!called) throw std::invalid_argument("a function of " + std::to_string(p.size()) + " arrays");
  }
  template <std::size_t... k, class... First>
  static void call_counted(void* f, const std::vector<void*>& p, std::index_sequence<k...>, First... first) {
    using Array = void*;
    reinterpret_cast<void (*)(First..., decltype((void)k, Array())...)>(f)(first..., p[k]...);
  }

  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

// Where the outputs of a program go that stand in a row, each entry `stride` numbers after the one before.
template <class T>
std::vector<T*> outputs_in_a_row(const Program& program, T* first, std::size_t stride = 1) {
  std::vector<T*> starts;
  for (const Program::Output& output : program.outputs) {
    starts.push_back(first);
    first += static_cast<std::size_t>(output.size()) * stride;
  }
  return starts;
}

// Runs a command in the shell; its output, both streams. Throws std::runtime_error with it unless the status is 0.
std::string run_command(const std::string& command);

}  // namespace catena::test
