#include "codegen/body.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "codegen/loop_text.hpp"

namespace catena {
namespace {

template <class T>
std::string shortest_text(T value) {
  if (!std::isfinite(value))
    throw std::domain_error(
        "a constant in the code is not finite: some joint moves nothing that has mass, or the robot's numbers are too "
        "large");
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// GCC's time for one block of statements grows with the square of its length; docs/compiled-engine.md has the figures.
constexpr int longest_body = 2000, part_length = 500;  // statements
constexpr int before_parts = -1;

class Writer {
 public:
  Writer(const Program& program, const Dialect& dialect)
      : program_(program),
        graph_(program.graph),
        dialect_(dialect),
        results_(program.needed()),
        order_(graph_.live(results_)),
        uses_(graph_.uses(results_)),
        names_(graph_.size()),
        inlined_(products_in_sums(graph_, order_, uses_)) {
    find_inputs();
    find_angles();
    lay_out_loops();
    find_parts();
  }

  Body write(const BodyOrder& order) {
    write_angles();
    if (in_parts()) body_.parts.resize(std::size_t(parts_));
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (const std::uint32_t node : order[k].nodes) {
        if (in_parts() && place_[node] != before_parts) text_ = &body_.parts[std::size_t(place_[node])];
        if (!in_angle_[node]) state(node);
        fill_tables(node);
      }
      for (const Step::Store& s : order[k].stores)
        if (!is_copied(program_.outputs[s.output].entries[std::size_t(s.entry)]))
          store(program_.outputs[s.output], s.entry);
      if (dialect_.after_step) *text_ += dialect_.after_step(k);
    }
    if (in_parts()) write_loops();
    body_.angles = static_cast<int>(angles_.size());
    body_.most_alive = most_alive();
    return body_;
  }

 private:
  // Writes the terms of the angles first.
  void write_angles() {
    const bool by_inputs = dialect_.take_terms && sums_of_inputs_alone();
    if (by_inputs) take_inputs();
    for (const std::uint32_t node : order_)
      if (in_angle_[node]) state(node);
    std::vector<std::string> texts;
    for (const std::uint32_t angle : angles_) texts.push_back(operand(angle));
    inputs_as_terms_.clear();
    if (texts.empty()) return;
    if (dialect_.take_terms && !by_inputs) {
      std::vector<Dialect::Term> terms;
      for (std::string& text : texts) terms.push_back({std::exchange(text, dialect_.term(terms.size())), false});
      *text_ += dialect_.take_terms(terms);
    }
    *text_ += dialect_.turn(texts);
  }

  // Whether whole turns can be removed from the inputs before sums of them are rounded: no multiple other than the
  // double occurs, and the sums are used for angles only.
  bool sums_of_inputs_alone() const {
    const auto is_sum = [&](std::uint32_t node) { return in_angle_[node] && at(node).operation != Operation::input; };
    if (std::any_of(results_.begin(), results_.end(), [&](NodeRef result) { return is_sum(result.node()); }))
      return false;
    for (const std::uint32_t node : order_) {
      const Node& n = at(node);
      if (n.operation == Operation::input || n.operation == Operation::constant) {
        if (n.operation == Operation::constant && in_angle_[node] && n.value != 2.0) return false;
      } else if (is_sum(node)) {
        if (n.operation != Operation::add && n.operation != Operation::subtract && !is_doubling(graph_, n))
          return false;
      } else if (n.operation != Operation::sine && n.operation != Operation::cosine &&
                 (is_sum(n.a) || (is_binary(n) && is_sum(n.b)))) {
        return false;
      }
    }
    return true;
  }

  void take_inputs() {
    std::vector<Dialect::Term> terms;
    for (const std::uint32_t node : order_)
      if (in_angle_[node] && at(node).operation == Operation::input) {
        const bool summed = std::any_of(order_.begin(), order_.end(), [&](std::uint32_t other) {
          const Node& n = at(other);
          return in_angle_[other] && is_binary(n) && (n.a == node || n.b == node);
        });
        const std::string text = operand(node);
        inputs_as_terms_.emplace(node, terms.size());
        terms.push_back({text, summed});
      }
    if (!terms.empty()) *text_ += dialect_.take_terms(terms);
  }

  const Node& at(std::uint32_t node) const { return graph_[node]; }

  // --- loops ---

  // Whether it is one of the results of loops, with its sign.
  bool is_found(NodeRef ref) const {
    return at(ref.node()).operation == Operation::input && at(ref.node()).a >= inputs_.size() && !ref.negative();
  }
  // Whether loops copy it: such a result, or a constant.
  bool is_copied(NodeRef ref) const { return is_found(ref) || (!program_.loops.empty() && graph_.is_constant(ref)); }
  std::string copied(NodeRef ref) {
    if (is_found(ref)) return "kept[" + std::to_string(slot_of_found(ref.node())) + " + i]";
    return dialect_.filled((ref.negative() ? "-" : "") + operand(ref.node()));
  }
  std::size_t slot_of_found(std::uint32_t node) const { return found_slots_[at(node).a - inputs_.size()]; }
  // kept[] starts with the tables and the results of all loops.
  void lay_out_loops() {
    std::size_t next = 0;
    for (const ProgramLoops& loops : program_.loops) {
      LoopPlaces& places = places_.emplace_back();
      for (const ProgramLoops::Table& table : loops.tables) {
        places.tables.push_back(next);
        for (std::size_t k = 0; k < table.size(); ++k)
          if (is_statement(table[k].node())) table_slots_.emplace(table[k].node(), std::pair(next + k, table[k]));
        next += table.size();
      }
      places.results = next;
      for (std::size_t k = 0; k < loops.results; ++k) found_slots_.push_back(next++);
    }
    body_.kept = static_cast<int>(next);
    body_.temporaries = body_.kept;
  }
  // Stores a value that was just computed where loops read it.
  void fill_tables(std::uint32_t node) {
    const auto [first, last] = table_slots_.equal_range(node);
    for (auto it = first; it != last; ++it)
      *text_ += "  kept[" + std::to_string(it->second.first) + "] = " + (it->second.second.negative() ? "-" : "") +
                operand(node) + ";\n";
  }
  void write_loops() {
    for (std::size_t k = 0; k < program_.loops.size(); ++k) {
      text_ = &body_.parts[std::size_t(loop_parts_[k])];
      for (std::size_t t = 0; t < program_.loops[k].tables.size(); ++t)
        fill_rest(program_.loops[k].tables[t], places_[k].tables[t]);
      for (const ProgramLoops::Body& body : program_.loops[k].bodies)
        write_loop_over_joints(program_.loops[k], body, places_[k]);
      *text_ += loop_text(program_.loops[k], places_[k],
                          {dialect_.name, dialect_.type, dialect_.filled(dialect_.literal(1.0))});
    }
    if (program_.loops.empty()) return;
    text_ = &body_.parts.back();
    for (const Program::Output& output : program_.outputs) {
      const auto& entries = output.entries;
      for_each_run(entries, [&](std::size_t first, std::size_t count) {
        if (is_copied(entries[first]))
          *text_ += dialect_.store_run(output, int(first), int(count), copied(entries[first]));
      });
    }
  }
  // Its statements are a program of their own, with row k of the inputs at kept[… + j].
  void write_loop_over_joints(const ProgramLoops& loops, const ProgramLoops::Body& own, const LoopPlaces& places) {
    Program body;
    body.graph = own.graph;
    body.inputs.emplace_back();
    body.inputs.front().rows = int(own.rows.size());
    body.outputs.emplace_back();
    body.outputs.front().entries = own.results;
    const auto at = [](std::size_t slot) { return "kept[" + std::to_string(slot) + " + j]"; };
    Dialect dialect = dialect_;
    dialect.in_parts = false;
    dialect.load = [&](const Argument&, int k) { return at(places.tables[own.rows[std::size_t(k)]]); };
    dialect.store = [&](const Program::Output&, int k, const std::string& text) {
      return "  " + at(places.results + own.result + std::size_t(k * loops.joints)) + " = " + text + ";\n";
    };
    *text_ += "  for (int j = 0; j < " + std::to_string(loops.joints) + "; ++j) {\n" + write_body(body, dialect).text +
              "  }\n";
  }
  // The entries of a table that no statement computes: constants, inputs, and results of earlier loops.
  void fill_rest(const ProgramLoops::Table& table, std::size_t slot) {
    for_each_run(table, [&](std::size_t first, std::size_t count) {
      const NodeRef ref = table[first];
      if (is_statement(ref.node())) return;
      const std::string value = is_copied(ref) ? copied(ref) : (ref.negative() ? "-" : "") + operand(ref.node());
      *text_ += "  for (int i = 0; i < " + std::to_string(count) + "; ++i) kept[" + std::to_string(slot + first) +
                " + i] = " + value + ";\n";
    });
  }
  // visit(first, count) for entries in sequence that one loop can copy: the same constant, or results in sequence.
  template <class Visitor>
  void for_each_run(const std::vector<NodeRef>& entries, const Visitor& visit) const {
    for (std::size_t first = 0, next = 0; first < entries.size(); first = next) {
      const auto continues = [&] {
        if (is_found(entries[first]))
          return is_found(entries[next]) &&
                 slot_of_found(entries[next].node()) == slot_of_found(entries[first].node()) + (next - first);
        return graph_.is_constant(entries[first]) && entries[next] == entries[first];
      };
      next = first + 1;
      while (next < entries.size() && continues()) ++next;
      visit(first, next - first);
    }
  }

  void find_inputs() {
    for (const Argument& input : program_.inputs)
      for (int k = 0; k < input.size(); ++k) inputs_.emplace_back(&input, k);
    body_.used_inputs.assign(inputs_.size(), false);
    for (const std::uint32_t node : order_)
      if (at(node).operation == Operation::input && at(node).a < inputs_.size()) body_.used_inputs[at(node).a] = true;
  }

  void find_angles() {
    in_angle_.assign(graph_.size(), false);
    for (const std::uint32_t node : order_) {
      const Node& n = at(node);
      if (n.operation != Operation::sine && n.operation != Operation::cosine) continue;
      if (std::find(angles_.begin(), angles_.end(), n.a) == angles_.end()) angles_.push_back(n.a);
      in_angle_[n.a] = true;
    }
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const Node& n = at(*it);
      if (!in_angle_[*it] || n.operation == Operation::input || n.operation == Operation::constant) continue;
      in_angle_[n.a] = true;
      if (is_binary(n)) in_angle_[n.b] = true;
    }
  }

