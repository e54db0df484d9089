// Included by files.hpp alone.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace catena::system {

inline int posix_flags(unsigned flags) {
  using namespace opening;
  const bool reads = (flags & to_read) != 0, writes = (flags & to_write) != 0;
  int out = O_CLOEXEC | (writes ? (reads ? O_RDWR : O_WRONLY) : O_RDONLY);
  if ((flags & at_end) != 0) out |= O_APPEND;
  if ((flags & make) != 0) out |= O_CREAT;
  if ((flags & only_new) != 0) out |= O_EXCL;
  if ((flags & emptied) != 0) out |= O_TRUNC;
  if ((flags & no_link) != 0) out |= O_NOFOLLOW;
  if ((flags & at_once) != 0) out |= O_NONBLOCK;
  return out;
}

inline FileStatus status_from(const struct stat& about) {
  FileStatus status;
  status.kind = S_ISREG(about.st_mode)   ? FileStatus::Kind::regular
                : S_ISDIR(about.st_mode) ? FileStatus::Kind::folder
                                         : FileStatus::Kind::other;
  status.size = static_cast<std::uint64_t>(about.st_size);
#ifdef __APPLE__
  const timespec& changed = about.st_mtimespec;
#else
  const timespec& changed = about.st_mtim;
#endif
  status.changed_ns = changed.tv_sec * std::int64_t{1000000000} + changed.tv_nsec;
  status.mode = about.st_mode & all_modes;
  status.own = about.st_uid == ::geteuid();
  status.sticky = (about.st_mode & S_ISVTX) != 0;
  return status;
}

inline int open_file(const std::string& path, unsigned flags, Mode mode) {
  return ::open(path.c_str(), posix_flags(flags), static_cast<mode_t>(mode));
}
inline int open_folder(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }
inline int open_in(int folder, const std::string& name, unsigned flags) {
  return ::openat(folder, name.c_str(), posix_flags(flags));
}
inline std::ptrdiff_t read_some(int file, void* to, std::size_t most) { return ::read(file, to, most); }
inline std::ptrdiff_t write_some(int file, const void* bytes, std::size_t count) { return ::write(file, bytes, count); }
inline std::ptrdiff_t read_at(int file, void* to, std::size_t most, std::uint64_t at) {
  return ::pread(file, to, most, static_cast<off_t>(at));
}
inline std::ptrdiff_t write_at(int file, const void* bytes, std::size_t count, std::uint64_t at) {
  return ::pwrite(file, bytes, count, static_cast<off_t>(at));
}
inline bool set_size(int file, std::uint64_t bytes) { return ::ftruncate(file, static_cast<off_t>(bytes)) == 0; }
inline bool flush_to_disk(int file) { return ::fsync(file) == 0; }
inline bool lock(int file, Lock kind) {
  return ::flock(file, (kind == Lock::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0;
}

inline bool status_of(const std::string& path, FileStatus& status) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return false;
  status = status_from(about);
  return true;
}
inline bool status_of(int file, FileStatus& status) {
  struct stat about {};
  if (::fstat(file, &about) != 0) return false;
  status = status_from(about);
  return true;
}
inline bool status_of_link(const std::string& path, FileStatus& status) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return false;
  status = status_from(about);
  return true;
}
inline void set_mode(int file, Mode mode) { ::fchmod(file, static_cast<mode_t>(mode)); }

inline bool rename_file(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}
inline bool link_file(const std::string& from, const std::string& to) { return ::link(from.c_str(), to.c_str()) == 0; }
inline bool remove_file(const char* path) noexcept { return ::unlink(path) == 0; }
inline bool remove_folder(const char* path) noexcept { return ::rmdir(path) == 0; }
inline bool make_folder(const std::string& path) { return ::mkdir(path.c_str(), 0700) == 0; }
inline bool make_unique_folder(std::string& pattern) { return ::mkdtemp(pattern.data()) != nullptr; }

inline std::uint64_t mapping_step() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }
inline void* map_file(int file, std::uint64_t begin, std::size_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, static_cast<off_t>(begin));
  if (mapped == MAP_FAILED) return nullptr;
  ::madvise(mapped, bytes, MADV_WILLNEED);
  return mapped;
}
inline void unmap_file(void* mapped, std::size_t bytes) { ::munmap(mapped, bytes); }

}  // namespace catena::system
