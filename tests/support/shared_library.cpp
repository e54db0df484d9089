#include "support/shared_library.hpp"

#include <dlfcn.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <random>
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

std::filesystem::path temporary_folder() {
  std::random_device random;
  const auto folder = std::filesystem::temp_directory_path() / ("catena_code_" + std::to_string(random()));
  std::filesystem::create_directories(folder);
  return folder;
}

SharedLibrary::SharedLibrary(const std::string& source, const std::string& flags) : folder_(temporary_folder()) {
  const std::string text = (folder_ / "code.c").string(), library = (folder_ / "code.so").string();
  std::ofstream(text, std::ios::binary) << source;
  try {
    run_command("cc " + flags + " -shared -fPIC -o '" + library + "' '" + text + "' -lm");
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
  } catch (...) {
    std::filesystem::remove_all(folder_);
    throw;
  }
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void* SharedLibrary::symbol(const std::string& name) const {
  void* found = ::dlsym(handle_, name.c_str());
  if (found == nullptr) throw std::runtime_error("no function " + name);
  return found;
}

}  // namespace catena::test
