// An expression graph: what Expr records while an algorithm runs on it. Nodes are never duplicated (equal operations on
// equal operands are one node), constants are folded, and zeros, ones and signs are simplified.
//
// A graph is a value: it owns its nodes, refers to no other graph, and two threads may build two of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

enum class Operation : std::uint8_t { constant, input, add, subtract, multiply, reciprocal, sine, cosine, sign, decay };

// A node or its negative: signs are stored in the references and need no node.
class NodeRef {
 public:
  constexpr NodeRef() = default;
  constexpr NodeRef(std::uint32_t node, bool negative) : bits_(node << 1U | std::uint32_t(negative)) {}
  constexpr std::uint32_t node() const { return bits_ >> 1U; }
  constexpr bool negative() const { return (bits_ & 1U) != 0; }
  constexpr NodeRef operator-() const { return {node(), !negative()}; }
  constexpr NodeRef magnitude() const { return {node(), false}; }
  friend constexpr bool operator==(NodeRef, NodeRef) = default;

 private:
  std::uint32_t bits_ = 0;
};

struct Node {
  Operation operation = Operation::constant;
  std::uint32_t a = 0, b = 0;  // operands, as node numbers; for an input: which one
  double value = 0.0;          // of a constant, never negative
};

// The cost of the nodes that outputs need. A product by two counts as an addition.
struct GraphCost {
  long multiplications = 0, additions = 0, reciprocals = 0, sincos = 0, signs = 0, decays = 0;
  long fused = 0;  // additions that can absorb one of their products (fused multiply-add)
  long nodes = 0;  // operations, inputs and constants
  long depth = 0;  // operations on the longest path

  long operations() const { return multiplications + additions + reciprocals; }
  long instructions() const { return multiplications + additions + reciprocals - fused; }
};

class Graph {
 public:
  NodeRef constant(double value);
  NodeRef input(std::string name);  // a new one each time; names are only for readers
  NodeRef add(NodeRef a, NodeRef b);
  NodeRef subtract(NodeRef a, NodeRef b) { return add(a, -b); }
  NodeRef multiply(NodeRef a, NodeRef b);
  NodeRef reciprocal(NodeRef a);
  NodeRef sine(NodeRef a);
  NodeRef cosine(NodeRef a);
  NodeRef sign(NodeRef a);
  NodeRef decay(NodeRef a);  // e^-a

  // Building stops if the graph would have more nodes: std::length_error.
  void limit(std::size_t nodes) { most_nodes_ = nodes; }
  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }
  const Node& operator[](NodeRef ref) const { return nodes_[ref.node()]; }
  int inputs() const { return static_cast<int>(input_names_.size()); }
  const std::string& input_name(std::uint32_t which) const { return input_names_[which]; }
  bool is_constant(NodeRef ref) const { return (*this)[ref].operation == Operation::constant; }
  double constant_value(NodeRef ref) const { return ref.negative() ? -(*this)[ref].value : (*this)[ref].value; }

  // The nodes that `outputs` need, operands before operations, in order of creation. The others are dead.
  std::vector<std::uint32_t> live(std::span<const NodeRef> outputs) const;
  // How often each node is read, by a live node or by an output.
  std::vector<int> uses(std::span<const NodeRef> outputs) const;
  GraphCost cost(std::span<const NodeRef> outputs) const;
  std::vector<double> evaluate(std::span<const NodeRef> outputs, std::span<const double> inputs) const;

 private:
  std::vector<int> uses(std::span<const NodeRef> outputs, std::span<const std::uint32_t> order) const;
  NodeRef make(Operation operation, NodeRef a, NodeRef b = {}, double value = 0.0);
  // The place of a node in the table, or the free place where it would go.
  std::size_t place_of(const Node& node, std::uint64_t hash) const;
  void grow();
  NodeRef add_positive(NodeRef a, NodeRef b);       // a + b
  NodeRef subtract_positive(NodeRef a, NodeRef b);  // a - b
  bool is_value(NodeRef ref, double value) const { return is_constant(ref) && constant_value(ref) == value; }

  struct Place {
    std::uint32_t node = 0;  // its number + 1; 0: free
    std::uint32_t mark = 0;  // part of its hash
  };

  std::vector<Node> nodes_;
  std::vector<Place> table_;  // finds a node by its content; 2^k places
  std::vector<std::string> input_names_;
  std::size_t most_nodes_ = std::size_t(1) << 31U;  // references use one bit for the sign
};

// True for a node that is printed as its operand added to itself.
bool is_doubling(const Graph& graph, const Node& node);

}  // namespace catena
