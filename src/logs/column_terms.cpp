#include "logs/column_terms.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "io/text.hpp"

namespace catena::logs {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::span<const Recorded> recorded) : text_(text), rest_(text), recorded_(recorded) {}

  ColumnTerms parse() {
    ColumnTerms out;
    double sign = 1.0;
    skip();
    if (!rest_.empty() && (rest_[0] == '-' || rest_[0] == '+')) sign = take() == '-' ? -1.0 : 1.0;
    for (;;) {
      term(sign, out);
      if (rest_.empty()) return out;
      if (rest_[0] != '+' && rest_[0] != '-') fail(fmt::format("{} is not + or -", io::quoted(rest_)));
      sign = take() == '-' ? -1.0 : 1.0;
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(fmt::format("{}: {}", io::quoted(text_), what));
  }
  void skip() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  char take() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    skip();
    return c;
  }

  void term(double factor, ColumnTerms& out) {
    const Recorded* column = nullptr;
    for (char operation = '*';;) {
      if (const Recorded* found = name()) {
        if (column != nullptr || operation == '/') fail("columns may be added and multiplied by numbers only");
        column = found;
      } else {
        const double value = number();
        if (operation == '/' && value == 0.0) fail("divides by zero");
        factor = operation == '/' ? factor / value : factor * value;
      }
      if (rest_.empty() || (rest_[0] != '*' && rest_[0] != '/')) break;
      operation = take();
    }
    if (column != nullptr)
      out.terms.push_back({column->file, column->column, factor});
    else
      out.constant += factor;
  }

  // The longest name of a column that stands here, before the end or an operator.
  const Recorded* name() {
    const Recorded* longest = nullptr;
    for (const Recorded& own : recorded_) {
      if (own.name.empty() || !rest_.starts_with(own.name)) continue;
      const std::string_view after = io::trimmed(rest_.substr(own.name.size()));
      if (!after.empty() && std::string_view("+-*/").find(after[0]) == std::string_view::npos) continue;
      if (longest == nullptr || own.name.size() > longest->name.size()) longest = &own;
    }
    if (longest != nullptr) rest_.remove_prefix(longest->name.size()), skip();
    return longest;
  }

  double number() {
    if (rest_.starts_with("pi")) {
      rest_.remove_prefix(2), skip();
      return std::numbers::pi;
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) {
      std::vector<std::string_view> names;
      for (const Recorded& own : recorded_) names.push_back(own.name);
      const std::string_view word = io::trimmed(rest_.substr(0, rest_.find_first_of("+-*/")));
      fail(fmt::format("{} is neither a column nor a number{}", io::quoted(word), io::did_you_mean(word, names)));
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data())), skip();
    return value;
  }

  std::string_view text_, rest_;
  std::span<const Recorded> recorded_;
};

}  // namespace

ColumnTerms parse_terms(std::string_view text, std::span<const Recorded> recorded) {
  for (const Recorded& own : recorded)
    if (own.name == text) return {{{own.file, own.column, 1.0}}, 0.0};
  return Parser(text, recorded).parse();
}

double parse_unit(const std::string& text) {
  constexpr double pi = std::numbers::pi;
  static const std::map<std::string, double, std::less<>> known{
      {"s", 1.0},   {"ms", 1e-3},      {"us", 1e-6},   {"ns", 1e-9},        {"min", 60.0},
      {"rad", 1.0}, {"deg", pi / 180}, {"mrad", 1e-3}, {"rev", 2 * pi},     {"m", 1.0},
      {"mm", 1e-3}, {"cm", 1e-2},      {"rad/s", 1.0}, {"deg/s", pi / 180}, {"rpm", pi / 30},
      {"m/s", 1.0}, {"mm/s", 1e-3},    {"Nm", 1.0},    {"mNm", 1e-3},       {"Ncm", 1e-2},
      {"kNm", 1e3}, {"N", 1.0},        {"kN", 1e3},    {"A", 1.0},          {"mA", 1e-3}};
  if (const auto found = known.find(text); found != known.end()) return found->second;
  try {
    const double value = parse_terms(text, {}).constant;
    if (value != 0.0) return value;
  } catch (const std::invalid_argument&) {
  }
  std::vector<std::string_view> names;
  for (const auto& [name, factor] : known) names.push_back(name);
  throw std::invalid_argument(
      fmt::format("{} is not a unit: a number, or {}", io::quoted(text), fmt::join(names, ", ")));
}

}  // namespace catena::logs
