#include "identify/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "catena/model/parameters.hpp"
#include "identify/base_columns.hpp"
#include "identify/friction.hpp"

namespace catena::identification {
namespace {

// What the other links and drives do is known where only some are fitted: a column whose value is 1.
std::vector<Column> columns_for(const Mechanism& robot, const IdentificationOptions& options) {
  std::vector<int> candidates = columns_by_preference(robot, options.drives);
  if (options.only.empty()) return columns_of(base_parameters_among(robot, candidates));
  std::erase_if(candidates, [&](int k) {
    return std::find(options.only.begin(), options.only.end(), k / parameters_per_joint) == options.only.end();
  });
  std::vector<Column> columns = columns_of(base_parameters_among(robot, candidates));
  Column known;
  const std::vector<double> theta = standard_parameters(robot);
  for (std::size_t k = 0; k < theta.size(); ++k)
    if (theta[k] != 0.0 && std::find(candidates.begin(), candidates.end(), static_cast<int>(k)) == candidates.end())
      known.of_Y.push_back({static_cast<int>(k), theta[k]});
  known.parameter = known_parameter();
  columns.push_back(known);
  return columns;
}

// All columns but what is known and, unless the kind says so, friction; and their nominal values.
Model made(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options, const Column* load) {
  Model model{columns_for(robot, options), {}, {}, options};
  const bool some = !options.only.empty();
  if (load != nullptr) model.columns.push_back(*load);
  if (options.offsets)
    for (const Coordinate j : robot.coordinates.all())
      if (offset_column(robot, model.columns, j) < 0) model.columns.push_back(curve_column(robot, Curve::offset, j));
  const auto reset = [&] {
    model.nominal.clear();
    for (const Column& column : model.columns) model.nominal.push_back(column.parameter.nominal);
    model.selection.others.assign(model.columns.size(), 0.0);
    for (std::size_t k = 0; k < model.columns.size(); ++k)
      if (model.columns[k].known()) model.selection.others[k] = 1.0;
  };
  for (std::size_t k = 0; k < model.columns.size(); ++k)
    if (!model.columns[k].known()) model.selection.chosen.push_back(k);
  reset();
  model.friction.assign(index(robot.nv()), {options.drives ? JointFriction::coulomb : JointFriction::none});
  if (!options.drives || options.friction.empty()) return model;
  model.friction = choose_friction(robot, data, model.columns, model.selection, options);
  for (const Coordinate j : robot.coordinates.all()) {
    const FrictionColumns own = friction_of(robot, model.columns, j);
    if (some && own.viscous < 0 && own.dry < 0) continue;  // not among those that are fitted
    const int offset = offset_within(model.columns, j, model.friction[index(j)].kind);
    std::erase_if(model.selection.chosen, [&](std::size_t k) { return own.has(k) || static_cast<int>(k) == offset; });
    for (const std::size_t k : friction_columns(robot, model.columns, j, model.friction[index(j)]))
      model.selection.chosen.push_back(k);
  }
  std::sort(model.selection.chosen.begin(), model.selection.chosen.end());
  reset();
  return model;
}

void drop(Model& model, std::size_t column) { std::erase(model.selection.chosen, column); }

// Holds what is not determined at the model's values; widths of curves that have hardly any effect are not estimates.
}  // namespace

void hold_undetermined(const Evidence& evidence, const LogEvidence& log, Model& model, Identification& out) {
  Selection& selection = model.selection;
  const Matrix triangle = weighted_triangle(evidence.layout, log, selection, std::vector<double>(log.size(), 1.0));
  const std::vector<std::size_t> kept = determined(triangle, selection.chosen);
  for (const std::size_t k : std::vector(selection.chosen)) {
    const bool width = model.columns[k].curve == Curve::tanh_width || model.columns[k].curve == Curve::stribeck_width;
    if (std::binary_search(kept.begin(), kept.end(), k) || !(width || model.options.subset)) continue;
    drop(model, k);
    selection.others[k] = model.nominal[k];
    if (width) continue;
    model.held.push_back(k);
    out.held.push_back({model.columns[k].parameter, model.nominal[k]});
  }
}

namespace {

// A better width for tanh and Stribeck's curve: one step of Gauss and Newton, with the curve's derivative as a column.
void refine_widths(const Mechanism& robot, const Measurements& data, Model& model) {
  std::vector<WidthRange> ranges;
  for (std::size_t j = 0; j < model.friction.size(); ++j)
    ranges.push_back(widths_of(data, model.friction.size(), j, model.friction[j].kind));
  for (int step = 0; step < 3; ++step) {
    Model wide = model;
    std::vector<std::array<std::size_t, 3>> pairs;  // curve, its derivative, joint
    for (std::size_t k = 0; k < model.columns.size(); ++k) {
      const Column& own = model.columns[k];
      if (own.curve != Curve::tanh && own.curve != Curve::stribeck) continue;
      pairs.push_back({k, wide.columns.size(), own.joint});
      wide.columns.push_back(curve_column(robot, own.curve == Curve::tanh ? Curve::tanh_width : Curve::stribeck_width,
                                          Coordinate(own.joint), own.width));
      wide.selection.chosen.push_back(pairs.back()[1]);
      wide.selection.others.push_back(0.0);
      wide.nominal.push_back(0.0);
    }
    if (pairs.empty()) return;
    const Evidence evidence = gather(RegressionRows(robot, wide.columns, data, model.options), 8);
    const LogEvidence log = evidence.joined();
    Identification unused;
    hold_undetermined(evidence, log, wide, unused);
    const WeightedSolution found = solve_weighted(evidence.layout, log, wide.columns, wide.selection, model.options);
    const std::vector<double> values = wide.selection.all_values(found.solution.value);
    double change = 0.0;
    for (const auto& [curve, derivative, joint] : pairs) {
      const double width = model.columns[curve].width;
      double next = values[curve] > 0.0 ? width + values[derivative] / values[curve] : width;
      next = std::clamp(std::clamp(next, width / 1.6, width * 1.6), ranges[joint].least, ranges[joint].most);
      change = std::max(change, std::abs(next / width - 1.0));
      model.friction[joint].width = next;
      model.columns[curve] = curve_column(robot, model.columns[curve].curve, Coordinate(joint), next);
    }
    if (change < 1e-3) return;
  }
}

// The width itself as an estimate: the derivative's column stands for it where the curve is there at all.
void add_widths(const Mechanism& robot, Model& model) {
  const std::size_t count = model.columns.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Column own = model.columns[k];
    if (own.curve != Curve::tanh && own.curve != Curve::stribeck) continue;
    model.columns.push_back(curve_column(robot, own.curve == Curve::tanh ? Curve::tanh_width : Curve::stribeck_width,
                                         Coordinate(own.joint), own.width));
    model.selection.chosen.push_back(model.columns.size() - 1);
    model.selection.others.push_back(0.0);
    model.nominal.push_back(0.0);
  }
}

}  // namespace

Model model_for(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options,
                const Column* load) {
  Model model = made(robot, data, options, load);
  if (model.selection.chosen.empty()) throw std::domain_error("torques depend on no parameter of the robot");
  refine_widths(robot, data, model);
  add_widths(robot, model);
  return model;
}

}  // namespace catena::identification