  static bool is_operation(const Node& n) {
    return n.operation != Operation::constant && n.operation != Operation::input && n.operation != Operation::sine &&
           n.operation != Operation::cosine;
  }
  bool is_statement(std::uint32_t node) const { return is_operation(at(node)) && !inlined_[node]; }
  bool in_parts() const { return parts_ > 0; }

  // Finds the part that each node belongs to, and which nodes other parts read. Angles come before all parts. Loops are
  // parts of their own, between what they read and what may read them.
  void find_parts() {
    if (!dialect_.in_parts || (program_.loops.empty() && std::count_if(order_.begin(), order_.end(), [&](auto node) {
                                                           return is_statement(node);
                                                         }) <= longest_body))
      return;
    place_.assign(graph_.size(), 0);
    is_kept_.assign(graph_.size(), false);
    int part = 0, statements = 0;
    const auto pass_loops = [&](std::uint32_t node) {
      for (const auto& loops = program_.loops;
           loop_parts_.size() < loops.size() && node >= loops[loop_parts_.size()].first_node; ++part, statements = 0)
        loop_parts_.push_back(++part);
    };
    for (const std::uint32_t node : order_) {
      pass_loops(node);
      if (statements == part_length) ++part, statements = 0;
      place_[node] = part;
      if (is_statement(node) && !in_angle_[node]) ++statements;
    }
    pass_loops(std::numeric_limits<std::uint32_t>::max());
    parts_ = part + 1;
    for (const std::uint32_t node : order_)  // a product inside a sum belongs to the same part
      if (at(node).operation == Operation::add || at(node).operation == Operation::subtract)
        for (const std::uint32_t operand : {at(node).a, at(node).b})
          if (inlined_[operand]) place_[operand] = part_of(node);
    for (const std::uint32_t node : order_)
      if (is_operation(at(node))) {
        keep_for(at(node).a, part_of(node));
        if (is_binary(at(node))) keep_for(at(node).b, part_of(node));
      }
    for (const NodeRef& result : results_) keep_for(result.node(), place_[result.node()]);
  }
  int part_of(std::uint32_t node) const { return in_angle_[node] ? before_parts : place_[node]; }
  void keep_for(std::uint32_t node, int reader) {
    if (is_statement(node) && part_of(node) != reader) is_kept_[node] = true;
  }

