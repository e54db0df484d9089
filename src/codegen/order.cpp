#include "codegen/order.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace catena {
namespace {

bool is_binary(const Node& n) {
  return n.operation == Operation::add || n.operation == Operation::subtract || n.operation == Operation::multiply;
}
bool has_operand(const Node& n) { return n.operation != Operation::constant && n.operation != Operation::input; }

class Machine {
 public:
  Machine(const Program& program, const BodyOrder& order, std::size_t registers)
      : graph_(program.graph), registers_(registers), reads_(graph_.size()), stored_(graph_.size(), false) {
    const std::vector<NodeRef> results = program.results();
    const std::vector<std::uint32_t> live = graph_.live(results);
    inlined_ = products_in_sums(graph_, live, graph_.uses(results));
    for (const std::uint32_t node : live)  // all sines come first
      if (is_sine(node)) actions_.push_back({node, true});
    for (const Step& step : order) {
      for (const std::uint32_t node : step.nodes)
        if (has_operand(graph_[node]) && !inlined_[node] && !is_sine(node)) add_operation(node);
      for (const Step::Store& store : step.stores)
        add_read(program.outputs[store.output].entries[std::size_t(store.entry)].node());
    }
    for (std::size_t t = actions_.size(); t-- > 0;)
      if (!actions_[t].writes) reads_[actions_[t].node].push_back(t);
  }

  Traffic run() {
    for (const auto& [node, writes] : actions_) {
      std::vector<std::size_t>& reads = reads_[node];
      if (writes) {
        hold(node);
        continue;
      }
      if (waiting_.erase({reads.back(), node}) == 0) ++traffic_.moves;
      reads.pop_back();
      hold(node);
    }
    return traffic_;
  }

 private:
  struct Action {
    std::uint32_t node;
    bool writes;
  };
  bool is_sine(std::uint32_t node) const {
    return graph_[node].operation == Operation::sine || graph_[node].operation == Operation::cosine;
  }
  void add_read(std::uint32_t node) {
    if (inlined_[node]) return add_operands(node);
    if (graph_[node].operation != Operation::constant) actions_.push_back({node, false});
  }
  void add_operands(std::uint32_t node) {
    add_read(graph_[node].a);
    if (is_binary(graph_[node])) add_read(graph_[node].b);
  }
  void add_operation(std::uint32_t node) {
    add_operands(node);
    actions_.push_back({node, true});
  }
  // Keeps the value for its next reader.
  void hold(std::uint32_t node) {
    if (reads_[node].empty()) return;
    waiting_.insert({reads_[node].back(), node});
    traffic_.most = std::max(traffic_.most, waiting_.size());
    if (waiting_.size() <= registers_) return;
    const auto latest = std::prev(waiting_.end());
    const bool known = graph_[latest->second].operation == Operation::input || stored_[latest->second];
    if (!known) ++traffic_.moves;
    stored_[latest->second] = true;
    waiting_.erase(latest);
  }

  const Graph& graph_;
  std::size_t registers_;
  std::vector<Action> actions_;
  std::vector<std::vector<std::size_t>> reads_;  // of each node, the next one last
  std::vector<bool> stored_, inlined_;
  std::set<std::pair<std::size_t, std::uint32_t>> waiting_;  // in registers, by when they are read next
  Traffic traffic_;
};

// The operands of a node that are not marked yet, and the node, at the end of the list.
void add_missing(const Graph& graph, std::uint32_t node, std::vector<bool>& marked, std::vector<std::uint32_t>& list) {
  std::vector<std::uint32_t> open{node};
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    if (marked[next]) continue;
    marked[next] = true;
    list.push_back(next);
    if (!has_operand(graph[next])) continue;
    open.push_back(graph[next].a);
    if (is_binary(graph[next])) open.push_back(graph[next].b);
  }
}

}  // namespace

BodyOrder creation_order(const Program& program) {
  std::multimap<std::uint32_t, Step::Store> stores;
  for (std::size_t k = 0; k < program.outputs.size(); ++k)
    for (std::size_t entry = 0; entry < program.outputs[k].entries.size(); ++entry)
      stores.emplace(program.outputs[k].entries[entry].node(), Step::Store{k, int(entry)});
  BodyOrder order;
  for (const std::uint32_t node : program.graph.live(program.needed())) {
    Step& step = order.emplace_back(Step{{node}, {}});
    const auto [first, last] = stores.equal_range(node);
    for (auto it = first; it != last; ++it) step.stores.push_back(it->second);
  }
  return order;
}

BodyOrder demand_order(const Program& program, const std::vector<std::vector<Step::Store>>& stores) {
  std::vector<bool> marked(program.graph.size(), false);
  BodyOrder order;
  for (const std::vector<Step::Store>& together : stores) {
    Step& step = order.emplace_back(Step{{}, together});
    for (const Step::Store& store : together)
      add_missing(program.graph, program.outputs[store.output].entries[std::size_t(store.entry)].node(), marked,
                  step.nodes);
    std::sort(step.nodes.begin(), step.nodes.end());
  }
  return order;
}

std::vector<bool> products_in_sums(const Graph& graph, const std::vector<std::uint32_t>& live,
                                   const std::vector<int>& uses) {
  std::vector<bool> inlined(graph.size(), false);
  for (const std::uint32_t node : live) {
    const Node& n = graph[node];
    if (n.operation != Operation::add && n.operation != Operation::subtract) continue;
    for (const std::uint32_t operand : {n.a, n.b})
      inlined[operand] =
          graph[operand].operation == Operation::multiply && uses[operand] == 1 && !is_doubling(graph, graph[operand]);
  }
  return inlined;
}

Traffic traffic(const Program& program, const BodyOrder& order, std::size_t registers) {
  return Machine(program, order, registers).run();
}

}  // namespace catena
