#include "catena/scalar/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace catena {

namespace {

std::uint64_t hash(const Node& n) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(n.value) ^ std::uint64_t(n.operation);
  for (const std::uint64_t part : {std::uint64_t(n.operation), std::uint64_t(n.a) << 32U | n.b})
    h = (h ^ part) * 0x9E3779B97F4A7C15U, h ^= h >> 29U;
  return h;
}

bool same(const Node& x, const Node& y) {
  return x.operation == y.operation && x.a == y.a && x.b == y.b && x.value == y.value;
}

}  // namespace

// Half of the hash says where to begin, the other half stands in the table: most of what is another node shows there,
// without a look at the node, which is mostly far away.
std::size_t Graph::place_of(const Node& node, std::uint64_t hash) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash & mask;
  const auto mark = std::uint32_t(hash >> 32U);
  while (table_[place].node != 0 && (table_[place].mark != mark || !same(nodes_[table_[place].node - 1], node)))
    place = (place + 1) & mask;
  return place;
}

void Graph::grow() {
  table_.assign(std::max<std::size_t>(1024, 2 * table_.size()), {});
  const std::size_t mask = table_.size() - 1;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const std::uint64_t h = hash(nodes_[k]);
    std::size_t place = h & mask;
    while (table_[place].node != 0) place = (place + 1) & mask;  // no two are the same
    table_[place] = {std::uint32_t(k + 1), std::uint32_t(h >> 32U)};
  }
}

NodeRef Graph::make(Operation operation, NodeRef a, NodeRef b, double value) {
  const Node node{operation, a.node(), b.node(), value};
  if (2 * (nodes_.size() + 1) > table_.size()) grow();
  const std::uint64_t h = hash(node);
  Place& found = table_[place_of(node, h)];
  if (found.node == 0) {
    if (nodes_.size() >= most_nodes_)
      throw std::length_error("more than " + std::to_string(most_nodes_) + " operations");
    nodes_.push_back(node);
    found = {std::uint32_t(nodes_.size()), std::uint32_t(h >> 32U)};
  }
  return {found.node - 1, false};
}

NodeRef Graph::constant(double value) {
  const NodeRef ref = make(Operation::constant, {}, {}, std::abs(value));
  return value < 0.0 ? -ref : ref;
}

NodeRef Graph::input(std::string name) {
  const NodeRef ref = make(Operation::input, {std::uint32_t(input_names_.size()), false});
  input_names_.push_back(std::move(name));
  return ref;
}

NodeRef Graph::add(NodeRef a, NodeRef b) {
  if (a.negative() && b.negative()) return -add_positive(-a, -b);
  if (a.negative()) return subtract_positive(b, -a);
  if (b.negative()) return subtract_positive(a, -b);
  return add_positive(a, b);
}

NodeRef Graph::add_positive(NodeRef a, NodeRef b) {
  if (is_constant(b)) std::swap(a, b);
  const Node other = (*this)[b];
  if (is_constant(a)) {
    const double value = constant_value(a);
    if (value == 0.0) return b;
    if (is_constant(b)) return constant(value + constant_value(b));
    // Constants gather: k + (l ± x)
    const NodeRef left{other.a, false}, right{other.b, false};
    if (other.operation == Operation::add && is_constant(left))
      return add(constant(value + constant_value(left)), right);
    if (other.operation == Operation::subtract && is_constant(left))
      return add(constant(value + constant_value(left)), -right);
    if (other.operation == Operation::subtract && is_constant(right))
      return add(constant(value - constant_value(right)), left);
  }
  if (a == b) return multiply(constant(2.0), a);
  // (x - y) + y
  if ((*this)[a].operation == Operation::subtract && (*this)[a].b == b.node()) return {(*this)[a].a, false};
  if (other.operation == Operation::subtract && other.b == a.node()) return {other.a, false};
  if (!is_constant(a) && a.node() > b.node()) std::swap(a, b);
  return make(Operation::add, a, b);
}

