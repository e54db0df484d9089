// Reads state tables: CSV by column names; arrays are recognised by their first bytes and read in array_table.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "catena/tables.hpp"
#include "io/byte_source.hpp"
#include "io/column_names.hpp"
#include "io/limits.hpp"
#include "io/npy.hpp"
#include "io/table_source.hpp"
#include "io/text.hpp"
#include "io/zip_archive.hpp"

namespace catena {

using io::ByteSource;
using io::shown;
using io::take_field;
using io::trimmed;
using io::unquoted;

namespace {

class CsvSource final : public TableReader::Source {
 public:
  CsvSource(std::unique_ptr<ByteSource> input, const TableFormat& table) : Source(table), bytes_(std::move(input)) {
    read_header();
  }

  bool next(TableRow& row) override {
    std::string_view text;
    do {
      if (!bytes_->line(text)) return false;
      ++line_;
    } while (trimmed(text).empty());
    carried_.clear();
    bool first_carried = true;
    bool more = true;
    std::size_t column = 0;
    for (; more; ++column) {
      const std::string_view field = take_field(text, more);
      if (column >= slots_.size()) continue;  // only counted; reported below
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

  std::string place() const override { return fmt::format("{}:{}", bytes_->name(), line_); }
  std::uint64_t bytes_read() const override { return bytes_->taken(); }
  std::uint64_t bytes_total() const override { return bytes_->size(); }

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
      if (!bytes_->line(text)) fail("the table is empty; its first line names the columns: q1,q2,…");
    } while (trimmed(text).empty());
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    header_ = shown(text);
    if (trimmed(text).starts_with('#')) text = trimmed(text).substr(1);  // as numpy.savetxt writes it
    for (bool more = true; more;) {
      if (names_.size() == io::limits::columns) fail(fmt::format("more than {} columns", io::limits::columns));
      const std::string_view field = take_field(text, more);
      names_.emplace_back(shown(unquoted(field)));
      add_column(field);
    }
    require_complete_groups();
  }

  void add_column(std::string_view field) {
    const std::string_view name = unquoted(field);
    if (add_named_column(name) || add_plain_column(name)) return;
    const std::size_t split = name.find_last_not_of("0123456789") + 1;
    const std::string_view group = name.substr(0, split), digits = name.substr(split);
    const auto known = std::find(format.groups.begin(), format.groups.end(), group);
    if (contains(format.columns, name) && known == format.groups.end()) {
      slots_.push_back(ignore);
      return;
    }
    if (digits.empty() || (known == format.groups.end() && !contains(format.results, group))) {
      if (carries_) carried_header += ',';
      carries_ = true;
      carried_header += field;
      slots_.push_back(carry);
      return;
    }
    int joint = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), joint);
    const auto g = static_cast<std::size_t>(known - format.groups.begin());
    const auto most =
        static_cast<int>(g < format.groups.size() ? format.count(g) : static_cast<std::size_t>(format.joints));
    const bool of_base = g < format.groups.size() && format.is_of_base(g);
    if (joint < 1 || joint > most)
      fail(fmt::format("column '{}': the robot has {} {}, {}1 to {}{}", shown(name), most,
                       of_base                 ? "numbers of its base"
                       : most == format.joints ? "joints"
                                               : "positions",
                       group, group, most));
    if (known == format.groups.end()) {
      slots_.push_back(ignore);
      return;
    }
    numbered_ = numbered_ || !of_base;
    add_slot(name, static_cast<int>(g), joint - 1);
  }

  // fx, where each group is a single number; no other columns are allowed then.
  bool add_plain_column(std::string_view name) {
    if (!format.plain) return false;
    const auto known = std::find(format.groups.begin(), format.groups.end(), name);
    if (known == format.groups.end())
      fail(fmt::format("column '{}': the columns are {}", shown(name), fmt::join(format.groups, ", ")));
    add_slot(name, static_cast<int>(known - format.groups.begin()), 0);
    return true;
  }

