// Reading state tables: CSV by column names, .npy by column count.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "byte_source.hpp"
#include "catena/io/state_table.hpp"
#include "npy.hpp"

namespace catena {

static_assert(std::endian::native == std::endian::little,
              "the .npy tables are read and written as little-endian bytes");

using io::ByteSource;

struct TableReader::Source {
  Source(std::unique_ptr<ByteSource> input, const TableFormat& table)
      : bytes(std::move(input)),
        format(table),
        values(format.groups.size() * static_cast<std::size_t>(format.joints)) {}
  virtual ~Source() = default;
  virtual bool next(TableRow& row) = 0;
  virtual std::string place() const = 0;

  [[noreturn]] void fail(const std::string& what) const { throw TableError(place() + ": " + what); }

  std::unique_ptr<ByteSource> bytes;
  TableFormat format;
  std::vector<double> values;
  std::string carried_header;
};

namespace {

// A field as a message may show it: it came from outside and may be anything.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += (c >= ' ' && c <= '~') ? c : '?';
  return text.size() > 40 ? out + "..." : out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = trimmed(text.substr(1, text.size() - 2));
  return text;
}

// Takes the next field of a CSV line, quotes included; a comma inside quotes belongs to the field.
std::string_view take_field(std::string_view& rest, bool& more) {
  std::size_t end = 0;
  if (rest.starts_with('"')) {
    for (bool inside = false; end < rest.size() && (inside || rest[end] != ','); ++end) inside ^= rest[end] == '"';
  } else {
    end = std::min(rest.find(','), rest.size());
  }
  more = end < rest.size();
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(more ? end + 1 : end);
  return field;
}

class CsvSource final : public TableReader::Source {
 public:
  CsvSource(std::unique_ptr<ByteSource> input, const TableFormat& table) : Source(std::move(input), table) {
    read_header();
  }

  bool next(TableRow& row) override {
    std::string_view text;
    do {
      if (!bytes->line(text)) return false;
      ++line_;
    } while (trimmed(text).empty());
    carried_.clear();
    bool first_carried = true;
    bool more = true;
    std::size_t column = 0;
    for (; more; ++column) {
      const std::string_view field = take_field(text, more);
      if (column >= slots_.size()) continue;  // counted, and complained about below
      const int slot = slots_[column];
      if (slot >= 0) {
        values[static_cast<std::size_t>(slot)] = number(field, column);
      } else if (slot == carry) {
        if (!first_carried) carried_ += ',';
        carried_ += field;
        first_carried = false;
      }
    }
    if (column != slots_.size())
      fail(fmt::format("{} column{}; the header names {}", column, column == 1 ? "" : "s", slots_.size()));
    row = {values, carried_};
    return true;
  }

  std::string place() const override { return fmt::format("{}:{}", bytes->name(), line_); }

 private:
  static constexpr int carry = -1, ignore = -2;

  double number(std::string_view field, std::size_t column) const {
    std::string_view digits = unquoted(field);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size())
      fail(fmt::format("column {}: '{}' is not a number", names_[column], shown(field)));
    if (error != std::errc{} || !std::isfinite(value))
      fail(fmt::format("column {}: '{}' is not a finite double", names_[column], shown(field)));
    return value;
  }

  void read_header() {
    std::string_view text;
    do {
      ++line_;
      if (!bytes->line(text)) fail("the table is empty; its first line names the columns: q1,q2,…");
    } while (trimmed(text).empty());
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (trimmed(text).starts_with('#')) text = trimmed(text).substr(1);  // numpy.savetxt writes it so
    for (bool more = true; more;) {
      const std::string_view field = take_field(text, more);
      names_.emplace_back(shown(unquoted(field)));
      add_column(field);
    }
    require_complete_groups();
  }