NodeRef Graph::subtract_positive(NodeRef a, NodeRef b) {
  if (a == b) return constant(0.0);
  const Node left = (*this)[a], right = (*this)[b];
  if (is_constant(a) && is_constant(b)) return constant(left.value - right.value);
  if (is_value(b, 0.0)) return a;
  if (is_value(a, 0.0)) return -b;
  if (is_constant(a) || is_constant(b)) {  // k - (l ± x), (l ± x) - k
    const double k = is_constant(a) ? left.value : right.value;
    const Node& other = is_constant(a) ? right : left;
    const NodeRef l{other.a, false}, x{other.b, false};
    const auto oriented = [&](NodeRef difference) { return is_constant(a) ? difference : -difference; };
    if (other.operation == Operation::add && is_constant(l)) return oriented(add(constant(k - constant_value(l)), -x));
    if (other.operation == Operation::subtract && is_constant(l))
      return oriented(add(constant(k - constant_value(l)), x));
    if (other.operation == Operation::subtract && is_constant(x))
      return oriented(add(constant(k + constant_value(x)), -l));
  }
  // (x + y) - y, x - (x + y), x - (x - y), (x - y) - x
  if (left.operation == Operation::add && left.a == b.node()) return {left.b, false};
  if (left.operation == Operation::add && left.b == b.node()) return {left.a, false};
  if (right.operation == Operation::add && right.a == a.node()) return {right.b, true};
  if (right.operation == Operation::add && right.b == a.node()) return {right.a, true};
  if (right.operation == Operation::subtract && right.a == a.node()) return {right.b, false};
  if (left.operation == Operation::subtract && left.a == b.node()) return {left.b, true};
  if (a.node() > b.node()) return -make(Operation::subtract, b, a);
  return make(Operation::subtract, a, b);
}

NodeRef Graph::multiply(NodeRef a, NodeRef b) {
  const bool negative = a.negative() != b.negative();
  const auto with_sign = [negative](NodeRef product) { return negative ? -product : product; };
  a = a.magnitude();
  b = b.magnitude();
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    const double value = constant_value(a);
    if (value == 0.0) return a;
    if (value == 1.0) return with_sign(b);
    if (is_constant(b)) return with_sign(constant(value * constant_value(b)));
    const Node other = (*this)[b];
    if (other.operation == Operation::multiply && is_constant({other.a, false}))  // k (l x)
      return with_sign(multiply(constant(value * constant_value({other.a, false})), {other.b, false}));
    return with_sign(make(Operation::multiply, a, b));
  }
  const Node left = (*this)[a], right = (*this)[b];
  if (left.operation == Operation::reciprocal && left.a == b.node()) return with_sign(constant(1.0));
  if (right.operation == Operation::reciprocal && right.a == a.node()) return with_sign(constant(1.0));
  if (a.node() > b.node()) std::swap(a, b);
  return with_sign(make(Operation::multiply, a, b));
}

NodeRef Graph::reciprocal(NodeRef a) {
  const Node node = (*this)[a];
  const auto with_sign = [&](NodeRef ref) { return a.negative() ? -ref : ref; };
  if (node.operation == Operation::constant && node.value != 0.0) return with_sign(constant(1.0 / node.value));
  if (node.operation == Operation::reciprocal) return with_sign({node.a, false});
  return with_sign(make(Operation::reciprocal, a.magnitude()));
}

NodeRef Graph::sine(NodeRef a) {
  if (is_constant(a)) return constant(std::sin(constant_value(a)));
  const NodeRef ref = make(Operation::sine, a.magnitude());
  return a.negative() ? -ref : ref;
}

NodeRef Graph::cosine(NodeRef a) {
  if (is_constant(a)) return constant(std::cos(constant_value(a)));
  return make(Operation::cosine, a.magnitude());
}

NodeRef Graph::sign(NodeRef a) {
  if (is_constant(a)) return constant(double((constant_value(a) > 0.0) - (constant_value(a) < 0.0)));
  const NodeRef ref = make(Operation::sign, a.magnitude());
  return a.negative() ? -ref : ref;
}

NodeRef Graph::decay(NodeRef a) {
  if (is_constant(a)) return constant(std::exp(-constant_value(a)));
  const NodeRef ref = make(Operation::decay, a.magnitude());
  return a.negative() ? reciprocal(ref) : ref;
}

namespace {

bool is_binary(Operation operation) {
  return operation == Operation::add || operation == Operation::subtract || operation == Operation::multiply;
}
bool has_operand(Operation operation) { return operation != Operation::constant && operation != Operation::input; }

}  // namespace

bool is_doubling(const Graph& graph, const Node& node) {
  return node.operation == Operation::multiply && graph[node.a].operation == Operation::constant &&
         graph[node.a].value == 2.0;
}

