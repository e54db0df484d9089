#include "system/files.hpp"

#include "system/wide.hpp"
// Windows' own header comes first.
#include <fcntl.h>
#include <io.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>

namespace catena::system {
namespace {

constexpr DWORD all_share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;  // as on POSIX
constexpr std::uint64_t ticks_until_1970 = 116444736000000000ULL;                   // of 100 ns, from 1601

HANDLE handle_of(int file) { return reinterpret_cast<HANDLE>(::_get_osfhandle(file)); }

// The Windows name of a file: what POSIX calls /dev/null is also there.
std::wstring name_of(const std::string& path) { return path == "/dev/null" ? L"NUL" : wide(path); }

int descriptor_of(HANDLE handle, unsigned flags) {
  if (handle == INVALID_HANDLE_VALUE) {
    failed();
    return -1;
  }
  const bool writes = (flags & opening::to_write) != 0;
  const int kind = _O_BINARY | _O_NOINHERIT | (writes ? 0 : _O_RDONLY) |
                   ((flags & opening::at_end) != 0 ? _O_APPEND : 0);
  const int file = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), kind);
  if (file < 0) ::CloseHandle(handle);
  return file;
}

int open_named(const std::wstring& name, unsigned flags) {
  using namespace opening;
  const bool reads = (flags & to_read) != 0, writes = (flags & to_write) != 0;
  const DWORD access = (reads || !writes ? GENERIC_READ : 0U) | (writes ? GENERIC_WRITE : 0U);
  DWORD how = OPEN_EXISTING;
  if ((flags & make) != 0)
    how = (flags & only_new) != 0 ? CREATE_NEW : (flags & emptied) != 0 ? CREATE_ALWAYS : OPEN_ALWAYS;
  else if ((flags & emptied) != 0)
    how = TRUNCATE_EXISTING;
  // Folders can be opened too, as on POSIX: who asks about them says what is wrong.
  DWORD attributes = FILE_ATTRIBUTE_NORMAL | (writes ? 0U : FILE_FLAG_BACKUP_SEMANTICS);
  if ((flags & no_link) != 0) attributes |= FILE_FLAG_OPEN_REPARSE_POINT;
  return descriptor_of(::CreateFileW(name.c_str(), access, all_share, nullptr, how, attributes, nullptr), flags);
}

FileStatus status_from(const BY_HANDLE_FILE_INFORMATION& about) {
  const auto joined = [](DWORD high, DWORD low) { return (std::uint64_t{high} << 32U) | low; };
  FileStatus status;
  const DWORD kind = about.dwFileAttributes;
  status.kind = (kind & FILE_ATTRIBUTE_DIRECTORY) != 0       ? FileStatus::Kind::folder
                : (kind & FILE_ATTRIBUTE_REPARSE_POINT) != 0 ? FileStatus::Kind::other
                                                             : FileStatus::Kind::regular;
  status.size = joined(about.nFileSizeHigh, about.nFileSizeLow);
  const std::uint64_t ticks = joined(about.ftLastWriteTime.dwHighDateTime, about.ftLastWriteTime.dwLowDateTime);
  status.changed_ns = (static_cast<std::int64_t>(ticks) - static_cast<std::int64_t>(ticks_until_1970)) * 100;
  status.mode = for_owner;
  return status;
}

bool status_of_handle(HANDLE handle, FileStatus& status) {
  BY_HANDLE_FILE_INFORMATION about{};
  if (::GetFileType(handle) != FILE_TYPE_DISK) {  // a device or a pipe
    status = {};
    return ::GetFileType(handle) != FILE_TYPE_UNKNOWN || failed();
  }
  if (::GetFileInformationByHandle(handle, &about) == 0) return failed();
  status = status_from(about);
  return true;
}

bool status_of_name(const std::string& path, FileStatus& status, DWORD extra) {
  HANDLE handle = ::CreateFileW(name_of(path).c_str(), FILE_READ_ATTRIBUTES, all_share, nullptr, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS | extra, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return failed();
  const bool known = status_of_handle(handle, status);
  ::CloseHandle(handle);
  return known;
}

OVERLAPPED place(std::uint64_t at) {
  OVERLAPPED out{};
  out.Offset = static_cast<DWORD>(at);
  out.OffsetHigh = static_cast<DWORD>(at >> 32U);
  return out;
}

// As many bytes as one call takes.
template <class Count>
Count one_call(std::size_t count) {
  return static_cast<Count>(std::min<std::size_t>(count, std::numeric_limits<int>::max()));
}

}  // namespace

int open_file(const std::string& path, unsigned flags, Mode) { return open_named(name_of(path), flags); }

int open_folder(const std::string& path) {
  FileStatus status;
  if (!status_of(path, status)) return -1;
  if (status.kind != FileStatus::Kind::folder) {
    errno = ENOTDIR;
    return -1;
  }
  return open_file(path, opening::to_read);
}

