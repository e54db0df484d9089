// Derivatives of a program as programs, by reverse accumulation over its graph: the adjoint w̄ of a value is the
// derivative of the weighted results with respect to it, and each operation hands its own to its operands.
#include <algorithm>
#include <stdexcept>

#include "catena/program.hpp"
#include "jobs/derivatives.hpp"

namespace catena {
namespace {

// The derivatives of Σ seed × result with respect to the first `inputs` inputs of the graph.
std::vector<NodeRef> adjoints(Graph& graph, std::span<const NodeRef> results, std::span<const NodeRef> seeds,
                              std::size_t inputs) {
  const NodeRef zero = graph.constant(0.0);
  std::vector<NodeRef> of(graph.size(), zero), found(inputs, zero);
  const auto hand = [&](std::uint32_t to, NodeRef share) { of[to] = graph.add(of[to], share); };
  for (std::size_t k = 0; k < results.size(); ++k)
    hand(results[k].node(), results[k].negative() ? -seeds[k] : seeds[k]);
  const std::vector<std::uint32_t> order = graph.live(results);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node n = graph[*it];  // a copy: the graph grows
    const NodeRef own = of[*it], self(*it, false), a(n.a, false), b(n.b, false);
    if (graph.is_constant(own) && graph.constant_value(own) == 0.0) continue;
    switch (n.operation) {
      case Operation::constant:
      case Operation::sign:  // constant beside its jump
        break;
      case Operation::input:
        if (n.a < inputs) found[n.a] = own;
        break;
      case Operation::add:
        hand(n.a, own), hand(n.b, own);
        break;
      case Operation::subtract:
        hand(n.a, own), hand(n.b, -own);
        break;
      case Operation::multiply:
        hand(n.a, graph.multiply(own, b)), hand(n.b, graph.multiply(own, a));
        break;
      case Operation::reciprocal:
        hand(n.a, -graph.multiply(own, graph.multiply(self, self)));
        break;
      case Operation::decay:  // e^-a
        hand(n.a, -graph.multiply(own, self));
        break;
      case Operation::sine:
        hand(n.a, graph.multiply(own, graph.cosine(a)));
        break;
      case Operation::cosine:
        hand(n.a, -graph.multiply(own, graph.sine(a)));
        break;
    }
  }
  return found;
}

std::size_t size_of(const std::vector<Argument>& arguments) {
  std::size_t size = 0;
  for (const Argument& own : arguments) size += index(own.size());
  return size;
}

void require_straight_line(const Program& program) {
  if (!program.loops.empty()) throw std::invalid_argument("only straight-line programs have derivatives");
}

}  // namespace

Program by_columns(Program program) {
  for (Program::Output& out : program.outputs) {
    if (out.packed || out.columns == 1 || out.by_columns) continue;
    std::vector<NodeRef> entries;
    for (int column = 0; column < out.columns; ++column)
      for (int row = 0; row < out.rows; ++row) entries.push_back(out.entries[index(row * out.columns + column)]);
    out.entries = std::move(entries), out.by_columns = true;
  }
  return program;
}

Program jacobian_of(const Program& program) {
  require_straight_line(program);
  Program out = program;
  out.derived += "_jacobian";
  out.outputs.clear();
  const std::size_t inputs = size_of(program.inputs);
  const std::vector<NodeRef> one{out.graph.constant(1.0)};
  for (const Program::Output& output : program.outputs) {
    std::vector<std::vector<NodeRef>> rows;
    for (const NodeRef& result : output.entries)
      rows.push_back(adjoints(out.graph, std::span(&result, 1), one, inputs));
    std::size_t first = 0;
    for (const Argument& input : program.inputs) {
      Program::Output block;
      block.name = "jac_" + output.name + "_" + input.name;
      block.meaning = "derivatives of " + output.name + " with respect to " + input.name;
      block.rows = output.size(), block.columns = input.size(), block.matrix = true;
      for (const std::vector<NodeRef>& row : rows)
        for (std::size_t k = 0; k < index(input.size()); ++k) block.entries.push_back(row[first + k]);
      first += index(input.size());
      out.outputs.push_back(std::move(block));
    }
  }
  return out;
}

Program gradient_of(const Program& program) {
  require_straight_line(program);
  Program out = program;
  out.derived += "_gradient";
  out.outputs.clear();
  std::vector<NodeRef> seeds;
  for (const Program::Output& output : program.outputs) {
    Argument weight = output;
    weight.name = "adj_" + output.name, weight.meaning = "weights of " + output.name;
    for (int k = 0; k < output.size(); ++k)
      seeds.push_back(out.graph.input(weight.name + "[" + std::to_string(k) + "]"));
    out.inputs.push_back(std::move(weight));
  }
  const std::vector<NodeRef> found = adjoints(out.graph, program.results(), seeds, size_of(program.inputs));
  auto next = found.begin();
  for (const Argument& input : program.inputs) {
    Program::Output own;
    own.name = "adj_" + input.name, own.meaning = "derivatives of the weighted results with respect to " + input.name;
    own.rows = input.size();
    own.entries.assign(next, next + input.size());
    next += input.size();
    out.outputs.push_back(std::move(own));
  }
  return out;
}

namespace {

// The same as jacobian_of(program), by the job that computes these derivatives where there is one and it is cheaper.
Program cheapest_jacobian(const Mechanism& robot, const ProgramRequest& request, const Program& program, bool search) {
  Program own = jacobian_of(program);
  const DerivativesInfo* known = request.jobs.size() == 1 ? derivatives_of(request.jobs[0]) : nullptr;
  if (known == nullptr || own.outputs.size() != std::size(known->by_input) || robot.coordinates.is_closed() ||
      robot.nq() != robot.nv())
    return own;
  ProgramRequest other = request;
  other.jobs = {std::string(known->derivatives)};
  other.formulations.clear();
  Program found = search ? find_cheapest(robot, other) : usual_program(robot, other);
  if (instruction_cost(found.cost()) >= instruction_cost(own.cost())) return own;
  std::vector<Program::Output> blocks;
  for (std::size_t k = 0; k < own.outputs.size(); ++k) {
    const auto block = std::find_if(found.outputs.begin(), found.outputs.end(),
                                    [&](const Program::Output& out) { return out.name == known->by_input[k]; });
    blocks.push_back(own.outputs[k]);
    blocks.back().entries = block->entries;
  }
  found.jobs = own.jobs, found.derived = own.derived, found.outputs = std::move(blocks);
  return found;
}

}  // namespace

std::vector<Program> with_derivatives(const Mechanism& robot, const ProgramRequest& request, const Program& program,
                                      int order, bool search) {
  const auto too_many = [&](const std::string& number) {
    return TooManyOperations("derivatives of " + program.jobs.front() + " would have " + number +
                             " operations; the limit is " + std::to_string(request.most_operations));
  };
  std::vector<Program> out{program};
  try {
    if (order > 0) out.push_back(cheapest_jacobian(robot, request, program, search));
    if (order > 1) out.push_back(gradient_of(program));
    if (order > 1) out.push_back(jacobian_of(out.back()));
  } catch (const std::length_error&) {
    throw too_many("more than " + std::to_string(2 * request.most_operations));
  }
  for (const Program& own : out)
    if (const long size = own.written().operations(); request.most_operations > 0 && size > request.most_operations)
      throw too_many(std::to_string(size));
  return out;
}

}  // namespace catena