std::vector<std::uint32_t> Graph::live(std::span<const NodeRef> outputs) const {
  std::vector<char> needed(nodes_.size(), 0);
  for (const NodeRef& out : outputs) needed[out.node()] = 1;
  for (std::size_t k = nodes_.size(); k-- > 0;) {  // operands stand before operations
    const Node& node = nodes_[k];
    if (needed[k] == 0 || !has_operand(node.operation)) continue;
    needed[node.a] = 1;
    if (is_binary(node.operation)) needed[node.b] = 1;
  }
  std::vector<std::uint32_t> order;
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (needed[k] != 0) order.push_back(std::uint32_t(k));
  return order;
}

std::vector<int> Graph::uses(std::span<const NodeRef> outputs) const { return uses(outputs, live(outputs)); }

std::vector<int> Graph::uses(std::span<const NodeRef> outputs, std::span<const std::uint32_t> order) const {
  std::vector<int> count(nodes_.size(), 0);
  for (const NodeRef& out : outputs) ++count[out.node()];
  for (const std::uint32_t k : order) {
    const Node& node = nodes_[k];
    if (has_operand(node.operation)) ++count[node.a];
    if (is_binary(node.operation)) ++count[node.b];
  }
  return count;
}

GraphCost Graph::cost(std::span<const NodeRef> outputs) const {
  GraphCost cost;
  const std::vector<std::uint32_t> order = live(outputs);
  const std::vector<int> count = uses(outputs, order);
  std::vector<long> depth(nodes_.size(), 0);
  std::vector<char> turned(nodes_.size(), 0);  // sine or cosine of this node is counted
  const auto fuses = [&](std::uint32_t operand) {
    return nodes_[operand].operation == Operation::multiply && count[operand] == 1 &&
           !is_doubling(*this, nodes_[operand]);
  };
  for (const std::uint32_t k : order) {
    const Node& node = nodes_[k];
    switch (node.operation) {
      case Operation::constant:
      case Operation::input:
        break;
      case Operation::add:
      case Operation::subtract:
        ++cost.additions;
        if (fuses(node.a) || fuses(node.b)) ++cost.fused;
        break;
      case Operation::multiply:
        ++(is_doubling(*this, node) ? cost.additions : cost.multiplications);
        break;
      case Operation::reciprocal:
        ++cost.reciprocals;
        break;
      case Operation::sine:
      case Operation::cosine:
        if (turned[node.a] == 0) ++cost.sincos;
        turned[node.a] = 1;
        break;
      case Operation::sign:
        ++cost.signs;
        break;
      case Operation::decay:
        ++cost.decays;
        break;
    }
    if (has_operand(node.operation)) {
      depth[k] = depth[node.a] + 1;
      if (is_binary(node.operation)) depth[k] = std::max(depth[k], depth[node.b] + 1);
      cost.depth = std::max(cost.depth, depth[k]);
    }
  }
  cost.nodes = long(order.size());
  return cost;
}

std::vector<double> Graph::evaluate(std::span<const NodeRef> outputs, std::span<const double> inputs) const {
  std::vector<double> value(nodes_.size(), 0.0);
  for (const std::uint32_t k : live(outputs)) {
    const Node& node = nodes_[k];
    const double a = has_operand(node.operation) ? value[node.a] : 0.0;
    const double b = is_binary(node.operation) ? value[node.b] : 0.0;
    switch (node.operation) {
      case Operation::constant:
        value[k] = node.value;
        break;
      case Operation::input:
        value[k] = inputs[node.a];
        break;
      case Operation::add:
        value[k] = a + b;
        break;
      case Operation::subtract:
        value[k] = a - b;
        break;
      case Operation::multiply:
        value[k] = a * b;
        break;
      case Operation::reciprocal:
        value[k] = 1.0 / a;
        break;
      case Operation::sine:
        value[k] = std::sin(a);
        break;
      case Operation::cosine:
        value[k] = std::cos(a);
        break;
      case Operation::sign:
        value[k] = double((a > 0.0) - (a < 0.0));
        break;
      case Operation::decay:
        value[k] = std::exp(-a);
        break;
    }
  }
  std::vector<double> out;
  for (const NodeRef& ref : outputs) out.push_back(ref.negative() ? -value[ref.node()] : value[ref.node()]);
  return out;
}

}  // namespace catena
