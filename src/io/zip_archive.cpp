#include "io/zip_archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "catena/tables.hpp"
#include "io/limits.hpp"

namespace catena::io {
namespace {

constexpr std::uint64_t largest_directory = std::uint64_t{1} << 24;
constexpr std::uint32_t stored = 0, deflated = 8;
constexpr std::uint32_t beyond = 0xFFFFFFFF;  // the actual number is in the ZIP64 fields
constexpr std::string_view end_mark = "PK\x05\x06", far_mark = "PK\x06\x07", far_end_mark = "PK\x06\x06",
                           entry_mark = "PK\x01\x02", local_mark = "PK\x03\x04";
constexpr std::size_t end_size = 22, far_size = 20, far_end_size = 56, entry_size = 46, local_size = 30;

// A little-endian number of `size` bytes at `at`.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t k = size; k-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

void put(std::string& out, std::uint64_t value, int size) {
  for (int k = 0; k < size; ++k) out += static_cast<char>((value >> (8 * k)) & 0xFF);
}

class MemberFeed final : public Feed {
 public:
  MemberFeed(std::shared_ptr<system::Descriptor> file, const ZipMember& member, std::uint64_t at, std::string name)
      : file_(std::move(file)), member_(member), name_(std::move(name)), at_(at), packed_left_(member.packed_size) {
    if (member_.method == deflated && ::inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    if (member_.method == deflated) packed_.resize(std::size_t{1} << 16);
  }
  ~MemberFeed() override {
    if (member_.method == deflated) ::inflateEnd(&stream_);
  }
  MemberFeed(const MemberFeed&) = delete;
  MemberFeed& operator=(const MemberFeed&) = delete;

  std::ptrdiff_t read(char* to, std::size_t most) override {
    const std::ptrdiff_t got = member_.method == stored ? read_packed(to, most) : unpack(to, most);
    if (got < 0) return got;
    checksum_ = ::crc32(checksum_, reinterpret_cast<const Bytef*>(to), static_cast<uInt>(got));
    given_ += static_cast<std::uint64_t>(got);
    if (given_ > member_.size) fail("holds more bytes than the archive's directory says");
    if (got == 0 && given_ < member_.size) fail("is cut off");
    if (got == 0 && checksum_ != member_.checksum) fail("is damaged: its checksum differs");
    return got;
  }

 private:
  [[noreturn]] void fail(const char* what) const { throw TableError(name_ + ": " + what); }

  std::ptrdiff_t read_packed(char* to, std::size_t most) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, packed_left_));
    if (wanted == 0) return 0;
    const std::ptrdiff_t got = system::read_at(file_->get(), to, wanted, at_);
    if (got <= 0) return got;
    at_ += static_cast<std::uint64_t>(got);
    packed_left_ -= static_cast<std::uint64_t>(got);
    return got;
  }

  std::ptrdiff_t unpack(char* to, std::size_t most) {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(most);
    while (stream_.avail_out == most && !ended_) {
      if (stream_.avail_in == 0) {
        const std::ptrdiff_t got = read_packed(packed_.data(), packed_.size());
        if (got < 0) return got;
        if (got == 0) break;
        stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      ended_ = status == Z_STREAM_END;
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) fail("is damaged: it cannot be unpacked");
    }
    return static_cast<std::ptrdiff_t>(most - stream_.avail_out);
  }

  std::shared_ptr<system::Descriptor> file_;
  ZipMember member_;
  std::string name_;
  std::uint64_t at_, packed_left_, given_ = 0;
  uLong checksum_ = ::crc32(0, nullptr, 0);
  z_stream stream_{};
  bool ended_ = false;
  std::vector<char> packed_;
};

// The numbers that exceed 32 bits, from field 1 of the extra data, in this order.
bool read_far_numbers(std::string_view extra, std::initializer_list<std::uint64_t*> numbers) {
  while (extra.size() >= 4) {
    const std::size_t size = number(extra, 2, 2);
    if (extra.size() < 4 + size) return false;
    if (number(extra, 0, 2) == 1) {
      std::size_t at = 4;
      for (std::uint64_t* value : numbers) {
        if (*value != beyond) continue;
        if (at + 8 > 4 + size) return false;
        *value = number(extra, at, 8);
        at += 8;
      }
      return true;
    }
    extra.remove_prefix(4 + size);
  }
  return std::none_of(numbers.begin(), numbers.end(), [](const std::uint64_t* value) { return *value == beyond; });
}

}  // namespace

void ZipArchive::damaged(const std::string& what) const {
  throw TableError(fmt::format("{}: the archive is damaged: {}", path_, what));
}

