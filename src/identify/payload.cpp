#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "identify/doubts.hpp"
#include "identify/possible.hpp"

namespace catena {
namespace {

using namespace identification;
using Body = std::array<double, link_parameters>;  // m, m c, J about the origin

// (7) A body given in a frame, as the link sees it that the frame is fixed to.
Body seen_from(const Pose<double>& link_from_frame, const Body& body) {
  const double m = body[0];
  const Vec3<double> p = link_from_frame.p, a = link_from_frame.R * Vec3<double>{body[1], body[2], body[3]};
  const Sym3<double> J = congruence(link_from_frame.R, {body[4], body[5], body[6], body[7], body[8], body[9]});
  const double pa = 2.0 * dot(p, a);
  const Sym3<double> moved = m * steiner(p);
  const Vec3<double> first = a + m * p;
  return {m,
          first.x,
          first.y,
          first.z,
          J.xx + moved.xx + pa - 2.0 * p.x * a.x,
          J.yy + moved.yy + pa - 2.0 * p.y * a.y,
          J.zz + moved.zz + pa - 2.0 * p.z * a.z,
          J.xy + moved.xy - p.x * a.y - p.y * a.x,
          J.xz + moved.xz - p.x * a.z - p.z * a.x,
          J.yz + moved.yz - p.y * a.z - p.z * a.y};
}

// Ten columns of the load, and one of all that is known.
std::vector<Column> payload_columns(const Mechanism& robot, int frame) {
  const auto& fixed = robot.frames[index(frame)];
  if (fixed.link == base_link)
    throw std::invalid_argument("frame '" + fixed.name + "' does not move, so no torque depends on a load there");
  const auto& link = robot.link(fixed.link);
  const Pose<double> link_from_frame = robot.frames[index(link.frame)].in_link.inverse() * fixed.in_link;
  const char* names[] = {"m", "m cx", "m cy", "m cz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"};
  std::vector<Column> out;
  for (std::size_t k = 0; k < link_parameters; ++k) {
    Body unit{};
    unit[k] = 1.0;
    const Body seen = seen_from(link_from_frame, unit);
    Column column;
    for (std::size_t i = 0; i < link_parameters; ++i)
      if (seen[i] != 0.0) column.of_Y.push_back({link.q * parameters_per_joint + static_cast<int>(i), seen[i]});
    column.parameter.text = names[k];
    column.parameter.unit = k == 0 ? "kg" : k < 4 ? "kg m" : "kg m^2";
    out.push_back(column);
  }
  Column known;
  const std::vector<double> theta = standard_parameters(robot);
  for (std::size_t k = 0; k < theta.size(); ++k)
    if (theta[k] != 0.0) known.of_Y.push_back({static_cast<int>(k), theta[k]});
  known.parameter = known_parameter();
  out.push_back(known);
  return out;
}

Estimate unknown(const char* text, const char* unit) {
  const double infinite = std::numeric_limits<double>::infinity();
  return {{{}, text, unit}, 0.0, infinite, -infinite, infinite};
}

// The mass centre with its interval: c = (m c)/m, and the errors that errors of both make.
void put_centre(const Identification& found, const std::optional<double>& mass, PayloadFit& out) {
  const auto place = [&](const std::string& text) {
    for (std::size_t k = 0; k < found.estimates.size(); ++k)
      if (found.estimates[k].parameter.text == text) return static_cast<int>(k);
    return -1;
  };
  const std::size_t p = found.estimates.size();
  const int m = place("m");
  out.mass = unknown("m", "kg");
  if (m >= 0) out.mass = found.estimates[index(m)];
  if (mass) out.mass = {{{}, "m", "kg"}, *mass, 0.0, *mass, *mass};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string name = {'c', "xyz"[axis]};
    out.centre[axis] = unknown(name.c_str(), "m");
    const int moment = place("m " + name);
    if (moment < 0 || (m < 0 && !mass) || !(out.mass.value > 0.0)) continue;
    const double value = found.estimates[index(moment)].value / out.mass.value;
    double variance = found.covariance[index(moment) * (p + 1)];
    if (m >= 0 && !mass)
      variance += value * value * found.covariance[index(m) * (p + 1)] -
                  2.0 * value * found.covariance[index(m) * p + index(moment)];
    const Estimate& own = found.estimates[index(moment)];
    const double t = own.standard_error > 0.0 ? (own.upper - own.value) / own.standard_error : 2.0;
    const double error = std::sqrt(std::max(variance, 0.0)) / out.mass.value;
    out.centre[axis] = {{{}, name, "m"}, value, error, value - t * error, value + t * error};
  }
}

// Among real bodies; what the motion does not show is pulled weakly to a body of no size at the estimated centre.
std::vector<double> possible_body(const Model& model, const Identification& found, const PayloadOptions& options,
                                  double mass) {
  Selection selection = model.selection;
  selection.chosen.clear();
  for (std::size_t k = 0; k < model.columns.size(); ++k)
    if (!model.columns[k].known()) selection.chosen.push_back(k);
  const LogEvidence log = found.evidence->joined();
  const Matrix triangle = weighted_triangle(found.evidence->layout, log, selection, found.weights);
  const std::size_t p = selection.chosen.size();
  const double unit = std::sqrt(model.inflation) *
                      std::max(std::abs(triangle(p, p)) / std::sqrt(static_cast<double>(found.equations)),
                               1e-4 * norm(triangle.column(p)) / std::sqrt(static_cast<double>(found.equations)));
  const double factor = 1.0 / (unit > 0.0 ? unit : 1.0), length = 0.1;
  PossibleProblem problem;
  problem.scale = Vector(p, 1);
  Matrix pull(p, p);
  for (std::size_t k = 0; k < p; ++k) {
    problem.scale[k] = k == 0 ? mass : k < 4 ? mass * length : k < 10 ? mass * length * length : 1.0;
    if (k < 10) pull(k, k) = 0.01 / problem.scale[k];
  }
  PossibleProblem::Body body{0, options.bounds, {}};
  if (options.mass) problem.fixed = {0}, body.bounds = {.centre_within = options.bounds.centre_within};
  require_room(body.bounds);
  problem.bodies.push_back(body);
  Vector x(p, 1), to(p, 1);
  x[0] = mass;
  to[0] = pull(0, 0) * mass;
  problem.A = dense::blocks({{factor * triangle.block(0, 0, p, p)}, {pull}});
  problem.y = dense::blocks({{factor * triangle.block(0, p, p, 1)}, {to}});
  put_possible(std::span(x).first(link_parameters), body.bounds, mass, length);
  return selection.all_values(least_possible(problem, x));
}

}  // namespace

