// Programs without the summands that matter little: docs/generated-code.md#abridged-models.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "catena/program.hpp"
#include "codegen/random_motions.hpp"

namespace catena {
namespace {

constexpr std::size_t lanes = 32;  // states that are evaluated together
using Lanes = std::array<double, lanes>;
// How many states: from which summands are chosen, by which they are ranked, and on which the result is tried.
constexpr std::size_t most_states = 2048, most_ranking = 256, most_fresh = 32768;
constexpr std::size_t fewest_states = 256, fewest_fresh = 4096;
// Operations on a state: in one trial, in one ranking, in trying the result, and in all trials, which take seconds.
constexpr std::size_t trial_work = std::size_t(1) << 21U, ranking_work = std::size_t(1) << 27U;
constexpr std::size_t fresh_work = std::size_t(1) << 27U, most_trials = std::size_t(1) << 32U;
constexpr double first_share = 0.97;  // of the significance: the largest error on fresh states is a little larger
constexpr int attempts = 8;
constexpr double rounding = 1e-10;

// As many states as the work allows, in whole blocks.
std::size_t states_for(std::size_t work, std::size_t operations, std::size_t fewest, std::size_t most) {
  return std::clamp(work / std::max<std::size_t>(1, operations) / lanes * lanes, fewest, most);
}

bool is_sum(const Node& node) { return node.operation == Operation::add || node.operation == Operation::subtract; }
bool is_binary(const Node& node) { return is_sum(node) || node.operation == Operation::multiply; }
bool is_leaf(const Node& node) { return node.operation == Operation::constant || node.operation == Operation::input; }

double largest_of(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

// What a program computes.
struct Formulas {
  Graph graph;
  std::vector<NodeRef> results;
};

// A summand: the first or second operand of a sum of the graph.
struct Summand {
  std::uint32_t sum = 0;
  bool second = false;
};

// For every node: whether its first and its second operand are left out.
using LeftOut = std::vector<std::array<bool, 2>>;

// The formulas without some summands, folded again.
Formulas without(const Formulas& all, const LeftOut& left_out) {
  Formulas rest;
  std::vector<NodeRef> made(all.graph.size());
  std::vector<char> needed(all.graph.size(), 0);
  for (const NodeRef& result : all.results) needed[result.node()] = 1;
  for (std::size_t k = all.graph.size(); k-- > 0;) {
    const Node& node = all.graph[std::uint32_t(k)];
    if (needed[k] == 0 || is_leaf(node)) continue;
    if (!left_out[k][0]) needed[node.a] = 1;
    if (is_binary(node) && !left_out[k][1]) needed[node.b] = 1;
  }
  Graph& graph = rest.graph;
  for (std::uint32_t k = 0; k < all.graph.size(); ++k) {
    const Node& node = all.graph[k];
    if (node.operation == Operation::input) made[k] = graph.input(all.graph.input_name(node.a));  // all of them
    if (needed[k] == 0 || node.operation == Operation::input) continue;
    const auto operand = [&](bool second) {
      return left_out[k][second ? 1 : 0] ? graph.constant(0.0) : made[second ? node.b : node.a];
    };
    switch (node.operation) {
      case Operation::constant:
        made[k] = graph.constant(node.value);
        break;
      case Operation::add:
        made[k] = graph.add(operand(false), operand(true));
        break;
      case Operation::subtract:
        made[k] = graph.subtract(operand(false), operand(true));
        break;
      case Operation::multiply:
        made[k] = graph.multiply(operand(false), operand(true));
        break;
      case Operation::reciprocal:
        made[k] = graph.reciprocal(operand(false));
        break;
      case Operation::sine:
        made[k] = graph.sine(operand(false));
        break;
      case Operation::cosine:
        made[k] = graph.cosine(operand(false));
        break;
      case Operation::decay:
        made[k] = graph.decay(operand(false));
        break;
      default:
        made[k] = graph.sign(operand(false));
    }
  }
  for (const NodeRef& result : all.results)
    rest.results.push_back(result.negative() ? -made[result.node()] : made[result.node()]);
  return rest;
}

// Formulas ready to be evaluated at several states at once.
class Evaluation {
 public:
  explicit Evaluation(const Formulas& formulas)
      : formulas_(formulas), order_(formulas.graph.live(formulas.results)), values_(formulas.graph.size()) {}

  void run(const Lanes* inputs) {
    for (const std::uint32_t k : order_) {
      const Node& node = formulas_.graph[k];
      Lanes& own = values_[k];
      const Lanes &a = values_[is_leaf(node) ? k : node.a], &b = values_[is_binary(node) ? node.b : k];
      const auto fill = [&](auto value) {
        for (std::size_t s = 0; s < lanes; ++s) own[s] = value(s);
      };
      switch (node.operation) {
        case Operation::constant:
          own.fill(node.value);
          break;
        case Operation::input:
          own = inputs[node.a];
          break;
        case Operation::add:
          fill([&](std::size_t s) { return a[s] + b[s]; });
          break;
        case Operation::subtract:
          fill([&](std::size_t s) { return a[s] - b[s]; });
          break;
        case Operation::multiply:
          fill([&](std::size_t s) { return a[s] * b[s]; });
          break;
        case Operation::reciprocal:
          fill([&](std::size_t s) { return 1.0 / a[s]; });
          break;
        case Operation::sine:
          fill([&](std::size_t s) { return std::sin(a[s]); });
          break;
        case Operation::cosine:
          fill([&](std::size_t s) { return std::cos(a[s]); });
          break;
        case Operation::sign:
          fill([&](std::size_t s) { return double((a[s] > 0.0) - (a[s] < 0.0)); });
          break;
        case Operation::decay:
          fill([&](std::size_t s) { return std::exp(-a[s]); });
      }
    }
  }
  const Lanes& operator[](std::uint32_t node) const { return values_[node]; }
  double result(std::size_t r, std::size_t state) const {
    const NodeRef ref = formulas_.results[r];
    return ref.negative() ? -values_[ref.node()][state] : values_[ref.node()][state];
  }
  const std::vector<std::uint32_t>& order() const { return order_; }

  // The derivatives of one result by all nodes, at the states of the latest run.
  void differentiate(std::size_t r, std::vector<Lanes>& derivatives) const {
    for (const std::uint32_t k : order_) derivatives[k].fill(0.0);
    derivatives[formulas_.results[r].node()].fill(1.0);
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const Node& node = formulas_.graph[*it];
      if (is_leaf(node) || node.operation == Operation::sign) continue;
      const Lanes &own = derivatives[*it], &value = values_[*it], &a = values_[node.a];
      for (std::size_t s = 0; s < lanes; ++s) {
        double by_a = 1.0;
        if (node.operation == Operation::multiply) by_a = values_[node.b][s];
        if (node.operation == Operation::reciprocal) by_a = -value[s] * value[s];
        if (node.operation == Operation::decay) by_a = -value[s];
        if (node.operation == Operation::sine) by_a = std::cos(a[s]);
        if (node.operation == Operation::cosine) by_a = -std::sin(a[s]);
        const double own_s = own[s];
        derivatives[node.a][s] += own_s * by_a;
        if (is_sum(node)) derivatives[node.b][s] += node.operation == Operation::add ? own_s : -own_s;
        if (node.operation == Operation::multiply) derivatives[node.b][s] += own_s * a[s];
      }
    }
  }

 private:
  const Formulas& formulas_;
  std::vector<std::uint32_t> order_;
  std::vector<Lanes> values_;
};

// The scale of each result: the largest magnitude of an entry of a vector, or of the entries in a matrix's row; of a
// symmetric matrix, row and column. What is smaller than `rounding` of the largest of all is rounding.
std::vector<double> scales_of(const Program& program, const std::vector<double>& largest) {
  std::vector<double> scales;
  for (const Program::Output& out : program.outputs) {
    const std::size_t first = scales.size();
    std::vector<double> of_row(index(out.rows), 0.0);
    std::vector<std::array<int, 2>> places;
    for (int row = 0; row < out.rows; ++row)
      for (int column = out.packed ? row : 0; column < out.columns; ++column) places.push_back({row, column});
    for (std::size_t k = 0; k < places.size(); ++k)
      for (const int row : {places[k][0], out.packed ? places[k][1] : places[k][0]})
        of_row[index(row)] = std::max(of_row[index(row)], largest[first + k]);
    const double least = rounding * largest_of(of_row);
    for (const auto& [row, column] : places)
      scales.push_back(std::max(least, std::min(of_row[index(row)], of_row[index(out.packed ? column : row)])));
  }
  return scales;
}

// States with the exact results.
class Sample {
 public:
  Sample(const Mechanism& robot, const Program& program, const Formulas& exact, const Abridging& ranges,
         std::uint64_t seed, std::size_t states)
      : inputs_(index(exact.graph.inputs())), results_(exact.results.size()) {
    RandomMotions motions(robot, program, ranges, seed);
    Evaluation evaluation(exact);
    std::vector<double> largest(results_, 0.0);
    for (std::size_t drawn = 0; exact_.size() < states / lanes * results_;) {
      std::vector<Lanes> in(inputs_), out(results_);
      for (std::size_t s = 0; s < lanes;) {
        if (drawn++ > 20 * states) throw std::domain_error("almost no motion within the limits has finite results");
        try {
          const std::vector<double> values = motions.draw();
          for (std::size_t k = 0; k < inputs_; ++k) in[k][s] = values[k];
          ++s;
        } catch (const std::domain_error&) {  // loops do not close there
        }
      }
      evaluation.run(in.data());
      for (std::size_t r = 0; r < results_; ++r)
        for (std::size_t s = 0; s < lanes; ++s) {
          out[r][s] = evaluation.result(r, s);
          largest[r] = std::max(largest[r], std::abs(out[r][s]));
        }
      in_.insert(in_.end(), in.begin(), in.end());
      exact_.insert(exact_.end(), out.begin(), out.end());
    }
    scales_ = scales_of(program, largest);
  }

