#include "catena/tables.hpp"

#include <filesystem>

#include "io/file.hpp"
#include "system/replaced_file.hpp"

namespace catena {
namespace {

void require_plain_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw WriteError(path + ": cannot be written: it exists and is not a regular file");
}

bool write_whole(const system::ReplacedFile& file, std::string_view text) {
  return file.open() && system::write_all(file.get(), text) && system::flush_to_disk(file.get());
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A file that has replaced another, which can be undone until all files are in place.
struct Replacement {
  std::string path;
  bool replaced;
  system::Temporary old;  // the previous file under a second name

  explicit Replacement(std::string name)
      : path(std::move(name)), replaced(exists(path)), old(system::temporary_stem(path) + ".tmp") {
    if (!replaced || !system::link_file(path, old.path())) old.remove();
  }
  void take_back() {
    if (!replaced) system::remove_file(path.c_str());
    if (!old.path().empty()) old.rename(path);
  }
};

}  // namespace

void write_text_files(const std::vector<TextFile>& files) {
  for (const TextFile& file : files) require_plain_file(file.path);
  std::vector<system::ReplacedFile> written;
  for (const TextFile& file : files) {
    written.emplace_back(file.path);
    if (!write_whole(written.back(), file.text)) io::fail_to_write(file.path);
  }
  std::vector<Replacement> done;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (k + 1 < files.size()) done.emplace_back(written[k].final_name());
    if (written[k].take_place()) continue;
    const int reason = errno;
    for (std::size_t j = 0; j < k; ++j) done[j].take_back();
    errno = reason;
    io::fail_to_write(files[k].path);
  }
}

void write_text_file(const std::string& path, std::string_view text) { write_text_files({{path, text}}); }

}  // namespace catena
