// Reads state tables from NumPy files: one array whose columns hold all groups, or an archive with one array per group.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "catena/tables.hpp"
#include "io/column_names.hpp"
#include "io/npy.hpp"
#include "io/table_source.hpp"
#include "io/zip_archive.hpp"

namespace catena::io {
namespace {

// k tables of m rows each are read one after the other, where the caller allows that.
std::string allowed_shapes(const TableFormat& format, const std::string& columns) {
  return fmt::format("(rows, {0}){1}", columns, format.batches ? fmt::format(" or (tables, rows, {})", columns) : "");
}
bool allowed_dimensions(const TableFormat& format, std::size_t dimensions) {
  return dimensions == 2 || (format.batches && dimensions == 3);
}

class NpySource final : public TableReader::Source {
 public:
  NpySource(std::unique_ptr<ByteSource> bytes, const TableFormat& table) : Source(table) {
    const NpyHeader header = read_npy_header(*bytes);
    require_shape(bytes->name(), header);
    rows_.emplace(std::move(bytes), header, header.shape.back());
  }

  bool next(TableRow& row) override {
    if (!rows_->next(values)) return false;
    rows_->require_finite(values);
    row = {values, {}};
    return true;
  }
  std::string place() const override { return fmt::format("{}: row {}", rows_->source().name(), rows_->row()); }
  std::uint64_t bytes_read() const override { return rows_->source().taken(); }
  std::uint64_t bytes_total() const override { return rows_->source().size(); }

 private:
  void require_shape(const std::string& name, const NpyHeader& header) const {
    if (!allowed_dimensions(format, header.shape.size()))
      throw TableError(fmt::format("{}: the array's shape is {}; a table is {}, one row per state", name,
                                   header.shape_text, allowed_shapes(format, "columns")));
    const auto n = static_cast<std::uint64_t>(format.joints), columns = header.shape.back();
    const auto required = static_cast<std::size_t>(format.required);
    for (std::size_t g = required; g <= format.groups.size(); ++g)
      if (columns == format.start(g)) return;
    std::vector<std::string> widths;
    for (std::size_t g = required; g <= format.groups.size(); ++g)
      widths.push_back(
          fmt::format("{} ({})", format.start(g),
                      fmt::join(format.groups.begin(), format.groups.begin() + static_cast<std::ptrdiff_t>(g), ", ")));
    if (format.plain)
      throw TableError(fmt::format("{}: the array has {} columns; give {}", name, columns, fmt::join(widths, " or ")));
    throw TableError(fmt::format("{}: the array has {} columns; a robot of {} joints takes {}", name, columns, n,
                                 fmt::join(widths, " or ")));
  }

  std::optional<ArrayRows> rows_;
};

class NpzSource final : public TableReader::Source {
 public:
  NpzSource(const std::string& path, const TableFormat& table) : Source(table), path_(path), archive_(path) {
    for (const ZipMember& member : archive_.members()) add_array(member);
    if (arrays_.empty()) refuse("is an archive without arrays; a table is CSV, .npy or .npz");
    for (std::size_t g = 0; g < format.groups.size(); ++g) open_group(g);
    for (const Array& array : arrays_) open_carried(array);
  }

  bool next(TableRow& row) override {
    if (format.stop && format.stop()) return false;
    for (Part& part : inputs_) {
      const std::span<double> own = std::span(values).subspan(part.slot, part.width);
      if (!part.rows.next(own)) return at_end();
      part.rows.require_finite(own);
    }
    carried_.clear();
    for (Part& part : extras_) {
      extra_.resize(part.width);
      part.rows.next(extra_);
      for (const double value : extra_) carried_ += fmt::format("{}{}", carried_.empty() ? "" : ",", value);
    }
    row = {values, carried_};
    return true;
  }
  std::string place() const override { return fmt::format("{}: row {}", path_, inputs_.empty() ? 0 : first().row()); }
  std::uint64_t bytes_read() const override { return first().source().taken(); }
  std::uint64_t bytes_total() const override { return first().source().size(); }

 private:
  struct Array {
    const ZipMember* member;
    std::string name;  // without .npy
    NpyHeader header;
  };
  struct Part {
    ArrayRows rows;
    std::size_t slot, width;
  };
  static constexpr std::size_t most_arrays = 256, most_extras = 32;

  [[noreturn]] void refuse(const std::string& what) const { throw TableError(path_ + ": " + what); }
  const ArrayRows& first() const { return inputs_.front().rows; }
  std::string label(const std::string& name) const { return fmt::format("{}: array {}", path_, shown(name)); }