std::string ZipArchive::bytes_at(std::uint64_t at, std::uint64_t count) const {
  if (at > size_ || count > size_ - at) damaged("it ends early");
  std::string bytes(count, '\0');
  for (std::uint64_t done = 0; done < count;) {
    const std::ptrdiff_t got = system::read_at(file_->get(), bytes.data() + done, count - done, at + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) damaged("it cannot be read");
    done += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

ZipArchive::ZipArchive(const std::string& path)
    : path_(path), file_(std::make_shared<system::Descriptor>(system::open_file(path, system::opening::to_read))) {
  system::FileStatus status;
  if (!file_->open() || !system::status_of(file_->get(), status))
    throw TableError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  size_ = status.size;
  constexpr std::uint64_t longest_comment = 0xFFFF;
  const std::uint64_t tail_size = std::min(size_, end_size + longest_comment + far_size);
  const std::string tail = bytes_at(size_ - tail_size, tail_size);
  const std::size_t end = tail.size() < end_size ? std::string::npos : tail.rfind(end_mark, tail.size() - end_size);
  if (end == std::string::npos) damaged("it has no directory; is it cut off?");
  std::uint64_t count = number(tail, end + 10, 2), size = number(tail, end + 12, 4), at = number(tail, end + 16, 4);
  if (end >= far_size && std::string_view(tail).substr(end - far_size, 4) == far_mark) {
    const std::string far = bytes_at(number(tail, end - far_size + 8, 8), far_end_size);
    if (!far.starts_with(far_end_mark)) damaged("its directory is not where it should be");
    count = number(far, 32, 8);
    size = number(far, 40, 8);
    at = number(far, 48, 8);
  }
  read_directory(at, size, count);
}

void ZipArchive::read_directory(std::uint64_t at, std::uint64_t size, std::uint64_t count) {
  if (size > largest_directory) damaged("its directory is too large");
  if (count > limits::members)
    throw TableError(
        fmt::format("{}: holds {} files; an archive of a table has at most {}", path_, count, limits::members));
  const std::string all = bytes_at(at, size);
  std::string_view rest = all;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (rest.size() < entry_size || !rest.starts_with(entry_mark)) damaged("its directory is cut off");
    const std::size_t name = number(rest, 28, 2), extra = number(rest, 30, 2), comment = number(rest, 32, 2);
    if (rest.size() < entry_size + name + extra + comment) damaged("its directory is cut off");
    ZipMember member;
    member.name = rest.substr(entry_size, name);
    member.encrypted = (number(rest, 8, 2) & 1) != 0;
    member.method = static_cast<std::uint32_t>(number(rest, 10, 2));
    member.checksum = static_cast<std::uint32_t>(number(rest, 16, 4));
    member.packed_size = number(rest, 20, 4);
    member.size = number(rest, 24, 4);
    member.header_at = number(rest, 42, 4);
    if (!read_far_numbers(rest.substr(entry_size + name, extra),
                          {&member.size, &member.packed_size, &member.header_at}))
      damaged("its directory is cut off");
    members_.push_back(std::move(member));
    rest.remove_prefix(entry_size + name + extra + comment);
  }
}

std::unique_ptr<ByteSource> ZipArchive::open(const ZipMember& member, const std::string& name) const {
  if (member.encrypted) throw TableError(name + ": is encrypted");
  if (member.method != stored && member.method != deflated)
    throw TableError(
        fmt::format("{}: is packed by method {}; save it with numpy.savez or savez_compressed", name, member.method));
  const std::string local = bytes_at(member.header_at, local_size);
  if (!local.starts_with(local_mark)) damaged("an array is not where the directory says");
  const std::uint64_t at = member.header_at + local_size + number(local, 26, 2) + number(local, 28, 2);
  if (at > size_ || member.packed_size > size_ - at) damaged("it ends early");
  if (member.method == stored && member.packed_size != member.size) damaged("an array has two sizes");
  return std::make_unique<ByteSource>(name, std::make_unique<MemberFeed>(file_, member, at, name), member.size);
}

std::string ZipDirectory::begin(const std::string& name, std::uint32_t checksum, std::uint64_t size) {
  const bool far = size >= beyond;
  std::string out(local_mark);
  put(out, far ? 45 : 20, 2);  // the version needed to read it
  put(out, 0, 4);              // no flags, stored
  put(out, 0x00210000, 4);     // 1 January 1980: the same table always gives the same bytes
  put(out, checksum, 4);
  for (int k = 0; k < 2; ++k) put(out, far ? beyond : size, 4);
  put(out, name.size(), 2);
  put(out, far ? 20 : 0, 2);
  out += name;
  if (far) {
    put(out, 1, 2);
    put(out, 16, 2);
    for (int k = 0; k < 2; ++k) put(out, size, 8);
  }
  members_.push_back({name, stored, checksum, size, size, at_, false});
  at_ += out.size() + size;
  return out;
}

std::string ZipDirectory::end() const {
  std::string out;
  for (const ZipMember& member : members_) {
    out += entry_mark;
    put(out, 45, 2);
    put(out, 45, 2);
    put(out, 0, 4);
    put(out, 0x00210000, 4);
    put(out, member.checksum, 4);
    for (int k = 0; k < 2; ++k) put(out, std::min<std::uint64_t>(member.size, beyond), 4);
    std::string extra;
    if (member.size >= beyond)
      for (int k = 0; k < 2; ++k) put(extra, member.size, 8);
    if (member.header_at >= beyond) put(extra, member.header_at, 8);
    put(out, member.name.size(), 2);
    put(out, extra.empty() ? 0 : extra.size() + 4, 2);
    out.append(10, '\0');  // no comment, the first disk, no attributes
    put(out, std::min<std::uint64_t>(member.header_at, beyond), 4);
    out += member.name;
    if (extra.empty()) continue;
    put(out, 1, 2);
    put(out, extra.size(), 2);
    out += extra;
  }
  const std::uint64_t size = out.size();
  const std::uint64_t far_end_at = at_ + size;
  out += far_end_mark;  // always present: readers that do not need it skip it
  put(out, far_end_size - 12, 8);
  put(out, 45, 2);
  put(out, 45, 2);
  put(out, 0, 8);
  for (int k = 0; k < 2; ++k) put(out, members_.size(), 8);
  put(out, size, 8);
  put(out, at_, 8);
  out += far_mark;
  put(out, 0, 4);
  put(out, far_end_at, 8);
  put(out, 1, 4);
  out += end_mark;
  put(out, 0, 4);
  for (int k = 0; k < 2; ++k) put(out, std::min<std::uint64_t>(members_.size(), 0xFFFF), 2);
  put(out, std::min<std::uint64_t>(size, beyond), 4);
  put(out, std::min<std::uint64_t>(at_, beyond), 4);
  put(out, 0, 2);
  return out;
}

}  // namespace catena::io
