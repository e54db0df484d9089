// The right-hand side of a relation between robot constants, as a person types it: m1*a1^2/12.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

struct Relation {
  char operation = '#';  // #: a number, @: a name, else + - * / ^ (binary) or ~ (negation)
  double number = 0.0;
  std::string name{};
  std::vector<Relation> operands{};

  std::set<std::string> names() const;
};

// Throws std::invalid_argument that says what was expected and where.
Relation parse_relation(std::string_view text);

// Evaluates the relation in any type with + and -; the functions supply names, numbers, products and quotients.
template <class V, class Name, class Make, class Multiply, class Divide>
V evaluate(const Relation& r, const Name& name, const Make& make, const Multiply& multiply, const Divide& divide) {
  const auto at = [&](std::size_t k) { return evaluate<V>(r.operands[k], name, make, multiply, divide); };
  switch (r.operation) {
    case '#':
      return make(r.number);
    case '@':
      return name(r.name);
    case '~':
      return multiply(make(-1.0), at(0));
    case '*':
      return multiply(at(0), at(1));
    case '/':
      return divide(at(0), at(1));
    case '^': {
      V result = make(1.0);
      for (int k = 0; k < static_cast<int>(r.operands[1].number); ++k) result = multiply(result, at(0));
      return result;
    }
    default: {
      V sum = at(0);
      const V other = at(1);
      return r.operation == '+' ? sum + other : sum - other;
    }
  }
}

}  // namespace catena
