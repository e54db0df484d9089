// Files, the same on every system: names are UTF-8, bytes are read and written as they are, and no other program
// inherits what is open. Functions that fail return false or a negative number, with errno set. POSIX has them in
// files_posix.hpp, Windows in files_windows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace catena::system {

namespace opening {
enum Flag : unsigned {
  to_read = 1,
  to_write = 2,
  at_end = 4,     // everything is appended
  make = 8,       // where it does not exist
  only_new = 16,  // fails where it exists
  emptied = 32,
  no_link = 64,  // fails where the name is a symbolic link
  at_once = 128  // does not wait for the other end of a pipe
};
}  // namespace opening

// What a file may be read and written by, as chmod has it; Windows ignores it.
using Mode = unsigned;
constexpr Mode for_owner = 0600, for_all = 0666, all_modes = 0777, writable_by_group_or_all = 022, writable_by_all = 02;

struct FileStatus {
  enum class Kind { regular, folder, other } kind = Kind::other;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;  // since 1970
  Mode mode = 0;
  bool own = true;      // it belongs to the user of this process
  bool sticky = false;  // a folder: only owners may rename and remove what is in it
};

int open_file(const std::string& path, unsigned flags, Mode mode = for_all);
int open_folder(const std::string& path);
int open_in(int folder, const std::string& name, unsigned flags);  // a file of an open folder
std::ptrdiff_t read_some(int file, void* to, std::size_t most);
std::ptrdiff_t write_some(int file, const void* bytes, std::size_t count);
std::ptrdiff_t read_at(int file, void* to, std::size_t most, std::uint64_t at);
std::ptrdiff_t write_at(int file, const void* bytes, std::size_t count, std::uint64_t at);
bool set_size(int file, std::uint64_t bytes);
bool flush_to_disk(int file);
// Locks that others who ask see; they end when the file is closed. False where another has it.
enum class Lock { shared, exclusive };
bool lock(int file, Lock kind);

bool status_of(const std::string& path, FileStatus& status);
bool status_of(int file, FileStatus& status);
bool status_of_link(const std::string& path, FileStatus& status);  // of the link itself
void set_mode(int file, Mode mode);

bool rename_file(const std::string& from, const std::string& to);  // replaces what is there
bool link_file(const std::string& from, const std::string& to);    // a second name
// May be called by a signal handler.
bool remove_file(const char* path) noexcept;
bool remove_folder(const char* path) noexcept;
bool make_folder(const std::string& path);      // for its owner alone
bool make_unique_folder(std::string& pattern);  // the same; XXXXXX at the end is replaced

// A part of a file in memory, to be read; it begins at a multiple of mapping_step(). Null where that fails.
std::uint64_t mapping_step();
void* map_file(int file, std::uint64_t begin, std::size_t bytes);
void unmap_file(void* mapped, std::size_t bytes);

}  // namespace catena::system

#ifndef _WIN32
#include "system/files_posix.hpp"
#endif
