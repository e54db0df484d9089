#include "output/identification_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/model/parameters.hpp"
#include "codegen/escape.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

Json terms_json(const BaseParameter& own, const std::vector<std::string>& names) {
  Json terms = Json::array();
  for (const auto& [parameter, factor] : own.terms)
    terms.push_back({{"parameter", names[index(parameter)]}, {"column", parameter + 1}, {"factor", factor}});
  return terms;
}
Json to_json(const Estimate& own, const std::vector<std::string>& names) {
  return {{"name", own.parameter.text},
          {"unit", own.parameter.unit},
          {"value", own.value},
          {"standard_error", own.standard_error},
          {"interval", {own.lower, own.upper}},
          {"nominal", own.parameter.nominal},
          {"terms", terms_json(own.parameter, names)}};
}
Json list_of(const std::vector<Estimate>& estimates, const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const Estimate& own : estimates) list.push_back(to_json(own, names));
  return list;
}
Json to_json(const FitScore& score) { return {{"residual_rms", score.rms}, {"explained", score.explained}}; }
Json to_json(const Validation& own, bool physical) {
  Json out = {
      {"samples", own.samples}, {"least_squares", to_json(own.least_squares)}, {"nominal", to_json(own.nominal)}};
  if (!physical) return out;
  out["physical"] = to_json(own.physical);
  out["written"] = to_json(own.written);
  return out;
}
Json to_json(const std::vector<FitDoubt>& doubts) {
  Json list = Json::array();
  for (const FitDoubt& doubt : doubts) list.push_back({{"kind", doubt.kind}, {"text", doubt.text}});
  return list;
}
Json to_json(const FrictionCurve& own) {
  Json out = {{"kind", name_of(own.kind)}, {"viscous", own.viscous}, {"coulomb", own.coulomb}};
  if (own.kind == JointFriction::asymmetric)
    out["viscous_back"] = own.viscous_back, out["coulomb_back"] = own.coulomb_back;
  if (own.kind == JointFriction::stribeck) out["excess"] = own.excess;
  if (own.width > 0.0) out["width"] = own.width;
  out["offset"] = own.offset;
  return out;
}
Json held_json(const std::vector<HeldParameter>& held, const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const HeldParameter& own : held)
    list.push_back({{"name", own.parameter.text},
                    {"unit", own.parameter.unit},
                    {"value", own.value},
                    {"terms", terms_json(own.parameter, names)}});
  return list;
}
// The prior's values of the estimates; those without terms, functions of the speed, have none.
Json prior_json(const IdentifyResult& result) {
  Json list = Json::array();
  const std::vector<double>& theta = result.physical.prior_parameters;
  for (const Estimate& own : result.found.estimates) {
    double sum = 0.0;
    for (const auto& [parameter, factor] : own.parameter.terms)
      sum += theta.empty() ? 0.0 : factor * theta[index(parameter)];
    list.push_back(own.parameter.terms.empty() ? Json() : Json(theta.empty() ? own.parameter.nominal : sum));
  }
  return list;
}

std::string table_of(const std::vector<Estimate>& estimates, const PhysicalFit* fit, bool nominal) {
  TextTable table;
  for (const char* title : {"value", "std. error", "95 % from", "to"}) table.column(title);
  if (nominal) table.column("nominal");
  if (fit != nullptr) table.column("possible");
  for (const char* title : {"unit", "base parameter"}) table.column(title, TextTable::Align::left);
  for (std::size_t k = 0; k < estimates.size(); ++k) {
    const Estimate& own = estimates[k];
    std::vector<std::string> cells{fmt::format("{:.6g}", own.value), fmt::format("{:.3g}", own.standard_error),
                                   fmt::format("{:.6g}", own.lower), fmt::format("{:.6g}", own.upper)};
    if (nominal) cells.push_back(fmt::format("{:.6g}", own.parameter.nominal));
    if (fit != nullptr) cells.push_back(fmt::format("{:.6g}", fit->values[k]));
    cells.insert(cells.end(), {own.parameter.unit, own.parameter.text});
    table.row(cells);
  }
  return table.text();
}

