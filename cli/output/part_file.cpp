#include "output/part_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catena/write_error.hpp"
#include "system/descriptor.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

using namespace system::opening;

constexpr const char* first_line = "catena run, format 1";

// The file that symbolic links lead to: the links are kept.
std::string target_of(const std::string& path) {
  std::error_code none;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, none);
  return none ? path : real.string();
}

bool write_all_at(int descriptor, const char* bytes, std::size_t count, std::uint64_t at) {
  while (count > 0) {
    const std::ptrdiff_t put = system::write_at(descriptor, bytes, count, at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes += put, at += static_cast<std::uint64_t>(put), count -= static_cast<std::size_t>(put);
  }
  return true;
}

void sync_folder(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  const int folder = system::open_folder(parent.empty() ? "." : parent);
  if (folder < 0) return;
  system::flush_to_disk(folder);
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
  file_ = system::open_file(part_, to_read | to_write | make);
  if (file_ < 0) throw WriteError(fmt::format("{}: cannot be written: {}", part_, std::strerror(errno)));
  if (!system::lock(file_, system::Lock::exclusive)) throw UsageError(fmt::format("{}: another run is writing it", part_));
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
  system::FileStatus about;
  if (!system::status_of(file_, about) || about.size < header_bytes_) return false;
  std::ifstream journal(std::filesystem::path(journal_), std::ios::binary);
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
  if (about.size < header_bytes_ + found.rows * row_bytes_)
    throw UsageError(fmt::format("{}: has fewer rows than {} says; --restart starts over", part_, journal_));
  done_ = found;
  log_ = system::open_file(journal_, to_write | at_end);
  if (log_ < 0) fail(journal_);
  if (!system::write_all(log_, "\n")) fail(journal_);  // ends an incomplete line that a killed run may have left
  return true;
}

void PartFile::begin(const std::string& header, const Identity& identity) {
  system::remove_file(journal_.c_str());
  if (!system::set_size(file_, 0) || !write_all_at(file_, header.data(), header.size(), 0) || !system::flush_to_disk(file_))
    fail(part_);
  std::string text = std::string(first_line) + "\n";
  for (const auto& [name, value] : identity) text += name + ": " + value + "\n";
  log_ = system::open_file(journal_, to_write | make | emptied | at_end);
  if (log_ < 0 || !system::write_all(log_, text) || !system::flush_to_disk(log_)) fail(journal_);
  sync_folder(part_);
}

void PartFile::write(std::uint64_t row, const void* bytes, std::size_t count) {
  if (!write_all_at(file_, static_cast<const char*>(bytes), count, header_bytes_ + row * row_bytes_)) fail(part_);
}

void PartFile::keep(const Progress& progress) {
  if (!system::flush_to_disk(file_)) fail(part_);
  const std::string line = fmt::format("done {} {} {}\n", progress.rows, progress.failed, progress.first_failed);
  if (!system::write_all(log_, line) || !system::flush_to_disk(log_)) fail(journal_);
  done_ = progress;
}

void PartFile::finish() {
  system::FileStatus old;
  if (system::status_of(path_, old)) system::set_mode(file_, old.mode);
  if (!system::set_size(file_, header_bytes_ + done_.rows * row_bytes_) || !system::flush_to_disk(file_) ||
      !system::rename_file(part_, path_))
    fail(part_);
  system::remove_file(journal_.c_str());
  sync_folder(path_);
}

}  // namespace catena::cli