  std::size_t blocks() const { return exact_.size() / results_; }
  const Lanes* inputs(std::size_t block) const { return &in_[block * inputs_]; }
  const std::vector<double>& scales() const { return scales_; }
  double share(std::size_t r, double error) const {
    return error == 0.0 ? 0.0 : std::isfinite(error) ? std::abs(error) / scales_[r] : HUGE_VAL;
  }

  // The largest errors, by result; ends at the first block with one beyond `most`. Adds to `work`.
  std::vector<double> errors(const Formulas& formulas, std::size_t& work, double most = HUGE_VAL) const {
    Evaluation evaluation(formulas);
    std::vector<double> errors(results_, 0.0);
    for (std::size_t block = 0; block < blocks(); ++block) {
      evaluation.run(inputs(block));
      work += lanes * evaluation.order().size();
      double worst = 0.0;
      for (std::size_t r = 0; r < results_; ++r) {
        for (std::size_t s = 0; s < lanes; ++s)
          errors[r] = std::max(errors[r], share(r, evaluation.result(r, s) - exact_[block * results_ + r][s]));
        worst = std::max(worst, errors[r]);
      }
      if (worst > most) break;
    }
    return errors;
  }

 private:
  std::size_t inputs_, results_;
  std::vector<Lanes> in_, exact_;  // by block
  std::vector<double> scales_;
};

// The operations that are no longer needed where a summand is left out.
class Savings {
 public:
  explicit Savings(const Formulas& formulas) : graph_(formulas.graph), uses_(graph_.uses(formulas.results)) {}

