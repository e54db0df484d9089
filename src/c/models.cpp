#include "c/models.hpp"

#include <filesystem>
#include <system_error>

#include "system/own_process.hpp"

namespace catena::c {
namespace {

// Where the models of an installed library are; empty for one in a build folder.
std::string installed_models() {
  const std::string library = system::library_file_with(reinterpret_cast<const void*>(&load_model));
  if (library.empty()) return {};
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(library).parent_path();
  const auto models = (folder / CATENA_MODELS_FROM_LIBRARY).lexically_normal();
  return std::filesystem::is_directory(models, ignored) ? models.string() : std::string();
}

}  // namespace

Robot load_model(const std::string& model, const LoadOptions& options) {
  return load_robot(find_model(model, installed_models()), options);
}

}  // namespace catena::c