  static bool is_binary(const Node& n) {
    return n.operation == Operation::add || n.operation == Operation::subtract || n.operation == Operation::multiply;
  }

  // Declares the value of a node, unless it is not an operation or is written inside another statement.
  void state(std::uint32_t node) {
    if (!is_statement(node)) return;
    const int number = body_.temporaries++;
    if (in_parts() && is_kept_[node]) {
      names_[node] = "kept[" + std::to_string(body_.kept++) + "]";
      *text_ += "  " + names_[node] + " = " + expression(node) + ";\n";
      return;
    }
    names_[node] = "t" + std::to_string(number);
    *text_ += dialect_.declare(names_[node], expression(node));
  }

  std::string expression(std::uint32_t node) {
    const Node& n = at(node);
    switch (n.operation) {
      case Operation::add:
        return operand(n.a) + " + " + operand(n.b);
      case Operation::subtract:
        return operand(n.a) + " - " + operand(n.b);
      case Operation::multiply:
        if (is_doubling(graph_, n)) return operand(n.b) + " + " + operand(n.b);
        return operand(n.a) + "*" + operand(n.b);
      case Operation::reciprocal:
        return dialect_.reciprocal(operand(n.a));
      case Operation::sign:
        return dialect_.sign(operand(n.a));
      case Operation::decay:
        return dialect_.decay(operand(n.a));
      default:
        return operand(node);
    }
  }

