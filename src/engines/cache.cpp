#include "engines/cache.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "engines/sha256.hpp"
#include "system/files.hpp"
#include "system/own_process.hpp"
#include "system/temporary.hpp"

namespace catena::engines {
namespace {

namespace fs = std::filesystem;

using system::Descriptor;

constexpr std::string_view format_line = "\ncatena-compiled-2\n";
constexpr std::size_t checksum_size = 64;
constexpr const char* source_ending = ".tmp.c";

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  const int reason = errno;
  throw MakeError("cannot " + what + " '" + path + "': " + std::strerror(reason));
}

std::string choose_folder(const std::string& asked) {
  std::error_code failed;
  for (const std::string& own : {asked, system::variable("CATENA_CACHE_DIR")}) {
    if (own.empty()) continue;
    const fs::path folder = fs::absolute(own, failed);
    if (failed) throw MakeError("cannot find the folder '" + own + "': " + failed.message());
    return folder.string();
  }
  if (const std::string shared = system::cache_folder(); !shared.empty()) return shared + "/catena";
  throw MakeError(std::string("no folder for compiled code: set CATENA_CACHE_DIR, ") + system::cache_variables);
}

void make_folders(const std::string& path) {
  const auto next = [&](std::size_t from) { return path.find_first_of(system::between_names, from); };
  for (std::size_t end = next(1); end != std::string::npos; end = next(end + 1))
    system::make_folder(path.substr(0, end));  // an error shows at the last folder
  if (!system::make_folder(path) && errno != EEXIST) fail("make the folder", path);
}

// Whether nobody else can have written it.
bool is_private(const system::FileStatus& about) {
  return about.own && (about.mode & system::writable_by_group_or_all) == 0;
}

// Whoever may write to a folder above can put another folder in the place of this one.
void require_safe_way(const std::string& folder) {
  std::error_code failed;
  const fs::path real = fs::canonical(folder, failed);
  for (fs::path above = real.parent_path(); !failed && !above.empty(); above = above.parent_path()) {
    system::FileStatus about;
    if (system::status_of(above.string(), about) && (about.mode & system::writable_by_all) != 0 && !about.sticky)
      throw MakeError("the folder '" + above.string() +
                      "', in which that for compiled code is, can be written by others: chmod o-w it");
    if (above == above.parent_path()) return;
  }
}

std::optional<std::string> read_all(int descriptor) {
  std::string text;
  char buffer[16384];
  for (;;) {
    const std::ptrdiff_t got = system::read_some(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string checksum_of(std::string_view entry, const std::string& key) { return sha256(std::string(entry) + key); }

// The lines that follow the code.
std::string lines_behind(const std::string& code, const std::vector<std::string>& formulations,
                         const std::string& key) {
  std::string lines(format_line);
  for (const std::string& formulation : formulations) lines += formulation + "\n";
  return lines + checksum_of(code + lines, key);
}

// The formulations of an entry; none where its format or its checksum differs.
std::optional<std::vector<std::string>> formulations_in(std::string_view content, const std::string& key) {
  if (content.size() < checksum_size) return std::nullopt;
  const std::string_view entry = content.substr(0, content.size() - checksum_size);
  const std::size_t start = entry.rfind(format_line);
  if (start == std::string_view::npos || content.substr(entry.size()) != checksum_of(entry, key)) return std::nullopt;
  std::vector<std::string> formulations;
  std::istringstream lines{std::string(entry.substr(start + format_line.size()))};
  for (std::string line; std::getline(lines, line);) formulations.push_back(line);
  return formulations;
}

// Appends the lines after the code and flushes the file to the disk.
bool complete(const std::string& path, const std::vector<std::string>& formulations, const std::string& key) {
  using namespace system::opening;
  Descriptor file(system::open_file(path, to_read | to_write | at_end | no_link));
  if (!file.open()) return false;
  const std::optional<std::string> code = read_all(file.get());
  if (!code) return false;
  system::set_mode(file.get(), system::for_owner);
  return system::write_all(file.get(), lines_behind(*code, formulations, key)) && system::flush_to_disk(file.get()) &&
         file.close();
}

// The file stays open, and thereby locked, while the compiler runs.
Descriptor write_source(system::Temporary& file, const std::string& text, const std::string& entry) {
  Descriptor source = file.create(system::for_owner);
  if (!source.open() || !system::write_all(source.get(), text)) fail("write", entry);
  return source;
}

}  // namespace

Cache::Cache(const std::string& folder, std::string suffix)
    : folder_(choose_folder(folder)), suffix_(std::move(suffix)) {
  make_folders(folder_);
  descriptor_ = Descriptor(system::open_folder(folder_));
  system::FileStatus about;
  if (!descriptor_.open() || !system::status_of(descriptor_.get(), about)) fail("open the folder", folder_);
  if (!about.own) throw MakeError("the folder '" + folder_ + "' for compiled code belongs to another user");
  if (!is_private(about))
    throw MakeError("the folder '" + folder_ + "' for compiled code can be written by others: chmod go-w it");
  require_safe_way(folder_);
}

std::optional<Cache::Entry> Cache::find(const std::string& key) const {
  const std::string name = key + suffix_;
  using namespace system::opening;
  const Descriptor file(system::open_in(descriptor_.get(), name, to_read | no_link | at_once));
  system::FileStatus about;
  if (!file.open() || !system::status_of(file.get(), about) || about.kind != system::FileStatus::Kind::regular ||
      !is_private(about))
    return std::nullopt;
  const std::optional<std::string> content = read_all(file.get());
  auto formulations = content ? formulations_in(*content, key) : std::nullopt;
  if (!formulations) return std::nullopt;
  return Entry{path_of(name), std::move(*formulations)};
}

Cache::Entry Cache::add(const std::string& key, const SourceText& text, const Build& build) const {
  remove_leftovers();
  const std::string stem = path_of(system::temporary_stem(key));
  system::Temporary source(stem + source_ending), code(stem + ".tmp.so");
  std::string entry = path_of(key + suffix_);
  const Descriptor locked = write_source(source, text.source, entry);
  build(source.path(), code.path());
  if (!complete(code.path(), text.formulations, key) || !code.rename(entry)) fail("write", entry);
  system::flush_to_disk(descriptor_.get());
  return {std::move(entry), text.formulations};
}

// Removes temporary files of processes that were killed: KEY.PID.NUMBER.tmp.c, and the code of the same name.
void Cache::remove_leftovers() const {
  std::error_code ignored;
  for (fs::directory_iterator file(folder_, ignored), end; !ignored && file != end; file.increment(ignored)) {
    const std::string name = file->path().filename().string();
    const std::size_t ending = name.rfind(".tmp.");
    if (ending == std::string::npos) continue;
    const std::string stem = name.substr(0, ending);
    if (system::is_abandoned(system::owner_of(stem), path_of(stem + source_ending)))
      system::remove_file(file->path().string().c_str());
  }
}

}  // namespace catena::engines