  void add_column(std::string_view field) {
    const std::string_view name = unquoted(field);
    const std::size_t split = name.find_last_not_of("0123456789") + 1;
    const std::string_view group = name.substr(0, split), digits = name.substr(split);
    const auto known = std::find(format.groups.begin(), format.groups.end(), group);
    if (contains(format.columns, name) && known == format.groups.end()) {
      slots_.push_back(ignore);
      return;
    }
    if (digits.empty() || (known == format.groups.end() && !contains(format.results, group))) {
      if (std::count(slots_.begin(), slots_.end(), carry) > 0) carried_header += ',';
      carried_header += field;
      slots_.push_back(carry);
      return;
    }
    int joint = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), joint);
    if (joint < 1 || joint > format.joints)
      fail(fmt::format("column '{}': the robot has {} joints, {}1 to {}{}", shown(name), format.joints, group, group,
                       format.joints));
    if (known == format.groups.end()) {
      slots_.push_back(ignore);
      return;
    }
    const int slot = static_cast<int>(known - format.groups.begin()) * format.joints + joint - 1;
    if (std::find(slots_.begin(), slots_.end(), slot) != slots_.end())
      fail(fmt::format("column '{}' is there twice", shown(name)));
    slots_.push_back(slot);
  }

  static bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // A group is there with all its joints or not at all; the required ones must be there.
  void require_complete_groups() const {
    for (std::size_t g = 0; g < format.groups.size(); ++g) {
      std::vector<std::string> missing;
      for (int j = 0; j < format.joints; ++j) {
        const int slot = static_cast<int>(g) * format.joints + j;
        if (std::find(slots_.begin(), slots_.end(), slot) == slots_.end())
          missing.push_back(fmt::format("{}{}", format.groups[g], j + 1));
      }
      const bool absent = missing.size() == static_cast<std::size_t>(format.joints);
      if (missing.empty() || (absent && g >= static_cast<std::size_t>(format.required))) continue;
      const bool no_header = *std::max_element(slots_.begin(), slots_.end()) < 0;
      fail(fmt::format("the header lacks column{} {}{}", missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                       no_header ? "; the first line names the columns, separated by commas" : ""));
    }
  }

  std::vector<int> slots_;  // by column: index into values, carry or ignore
  std::vector<std::string> names_;
  std::string carried_;
  std::uint64_t line_ = 0;
};

class NpySource final : public TableReader::Source {
 public:
  NpySource(std::unique_ptr<ByteSource> input, const TableFormat& table) : Source(std::move(input), table) {
    header_ = io::read_npy_header(*bytes);
    const auto n = static_cast<std::uint64_t>(format.joints);
    const auto required = static_cast<std::size_t>(format.required);
    if (header_.columns < required * n || header_.columns % n != 0 || header_.columns > values.size()) {
      std::vector<std::string> widths;
      for (std::size_t g = required; g <= format.groups.size(); ++g)
        widths.push_back(fmt::format(
            "{} ({})", g * n,
            fmt::join(format.groups.begin(), format.groups.begin() + static_cast<std::ptrdiff_t>(g), ", ")));
      throw TableError(fmt::format("{}: the array has {} columns; a robot of {} joints takes {}", bytes->name(),
                                   header_.columns, n, fmt::join(widths, " or ")));
    }
    const std::uint64_t left = bytes->size() - bytes->taken();
    if (bytes->size() > 0 && left / (header_.columns * header_.item_size) < header_.rows)
      throw TableError(fmt::format("{}: the file is cut off: its header says {} rows, it holds {}", bytes->name(),
                                   header_.rows, left / (header_.columns * header_.item_size)));
  }

  bool next(TableRow& row) override {
    if (row_ == header_.rows) return false;
    const std::size_t size = header_.columns * header_.item_size;
    const std::string_view block = bytes->block(size);
    if (bytes->stopped()) return false;
    ++row_;
    if (block.size() != size) fail(fmt::format("the file ends here; its header says {} rows", header_.rows));
    if (header_.item_size == 8) {
      std::memcpy(values.data(), block.data(), size);
    } else {
      for (std::size_t k = 0; k < header_.columns; ++k) {
        float value = 0.0F;
        std::memcpy(&value, block.data() + 4 * k, 4);
        values[k] = static_cast<double>(value);
      }
    }
    for (std::size_t k = 0; k < header_.columns; ++k)
      if (!std::isfinite(values[k])) fail(fmt::format("column {} is not finite", k + 1));
    row = {values, {}};
    return true;
  }

  std::string place() const override { return fmt::format("{}: row {}", bytes->name(), row_); }

 private:
  io::NpyHeader header_;
  std::uint64_t row_ = 0;
};

}  // namespace

TableReader::TableReader(const std::string& path, const TableFormat& format) {
  if (format.joints < 1) throw TableError(fmt::format("{}: the robot has no joints to tabulate", path));
  auto bytes = std::make_unique<ByteSource>(path, format.stop);
  if (path != "-" && bytes->peek(6) == io::npy_magic) {
    source_ = std::make_unique<NpySource>(std::move(bytes), format);
  } else if (path.ends_with(".npy")) {
    throw TableError(fmt::format("{}: is not a .npy file (it does not start as one)", path));
  } else {
    source_ = std::make_unique<CsvSource>(std::move(bytes), format);
  }
}

TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;

bool TableReader::next(TableRow& row) { return source_->next(row); }
const std::string& TableReader::carried_header() const { return source_->carried_header; }
std::string TableReader::place() const { return source_->place(); }
std::uint64_t TableReader::bytes_read() const { return source_->bytes->taken(); }
std::uint64_t TableReader::bytes_total() const { return source_->bytes->size(); }

}  // namespace catena