  double of(const Summand& summand) {
    const Node& sum = graph_[summand.sum];
    const double saved = 1.0 + release(summand.second ? sum.b : sum.a);
    for (const std::uint32_t node : released_) ++uses_[node];
    released_.clear();
    return saved;
  }

 private:
  double release(std::uint32_t k) {
    released_.push_back(k);
    const Node& node = graph_[k];
    if (--uses_[k] > 0 || is_leaf(node)) return 0.0;
    const bool turn = node.operation == Operation::sine || node.operation == Operation::cosine;
    double saved = turn ? 6.0 : node.operation == Operation::reciprocal ? 5.0 : 1.0;
    saved += release(node.a);
    return is_binary(node) ? saved + release(node.b) : saved;
  }
  const Graph& graph_;
  std::vector<int> uses_;
  std::vector<std::uint32_t> released_;
};

// All summands that may be left out by themselves, those first that cost little error for what they save.
std::vector<Summand> ranking(const Formulas& formulas, const Sample& sample, double most) {
  Evaluation evaluation(formulas);
  std::vector<std::array<double, 2>> effects(formulas.graph.size(), {0.0, 0.0});
  std::vector<Lanes> derivatives(formulas.graph.size());
  const std::size_t operations = evaluation.order().size() * formulas.results.size();
  const std::size_t blocks = states_for(ranking_work, operations, lanes, most_ranking) / lanes;
  for (std::size_t block = 0; block < std::min(sample.blocks(), blocks); ++block) {
    evaluation.run(sample.inputs(block));
    for (std::size_t r = 0; r < formulas.results.size(); ++r) {
      if (formulas.graph.is_constant(formulas.results[r])) continue;
      evaluation.differentiate(r, derivatives);
      for (const std::uint32_t k : evaluation.order()) {
        const Node& node = formulas.graph[k];
        if (!is_sum(node)) continue;
        for (std::size_t s = 0; s < lanes; ++s) {
          effects[k][0] = std::max(effects[k][0], sample.share(r, derivatives[k][s] * evaluation[node.a][s]));
          effects[k][1] = std::max(effects[k][1], sample.share(r, derivatives[k][s] * evaluation[node.b][s]));
        }
      }
    }
  }
  Savings savings(formulas);
  std::vector<std::pair<double, Summand>> ranked;
  for (const std::uint32_t k : evaluation.order())
    for (const bool second : {false, true}) {
      const double effect = effects[k][second ? 1 : 0];
      if (is_sum(formulas.graph[k]) && effect < most)
        ranked.emplace_back(effect / savings.of({k, second}), Summand{k, second});
    }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Summand> summands;
  for (const auto& [ignored, summand] : ranked) summands.push_back(summand);
  return summands;
}

// Leaves out one summand after the other, as many at a time as the errors allow, until no other can be left out or the
// work is done.
class Shortening {
 public:
  Shortening(const Formulas& formulas, const Sample& sample, double most, std::size_t work)
      : formulas_(formulas), sample_(sample), most_(most), most_work_(work) {}

