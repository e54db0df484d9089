#include "identify/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace catena::identification {
namespace {

constexpr double alike = 0.99;        // correlation of two estimates
constexpr double least_turn = 0.17;   // rad: ten degrees
constexpr double least_slide = 0.03;  // m
constexpr std::size_t most_named = 5;

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void doubt_condition(const Model& model, const Solution& found, Identification& out) {
  if (out.condition < doubtful_condition) return;
  std::vector<std::pair<double, std::size_t>> wide;  // relative errors
  for (std::size_t k = 0; k < out.estimates.size(); ++k)
    wide.emplace_back(-std::sqrt(found.inverse(k, k)) / std::max(std::abs(out.estimates[k].value), 1e-12), k);
  std::sort(wide.begin(), wide.end());
  std::string names;
  for (std::size_t k = 0; k < std::min<std::size_t>(wide.size(), 3); ++k)
    names += (k > 0 ? "; " : "") + model.columns[model.selection.chosen[wide[k].second]].parameter.text;
  out.doubts.push_back({"condition", "condition number " + digits(out.condition) + ", above " +
                                         digits(doubtful_condition) + ": the motion hardly determines " + names});
}

void doubt_correlated(const Solution& found, Identification& out) {
  struct Pair {
    double size;
    std::size_t i, k;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < out.estimates.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const double r = found.inverse(i, k) / std::sqrt(found.inverse(i, i) * found.inverse(k, k));
      if (std::abs(r) > alike) pairs.push_back({std::abs(r), k, i});
    }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.size > b.size; });
  for (std::size_t k = 0; k < std::min(pairs.size(), most_named); ++k)
    out.doubts.push_back({"correlated", "the motion hardly tells '" + out.estimates[pairs[k].i].parameter.text +
                                            "' from '" + out.estimates[pairs[k].k].parameter.text + "': correlation " +
                                            digits(pairs[k].size)});
  if (pairs.size() > most_named)
    out.doubts.push_back({"correlated", "and " + std::to_string(pairs.size() - most_named) + " more pairs"});
}

void doubt_motion(const Mechanism& robot, const Measurements& data, Identification& out) {
  const std::size_t n = index(robot.nv());
  for (const Coordinate j : robot.coordinates.all()) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t k = index(j); k < data.q.size(); k += n)
      if (data.used.empty() || data.used[k] != 0) low = std::min(low, data.q[k]), high = std::max(high, data.q[k]);
    const bool turns = robot.link(robot.link_of(j)).revolute;
    if (high - low > (turns ? least_turn : least_slide)) continue;
    out.doubts.push_back({"motion", "joint '" + robot.name_of(j) + "' hardly moves: " +
                                        (high < low ? "no sample of it counts"
                                                    : "within " + digits(high - low) + (turns ? " rad" : " m"))});
  }
}

}  // namespace

void doubt_samples(double independent, std::size_t parameters, Identification& out) {
  if (independent >= 3.0 * static_cast<double>(parameters)) return;
  out.doubts.push_back({"samples", "errors are correlated in time: the log is worth as much as " + digits(independent) +
                                       " independent torques, for " + std::to_string(parameters) +
                                       " parameters; intervals are rough"});
}

void doubt_blocks(Identification& out) {
  const double longest = *std::max_element(out.correlation.begin(), out.correlation.end());
  if (2.0 * longest <= static_cast<double>(out.block)) return;
  out.doubts.push_back({"samples", "errors are correlated over " + digits(longest) +
                                       " rows, and the log is too short for " + "blocks longer than " +
                                       std::to_string(out.block) + ": intervals are rough"});
}

void doubt_fit(const Mechanism& robot, const Measurements& data, const Model& model, const Solution& found,
               Identification& out) {
  doubt_condition(model, found, out);
  doubt_correlated(found, out);
  doubt_motion(robot, data, out);
}

}  // namespace catena::identification