  std::string operand(std::uint32_t node) {
    const Node& n = at(node);
    const auto angle = [&] {
      return static_cast<int>(std::find(angles_.begin(), angles_.end(), n.a) - angles_.begin());
    };
    switch (n.operation) {
      case Operation::constant:
        return dialect_.literal(n.value);
      case Operation::input:
        if (const auto term = inputs_as_terms_.find(node); term != inputs_as_terms_.end())
          return dialect_.term(term->second);
        if (n.a >= inputs_.size()) return "kept[" + std::to_string(slot_of_found(node)) + "]";
        return dialect_.load(*inputs_[n.a].first, inputs_[n.a].second);
      case Operation::sine:
        return dialect_.sine(angle());
      case Operation::cosine:
        return dialect_.cosine(angle());
      default:
        return inlined_[node] ? expression(node) : names_[node];
    }
  }

  void store(const Program::Output& output, int entry) {
    const NodeRef ref = output.entries[std::size_t(entry)];
    const std::string text = operand(ref.node());
    *text_ += dialect_.store(output, entry, ref.negative() ? "-" + text : text);
  }

  int most_alive() const {
    std::vector<int> left = uses_;
    int alive = 0, most = 0;
    for (const std::uint32_t node : order_) {
      const Node& n = at(node);
      if (!names_[node].empty()) most = std::max(most, ++alive);
      if (n.operation == Operation::constant || n.operation == Operation::input) continue;
      const auto read = [&](std::uint32_t operand) {
        if (--left[operand] == 0 && !names_[operand].empty()) --alive;
      };
      read(n.a);
      if (is_binary(n)) read(n.b);
    }
    return most;
  }

  const Program& program_;
  const Graph& graph_;
  const Dialect& dialect_;
  std::vector<NodeRef> results_;
  std::vector<std::uint32_t> order_;
  std::vector<int> uses_;
  std::vector<std::string> names_;
  std::vector<bool> inlined_, in_angle_;
  std::vector<std::uint32_t> angles_;
  std::vector<std::pair<const Argument*, int>> inputs_;
  std::map<std::uint32_t, std::size_t> inputs_as_terms_;  // only while angles are written
  int parts_ = 0;                                         // 0: not in parts
  std::vector<int> place_;                                // by node: the part that is written at that point
  std::vector<bool> is_kept_;
  std::vector<LoopPlaces> places_;                                             // of each loops
  std::vector<std::size_t> found_slots_;                                       // of the results of all of them
  std::multimap<std::uint32_t, std::pair<std::size_t, NodeRef>> table_slots_;  // by node: where loops read it
  std::vector<int> loop_parts_;
  Body body_;
  std::string* text_ = &body_.text;  // where statements are appended
};

}  // namespace

std::string shortest(double value) { return shortest_text(value); }
std::string shortest(float value) { return shortest_text(value); }

Body write_body(const Program& program, const Dialect& dialect, const BodyOrder& order) {
  return Writer(program, dialect).write(order);
}
Body write_body(const Program& program, const Dialect& dialect) {
  return write_body(program, dialect, creation_order(program));
}

Body measure_body(const Program& program) {
  const auto nothing = [](const auto&...) { return std::string(); };
  return write_body(program,
                    {nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing});
}

}  // namespace catena
