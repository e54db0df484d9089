#include "engines/whole_library.hpp"

#ifdef __linux__
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "system/descriptor.hpp"
#include "system/files.hpp"
#endif

namespace catena::engines {

#ifdef __linux__
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

bool read_at(int file, void* to, std::size_t count, std::uint64_t at) {
  return system::read_at(file, to, count, at) == static_cast<std::ptrdiff_t>(count);
}

// `count` pieces of `size` bytes from `start` on are within `end` bytes.
bool fits(std::uint64_t start, std::uint64_t count, std::uint64_t size, std::uint64_t end) {
  return start <= end && count * size <= end - start;
}

}  // namespace

bool is_whole_library(const std::string& path) {
  const system::Descriptor file(system::open_file(path, system::opening::to_read | system::opening::no_link));
  system::FileStatus about;
  Header header{};
  if (!file.open() || !system::status_of(file.get(), about)) return false;
  if (!read_at(file.get(), &header, SELFMAG, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return true;
  if (!read_at(file.get(), &header, sizeof header, 0)) return false;
  if (!fits(header.e_shoff, header.e_shnum, header.e_shentsize, about.size) || header.e_phentsize != sizeof(Segment))
    return false;
  std::vector<Segment> segments(header.e_phnum);
  return read_at(file.get(), segments.data(), segments.size() * sizeof(Segment), header.e_phoff) &&
         std::all_of(segments.begin(), segments.end(), [&](const Segment& segment) {
           return segment.p_type != PT_LOAD || fits(segment.p_offset, segment.p_filesz, 1, about.size);
         });
}
#else
bool is_whole_library(const std::string&) { return true; }
#endif

}  // namespace catena::engines
