// One table of a TOML robot file: checked values by key; every problem is reported with the line of the key.
#pragma once

#include <toml++/toml.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/vec3.hpp"
#include "io/reading.hpp"

namespace catena::io {

using Words = std::span<const std::string_view>;

bool contains(Words words, std::string_view word);
int line_of(const toml::node& node);
std::string type_words(const toml::node& node);  // "a string", "an array", ...

enum class Range { any, finite, not_negative, positive };

class TomlSection {
 public:
  // `who` starts every message, e.g. "link 2 'forearm': ".
  TomlSection(Reading& out, const toml::table& table, std::string who);

  void rename(std::string who) { who_ = std::move(who); }
  int line() const { return line_of(*table_); }
  const toml::node* find(std::string_view key) const { return table_->get(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // Reported at the key's line, or at the table's when the key is absent.
  void error(std::string_view key, const std::string& what);
  void warning(std::string_view key, std::string_view kind, const std::string& what);

  // Reports every unknown key. `elsewhere` may explain a key that is valid in another place.
  void check_keys(Words known, const std::function<std::string(std::string_view)>& elsewhere = {});

  // None when the key is absent, or when its value is wrong and has been reported.
  std::optional<std::string> text(std::string_view key);
  std::optional<double> number(std::string_view key, Range range = Range::finite);
  std::optional<bool> truth(std::string_view key);
  std::optional<std::vector<std::string>> texts(std::string_view key);
  std::optional<Vec3<double>> vector(std::string_view key);
  std::optional<Sym3<double>> inertia(std::string_view key);
  std::optional<TomlSection> subtable(std::string_view key, Words known);
  // The keys of a table with free names, in the order of the file; empty where it is not a table.
  std::vector<std::string> keys_of(std::string_view key) const;

 private:
  std::optional<double> checked(std::string_view what, const toml::node& node, Range range);
  std::optional<std::vector<double>> numbers(std::string_view what, const toml::array& array);
  std::optional<Sym3<double>> inertia_rows(std::string_view key, const toml::array& rows);
  void error_at(int line, const std::string& what) { out_->error(line, who_ + what); }

  Reading* out_;
  const toml::table* table_;
  std::string who_;
};

}  // namespace catena::io