  // Checksums follow the data, so they are checked here.
  bool at_end() {
    for (std::vector<Part>* parts : {&inputs_, &extras_})
      for (Part& part : *parts) part.rows.require_end();
    return false;
  }

  void add_array(const ZipMember& member) {
    constexpr std::string_view ending = ".npy";
    if (!member.name.ends_with(ending)) return;
    const std::string name = member.name.substr(0, member.name.size() - ending.size());
    if (std::any_of(arrays_.begin(), arrays_.end(), [&](const Array& a) { return a.name == name; }))
      refuse(fmt::format("two arrays are called {}", shown(name)));
    if (arrays_.size() == most_arrays) refuse(fmt::format("more than {} arrays; this is not a table", most_arrays));
    arrays_.push_back({&member, name, read_npy_header(*archive_.open(member, label(name)))});
  }

  ArrayRows open(const Array& array, std::size_t width) const {
    std::unique_ptr<ByteSource> bytes = archive_.open(*array.member, label(array.name));
    read_npy_header(*bytes);
    return ArrayRows(std::move(bytes), array.header, width);
  }

  void open_group(std::size_t g) {
    const std::string& group = format.groups[g];
    const auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& a) { return a.name == group; });
    if (found == arrays_.end()) {
      if (g >= static_cast<std::size_t>(format.required)) return;
      std::vector<std::string> names;
      for (const Array& array : arrays_) names.push_back(shown(array.name));
      refuse(fmt::format("has no array {}; it has {}", group, fmt::join(names, ", ")));
    }
    const std::size_t n = format.count(g);
    std::vector<std::uint64_t> shape = found->header.shape;
    if (n == 1 && shape.size() == 1) shape.push_back(1);  // one joint: one number per row is enough
    if (!allowed_dimensions(format, shape.size()) || shape.back() != n)
      refuse(fmt::format("array {}: its shape is {}; a robot of {} joints takes {}", group, found->header.shape_text,
                         format.joints, allowed_shapes(format, std::to_string(n))));
    shape.pop_back();
    if (inputs_.empty()) {
      leading_ = shape;
      leading_name_ = group;
    }
    if (shape != leading_) refuse(fmt::format("arrays {} and {} have different numbers of rows", leading_name_, group));
    inputs_.push_back({open(*found, n), format.start(g), n});
  }

  bool is_result(const std::string& name) const {
    return std::find(format.results.begin(), format.results.end(), name) != format.results.end() ||
           std::any_of(format.columns.begin(), format.columns.end(),
                       [&](const std::string& column) { return parse_column_name(column).array == name; });
  }

  // Other numeric arrays with the same number of rows, such as t, are carried along, like columns of a CSV table.
  void open_carried(const Array& array) {
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const std::vector<std::uint64_t>& shape = array.header.shape;
    const bool is_input = std::find(format.groups.begin(), format.groups.end(), array.name) != format.groups.end();
    if (is_input || is_result(array.name) || !array.header.is_number || array.name.empty() ||
        !std::all_of(array.name.begin(), array.name.end(), is_plain) || shape.size() < leading_.size() ||
        shape.size() > leading_.size() + 1 || !std::equal(leading_.begin(), leading_.end(), shape.begin()))
      return;
    const bool numbered = shape.size() > leading_.size();
    const std::uint64_t width = numbered ? shape.back() : 1;
    if (width == 0) return;
    if (width > 1000 || extras_.size() == most_extras) refuse(fmt::format("array {}: too many columns", array.name));
    for (std::uint64_t k = 1; k <= width; ++k)
      carried_header += fmt::format("{}{}{}", carried_header.empty() ? "" : ",", array.name,
                                    numbered ? std::to_string(k) : std::string());
    extras_.push_back({open(array, width), 0, width});
  }

  std::string path_;
  ZipArchive archive_;
  std::vector<Array> arrays_;
  std::vector<Part> inputs_, extras_;
  std::vector<std::uint64_t> leading_;  // the shape of all inputs without the columns
  std::string leading_name_, carried_;
  std::vector<double> extra_;
};

}  // namespace

std::unique_ptr<TableReader::Source> npy_source(std::unique_ptr<ByteSource> bytes, const TableFormat& format) {
  return std::make_unique<NpySource>(std::move(bytes), format);
}

std::unique_ptr<TableReader::Source> npz_source(const std::string& path, const TableFormat& format) {
  return std::make_unique<NpzSource>(path, format);
}

}  // namespace catena::io
