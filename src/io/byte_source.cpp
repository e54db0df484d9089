#include "io/byte_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "catena/tables.hpp"
#include "system/descriptor.hpp"

namespace catena::io {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;
constexpr std::size_t longest_line = std::size_t{1}
                                     << 24;  // longer than any line of a table: bounds the memory used for other files

class FileFeed final : public Feed {
 public:
  explicit FileFeed(const std::string& path)
      : owned_(path == "-" ? -1 : system::open_file(path, system::opening::to_read)),
        descriptor_(path == "-" ? STDIN_FILENO : owned_.get()) {}
  int descriptor() const { return descriptor_; }
  std::ptrdiff_t read(char* to, std::size_t most) override { return system::read_some(descriptor_, to, most); }

 private:
  system::Descriptor owned_;
  int descriptor_;
};

}  // namespace

ByteSource::ByteSource(const std::string& path, std::function<bool()> stop)
    : name_(path == "-" ? "standard input" : path), stop_(std::move(stop)), buffer_(2 * chunk) {
  auto file = std::make_unique<FileFeed>(path);
  const int descriptor = file->descriptor();
  if (descriptor < 0) throw TableError(fmt::format("{}: cannot be opened: {}", name_, std::strerror(errno)));
  feed_ = std::move(file);
  using Kind = system::FileStatus::Kind;
  system::FileStatus status;
  if (!system::status_of(descriptor, status)) return;
  if (status.kind == Kind::folder) throw TableError(fmt::format("{}: is a folder, not a table", name_));
  if (status.kind == Kind::regular) size_ = status.size;
}

ByteSource::ByteSource(std::string name, std::unique_ptr<Feed> feed, std::uint64_t size)
    : name_(std::move(name)), feed_(std::move(feed)), buffer_(2 * chunk), size_(size) {}

ByteSource::~ByteSource() = default;

bool ByteSource::fill() {
  if (stopped_) return false;
  if (begin_ > 0 && buffer_.size() - end_ < chunk) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < chunk) buffer_.resize(2 * buffer_.size());
  for (;;) {
    const std::ptrdiff_t got = feed_->read(buffer_.data() + end_, chunk);
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
      return true;
    }
    if (got == 0) return false;
    if (errno != EINTR) throw TableError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
    if (stop_ && stop_()) {
      stopped_ = true;
      return false;
    }
  }
}

std::string_view ByteSource::peek(std::size_t count) {
  while (end_ - begin_ < count && fill()) {
  }
  return buffered().substr(0, count);
}

bool ByteSource::line(std::string_view& text) {
  std::size_t searched = 0;
  std::size_t length = 0, ending = 1;
  for (;;) {
    const std::string_view rest = buffered();
    const void* found =
        rest.size() > searched ? std::memchr(rest.data() + searched, '\n', rest.size() - searched) : nullptr;
    if (found) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - rest.data());
      break;
    }
    searched = rest.size();
    if (searched > longest_line)
      throw TableError(
          fmt::format("{}: a line of more than {} MiB; this is not a CSV table", name_, longest_line >> 20));
    if (fill()) continue;
    if (rest.empty() || stopped_) return false;  // an interrupted line is not a row
    length = buffered().size();
    ending = 0;
    break;
  }
  text = buffered().substr(0, length);
  begin_ += length + ending;
  taken_ += length + ending;
  if (text.ends_with('\r')) text.remove_suffix(1);
  return true;
}

std::string_view ByteSource::block(std::size_t count) {
  const std::string_view bytes = peek(count);
  begin_ += bytes.size();
  taken_ += bytes.size();
  return bytes;
}

}  // namespace catena::io
