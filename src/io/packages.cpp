#include "io/packages.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "io/file.hpp"
#include "io/text.hpp"
#include "system/files.hpp"
#include "system/own_process.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;
using Found = std::map<std::string, std::string>;

constexpr int most_levels = 8;                // of folders, one in another
constexpr std::size_t most_folders = 20'000;  // that are looked at
constexpr std::uintmax_t longest_manifest = 1U << 20U;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The name in its package.xml; empty: the folder is not a package.
std::string package_name(const fs::path& folder) {
  const fs::path manifest = folder / "package.xml";
  std::error_code error;
  if (fs::file_size(manifest, error) > longest_manifest || error) return {};
  tinyxml2::XMLDocument document;
  std::ifstream in(manifest, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) return {};
  const tinyxml2::XMLElement* package = document.FirstChildElement("package");
  const tinyxml2::XMLElement* name = package == nullptr ? nullptr : package->FirstChildElement("name");
  return name == nullptr || name->GetText() == nullptr ? "" : std::string(trimmed(name->GetText()));
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error, ignored;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->is_directory(ignored) && !entry->path().filename().string().starts_with('.'))
      out.push_back(entry->path());
  std::sort(out.begin(), out.end());
  return out;
}

bool is_left_out(const fs::path& folder) {
  for (const char* mark : {"CATKIN_IGNORE", "COLCON_IGNORE", "AMENT_IGNORE"})
    if (is_there(folder / mark)) return true;
  return false;
}

// The packages in and below these folders, the nearest first; none inside another.
void add_below(std::vector<fs::path> level, int levels, std::size_t& looked_at, Found& found) {
  for (; levels > 0 && !level.empty(); --levels) {
    std::vector<fs::path> next;
    for (const fs::path& folder : level) {
      if (++looked_at > most_folders) return;
      if (is_left_out(folder)) continue;
      if (const std::string name = package_name(folder); !name.empty()) {
        found.emplace(name, folder.string());
        continue;
      }
      for (fs::path& inner : folders_in(folder)) next.push_back(std::move(inner));
    }
    level = std::move(next);
  }
}

fs::path whole(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

// The package that has the file, and those beside it; the latter only where nobody else could have put them there.
void add_around(const fs::path& file, std::size_t& looked_at, Found& found) {
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    if (const std::string name = package_name(folder); !name.empty()) {
      found.emplace(name, folder.string());
      system::FileStatus about;
      const bool own =
          system::status_of(folder.parent_path().string(), about) && (about.mode & system::writable_by_all) == 0;
      if (own) add_below(folders_in(folder.parent_path()), 1, looked_at, found);
      return;
    }
    if (folder == folder.parent_path()) return;
  }
}

}  // namespace

std::vector<std::string> listed_folders(const char* variable) {
  std::vector<std::string> out;
  std::istringstream in(system::variable(variable));
  for (std::string folder; std::getline(in, folder, system::between_folders);)
    if (!folder.empty()) out.push_back(folder);
  return out;
}

std::map<std::string, std::string> find_packages(const std::vector<std::string>& folders, const std::string& file) {
  Found found;
  std::size_t looked_at = 0;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) fail(folder, "there is no such folder of packages");
    add_below({whole(folder)}, most_levels, looked_at, found);
  }
  for (const std::string& folder : folders)
    for (const fs::path& inner : folders_in(whole(folder))) found.emplace(inner.filename().string(), inner.string());
  if (!file.empty()) add_around(whole(file), looked_at, found);
  for (const std::string& folder : listed_folders("ROS_PACKAGE_PATH"))
    add_below({whole(folder)}, most_levels, looked_at, found);
  for (const std::string& folder : listed_folders("AMENT_PREFIX_PATH"))
    for (const fs::path& inner : folders_in(whole(folder) / "share"))
      found.emplace(inner.filename().string(), inner.string());
  return found;
}

}  // namespace catena::io
