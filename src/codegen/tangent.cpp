// A program's derivatives along one direction, and programs without jumps: both rebuild what a graph holds, node by
// node, operands first.
#include <stdexcept>

#include "catena/program.hpp"

namespace catena {
namespace {

// The derivative of a node from those of its operands.
NodeRef tangent(Graph& graph, std::uint32_t node, const std::vector<NodeRef>& of, const std::vector<NodeRef>& seeds) {
  const Node n = graph[node];  // a copy: the graph grows
  const NodeRef self(node, false), a(n.a, false), b(n.b, false);
  switch (n.operation) {
    case Operation::constant:
    case Operation::sign:  // constant beside its jump
      return graph.constant(0.0);
    case Operation::input:
      return seeds[n.a];
    case Operation::add:
      return graph.add(of[n.a], of[n.b]);
    case Operation::subtract:
      return graph.subtract(of[n.a], of[n.b]);
    case Operation::multiply:
      return graph.add(graph.multiply(of[n.a], b), graph.multiply(a, of[n.b]));
    case Operation::reciprocal:
      return -graph.multiply(of[n.a], graph.multiply(self, self));
    case Operation::decay:  // e^-a
      return -graph.multiply(of[n.a], self);
    case Operation::sine:
      return graph.multiply(of[n.a], graph.cosine(a));
    case Operation::cosine:
      return -graph.multiply(of[n.a], graph.sine(a));
  }
  throw std::logic_error("no such operation");
}

// tanh(a / speed) = sign(a) (1 - e) / (1 + e), e = exp(-2 |a| / speed): no exponential grows.
NodeRef smooth_sign(Graph& graph, NodeRef a, NodeRef per_speed) {
  const NodeRef one = graph.constant(1.0), sign = graph.sign(a), size = graph.multiply(a, sign);
  const NodeRef e = graph.decay(graph.multiply(graph.constant(2.0), graph.multiply(size, per_speed)));
  return graph.multiply(sign, graph.multiply(graph.subtract(one, e), graph.reciprocal(graph.add(one, e))));
}

// The same node in another graph.
NodeRef rebuilt(Graph& graph, const Node& n, const std::vector<NodeRef>& to, const std::vector<NodeRef>& inputs,
                NodeRef per_speed) {
  switch (n.operation) {
    case Operation::constant:
      return graph.constant(n.value);
    case Operation::input:
      return inputs[n.a];
    case Operation::add:
      return graph.add(to[n.a], to[n.b]);
    case Operation::subtract:
      return graph.subtract(to[n.a], to[n.b]);
    case Operation::multiply:
      return graph.multiply(to[n.a], to[n.b]);
    case Operation::reciprocal:
      return graph.reciprocal(to[n.a]);
    case Operation::sine:
      return graph.sine(to[n.a]);
    case Operation::cosine:
      return graph.cosine(to[n.a]);
    case Operation::decay:
      return graph.decay(to[n.a]);
    case Operation::sign:
      return smooth_sign(graph, to[n.a], per_speed);
  }
  throw std::logic_error("no such operation");
}

}  // namespace

Program tangent_of(const Program& program) {
  if (!program.loops.empty()) throw std::invalid_argument("derivatives are those of straight-line programs");
  Program out = program;
  out.derived += "_tangent";
  std::vector<NodeRef> seeds;
  for (const Argument& input : program.inputs) {
    Argument direction = input;
    direction.name = "d_" + input.name, direction.meaning = "direction of " + input.name;
    direction.parameters.clear();
    for (int k = 0; k < input.size(); ++k)
      seeds.push_back(out.graph.input(direction.name + "[" + std::to_string(k) + "]"));
    out.inputs.push_back(std::move(direction));
  }
  std::vector<NodeRef> of(program.graph.size());
  for (const std::uint32_t node : program.graph.live(program.results())) of[node] = tangent(out.graph, node, of, seeds);
  for (Program::Output& output : out.outputs) {
    output.name = "d_" + output.name, output.meaning = "derivative along the direction of " + output.meaning;
    for (NodeRef& entry : output.entries) entry = entry.negative() ? -of[entry.node()] : of[entry.node()];
  }
  return out;
}

Program smooth_signs(const Program& program, const std::string& speed) {
  if (!program.loops.empty()) throw std::invalid_argument("only signs of straight-line programs are smoothed");
  Program out = program;
  out.graph = {};
  std::vector<NodeRef> inputs;
  for (int k = 0; k < program.graph.inputs(); ++k)
    inputs.push_back(out.graph.input(program.graph.input_name(static_cast<std::uint32_t>(k))));
  const NodeRef per_speed = out.graph.reciprocal(out.graph.input(speed + "[0]"));
  out.inputs.push_back({speed, 1, 1, false, "sign(x) is tanh(x / this)"});
  std::vector<NodeRef> to(program.graph.size());
  for (const std::uint32_t node : program.graph.live(program.results()))
    to[node] = rebuilt(out.graph, program.graph[node], to, inputs, per_speed);
  for (Program::Output& output : out.outputs)
    for (NodeRef& entry : output.entries) entry = entry.negative() ? -to[entry.node()] : to[entry.node()];
  return out;
}

}  // namespace catena
