// A file that is written under a temporary name beside its own and replaces the old file when it is complete.
#pragma once

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "system/descriptor.hpp"
#include "system/temporary.hpp"

namespace catena::system {

// The file at the end of a chain of links, whether it exists or not: the file is replaced, and the links are kept.
// Empty, with errno set, when the chain does not end.
inline std::string behind_links(const std::string& path) {
  constexpr int most_links = 40;  // as in the Linux kernel
  std::filesystem::path file(path);
  for (int k = 0; k < most_links; ++k) {
    std::error_code no_link;
    const std::filesystem::path target = std::filesystem::read_symlink(file, no_link);
    if (no_link) return file.string();
    file = file.parent_path() / target;  // an absolute target replaces the path
  }
  errno = ELOOP;
  return {};
}

class ReplacedFile {
 public:
  // Where the file cannot be created, open() is false and errno says why.
  explicit ReplacedFile(const std::string& path) : final_name_(behind_links(path)) {
    if (final_name_.empty()) return;
    remove_abandoned(final_name_);
    FileStatus old;
    const bool replaces = status_of(final_name_, old);
    temporary_ = Temporary(temporary_stem(final_name_) + ".tmp");
    // As private as the old file from the first byte on; the umask decides for a new file.
    file_ = temporary_.create(replaces ? old.mode : for_all);
    if (file_.open() && replaces) set_mode(file_.get(), old.mode);
  }

  bool open() const { return file_.open(); }
  int get() const { return file_.get(); }
  const std::string& final_name() const { return final_name_; }

  // False, with errno set, on failure: then the old file is still there. The file is on the disk before it has its
  // name.
  bool take_place() { return take_name(final_name_); }
  // The same for a file that lacks something: the old file stays, and this one is beside it.
  std::string part_name() const { return final_name_ + ".part"; }
  bool keep_part() { return take_name(part_name()); }

 private:
  bool take_name(const std::string& name) {
    return flush_to_disk(file_.get()) && file_.close() && temporary_.rename(name);
  }

  std::string final_name_;
  Temporary temporary_;
  Descriptor file_;
};

}  // namespace catena::system
