#include "c/models.hpp"

#ifdef __unix__
#include <dlfcn.h>
#endif

#include <filesystem>
#include <system_error>

namespace catena::c {
namespace {

// Where the models of an installed library are; empty for one in a build folder.
std::string installed_models() {
#ifdef __unix__
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&load_model), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const auto library = std::filesystem::canonical(info.dli_fname, error);
  const auto models = (library.parent_path() / CATENA_MODELS_FROM_LIBRARY).lexically_normal();
  return !error && std::filesystem::is_directory(models, error) ? models.string() : std::string();
#else
  return {};
#endif
}

}  // namespace

Robot load_model(const std::string& model, const LoadOptions& options) {
  return load_robot(find_model(model, installed_models()), options);
}

}  // namespace catena::c
