#include "engines/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "engines/sha256.hpp"
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

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string choose_folder(const std::string& asked) {
  std::error_code failed;
  for (const std::string& own : {asked, variable("CATENA_CACHE_DIR")}) {
    if (own.empty()) continue;
    const fs::path folder = fs::absolute(own, failed);
    if (failed) throw MakeError("cannot find the folder '" + own + "': " + failed.message());
    return folder.string();
  }
  if (const std::string shared = variable("XDG_CACHE_HOME"); shared.starts_with('/')) return shared + "/catena";
  if (const std::string home = variable("HOME"); home.starts_with('/')) return home + "/.cache/catena";
  throw MakeError("no folder for compiled code: set CATENA_CACHE_DIR, XDG_CACHE_HOME or HOME");
}

void make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), 0700);  // an error shows at the last folder
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("make the folder", path);
}

// Whether nobody else can have written it.
bool is_private(const struct stat& about) { return about.st_uid == ::geteuid() && (about.st_mode & 022U) == 0; }

std::optional<std::string> read_all(int descriptor) {
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
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
  Descriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!file.open()) return false;
  const std::optional<std::string> code = read_all(file.get());
  return code && ::fchmod(file.get(), 0600) == 0 &&
         system::write_all(file.get(), lines_behind(*code, formulations, key)) && ::fsync(file.get()) == 0 &&
         file.close();
}

// The file stays open, and thereby locked, while the compiler runs.
Descriptor write_source(system::Temporary& file, const std::string& text, const std::string& entry) {
  Descriptor source = file.create(0600);
  if (!source.open() || !system::write_all(source.get(), text)) fail("write", entry);
  return source;
}

}  // namespace

Cache::Cache(const std::string& folder, std::string suffix)
    : folder_(choose_folder(folder)), suffix_(std::move(suffix)) {
  make_folders(folder_);
  descriptor_ = Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat about {};
  if (!descriptor_.open() || ::fstat(descriptor_.get(), &about) != 0) fail("open the folder", folder_);
  if (about.st_uid != ::geteuid())
    throw MakeError("the folder '" + folder_ + "' for compiled code belongs to another user");
  if (!is_private(about))
    throw MakeError("the folder '" + folder_ + "' for compiled code can be written by others: chmod go-w it");
}

std::optional<Cache::Entry> Cache::find(const std::string& key) const {
  const std::string name = key + suffix_;
  const Descriptor file(::openat(descriptor_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about {};
  if (!file.open() || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || !is_private(about))
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
  ::fsync(descriptor_.get());
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
    if (system::is_abandoned(system::owner_of(stem), path_of(stem + source_ending))) ::unlink(file->path().c_str());
  }
}

}  // namespace catena::engines
