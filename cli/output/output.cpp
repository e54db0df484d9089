#include "output/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "catena/write_error.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

void append_json(std::string& out, const Json& value) {
  if (value.is_object()) {
    const char* separator = "{";
    for (const auto& [key, member] : value.items()) {
      out += separator;
      out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
      append_json(out, member);
      separator = ", ";
    }
    out += value.empty() ? "{}" : "}";
  } else if (value.is_array()) {
    const char* separator = "[";
    for (const auto& element : value) {
      out += separator;
      append_json(out, element);
      separator = ", ";
    }
    out += value.empty() ? "[]" : "]";
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    if (!std::isfinite(number)) {
      out += "null";
      return;
    }
    const std::string digits = fmt::format("{:.17g}", number);
    out += digits;
    if (digits.find_first_of(".e") == std::string::npos) out += ".0";  // so that every reader takes it as a float
  } else {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

// Width on the screen, counting each UTF-8 character as one column.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string& schema_command() {
  static std::string command;
  return command;
}

}  // namespace

void emit(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return;
  const std::string reason = fmt::format("standard output: cannot be written: {}", std::strerror(errno));
  if (errno == EPIPE) throw ClosedPipe(reason);
  throw WriteError(reason);
}

void set_schema_command(std::string command) { schema_command() = std::move(command); }

std::string json_line(const Json& value) {
  std::string out;
  Json whole = {{"schema", fmt::format("catena/{}/{}", schema_command(), schema_version)}};
  whole.update(value);
  append_json(out, whole);
  return out + "\n";
}

Rows rows_of(std::span<const double> entries, std::size_t columns) {
  Rows rows;
  for (std::size_t k = 0; k < entries.size(); k += columns) {
    const std::span<const double> row = entries.subspan(k, columns);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

void TextTable::column(std::string title, Align align) { columns_.push_back({std::move(title), align}); }

void TextTable::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string TextTable::text() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(width(column.title));
  }
  for (const auto& row : rows_)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::string gap(widths[k] - width(cells[k]), ' ');
      text += columns_[k].align == Align::left ? cells[k] + gap : gap + cells[k];
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(titles);
  for (const auto& row : rows_) line(row);
  return out;
}

std::string matrix_text(const Rows& rows, const std::vector<std::string>& labels) {
  std::size_t label_width = 0;
  for (const std::string& label : labels) label_width = std::max(label_width, label.size());
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("  {:<{}}", labels.empty() ? "" : labels[i], label_width);
    for (const double value : rows[i]) out += fmt::format(" {:>13.7g}", value);
    out += "\n";
  }
  return out;
}

}  // namespace catena::cli
