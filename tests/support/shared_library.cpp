#include "support/shared_library.hpp"

#include <dlfcn.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace catena::test {

std::string run_command(const std::string& command) {
  std::FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start: " + command);
  std::string output;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) output.append(block.data(), got);
  if (::pclose(pipe) != 0) throw std::runtime_error(command + "\n" + output);
  return output;
}

SharedLibrary::SharedLibrary(const std::string& source, const std::string& flags) {
  const std::string text = folder_.write("code.c", source).string(), library = (folder_ / "code.so").string();
  run_command("cc " + flags + " -shared -fPIC -o '" + library + "' '" + text + "' -lm");
  handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw std::runtime_error(::dlerror());
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

void* SharedLibrary::symbol(const std::string& name) const {
  void* found = ::dlsym(handle_, name.c_str());
  if (found == nullptr) throw std::runtime_error("no function " + name);
  return found;
}

}  // namespace catena::test