int open_in(int folder, const std::string& name, unsigned flags) {
  std::wstring path(32768, L'\0');
  const DWORD size = ::GetFinalPathNameByHandleW(handle_of(folder), path.data(), static_cast<DWORD>(path.size()), 0);
  if (size == 0 || size >= path.size()) {
    failed();
    return -1;
  }
  path.resize(size);
  return open_named(path + L"\\" + wide(name), flags);
}

std::ptrdiff_t read_some(int file, void* to, std::size_t most) {
  const int got = ::_read(file, to, one_call<unsigned>(most));
  if (got >= 0) return got;
  const int reason = errno;
  FileStatus status;
  const bool is_folder = status_of(file, status) && status.kind == FileStatus::Kind::folder;
  errno = is_folder ? EISDIR : reason;
  return -1;
}

std::ptrdiff_t write_some(int file, const void* bytes, std::size_t count) {
  return ::_write(file, bytes, one_call<unsigned>(count));
}

std::ptrdiff_t read_at(int file, void* to, std::size_t most, std::uint64_t at) {
  OVERLAPPED where = place(at);
  DWORD got = 0;
  if (::ReadFile(handle_of(file), to, one_call<DWORD>(most), &got, &where) != 0) return got;
  if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
  failed();
  return -1;
}

std::ptrdiff_t write_at(int file, const void* bytes, std::size_t count, std::uint64_t at) {
  OVERLAPPED where = place(at);
  DWORD put = 0;
  if (::WriteFile(handle_of(file), bytes, one_call<DWORD>(count), &put, &where) != 0) return put;
  failed();
  return -1;
}

bool set_size(int file, std::uint64_t bytes) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(bytes);
  return ::SetFileInformationByHandle(handle_of(file), FileEndOfFileInfo, &end, sizeof end) != 0 || failed();
}

bool flush_to_disk(int file) { return ::FlushFileBuffers(handle_of(file)) != 0 || failed(); }

// Windows keeps others from bytes that are locked, so one far beyond the end of every file is.
bool lock(int file, Lock kind) {
  OVERLAPPED where = place(std::uint64_t{1} << 62U);
  const DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | (kind == Lock::exclusive ? LOCKFILE_EXCLUSIVE_LOCK : 0U);
  return ::LockFileEx(handle_of(file), flags, 0, 1, 0, &where) != 0 || failed();
}

bool status_of(const std::string& path, FileStatus& status) { return status_of_name(path, status, 0); }
bool status_of(int file, FileStatus& status) { return status_of_handle(handle_of(file), status); }
bool status_of_link(const std::string& path, FileStatus& status) {
  return status_of_name(path, status, FILE_FLAG_OPEN_REPARSE_POINT);
}
void set_mode(int, Mode) {}

bool rename_file(const std::string& from, const std::string& to) {
  return ::MoveFileExW(name_of(from).c_str(), name_of(to).c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) !=
             0 ||
         failed();
}
bool link_file(const std::string& from, const std::string& to) {
  return ::CreateHardLinkW(name_of(to).c_str(), name_of(from).c_str(), nullptr) != 0 || failed();
}
bool remove_file(const char* path) noexcept { return ::DeleteFileW(wide(path).c_str()) != 0 || failed(); }
bool remove_folder(const char* path) noexcept { return ::RemoveDirectoryW(wide(path).c_str()) != 0 || failed(); }
bool make_folder(const std::string& path) { return ::CreateDirectoryW(wide(path).c_str(), nullptr) != 0 || failed(); }

bool make_unique_folder(std::string& pattern) {
  static std::atomic<unsigned> count{0};
  constexpr int attempts = 1000;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const std::size_t marks = pattern.size() - 6;
  for (int k = 0; k < attempts; ++k) {
    std::uint64_t number = ::GetTickCount64() * 7919U + ::GetCurrentProcessId() * 104729U + count++ * 15485863U;
    for (std::size_t at = marks; at < pattern.size(); ++at, number /= letters.size())
      pattern[at] = letters[number % letters.size()];
    if (make_folder(pattern)) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

std::uint64_t mapping_step() {
  SYSTEM_INFO info{};
  ::GetSystemInfo(&info);
  return info.dwAllocationGranularity;
}

void* map_file(int file, std::uint64_t begin, std::size_t bytes) {
  HANDLE mapping = ::CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) {
    failed();
    return nullptr;
  }
  const OVERLAPPED where = place(begin);
  void* mapped = ::MapViewOfFile(mapping, FILE_MAP_READ, where.OffsetHigh, where.Offset, bytes);
  if (mapped == nullptr) failed();
  ::CloseHandle(mapping);  // what is mapped stays
  return mapped;
}

void unmap_file(void* mapped, std::size_t) { ::UnmapViewOfFile(mapped); }

}  // namespace catena::system
