// Archives in the ZIP format, as far as .npz files need them: members that are stored or deflated, ZIP64 for large
// ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "system/descriptor.hpp"

namespace catena::io {

inline bool is_zip(std::string_view first_bytes) { return first_bytes == "PK\x03\x04" || first_bytes == "PK\x05\x06"; }

struct ZipMember {
  std::string name;
  std::uint32_t method = 0;  // 0: stored, 8: deflated
  std::uint32_t checksum = 0;
  std::uint64_t packed_size = 0, size = 0;
  std::uint64_t header_at = 0;  // of its local header
  bool encrypted = false;
};

class ZipArchive {
 public:
  // Reads the directory. Throws TableError when it is damaged.
  explicit ZipArchive(const std::string& path);

  const std::vector<ZipMember>& members() const { return members_; }
  // The bytes of a member, unpacked while reading, in constant memory. `name` is its name in messages. The source
  // throws TableError when the data are damaged: a wrong checksum, or more or fewer bytes than the directory says.
  std::unique_ptr<ByteSource> open(const ZipMember& member, const std::string& name) const;

 private:
  std::string bytes_at(std::uint64_t at, std::uint64_t count) const;
  void read_directory(std::uint64_t at, std::uint64_t size, std::uint64_t count);
  [[noreturn]] void damaged(const std::string& what) const;

  std::string path_;
  std::shared_ptr<system::Descriptor> file_;
  std::uint64_t size_ = 0;
  std::vector<ZipMember> members_;
};

// Writes the directory and the header before each member; the caller writes the data, as many bytes as announced.
class ZipDirectory {
 public:
  // The bytes before the data of a stored member.
  std::string begin(const std::string& name, std::uint32_t checksum, std::uint64_t size);
  // The bytes after the last member.
  std::string end() const;

 private:
  std::uint64_t at_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace catena::io
