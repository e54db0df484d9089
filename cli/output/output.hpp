// What goes to stdout: one JSON object with 17 significant digits, or text for people.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::cli {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<double>>;

// Writes the whole text to stdout. Throws WriteError when it cannot be written (a full disk), ClosedPipe when nobody
// reads it.
void emit(std::string_view text);

// One line of JSON. Every double is printed with 17 significant digits, so that it reads back exactly; a value that is
// not finite (an absent limit) becomes null.
// Of an object: its first key is the schema, docs/commands.md#json-that-stays.
std::string json_line(const Json& value);

// "catena/inverse/1": which command wrote an object, and which version of its keys. The version rises when a key is
// renamed, removed or changes its meaning; a new key does not raise it.
inline constexpr int schema_version = 1;
void set_schema_command(std::string command);

// Columns aligned by their widest cell; numbers are right-aligned.
class TextTable {
 public:
  enum class Align { left, right };
  void column(std::string title, Align align = Align::right);
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  struct Column {
    std::string title;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A matrix as a list of its rows.
Rows rows_of(std::span<const double> entries, std::size_t columns);

// A matrix for people: one line per row, columns aligned, rows preceded by `labels` where given.
std::string matrix_text(const Rows& rows, const std::vector<std::string>& labels = {});

}  // namespace catena::cli