  Formulas run() {
    while (work_ < most_work_ && round()) {
    }
    return std::move(formulas_);
  }

 private:
  bool round() {
    const std::vector<Summand> summands = ranking(formulas_, sample_, most_);
    LeftOut left_out(formulas_.graph.size(), {false, false});
    Formulas best;
    bool any = false;
    std::size_t step = 8;
    for (std::size_t next = 0; next < summands.size() && work_ < most_work_;) {
      const std::size_t count = std::min(step, summands.size() - next);
      LeftOut more = left_out;
      for (std::size_t k = next; k < next + count; ++k) more[summands[k].sum][summands[k].second ? 1 : 0] = true;
      Formulas trial = without(formulas_, more);
      const bool holds = largest_of(sample_.errors(trial, work_, most_)) <= most_;
      if (holds) left_out = more, best = std::move(trial), any = true;
      if (holds || count == 1) next += count;
      step = holds ? 2 * step : std::max<std::size_t>(1, count / 2);
    }
    if (any) formulas_ = std::move(best);
    return any;
  }

  Formulas formulas_;
  const Sample& sample_;
  double most_;
  std::size_t work_ = 0, most_work_;
};

Program with_formulas(Program program, Formulas formulas) {
  program.graph = std::move(formulas.graph);
  auto next = formulas.results.begin();
  for (Program::Output& out : program.outputs)
    for (NodeRef& entry : out.entries) entry = *next++;
  return program;
}

}  // namespace

double Abridgement::largest_error() const { return largest_of(errors); }

Program abridge(const Mechanism& robot, const Program& exact, const Abridging& how) {
  if (!(how.significance >= 0.0 && how.significance < 1.0))
    throw std::invalid_argument("the significance must be at least 0 and below 1");
  if (how.significance == 0.0 || exact.results().empty()) return exact;
  if (!exact.loops.empty()) throw std::invalid_argument("a program with loops cannot be abridged");
  if (robot.coordinates.closure.placed) throw std::invalid_argument("motions must be given for the independent joints");
  const Abridging ranged = with_ranges(robot, how);
  const Formulas all{exact.graph, exact.results()};
  const std::size_t size = all.graph.live(all.results).size();
  const std::size_t fresh_states = states_for(fresh_work, size, fewest_fresh, most_fresh);
  const Sample sample(robot, exact, all, ranged, ranged.seed, states_for(trial_work, size, fewest_states, most_states));
  double share = first_share;
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    Formulas rest = Shortening(all, sample, share * ranged.significance, most_trials >> unsigned(attempt)).run();
    const Sample fresh(robot, exact, all, ranged, ranged.seed + std::uint64_t(attempt), fresh_states);
    std::size_t ignored = 0;
    std::vector<double> errors = fresh.errors(rest, ignored);
    const double excess = largest_of(errors) / ranged.significance;
    share *= std::min(0.95, 0.98 / excess);  // for the next attempt
    if (excess > 1.0) continue;
    Program program = with_formulas(exact, std::move(rest));
    program.abridged = {ranged, exact.cost(), fresh_states, std::move(errors), fresh.scales()};
    return program;
  }
  Program program = exact;  // nothing is left out
  program.abridged = {ranged, exact.cost(), 0, std::vector<double>(all.results.size(), 0.0), sample.scales()};
  return program;
}

}  // namespace catena
