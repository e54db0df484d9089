#include "io/toml_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "io/text.hpp"

namespace catena::io {

bool contains(Words words, std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); }

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

std::string type_words(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    default:
      return "a date or time";
  }
}

TomlSection::TomlSection(Reading& out, const toml::table& table, std::string who)
    : out_(&out), table_(&table), who_(std::move(who)) {}

void TomlSection::error(std::string_view key, const std::string& what) {
  error_at(has(key) ? line_of(*find(key)) : line(), what);
}

void TomlSection::warning(std::string_view key, std::string_view kind, const std::string& what) {
  out_->warning(has(key) ? line_of(*find(key)) : line(), who_, kind, what);
}

void TomlSection::check_keys(Words known, const std::function<std::string(std::string_view)>& elsewhere) {
  for (const auto& [key, value] : *table_) {
    if (contains(known, key.str())) continue;
    std::string what = elsewhere ? elsewhere(key.str()) : "";
    const std::string hint = did_you_mean(key.str(), known);
    if (what.empty()) what = hint.empty() ? fmt::format("; known here: {}", fmt::join(known, ", ")) : hint;
    error_at(static_cast<int>(key.source().begin.line), fmt::format("unknown key {}{}", quoted(key.str()), what));
  }
}

std::optional<std::string> TomlSection::text(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_string()) return value->get();
  error(key, fmt::format("{} must be a string, not {}", key, type_words(*node)));
  return std::nullopt;
}

std::optional<std::vector<std::string>> TomlSection::texts(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    error(key, fmt::format("{} must be an array of strings, not {}", key, type_words(*node)));
    return std::nullopt;
  }
  std::vector<std::string> values;
  for (const toml::node& entry : *array) {
    if (const auto* value = entry.as_string()) {
      values.push_back(value->get());
      continue;
    }
    error_at(line_of(entry), fmt::format("{}[{}] must be a string, not {}", key, values.size(), type_words(entry)));
    return std::nullopt;
  }
  return values;
}

std::optional<double> TomlSection::number(std::string_view key, Range range) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  return checked(key, *node, range);
}

std::optional<bool> TomlSection::truth(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_boolean()) return value->get();
  error(key, fmt::format("{} must be true or false, not {}", key, type_words(*node)));
  return std::nullopt;
}

std::optional<double> TomlSection::checked(std::string_view what, const toml::node& node, Range range) {
  if (!node.is_number()) {
    error_at(line_of(node), fmt::format("{} must be a number, not {}", what, type_words(node)));
    return std::nullopt;
  }
  const double value = node.value_or(0.0);
  if (range == Range::any ? std::isnan(value) : !std::isfinite(value))
    error_at(line_of(node), fmt::format("{} {} must be a finite number", what, value));
  else if (range == Range::not_negative && value < 0.0)
    error_at(line_of(node), fmt::format("{} {} must not be negative", what, value));
  else if (range == Range::positive && value <= 0.0)
    error_at(line_of(node), fmt::format("{} {} must be positive", what, value));
  else
    return value;
  return std::nullopt;
}

// As many numbers as the array holds; none when an entry is wrong.
std::optional<std::vector<double>> TomlSection::numbers(std::string_view what, const toml::array& array) {
  std::vector<double> values;
  for (const toml::node& entry : array) {
    const auto value = checked(fmt::format("{}[{}]", what, values.size()), entry, Range::finite);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<Vec3<double>> TomlSection::vector(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* array = node->as_array();
  if (array == nullptr || array->size() != 3) {
    const std::string got = array == nullptr ? type_words(*node) : fmt::format("{}", array->size());
    error(key, fmt::format("{} must be 3 numbers, not {}", key, got));
    return std::nullopt;
  }
  const auto values = numbers(key, *array);
  if (!values) return std::nullopt;
  return Vec3<double>{(*values)[0], (*values)[1], (*values)[2]};
}

std::optional<Sym3<double>> TomlSection::inertia(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* array = node->as_array();
  const bool rows = array != nullptr && array->size() == 3 && array->is_homogeneous(toml::node_type::array);
  if (rows) return inertia_rows(key, *array);
  if (array == nullptr || (array->size() != 3 && array->size() != 6)) {
    const std::string got = array == nullptr ? type_words(*node) : fmt::format("{} entries", array->size());
    error(key, fmt::format("{} must be [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a 3x3 array, not {}", key, got));
    return std::nullopt;
  }
  const auto v = numbers(key, *array);
  if (!v) return std::nullopt;
  if (v->size() == 3) return Sym3<double>::diagonal((*v)[0], (*v)[1], (*v)[2]);
  return Sym3<double>{(*v)[0], (*v)[1], (*v)[2], (*v)[3], (*v)[4], (*v)[5]};
}

std::optional<Sym3<double>> TomlSection::inertia_rows(std::string_view key, const toml::array& rows) {
  std::array<std::vector<double>, 3> m;
  double largest = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    auto row = numbers(fmt::format("{}[{}]", key, i), *rows.get_as<toml::array>(i));
    if (!row) return std::nullopt;
    if (row->size() != 3) {
      error_at(line_of(rows[i]), fmt::format("{}[{}] must be 3 numbers, not {}", key, i, row->size()));
      return std::nullopt;
    }
    for (const double entry : *row) largest = std::max(largest, std::abs(entry));
    m[i] = std::move(*row);
  }
  constexpr double rounding = 1e-9;
  constexpr std::array<std::array<std::size_t, 2>, 3> pairs{{{0, 1}, {0, 2}, {1, 2}}};
  for (const auto& [i, j] : pairs) {
    if (std::abs(m[i][j] - m[j][i]) <= rounding * largest) continue;
    error(key, fmt::format("{} is not symmetric: [{}][{}] is {}, [{}][{}] is {}", key, i, j, m[i][j], j, i, m[j][i]));
    return std::nullopt;
  }
  return Sym3<double>{m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
}

std::optional<TomlSection> TomlSection::subtable(std::string_view key, Words known) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    error(key, fmt::format("{} must be a table with {}, not {}", key, fmt::join(known, ", "), type_words(*node)));
    return std::nullopt;
  }
  TomlSection inner(*out_, *table, fmt::format("{}{}: ", who_, key));
  inner.check_keys(known);
  return inner;
}

std::vector<std::string> TomlSection::keys_of(std::string_view key) const {
  const toml::node* node = find(key);
  const toml::table* table = node != nullptr ? node->as_table() : nullptr;
  if (table == nullptr) return {};
  std::vector<std::pair<toml::source_position, std::string>> keys;  // toml++ sorts them by name
  for (const auto& [name, value] : *table) keys.emplace_back(value.source().begin, std::string(name.str()));
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [place, name] : keys) names.push_back(std::move(name));
  return names;
}

}  // namespace catena::io
