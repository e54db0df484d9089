// Finds MODEL as typed on a command line.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "catena/robot_file.hpp"
#include "io/formats.hpp"
#include "io/text.hpp"
#include "model/words.hpp"
#include "system/own_process.hpp"

namespace catena {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

std::vector<fs::path> model_folders(const std::string& package_models) {
  std::vector<fs::path> folders;
  if (const std::string chosen = system::variable("CATENA_MODELS"); !chosen.empty()) folders.emplace_back(chosen);
  const fs::path program = fs::path(system::program_file()).parent_path();
  folders.push_back((program / CATENA_MODELS_FROM_PROGRAM).lexically_normal());
  std::error_code ignored;
  if (!package_models.empty()) {  // a package brings its own
    folders.emplace_back(package_models);
    return folders;
  }
  if (fs::exists(CATENA_SOURCE_MODELS, ignored)) folders.emplace_back(CATENA_SOURCE_MODELS);
#ifdef CATENA_INSTALL_MODELS
  folders.emplace_back(CATENA_INSTALL_MODELS);
#endif
  return folders;
}

[[noreturn]] void fail_to_find(const std::string& model, const std::string& package_models) {
  const std::vector<std::string> names = shipped_models(package_models);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string near = io::did_you_mean(io::has_ending(model) ? fs::path(model).stem().string() : model, views);
  const std::string all = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  std::vector<std::string> searched;
  for (const fs::path& folder : model_folders(package_models)) searched.push_back(folder.string());
  throw ModelError(fmt::format("{}: no such file, and no shipped model has this name{} (shipped: {}; looked in {})",
                               words::one_line(model), near, all, fmt::join(searched, ", ")));
}

}  // namespace

std::string find_model(const std::string& model, const std::string& package_models) {
  if (model == "-" || system::names_a_folder(model)) return model;
  const bool ended = io::has_ending(model);
  if (ended && is_file(model)) return model;
  for (const fs::path& folder : model_folders(package_models)) {
    if (model.empty()) break;
    if (ended && is_file(folder / model)) return (folder / model).string();
    for (const std::string& ending : io::endings())
      if (!ended && is_file(folder / (model + ending))) return (folder / (model + ending)).string();
  }
  if (is_file(model)) return model;  // a file with another ending, or without one
  fail_to_find(model, package_models);
}

std::vector<std::string> shipped_models(const std::string& package_models) {
  std::vector<std::string> names;
  for (const fs::path& folder : model_folders(package_models)) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (io::has_ending(entry.path().string()) && is_file(entry.path())) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace catena
