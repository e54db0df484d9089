#include "equations/relation.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace catena {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Relation all() {
    Relation r = sum();
    if (peek() != '\0') refuse("an operator");
    return r;
  }

 private:
  char peek() {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++place_;
    return true;
  }
  [[noreturn]] void refuse(const std::string& expected) const {
    std::string message = "expected " + expected + " at ";
    if (place_ < text_.size()) {
      message.append("'").append(text_.substr(place_, 12)).append("'");
    } else {
      message.append("the end");
    }
    throw std::invalid_argument(message);
  }

  Relation sum() {
    Relation left = product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++place_;
      Relation right = product();
      left = {c, 0.0, {}, {std::move(left), std::move(right)}};
    }
    return left;
  }
  Relation product() {
    Relation left = signed_power();
    for (char c = peek(); c == '*' || c == '/'; c = peek()) {
      ++place_;
      Relation right = signed_power();
      left = {c, 0.0, {}, {std::move(left), std::move(right)}};
    }
    return left;
  }
  Relation signed_power() {
    if (++depth_ > 100) refuse("fewer signs and parentheses");
    Relation result;
    if (take('-')) {
      result = {'~', 0.0, {}, {signed_power()}};
    } else {
      result = atom();
      if (take('^')) {
        Relation exponent = atom();
        if (exponent.operation != '#' || exponent.number != std::floor(exponent.number) || exponent.number > 9)
          refuse("a whole power from 0 to 9");
        result = {'^', 0.0, {}, {std::move(result), std::move(exponent)}};
      }
    }
    --depth_;
    return result;
  }
  Relation atom() {
    const char c = peek();
    if (take('(')) {
      Relation r = sum();
      if (!take(')')) refuse("')'");
      return r;
    }
    if (is_letter(c)) {
      const std::size_t start = place_;
      while (place_ < text_.size() && is_word(text_[place_])) ++place_;
      return {'@', 0.0, std::string(text_.substr(start, place_ - start)), {}};
    }
    double number = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + place_, text_.data() + text_.size(), number);
    if (error != std::errc() || !std::isfinite(number) || !(std::isdigit(static_cast<unsigned char>(c)) || c == '.'))
      refuse("a number, a name or '('");
    place_ = static_cast<std::size_t>(end - text_.data());
    return {'#', number, {}, {}};
  }

  std::string_view text_;
  std::size_t place_ = 0;
  int depth_ = 0;
};

}  // namespace

std::set<std::string> Relation::names() const {
  std::set<std::string> all;
  if (operation == '@') all.insert(name);
  for (const Relation& operand : operands) all.merge(operand.names());
  return all;
}

Relation parse_relation(std::string_view text) { return Parser(text).all(); }

}  // namespace catena
