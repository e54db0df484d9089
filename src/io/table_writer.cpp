// Writes tables: buffers of whole rows, flushed to a temporary file that gets its final name at the end.
#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "catena/tables.hpp"
#include "io/column_names.hpp"
#include "io/file.hpp"
#include "io/npy.hpp"
#include "io/zip_archive.hpp"
#include "system/replaced_file.hpp"

namespace catena {

struct TableWriter::Sink {
  virtual ~Sink() = default;
  virtual void write(std::span<const double> values, std::string_view carried) = 0;
  virtual std::string finish(bool whole) = 0;  // returns the file's name
  std::uint64_t rows = 0;
};

namespace {

constexpr std::size_t flush_at = std::size_t{1} << 17;

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

// Devices, pipes and standard output are written directly: renaming a file over /dev/null would replace the device.
bool written_in_place(const std::string& path) {
  system::FileStatus status;
  return is_standard_output(path) || std::filesystem::path(path).parent_path() == "/dev" ||
         (system::status_of(path, status) && status.kind != system::FileStatus::Kind::regular);
}

[[noreturn]] void fail_to_write(const std::string& name) {
  if (errno == EPIPE) throw TablePipeClosed(fmt::format("{}: nobody reads it", name));
  io::fail_to_write(name);
}

// The file, the device or standard output that a table goes to.
class Target {
 public:
  Target(const std::string& path, bool needs_file) : name_(is_standard_output(path) ? "standard output" : path) {
    if (!written_in_place(path)) {
      file_.emplace(path);
      descriptor_ = file_->get();
    } else if (needs_file) {
      const std::string ending = std::filesystem::path(path).extension().string();
      throw TableError(fmt::format("{}: a {} table needs a plain file", name_, ending));
    } else if (is_standard_output(path)) {
      descriptor_ = STDOUT_FILENO;
    } else {
      device_ = system::Descriptor(system::open_file(path, system::opening::to_write | system::opening::at_end));
      descriptor_ = device_.get();
    }
    if (descriptor_ < 0) fail_to_write(name_);
  }

  const std::string& name() const { return name_; }
  const std::string& final_name() const { return file_->final_name(); }
  void write(std::string_view bytes) {
    if (!system::write_all(descriptor_, bytes)) fail_to_write(name_);
  }
  void overwrite_start(std::string_view bytes) {
    if (system::write_at(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<std::ptrdiff_t>(bytes.size()))
      fail_to_write(name_);
  }
  std::string take_place(bool whole) {
    const bool in_part = file_ && !whole;
    if (!(in_part ? file_->keep_part() : file_ ? file_->take_place() : device_.close())) fail_to_write(name_);
    return in_part ? name_ + ".part" : name_;
  }

 private:
  std::string name_;
  std::optional<system::ReplacedFile> file_;
  system::Descriptor device_;
  int descriptor_ = -1;
};

void append(fmt::memory_buffer& buffer, std::string_view text) {
  buffer.append(text.data(), text.data() + text.size());
}
std::string_view bytes_of(std::span<const double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
std::string_view view(const fmt::memory_buffer& buffer) { return {buffer.data(), buffer.size()}; }

class CsvSink final : public TableWriter::Sink {
 public:
  CsvSink(const std::string& path, const std::vector<std::string>& columns, const std::string& carried_header)
      : target_(path, false), carries_(!carried_header.empty()) {
    if (carries_) append(buffer_, carried_header + ",");
    append(buffer_, fmt::format("{}\n", fmt::join(columns, ",")));
  }
  void write(std::span<const double> values, std::string_view carried) override {
    if (carries_) append(buffer_, carried);
    bool separate = carries_;
    for (const double value : values) {
      if (separate) buffer_.push_back(',');
      fmt::format_to(fmt::appender(buffer_), "{}", value);  // the shortest text that reads back to the same bits
      separate = true;
    }
    buffer_.push_back('\n');
    if (buffer_.size() >= flush_at) flush();
  }
  std::string finish(bool whole) override {
    flush();
    return target_.take_place(whole);
  }

 private:
  void flush() {
    target_.write(view(buffer_));
    buffer_.clear();
  }

  Target target_;
  bool carries_;
  fmt::memory_buffer buffer_;
};

class NpySink final : public TableWriter::Sink {
 public:
  NpySink(const std::string& path, std::size_t columns) : target_(path, true), columns_(columns) {
    append(buffer_, io::npy_header({0, columns}));
  }
  void write(std::span<const double> values, std::string_view) override {
    append(buffer_, bytes_of(values));
    if (buffer_.size() >= flush_at) flush();
  }
  std::string finish(bool whole) override {
    flush();
    target_.overwrite_start(io::npy_header({rows, columns_}));
    return target_.take_place(whole);
  }

 private:
  void flush() {
    target_.write(view(buffer_));
    buffer_.clear();
  }

  Target target_;
  std::size_t columns_;
  fmt::memory_buffer buffer_;
};

// The rows of one array of an archive. Their number is known only at the end, so they are kept in an unnamed file.
class Spool {
 public:
  Spool(const std::string& beside, std::string name) : name_(std::move(name)) {
    system::Temporary temporary(system::temporary_stem(beside) + ".tmp");
    file_ = temporary.create(system::for_owner);
    if (!file_.open()) fail_to_write(name_);
  }
  void add(std::span<const double> values) {
    append(buffer_, bytes_of(values));
    if (buffer_.size() >= flush_at) flush();
  }
  std::uint64_t size() const { return size_; }
  std::uint32_t checksum() const { return static_cast<std::uint32_t>(checksum_); }
  void copy_to(Target& target) {
    std::string block(std::size_t{1} << 20, '\0');
    for (std::uint64_t at = 0; at < size_;) {
      const std::ptrdiff_t got = system::read_at(file_.get(), block.data(), block.size(), at);
      if (got <= 0) fail_to_write(name_);
      target.write(std::string_view(block).substr(0, static_cast<std::size_t>(got)));
      at += static_cast<std::uint64_t>(got);
    }
  }
  void flush() {
    if (!system::write_all(file_.get(), view(buffer_))) fail_to_write(name_);
    checksum_ = ::crc32(checksum_, reinterpret_cast<const Bytef*>(buffer_.data()), static_cast<uInt>(buffer_.size()));
    size_ += buffer_.size();
    buffer_.clear();
  }

 private:
  std::string name_;
  system::Descriptor file_;
  fmt::memory_buffer buffer_;
  uLong checksum_ = ::crc32(0, nullptr, 0);
  std::uint64_t size_ = 0;
};

class NpzSink final : public TableWriter::Sink {
 public:
  NpzSink(const std::string& path, const std::vector<std::string>& columns, std::string_view carried_header)
      : target_(path, true) {
    bool more = !carried_header.empty();
    for (int k = 0; more; ++k)
      if (io::unquoted(io::take_field(carried_header, more)) == "t") time_column_ = k;
    if (time_column_ >= 0) add_column("t");
    for (const std::string& column : columns) add_column(column);
  }
  void write(std::span<const double> values, std::string_view carried) override {
    auto array = arrays_.begin();
    if (time_column_ >= 0) {
      const double t = time_of(carried);
      (array++)->spool.add({&t, 1});
    }
    for (; array != arrays_.end(); ++array) {
      array->spool.add(values.first(array->width));
      values = values.subspan(array->width);
    }
  }
  std::string finish(bool whole) override {
    io::ZipDirectory directory;
    for (Array& array : arrays_) {
      array.spool.flush();
      array.shape.insert(array.shape.begin(), rows);
      const std::string header = io::npy_header(array.shape);
      const uLong checksum =
          ::crc32_combine(::crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size())),
                          array.spool.checksum(), static_cast<z_off_t>(array.spool.size()));
      target_.write(directory.begin(array.name + ".npy", static_cast<std::uint32_t>(checksum),
                                    header.size() + array.spool.size()));
      target_.write(header);
      array.spool.copy_to(target_);
    }
    target_.write(directory.end());
    return target_.take_place(whole);
  }