// Residuals and explained shares by joint, a pair of columns for each score.
std::string scores_text(const Mechanism& robot, const std::vector<std::pair<std::string, const FitScore*>>& scores) {
  TextTable table;
  table.column("joint", TextTable::Align::left);
  for (const auto& [title, score] : scores) table.column(title), table.column("explained");
  for (std::size_t j = 0; j < index(robot.nv()); ++j) {
    std::vector<std::string> cells{printable(robot.name_of(Coordinate(j)))};
    for (const auto& [title, score] : scores)
      cells.insert(cells.end(),
                   {fmt::format("{:.4g}", score->rms[j]), fmt::format("{:.2f} %", 100.0 * score->explained[j])});
    table.row(cells);
  }
  return table.text();
}
std::string to_text(const std::string& title, const Validation& own, bool physical, const Mechanism& robot) {
  std::vector<std::pair<std::string, const FitScore*>> scores{{"residual rms", &own.least_squares}};
  if (physical) scores.insert(scores.end(), {{"possible", &own.physical}, {"written", &own.written}});
  scores.emplace_back("nominal", &own.nominal);
  return fmt::format("\n{}, {} samples\n{}", title, own.samples, scores_text(robot, scores));
}

std::string friction_text(const Identification& found, const Mechanism& robot) {
  bool curved = false;
  for (const FrictionCurve& own : found.friction)
    curved = curved || own.offset != 0.0 || (own.kind != JointFriction::coulomb && own.kind != JointFriction::none);
  if (!curved) return {};
  TextTable table;
  for (const char* title : {"joint", "friction"}) table.column(title, TextTable::Align::left);
  for (const char* title : {"viscous", "dry", "viscous < 0", "dry < 0", "excess", "speed", "offset"})
    table.column(title);
  for (std::size_t j = 0; j < found.friction.size(); ++j) {
    const FrictionCurve& own = found.friction[j];
    std::vector<std::string> cells{printable(robot.name_of(Coordinate(j))), std::string(name_of(own.kind))};
    for (const double value :
         {own.viscous, own.coulomb, own.viscous_back, own.coulomb_back, own.excess, own.width, own.offset})
      cells.push_back(fmt::format("{:.4g}", value));
    table.row(cells);
  }
  return "\n" + table.text();
}

std::string heading(const IdentifyResult& result) {
  const Identification& found = result.found;
  std::string text = fmt::format("{} samples, {} torques, {} base parameters; condition number {:.4g}\n", found.samples,
                                 found.equations, found.estimates.size(), found.condition);
  if (found.block > 0)
    text += fmt::format("intervals from blocks of {} rows, {:.3g} s: errors are correlated over {:.3g} rows\n",
                        found.block, static_cast<double>(found.block) * result.period,
                        *std::max_element(found.correlation.begin(), found.correlation.end()));
  if (found.reweightings > 0) text += fmt::format("weights by joint, found in {} rounds\n", found.reweightings);
  for (const HeldParameter& own : found.held)
    text += fmt::format("held at the model's value {:.6g} {}: {}\n", own.value, own.parameter.unit, own.parameter.text);
  if (result.fit) text += fmt::format("possible parameters are {:.4g} standard errors away\n", result.fit->distance);
  return text;
}

}  // namespace

std::vector<std::string> torque_units(const Mechanism& robot) {
  std::vector<std::string> out;
  for (const Coordinate c : robot.coordinates.all())
    out.emplace_back(robot.links[index(robot.link_of(c))].revolute ? "N m" : "N");
  return out;
}

Json to_json(const IdentifyResult& result, const Mechanism& robot) {
  const Identification& found = result.found;
  const std::vector<std::string> names = parameter_names(parameter_joints(robot));
  Json friction = Json::array();
  for (const FrictionCurve& own : found.friction) friction.push_back(to_json(own));
  Json out = {{"estimates", list_of(found.estimates, names)},
              {"condition", found.condition},
              {"samples", found.samples},
              {"equations", found.equations},
              {"joints", coordinate_names(robot)},
              {"torque_units", torque_units(robot)},
              {"residual_rms", found.residuals},
              {"explained", found.explained},
              {"nominal", to_json(found.nominal)},
              {"weights", found.weights},
              {"reweightings", found.reweightings},
              {"block", found.block},
              {"correlation", found.correlation},
              {"friction", friction},
              {"held", held_json(found.held, names)},
              {"doubts", to_json(found.doubts)},
              {"covariance", rows_of(found.covariance, found.estimates.size())}};
  if (const auto& fit = result.fit; fit)
    out["physical"] = {
        {"values", fit->values},       {"parameters", fit->parameters},        {"residual_rms", fit->residuals},
        {"explained", fit->explained}, {"written", to_json(fit->written)},     {"distance", fit->distance},
        {"prior", prior_json(result)}, {"prior_weight", result.physical.prior}};
  if (result.validation) out["validation"] = to_json(*result.validation, result.fit.has_value());
  if (result.folds) out["folds"] = to_json(*result.folds, result.fit.has_value());
  if (!found.gains.empty()) out["gains"] = list_of(found.gains, names);
  return out;
}

