#include "support/shared_library.hpp"

#include <array>
#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "engines/c/compiler.hpp"
#include "system/library.hpp"

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
  std::vector<std::string> words{"-shared", "-fPIC"};
  std::istringstream in(flags);
  for (std::string word; in >> word;) words.push_back(word);
  constexpr double longest = 600.0;  // s
  jit::make_library(jit::find_compiler("cc"), words, text, library, longest, [] {});
  std::string why;
  bool is_missing = false;
  handle_ = system::load_library(library, why, is_missing);
  if (handle_ == nullptr) throw std::runtime_error(why);
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) system::unload_library(handle_);
}

void* SharedLibrary::symbol(const std::string& name) const {
  void* found = system::find_in_library(handle_, name.c_str());
  if (found == nullptr) throw std::runtime_error("no function " + name);
  return found;
}

}  // namespace catena::test
