// Reads bytes of a file, of standard input or of an archive member through one buffer, as lines or blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::io {

// Where bytes come from.
class Feed {
 public:
  virtual ~Feed() = default;
  // Like ::read: returns the number of bytes, 0 at the end, or -1 with errno set.
  virtual std::ptrdiff_t read(char* to, std::size_t most) = 0;
};

class ByteSource {
 public:
  // "-" is standard input. `stop` is called when a signal interrupts a read: true ends the input.
  ByteSource(const std::string& path, std::function<bool()> stop);
  // `size` bytes of a feed; `name` is its name in messages.
  ByteSource(std::string name, std::unique_ptr<Feed> feed, std::uint64_t size);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The first bytes, without consuming them (fewer at the end of the input).
  std::string_view peek(std::size_t count);
  // The next line without its end of line; false at the end. The view is valid until the next call.
  bool line(std::string_view& text);
  // The next `count` bytes, or fewer at the end. The view is valid until the next call.
  std::string_view block(std::size_t count);

  const std::string& name() const { return name_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t size() const { return size_; }  // 0: unknown
  bool stopped() const { return stopped_; }

 private:
  std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }
  bool fill();  // appends to the buffered bytes; false at the end

  std::string name_;
  std::function<bool()> stop_;
  std::unique_ptr<Feed> feed_;
  bool stopped_ = false;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t taken_ = 0, size_ = 0;
};

}  // namespace catena::io
