#include "io/column_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <span>

#include "io/column_names.hpp"
#include "io/limits.hpp"
#include "io/text.hpp"
#include "io/zip_archive.hpp"

namespace catena::io {
namespace {

constexpr std::uint64_t block_rows = 4096;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

char separator_of(std::string_view line) {
  for (const char c : {';', ',', '\t'})
    if (line.find(c) != std::string_view::npos) return c;
  return ' ';
}

void require_columns(const std::string& path, std::uint64_t count) {
  if (count > limits::columns)
    throw TableError(fmt::format("{}: {} columns; at most {} are read", path, count, limits::columns));
}

}  // namespace

ColumnFile::ColumnFile(const std::string& path, const std::vector<std::string>& header) : path_(path) {
  if (path != "-" && ArrayFile::is_one(path)) {
    array_ = std::make_unique<ArrayFile>(path);
    if (header.size() != array_->columns())
      throw TableError(
          fmt::format("{}: an array does not name its columns; name its {} (--columns)", path, array_->columns()));
    names_ = header;
  } else {
    bytes_ = std::make_unique<ByteSource>(path, nullptr);
    if (is_zip(bytes_->peek(4)))
      open_archive(header);
    else
      read_header(header);
  }
  wanted_.assign(names_.size(), false);
}

// Arrays of numbers with as many rows as most have: q of (rows, 6) is q1 to q6, t of (rows) or (rows, 1) is t.
void ColumnFile::open_archive(const std::vector<std::string>& header) {
  if (path_ == "-")
    throw TableError(fmt::format(
        "{}: a .npz archive has its directory at the end and cannot be read from a pipe; give a file", path_));
  if (!header.empty())
    throw TableError(fmt::format("{}: a .npz archive names its columns itself; leave out --columns", path_));
  constexpr std::string_view ending = ".npy";
  const ZipArchive archive(path_);
  std::map<std::uint64_t, std::size_t> lengths;  // rows, columns that have so many
  const auto each = [&](const auto& take) {
    for (const ZipMember& member : archive.members()) {
      if (!member.name.ends_with(ending)) continue;
      const std::string name = member.name.substr(0, member.name.size() - ending.size());
      std::unique_ptr<ByteSource> bytes = archive.open(member, fmt::format("{}: array {}", path_, shown(name)));
      const NpyHeader array = read_npy_header(*bytes);
      const std::size_t dimensions = array.shape.size();
      if (!array.is_number || dimensions == 0 || dimensions > 2 || array.shape[0] == 0 || array.shape.back() == 0)
        continue;
      take(name, array, dimensions == 2 ? array.shape[1] : 1, std::move(bytes));
    }
  };
  each([&](const std::string&, const NpyHeader& array, std::uint64_t width, std::unique_ptr<ByteSource>) {
    lengths[array.shape[0]] += width;
  });
  if (lengths.empty()) throw TableError(fmt::format("{}: an archive without arrays of numbers", path_));
  const auto most = std::max_element(lengths.begin(), lengths.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  rows_ = most->first;
  each([&](const std::string& name, const NpyHeader& array, std::uint64_t width, std::unique_ptr<ByteSource> bytes) {
    if (array.shape[0] != rows_) return;
    const std::size_t first = names_.size();
    require_columns(path_, first + width);
    for (std::uint64_t k = 1; k <= width; ++k) names_.push_back(width == 1 ? name : fmt::format("{}{}", name, k));
    members_.push_back({ArrayRows(std::move(bytes), array, width), first, width});
  });
}

bool ColumnFile::next_of_archive(std::vector<double>& row) {
  for (Member& own : members_)
    if (!own.rows.next(std::span(row).subspan(own.first, own.width))) {
      for (Member& member : members_) member.rows.require_end();
      return false;
    }
  return true;
}

void ColumnFile::read_header(const std::vector<std::string>& header) {
  std::string_view text;
  do {
    ++line_;
    if (!bytes_->line(text)) throw TableError(fmt::format("{}: the file is empty", path_));
  } while (trimmed(text).empty());
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (trimmed(text).starts_with('#')) text = trimmed(trimmed(text).substr(1));  // as numpy.savetxt writes it
  separator_ = separator_of(text);
  line_bytes_ = text.size() + 1;
  const std::vector<std::string_view> first = fields(text);
  require_columns(path_, first.size());
  const bool numbers = std::all_of(first.begin(), first.end(),
                                   [&](std::string_view f) { return f.empty() || parse_number(f).has_value(); });
  if (header.empty() && numbers)
    throw TableError(
        fmt::format("{}: starts with numbers; name its {} columns (--columns t,q1,…)", path_, first.size()));
  if (!header.empty() && header.size() != first.size())
    throw TableError(fmt::format("{}: has {} columns; {} are named", path_, first.size(), header.size()));
  if (!header.empty())
    names_ = header;
  else
    for (const std::string_view field : first) names_.emplace_back(field);
  if (numbers) first_ = text;
}

std::vector<std::string_view> ColumnFile::fields(std::string_view line) const {
  std::vector<std::string_view> out;
  if (separator_ == ' ') {
    for (const std::string_view word : words_of(line)) out.push_back(unquoted(word));
    return out;
  }
  for (std::size_t start = 0; start <= line.size();) {
    std::size_t end = start;
    for (bool inside = false; end < line.size() && (inside || line[end] != separator_); ++end)
      inside ^= line[end] == '"';
    out.push_back(unquoted(trimmed(line.substr(start, end - start))));
    start = end + 1;
  }
  if (out.size() > 1 && out.back().empty() && (names_.empty() || out.size() > names_.size())) out.pop_back();
  return out;
}

double ColumnFile::number(std::string_view field) const {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = none;
  auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (separator_ == ';' && end != field.data() + field.size() && *end == ',') {  // decimal commas
    std::string with_point(field);
    std::replace(with_point.begin(), with_point.end(), ',', '.');
    return parse_number(with_point).value_or(none);
  }
  return error == std::errc{} && end == field.data() + field.size() ? value : none;
}

bool ColumnFile::next(std::vector<double>& row) {
  row.assign(names_.size(), none);
  if (!members_.empty()) return next_of_archive(row);
  if (array_) {
    if (row_ == array_->rows()) return false;
    const std::uint64_t at = row_ % block_rows;
    if (at == 0) array_->read(row_, std::min(block_rows, array_->rows() - row_), block_);
    std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(at * names_.size()), names_.size(), row.begin());
    ++row_;
    return true;
  }
  std::string_view text;
  if (!first_.empty()) {
    text = first_;
  } else {
    do {
      if (!bytes_->line(text)) return false;
      ++line_;
    } while (trimmed(text).empty() || trimmed(text).starts_with('#'));
  }
  const std::vector<std::string_view> parts = fields(text);
  if (parts.size() > names_.size())
    throw TableError(fmt::format("{}:{}: {} columns; there are {}", path_, line_, parts.size(), names_.size()));
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (wanted_[k]) row[k] = number(parts[k]);
  first_.clear();
  return true;
}

std::size_t ColumnFile::rows() const {
  if (array_) return array_->rows();
  if (!members_.empty()) return rows_;
  return bytes_->size() / std::max<std::size_t>(line_bytes_, 1);
}

}  // namespace catena::io
