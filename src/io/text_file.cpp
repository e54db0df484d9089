#include "catena/io/text_file.hpp"

#include <fcntl.h>

#include <atomic>
#include <filesystem>

#include "../system/descriptor.hpp"
#include "file.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;
using io::fail;
using io::fail_with_errno;
using system::Descriptor;

// A new file in the folder of `path`, with a name nobody else has.
std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}.{}.{}.tmp", path, ::getpid(), count++);
}

void write_atomically(const std::string& path, std::string_view text) {
  const std::string temporary = temporary_beside(path);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.open()) fail_with_errno(path, "cannot write this file");
  const bool written = system::write_all(file.get(), text) && ::fsync(file.get()) == 0 && file.close() &&
                       ::rename(temporary.c_str(), path.c_str()) == 0;
  if (written) return;
  const int reason = errno;
  ::unlink(temporary.c_str());
  errno = reason;
  fail_with_errno(path, "cannot write this file");
}

}  // namespace

void write_text_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  const fs::path target = fs::weakly_canonical(path, ignored);  // a link keeps pointing where it does
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) fail(path, "exists and is no regular file");
  write_atomically(target.empty() ? path : target.string(), text);
}

}  // namespace catena