std::string to_text(const IdentifyResult& result, const Mechanism& robot) {
  const Identification& found = result.found;
  std::string text = heading(result);
  if (!found.gains.empty()) text += "\n" + table_of(found.gains, nullptr, false);
  const FitScore own{found.residuals, found.explained};
  std::vector<std::pair<std::string, const FitScore*>> scores{{"residual rms", &own}};
  FitScore possible;
  if (result.fit) {
    possible = {result.fit->residuals, result.fit->explained};
    scores.insert(scores.end(), {{"possible", &possible}, {"written", &result.fit->written}});
  }
  scores.emplace_back("nominal", &found.nominal);
  text += "\n" + scores_text(robot, scores);
  if (result.folds) text += to_text("held out in turn", *result.folds, result.fit.has_value(), robot);
  if (result.validation) text += to_text("other log", *result.validation, result.fit.has_value(), robot);
  text += friction_text(found, robot);
  return text + "\n" + table_of(found.estimates, result.fit ? &*result.fit : nullptr, true);
}

Json to_json(const PayloadFit& fit, const Mechanism& robot) {
  const Inertial& body = fit.body;
  const Sym3<double>& I = body.inertia;
  Json centre = Json::array();
  for (const Estimate& own : fit.centre) centre.push_back(to_json(own, {}));
  return {{"payload",
           {{"mass", body.mass},
            {"com", {body.com.x, body.com.y, body.com.z}},
            {"inertia", {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}}}},
          {"mass", to_json(fit.mass, {})},
          {"centre", centre},
          {"estimates", list_of(fit.estimates, {})},
          {"held", held_json(fit.held, {})},
          {"doubts", to_json(fit.doubts)},
          {"condition", fit.condition},
          {"samples", fit.samples},
          {"block", fit.block},
          {"joints", coordinate_names(robot)},
          {"torque_units", torque_units(robot)},
          {"least_squares", to_json(fit.least_squares)},
          {"physical", to_json(fit.physical)},
          {"without", to_json(fit.without)}};
}

std::string to_text(const PayloadFit& fit, const Mechanism& robot) {
  std::string text = fmt::format("{} samples; condition number {:.4g}\n", fit.samples, fit.condition);
  for (const HeldParameter& own : fit.held)
    text += fmt::format("not shown by the motion, taken as 0 in least squares: {}\n", own.parameter.text);
  const Inertial& body = fit.body;
  text += fmt::format(
      "possible load: mass {:.6g} kg, mass centre {:.5g}, {:.5g}, {:.5g} m, inertia about it {:.4g}, {:.4g}, {:.4g}, "
      "{:.4g}, "
      "{:.4g}, {:.4g} kg m^2\n\n",
      body.mass, body.com.x, body.com.y, body.com.z, body.inertia.xx, body.inertia.yy, body.inertia.zz, body.inertia.xy,
      body.inertia.xz, body.inertia.yz);
  text += scores_text(robot,
                      {{"residual rms", &fit.least_squares}, {"possible", &fit.physical}, {"without", &fit.without}});
  std::vector<Estimate> all{fit.mass, fit.centre[0], fit.centre[1], fit.centre[2]};
  for (const Estimate& own : fit.estimates)
    if (own.parameter.text != "m") all.push_back(own);
  return text + "\n" + table_of(all, nullptr, false);
}

void tell(const std::vector<FitDoubt>& doubts) {
  if (strict() && !doubts.empty())
    throw FailedAt(plain_text(doubts.front().text) +
                   (doubts.size() > 1 ? fmt::format("; and {} more doubts", doubts.size() - 1) : std::string()));
  for (const FitDoubt& doubt : doubts) note("warning: " + plain_text(doubt.text));
}

}  // namespace catena::cli
