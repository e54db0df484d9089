#include "output/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catena/write_error.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

constexpr const char* first_line = "catena run, format 1";

// The file that symbolic links lead to: the links are kept.
std::string target_of(const std::string& path) {
  std::error_code none;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, none);
  return none ? path : real.string();
}

bool write_all(int descriptor, const char* bytes, std::size_t count, std::uint64_t at) {
  while (count > 0) {
    const ssize_t put = ::pwrite(descriptor, bytes, count, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put, at += static_cast<std::uint64_t>(put), count -= static_cast<std::size_t>(put);
  }
  return true;
}

void sync_folder(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  const int folder = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

}  // namespace

PartFile::PartFile(const std::string& path, const std::string& header, std::uint64_t row_bytes,
                   const Identity& identity, bool restart)
    : path_(target_of(path)),
      part_(path_ + ".part"),
      journal_(part_ + ".journal"),
      header_bytes_(header.size()),
      row_bytes_(row_bytes) {
  file_ = ::open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw WriteError(fmt::format("{}: cannot be written: {}", part_, std::strerror(errno)));
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) throw UsageError(fmt::format("{}: another run is writing it", part_));
  if (restart || !continues(identity)) begin(header, identity);
}

PartFile::~PartFile() {
  if (log_ >= 0) ::close(log_);
  if (file_ >= 0) ::close(file_);
}

void PartFile::fail(const std::string& file) const {
  throw WriteError(
      fmt::format("{}: cannot be written: {}; the same command continues with the {} rows that are "
                  "kept in {}",
                  file, std::strerror(errno), done_.rows, part_));
}

// False where there is nothing to continue: no part, no journal, or a journal without a complete beginning.
bool PartFile::continues(const Identity& identity) {
  struct stat about {};
  if (::fstat(file_, &about) != 0 || about.st_size < static_cast<off_t>(header_bytes_)) return false;
  std::ifstream journal(journal_);
  std::string line;
  if (!std::getline(journal, line) || line != first_line) return false;
  for (const auto& [name, text] : identity) {
    if (!std::getline(journal, line) || journal.eof()) return false;
    const std::string expected = name + ": " + text;
    if (line == expected) continue;
    const std::string was = line.substr(std::min(line.size(), line.find(": ") + 2));
    throw UsageError(fmt::format("{}: was begun with another {} ({}, now {}); --restart starts over", part_, name,
                                 printable(was), printable(text)));
  }
  Progress found;
  for (std::string word; std::getline(journal, line) && !journal.eof();) {  // an incomplete line is ignored
    std::istringstream text(line);
    if (Progress next; text >> word >> next.rows >> next.failed >> next.first_failed && word == "done") found = next;
  }
  if (static_cast<std::uint64_t>(about.st_size) < header_bytes_ + found.rows * row_bytes_)
    throw UsageError(fmt::format("{}: has fewer rows than {} says; --restart starts over", part_, journal_));
  done_ = found;
  log_ = ::open(journal_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log_ < 0) fail(journal_);
  if (!write_all(log_, "\n", 1, 0)) fail(journal_);  // ends an incomplete line that a killed run may have left
  return true;
}

void PartFile::begin(const std::string& header, const Identity& identity) {
  ::unlink(journal_.c_str());
  if (::ftruncate(file_, 0) != 0 || !write_all(file_, header.data(), header.size(), 0) || ::fsync(file_) != 0)
    fail(part_);
  std::string text = std::string(first_line) + "\n";
  for (const auto& [name, value] : identity) text += name + ": " + value + "\n";
  log_ = ::open(journal_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (log_ < 0 || !write_all(log_, text.data(), text.size(), 0) || ::fsync(log_) != 0) fail(journal_);
  sync_folder(part_);
}

void PartFile::write(std::uint64_t row, const void* bytes, std::size_t count) {
  if (!write_all(file_, static_cast<const char*>(bytes), count, header_bytes_ + row * row_bytes_)) fail(part_);
}

void PartFile::keep(const Progress& progress) {
  if (::fdatasync(file_) != 0) fail(part_);
  const std::string line = fmt::format("done {} {} {}\n", progress.rows, progress.failed, progress.first_failed);
  if (!write_all(log_, line.data(), line.size(), 0) || ::fdatasync(log_) != 0) fail(journal_);
  done_ = progress;
}

void PartFile::finish() {
  struct stat old {};
  constexpr mode_t all = 0777;
  if (::stat(path_.c_str(), &old) == 0) ::fchmod(file_, old.st_mode & all);
  if (::ftruncate(file_, static_cast<off_t>(header_bytes_ + done_.rows * row_bytes_)) != 0 || ::fsync(file_) != 0 ||
      std::rename(part_.c_str(), path_.c_str()) != 0)
    fail(part_);
  ::unlink(journal_.c_str());
  sync_folder(path_);
}

}  // namespace catena::cli