  // q:elbow. False where the name is not of this form: then it is numbered, or not ours.
  bool add_named_column(std::string_view name) {
    const std::size_t colon = name.find(':');
    if (format.joint_names.empty() || colon == std::string_view::npos) return false;
    const std::string_view group = name.substr(0, colon), joint = name.substr(colon + 1);
    const auto known = std::find(format.groups.begin(), format.groups.end(), group);
    if (known == format.groups.end() && !contains(format.results, group)) return false;
    const auto g = static_cast<std::size_t>(known - format.groups.begin());
    if (g < format.groups.size() && format.is_of_base(g)) return false;  // entries of the base have no names
    const std::vector<std::string>& own = g < format.groups.size() ? format.names(g) : format.joint_names;
    const auto found = std::find(own.begin(), own.end(), joint);
    if (found == own.end()) {
      const std::vector<std::string_view> names(own.begin(), own.end());
      const std::string near = io::did_you_mean(joint, names);
      fail(fmt::format("column '{}': the robot has no joint '{}'{}", shown(name), shown(joint),
                       near.empty() ? fmt::format("; its joints are {}", fmt::join(names, ", ")) : near));
    }
    if (known == format.groups.end()) {
      slots_.push_back(ignore);
      return true;
    }
    named = true;
    add_slot(name, static_cast<int>(g), static_cast<int>(found - own.begin()));
    return true;
  }

  void add_slot(std::string_view name, int group, int joint) {
    if (named && numbered_)
      fail(fmt::format("column '{}': name columns by joints (q:{}) or by numbers (q1), not both", shown(name),
                       format.joint_names.front()));
    const int slot = static_cast<int>(format.start(static_cast<std::size_t>(group))) + joint;
    if (std::find(slots_.begin(), slots_.end(), slot) != slots_.end())
      fail(fmt::format("column '{}' is given twice", shown(name)));
    slots_.push_back(slot);
  }

  static bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // A group has all its columns or none; required groups must be present.
  void require_complete_groups() const {
    for (std::size_t g = 0; g < format.groups.size(); ++g) {
      std::vector<std::string> missing;
      for (std::size_t j = 0; j < format.count(g); ++j) {
        const int slot = static_cast<int>(format.start(g) + j);
        if (std::find(slots_.begin(), slots_.end(), slot) == slots_.end())
          missing.push_back(format.plain ? format.groups[g]
                                         : joint_column(format.groups[g], j,
                                                        named && !format.is_of_base(g) ? format.names(g)
                                                                                       : std::vector<std::string>{}));
      }
      const bool absent = missing.size() == format.count(g);
      if (missing.empty() || (absent && g >= static_cast<std::size_t>(format.required))) continue;
      const bool no_header = *std::max_element(slots_.begin(), slots_.end()) < 0;
      fail(fmt::format(
          "the header has no column{} {}{}", missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
          no_header ? fmt::format("; the first line must name the columns, separated by commas, but is '{}'", header_)
                    : ""));
    }
  }

  std::unique_ptr<ByteSource> bytes_;
  std::vector<int> slots_;  // by column: index into values, carry or ignore
  std::vector<std::string> names_;
  std::string header_;
  std::string carried_;
  bool carries_ = false;   // some column is carried along
  bool numbered_ = false;  // some column is identified by a number
  std::uint64_t line_ = 0;
};

}  // namespace

TableReader::TableReader(const std::string& path, const TableFormat& format) {
  if (format.joints < 1) throw TableError(fmt::format("{}: the robot has no joints to tabulate", path));
  auto bytes = std::make_unique<ByteSource>(path, format.stop);
  if (bytes->peek(6) == io::npy_magic) {
    source_ = io::npy_source(std::move(bytes), format);
  } else if (io::is_zip(bytes->peek(4))) {
    if (path == "-" || bytes->size() == 0)
      throw TableError(
          fmt::format("{}: a .npz archive has its directory at the end and cannot be read from a pipe; give a file",
                      bytes->name()));
    source_ = io::npz_source(path, format);
  } else if (path.ends_with(".npy") || path.ends_with(".npz")) {
    throw TableError(
        fmt::format("{}: is not a {} file (it does not start as one)", path, path.substr(path.size() - 4)));
  } else {
    source_ = std::make_unique<CsvSource>(std::move(bytes), format);
  }
}

TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;

std::string joint_column(std::string_view group, std::size_t j, const std::vector<std::string>& names) {
  if (names.empty()) return fmt::format("{}{}", group, j + 1);
  const std::string name = fmt::format("{}:{}", group, names[j]);
  return name.find(',') == std::string::npos ? name : '"' + name + '"';
}

bool TableReader::next(TableRow& row) { return source_->next(row); }
bool TableReader::named() const { return source_->named; }
const std::string& TableReader::carried_header() const { return source_->carried_header; }
std::string TableReader::place() const { return source_->place(); }
std::uint64_t TableReader::bytes_read() const { return source_->bytes_read(); }
std::uint64_t TableReader::bytes_total() const { return source_->bytes_total(); }

}  // namespace catena