 private:
  struct Array {
    std::string name;
    std::vector<std::uint64_t> shape;  // of a row: {} a number, {n} a vector, {rows, columns} a matrix
    std::size_t width;
    Spool spool;
  };

  // The columns of one array are adjacent, a matrix by rows: the last column has the largest indices.
  void add_column(std::string_view name) {
    const io::ColumnName column = io::parse_column_name(io::unquoted(name));
    if (arrays_.empty() || arrays_.back().name != column.array || column.indices.empty())
      arrays_.push_back({std::string(column.array), {}, 0, Spool(target_.final_name(), target_.name())});
    arrays_.back().shape = column.indices;
    ++arrays_.back().width;
    if (column.indices.size() == 1) arrays_.back().shape = {arrays_.back().width};
  }

  double time_of(std::string_view carried) const {
    bool more = true;
    std::string_view field;
    for (int k = 0; more && k <= time_column_; ++k) field = io::unquoted(io::take_field(carried, more));
    double t = 0.0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), t);
    if (field.empty() || error != std::errc{} || end != field.data() + field.size())
      throw TableError(fmt::format("{}: column t: '{}' is not a number; a .npz table holds only numbers",
                                   target_.name(), io::shown(field)));
    return t;
  }

  Target target_;
  int time_column_ = -1;
  std::vector<Array> arrays_;
};

// No program could read a CSV table under the ending of another format.
void refuse_foreign_ending(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const char* foreign : {".json", ".mat", ".xls", ".xlsx", ".ods", ".h5", ".hdf5", ".parquet", ".pkl", ".zip"})
    if (ending == foreign) throw TableError(fmt::format("{}: a table is written as CSV, .npy or .npz", path));
}

std::unique_ptr<TableWriter::Sink> make_sink(const std::string& path, const std::vector<std::string>& columns,
                                             const std::string& carried_header) {
  refuse_foreign_ending(path);
  if (path.ends_with(".npy")) return std::make_unique<NpySink>(path, columns.size());
  if (path.ends_with(".npz")) return std::make_unique<NpzSink>(path, columns, carried_header);
  return std::make_unique<CsvSink>(path, columns, carried_header);
}

}  // namespace

TableWriter::TableWriter(const std::string& path, const std::vector<std::string>& columns,
                         const std::string& carried_header)
    : sink_(make_sink(path, columns, carried_header)) {}

TableWriter::~TableWriter() = default;
TableWriter::TableWriter(TableWriter&&) noexcept = default;

void TableWriter::write(std::span<const double> values, std::string_view carried) {
  sink_->write(values, carried);
  ++sink_->rows;
}

void TableWriter::finish() { sink_->finish(true); }

std::string TableWriter::keep() { return sink_->finish(false); }

std::uint64_t TableWriter::rows() const { return sink_->rows; }

}  // namespace catena
