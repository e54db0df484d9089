#include "support/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "support/errors.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Opens, writes, closes; errno says what failed.
bool write_to(const std::string& path, int flags, const std::string& text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, text);
  const int error = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!written) errno = error;
  return written && closed;
}

}  // namespace

void write_text_file(const std::string& path, const std::string& text) {
  std::error_code ignored;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  const std::string target = resolved.empty() ? path : resolved.string();
  bool good = false;
  int error = 0;
  // Standard output may be a file that others write to as well.
  if (path.starts_with("/dev/") || (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored))) {
    good = write_to(path, 0, text);
    error = errno;
  } else {
    const std::string draft = fmt::format("{}.{}.part", target, ::getpid());
    good = write_to(draft, O_CREAT | O_EXCL, text) && ::rename(draft.c_str(), target.c_str()) == 0;
    error = errno;
    if (!good) ::unlink(draft.c_str());
  }
  if (!good) throw std::runtime_error(fmt::format("cannot write {}: {}", printable(path), std::strerror(error)));
}

}  // namespace catena::cli
