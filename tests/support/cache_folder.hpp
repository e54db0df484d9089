// A folder for compiled code that lasts as long as a test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "catena/jit/compile.hpp"

namespace catena::test {

class CacheFolder {
 public:
  CacheFolder()
      : root_(std::filesystem::temp_directory_path() / ("catena_cache_" + std::to_string(std::random_device{}()))),
        path_(root_ / "cache") {
    std::filesystem::create_directories(path_);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  ~CacheFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

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
    const std::filesystem::path file = root_ / name;
    std::ofstream(file) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }

 private:
  std::filesystem::path root_, path_;
};

}  // namespace catena::test