PayloadFit identify_payload(const Mechanism& robot, const Measurements& data, int frame,
                            const PayloadOptions& options) {
  require_consistent(robot, data);
  if (frame < 0 || index(frame) >= robot.frames.size()) throw std::invalid_argument("there is no such frame");
  if (options.mass && !(*options.mass > 0.0)) throw std::invalid_argument("a known mass must be a positive number");
  Model model{payload_columns(robot, frame), {}, {}, options.fit};
  model.options.subset = true, model.options.only.clear(), model.options.folds = 0;
  if (options.fit.offsets)
    for (const Coordinate j : robot.coordinates.all()) model.columns.push_back(curve_column(robot, Curve::offset, j));
  model.friction.assign(index(robot.nv()), {JointFriction::none});
  model.nominal.assign(model.columns.size(), 0.0);
  model.nominal[link_parameters] = 1.0;
  model.selection.others = model.nominal;
  for (std::size_t k = 0; k < model.columns.size(); ++k) {
    if (k == 0 && options.mass)
      model.selection.others[k] = *options.mass;
    else if (k != link_parameters)
      model.selection.chosen.push_back(k);
  }
  const Identification found = fit(robot, data, model);
  PayloadFit out;
  out.estimates = found.estimates, out.held = found.held, out.doubts = found.doubts, out.condition = found.condition;
  out.samples = found.samples, out.block = found.block;
  out.least_squares = {found.residuals, found.explained};
  put_centre(found, options.mass, out);
  const double mass = std::isfinite(out.mass.standard_error) ? std::max(out.mass.value, 1e-2) : 1.0;
  const std::vector<double> values = possible_body(*found.model, found, options, mass);
  const LogEvidence log = found.evidence->joined();
  out.physical = score(found.evidence->layout, log, values);
  out.model = found.model, out.of_columns = values;
  out.without = found.nominal;
  out.body.mass = values[0];
  out.body.com = (1.0 / values[0]) * Vec3<double>{values[1], values[2], values[3]};
  out.body.inertia = Sym3<double>{values[4], values[5], values[6], values[7], values[8], values[9]} -
                     out.body.mass * steiner(out.body.com);
  return out;
}

}  // namespace catena
