// A folder for compiled code that lasts as long as a test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "catena/compile.hpp"
#include "support/temporary_folder.hpp"

namespace catena::test {

class CacheFolder {
 public:
  CacheFolder() : path_(root_ / "cache") {
    std::filesystem::create_directories(path_);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  const std::filesystem::path& path() const { return path_; }
  CompileOptions options() const {
    CompileOptions options;
    options.cache_folder = path_.string();
    return options;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& file : std::filesystem::directory_iterator(path_)) found.push_back(file.path());
    return found;
  }
  // A shell script beside the folder, to stand for a compiler.
  std::string script(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = root_.write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }

 private:
  TemporaryFolder root_;
  std::filesystem::path path_;
};

}  // namespace catena::test
