// Writing tables: a buffer of whole rows, flushed to a temporary file that takes its final name at the end.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "catena/io/state_table.hpp"
#include "npy.hpp"

namespace catena {
namespace {

constexpr std::size_t flush_at = std::size_t{1} << 17;

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

// Devices, pipes and standard output are written as they are: renaming a file over /dev/null would replace the device.
bool written_in_place(const std::string& path) {
  struct stat status {};
  return is_standard_output(path) || path.starts_with("/dev/") ||
         (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
}

// The file behind a chain of links, so that the rename replaces the file and not the link to it.
std::string behind_links(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

// The mode a file made with open(path, O_CREAT) would get: mkstemp makes it private.
mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

struct TableWriter::Sink {
  Sink(const std::string& path, std::size_t width)
      : name(is_standard_output(path) ? "standard output" : path), columns(width) {
    npy = path.ends_with(".npy");
    if (written_in_place(path)) {
      if (npy) throw TableError(fmt::format("{}: a .npy table needs a plain file", name));
      descriptor = is_standard_output(path) ? STDOUT_FILENO : ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    } else {
      final_name = behind_links(path);
      temporary = final_name + ".XXXXXX";
      descriptor = ::mkstemp(temporary.data());
      if (descriptor < 0) temporary.clear();
    }
    if (descriptor < 0) throw TableError(fmt::format("{}: cannot be written: {}", name, std::strerror(errno)));
  }
  ~Sink() {
    if (descriptor > STDERR_FILENO) ::close(descriptor);
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  [[noreturn]] void fail() const {
    throw TableWriteError(fmt::format("{}: cannot be written: {}", name, std::strerror(errno)));
  }

  void flush() {
    for (std::size_t done = 0; done < buffer.size();) {
      const ssize_t wrote = ::write(descriptor, buffer.data() + done, buffer.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) fail();
      done += static_cast<std::size_t>(wrote);
    }
    buffer.clear();
  }

  void append(std::string_view text) { buffer.append(text.data(), text.data() + text.size()); }

  void append_csv(std::span<const double> values, std::string_view carried, bool has_carried) {
    if (has_carried) append(carried);
    bool separate = has_carried;
    for (const double value : values) {
      if (separate) buffer.push_back(',');
      fmt::format_to(fmt::appender(buffer), "{}", value);  // the shortest text that reads back to the same bits
      separate = true;
    }
    buffer.push_back('\n');
  }

  void take_place() {
    flush();
    if (temporary.empty()) {
      if (descriptor > STDERR_FILENO && ::close(std::exchange(descriptor, -1)) != 0) fail();
      return;
    }
    if (npy) {
      const std::string header = io::npy_header(rows, columns);
      if (::pwrite(descriptor, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) fail();
    }
    if (::fchmod(descriptor, usual_mode()) != 0 || ::close(std::exchange(descriptor, -1)) != 0) fail();
    if (std::rename(temporary.c_str(), final_name.c_str()) != 0) fail();
    temporary.clear();
  }

  std::string name, final_name, temporary;
  std::size_t columns;
  bool npy = false;
  bool carries = false;
  int descriptor = -1;
  std::uint64_t rows = 0;
  fmt::memory_buffer buffer;
};

TableWriter::TableWriter(const std::string& path, const std::vector<std::string>& columns,
                         const std::string& carried_header)
    : sink_(std::make_unique<Sink>(path, columns.size())) {
  if (sink_->npy) {
    sink_->append(io::npy_header(0, columns.size()));
    return;
  }
  sink_->carries = !carried_header.empty();
  if (sink_->carries) sink_->append(carried_header + ",");
  sink_->append(fmt::format("{}\n", fmt::join(columns, ",")));
}

TableWriter::~TableWriter() = default;
TableWriter::TableWriter(TableWriter&&) noexcept = default;

void TableWriter::write(std::span<const double> values, std::string_view carried) {
  if (sink_->npy) {
    const char* bytes = reinterpret_cast<const char*>(values.data());
    sink_->buffer.append(bytes, bytes + values.size_bytes());
  } else {
    sink_->append_csv(values, carried, sink_->carries);
  }
  ++sink_->rows;
  if (sink_->buffer.size() >= flush_at) sink_->flush();
}

void TableWriter::finish() { sink_->take_place(); }

std::uint64_t TableWriter::rows() const { return sink_->rows; }

}  // namespace catena
