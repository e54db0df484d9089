#include "equations/expand.hpp"

#include <cmath>
#include <optional>

namespace catena {
namespace {

// A node that is an integer combination of angles plus a constant: the argument of sines and cosines.
struct AngleSum {
  std::vector<int> factors;
  double offset = 0.0;
};

class Expansion {
 public:
  Expansion(const Graph& graph, const std::vector<InputMeaning>& inputs, const std::vector<int>& signs,
            const TrigSpace& space, TermLimit& limit)
      : graph_(graph), inputs_(inputs), signs_(signs), space_(space), limit_(limit), values_(graph.size()) {
    angles_.resize(space.angles());
    for (const InputMeaning& input : inputs)
      if (input.angle >= 0) angles_[std::size_t(input.angle)] = &input.value;
  }

  std::vector<TrigPolynomial> run(std::span<const NodeRef> outputs) {
    std::vector<int> uses = graph_.uses(outputs);
    for (const std::uint32_t k : graph_.live(outputs)) {
      const Node& node = graph_[k];
      values_[k] = value(node);
      if (node.operation == Operation::constant || node.operation == Operation::input) continue;
      const bool binary = node.operation == Operation::add || node.operation == Operation::subtract ||
                          node.operation == Operation::multiply;
      if (--uses[node.a] == 0) values_[node.a] = {};  // not read again
      if (binary && --uses[node.b] == 0) values_[node.b] = {};
    }
    std::vector<TrigPolynomial> results;
    for (const NodeRef ref : outputs) {
      TrigPolynomial p;
      p.add(polynomial(ref.node()), ref.negative() ? -1.0 : 1.0);
      results.push_back(std::move(p));
    }
    return results;
  }

 private:
  struct Value {
    std::optional<AngleSum> angle;
    TrigPolynomial polynomial;
  };

  const TrigPolynomial& polynomial(std::uint32_t node) {
    Value& own = values_[node];
    if (!own.angle) return own.polynomial;
    own.polynomial = TrigPolynomial::constant(space_, own.angle->offset);
    for (std::size_t k = 0; k < angles_.size(); ++k) {
      const int factor = own.angle->factors[k];
      if (factor != 0) own.polynomial.add(*angles_[k], factor);
    }
    return own.polynomial;
  }

  // The node as a combination of angles; a constant counts as one.
  std::optional<AngleSum> angle(std::uint32_t node) const {
    if (values_[node].angle) return values_[node].angle;
    const TrigPolynomial& p = values_[node].polynomial;
    if (!p.is_constant()) return std::nullopt;
    return AngleSum{std::vector<int>(space_.angles(), 0), p.constant_term(space_)};
  }

  Value sum(const Node& node, double sign) {
    if (values_[node.a].angle || values_[node.b].angle) {
      auto a = angle(node.a);
      const auto b = angle(node.b);
      if (!a || !b) return sum_of_polynomials(node, sign);
      for (std::size_t k = 0; k < a->factors.size(); ++k) a->factors[k] += static_cast<int>(sign) * b->factors[k];
      a->offset += sign * b->offset;
      return {a, {}};
    }
    return sum_of_polynomials(node, sign);
  }
  Value sum_of_polynomials(const Node& node, double sign) {
    Value result{std::nullopt, polynomial(node.a)};
    result.polynomial.add(polynomial(node.b), sign);
    return result;
  }

  Value product(const Node& node) {
    const bool first = values_[node.a].angle.has_value();
    if (!first && !values_[node.b].angle)
      return {std::nullopt, polynomial(node.a).times(polynomial(node.b), space_, limit_)};
    AngleSum a = *values_[first ? node.a : node.b].angle;
    const TrigPolynomial& p = polynomial(first ? node.b : node.a);
    const double factor = p.constant_term(space_);
    if (!p.is_constant() || factor != std::round(factor) || std::abs(factor) > 1e6)
      return {std::nullopt, polynomial(first ? node.a : node.b).times(p, space_, limit_)};
    for (int& f : a.factors) f *= static_cast<int>(factor);
    a.offset *= factor;
    return {a, {}};
  }

  Value value(const Node& node) {
    switch (node.operation) {
      case Operation::constant:
        return {std::nullopt, TrigPolynomial::constant(space_, node.value)};
      case Operation::input: {
        const InputMeaning& input = inputs_[node.a];
        if (input.angle < 0) return {std::nullopt, input.value};
        AngleSum a{std::vector<int>(space_.angles(), 0)};
        a.factors[std::size_t(input.angle)] = 1;
        return {a, {}};
      }
      case Operation::add:
        return sum(node, 1.0);
      case Operation::subtract:
        return sum(node, -1.0);
      case Operation::multiply:
        return product(node);
      case Operation::sine:
      case Operation::cosine: {
        const auto a = angle(node.a);
        if (!a) throw std::domain_error("it takes the sine of something that is not an angle");
        auto [c, s] = TrigPolynomial::cosine_and_sine(space_, a->factors, a->offset);
        return {std::nullopt, node.operation == Operation::cosine ? std::move(c) : std::move(s)};
      }
      case Operation::sign: {
        const Node& operand = graph_[node.a];
        const int symbol = operand.operation == Operation::input ? signs_[operand.a] : -1;
        if (symbol < 0) throw std::domain_error("it takes the sign of an expression");
        return {std::nullopt, TrigPolynomial::symbol(space_, std::size_t(symbol))};
      }
      case Operation::decay: {  // of a number times the square of one speed
        std::uint32_t below = node.a;
        while (graph_[below].operation == Operation::multiply)
          below = graph_[graph_[below].a].operation == Operation::constant ? graph_[below].b : graph_[below].a;
        const int sign = graph_[below].operation == Operation::input ? signs_[graph_[below].a] : -1;
        if (sign < 0) throw std::domain_error("it takes the exponential of an expression");
        const int symbol = space_.find("exp" + std::to_string(space_.symbols[std::size_t(sign)].joint));
        return {std::nullopt, TrigPolynomial::symbol(space_, std::size_t(symbol))};
      }
      case Operation::reciprocal:
        throw std::domain_error("a result divides by an expression, so it has no polynomial form");
    }
    return {};
  }

  const Graph& graph_;
  const std::vector<InputMeaning>& inputs_;
  const std::vector<int>& signs_;
  const TrigSpace& space_;
  TermLimit& limit_;
  std::vector<Value> values_;
  std::vector<const TrigPolynomial*> angles_;  // as symbols
};

}  // namespace

std::vector<TrigPolynomial> expand(const Graph& graph, std::span<const NodeRef> outputs,
                                   const std::vector<InputMeaning>& inputs, const std::vector<int>& signs,
                                   const TrigSpace& space, TermLimit& limit) {
  return Expansion(graph, inputs, signs, space, limit).run(outputs);
}

}  // namespace catena
