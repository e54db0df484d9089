#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "identify/friction.hpp"
#include "identify/physical.hpp"
#include "identify/possible.hpp"

namespace catena {
namespace {

using namespace identification;

// Sizes of a link's parameters: its mass, or a hundredth of the robot's; its radius of inertia, or that of the others.
struct Scale {
  double mass = 1.0, length = 1.0;
  double of(ParameterKind kind) const {
    if (kind == ParameterKind::mass) return mass;
    if (kind == ParameterKind::moment) return mass * length;
    if (kind == ParameterKind::inertia) return mass * length * length;
    return 1.0;
  }
};
ParameterKind kind_of(std::size_t k) { return parameter_infos[k % parameters_per_joint].kind; }
bool has_sign(std::size_t k) { return kind_of(k) == ParameterKind::signed_device; }
bool is_device(std::size_t k) { return has_sign(k) || kind_of(k) == ParameterKind::device; }
bool is_drive(std::size_t k) { return k % parameters_per_joint >= link_parameters; }
// A stiffness may be of any size, and so is what stands beside it.
double largest_device(const std::vector<double>& theta, std::size_t k) {
  const std::size_t first = k - k % parameters_per_joint;
  double size = 1.0;
  for (std::size_t l = first; l < first + parameters_per_joint; ++l)
    if (is_device(l)) size = std::max(size, std::abs(theta[l]));
  return size;
}
std::vector<Scale> scales_of(const std::vector<double>& theta) {
  double mass = 0.0, second = 0.0;
  for (std::size_t k = 0; k < theta.size(); k += parameters_per_joint)
    mass += theta[k], second += theta[k + 4] + theta[k + 5] + theta[k + 6];
  const double all = mass > 0.0 ? mass : 1.0, length = second > 0.0 ? std::sqrt(second / all) : 1.0;
  std::vector<Scale> scales;
  for (std::size_t k = 0; k < theta.size(); k += parameters_per_joint)
    scales.push_back({std::max(theta[k], 0.01 * all), length});
  return scales;
}

// Where θ stands in the unknowns: the joints that are fitted, parameters_per_joint numbers each, then what is no part
// of θ.
struct Unknowns {
  std::vector<int> joints;           // of the tree
  std::vector<std::size_t> columns;  // of the regression that take part, θ or not
  std::vector<std::size_t> extras;   // those of them that are not part of θ
  std::vector<int> place;            // of each parameter of θ; -1: known

  std::size_t theta_size() const { return joints.size() * parameters_per_joint; }
  std::size_t size() const { return theta_size() + extras.size(); }
};
Unknowns unknowns_of(const Mechanism& robot, const Model& model) {
  Unknowns out;
  out.joints = model.options.only;
  for (int j = 0; model.options.only.empty() && j < robot.joints(); ++j) out.joints.push_back(j);
  out.place.assign(index(robot.joints()) * parameters_per_joint, -1);
  for (std::size_t j = 0; j < out.joints.size(); ++j)
    for (std::size_t k = 0; k < parameters_per_joint; ++k)
      out.place[index(out.joints[j]) * parameters_per_joint + k] = static_cast<int>(j * parameters_per_joint + k);
  out.columns = model.selection.chosen;  // and what is held at the model's values, which is possible or not
  for (const std::size_t k : model.held)
    if (!model.columns[k].parameter.terms.empty()) out.columns.push_back(k);
  std::sort(out.columns.begin(), out.columns.end());
  for (const std::size_t k : out.columns)
    if (model.columns[k].parameter.terms.empty()) out.extras.push_back(k);
  return out;
}

// Values of the columns that take part, from the unknowns.
Matrix combinations(const Model& model, const Unknowns& unknowns) {
  Matrix B(unknowns.columns.size(), unknowns.size());
  for (std::size_t row = 0; row < B.rows(); ++row) {
    const std::size_t k = unknowns.columns[row];
    for (const auto& [parameter, factor] : model.columns[k].parameter.terms)
      B(row, index(unknowns.place[index(parameter)])) = factor;
    const auto extra = std::find(unknowns.extras.begin(), unknowns.extras.end(), k);
    if (extra != unknowns.extras.end())
      B(row, unknowns.theta_size() + static_cast<std::size_t>(extra - unknowns.extras.begin())) = 1.0;
  }
  return B;
}

bool may_be_negative(const Column& column) {
  return column.curve == Curve::offset || column.curve == Curve::tanh_width || column.curve == Curve::stribeck_width;
}

// The least squares with a pull to the prior, and what is possible; a change of a link's whole mass counts as `prior`
// standard errors. Drives, of which drawings say nothing, are pulled weakly.
PossibleProblem problem_of(const Mechanism& robot, const Model& model, const Unknowns& unknowns, const Matrix& U,
                           const Vector& z, const std::vector<double>& prior, const PhysicalOptions& options) {
  const std::vector<Scale> scales = scales_of(prior);
  PossibleProblem out;
  out.scale = Vector(unknowns.size(), 1);
  Matrix pull(unknowns.size(), unknowns.size());
  Vector to(unknowns.size(), 1);
  for (std::size_t j = 0; j < unknowns.joints.size(); ++j) {
    const std::size_t own = index(unknowns.joints[j]), first = j * parameters_per_joint;
    const double* theta = &prior[own * parameters_per_joint];
    for (std::size_t k = 0; k < parameters_per_joint; ++k) {
      const std::size_t at = own * parameters_per_joint + k;
      out.scale[first + k] = is_device(k) ? largest_device(prior, at) : scales[own].of(kind_of(k));
      const double strength = k < link_parameters ? options.prior : std::min(options.prior, 0.1);
      pull(first + k, first + k) = strength / out.scale[first + k];
      to[first + k] = pull(first + k, first + k) * theta[k];
      if (is_drive(k) && model.options.drives && !has_sign(k) && is_identified(robot, static_cast<int>(at)))
        out.positive.push_back(first + k);
    }
    PossibleProblem::Body body{first, options.bounds.empty() ? BodyBounds{} : options.bounds[own], {}};
    require_room(body.bounds);
    if (theta[0] > 0.0) body.centre = (1.0 / theta[0]) * Vec3<double>{theta[1], theta[2], theta[3]};
    out.bodies.push_back(body);
  }
  for (std::size_t k = 0; k < unknowns.extras.size(); ++k) {
    out.scale[unknowns.theta_size() + k] = 1.0;
    if (!may_be_negative(model.columns[unknowns.extras[k]])) out.positive.push_back(unknowns.theta_size() + k);
  }
  out.A = dense::blocks({{U * combinations(model, unknowns)}, {pull}});
  out.y = dense::blocks({{z}, {to}});
  return out;
}

Vector start(const Model& model, const Unknowns& unknowns, const PossibleProblem& problem,
             const std::vector<double>& prior) {
  Vector x(unknowns.size(), 1);
  const std::vector<Scale> scales = scales_of(prior);
  for (std::size_t j = 0; j < unknowns.joints.size(); ++j) {
    const std::size_t first = j * parameters_per_joint, own = index(unknowns.joints[j]);
    for (std::size_t k = 0; k < parameters_per_joint; ++k) x[first + k] = prior[own * parameters_per_joint + k];
    put_possible(std::span(x).subspan(first, link_parameters), problem.bodies[j].bounds, scales[own].mass,
                 scales[own].length);
    for (std::size_t k = link_parameters; !model.options.drives && k < parameters_per_joint; ++k) x[first + k] = 0.0;
  }
  for (const std::size_t k : problem.positive) x[k] = std::max(x[k], 1e-2);
  return x;
}

// The viscous and dry friction and the offset nearest to a curve at the speeds of the log, as a file can hold them.
Vector nearest_friction(const Model& model, const Evidence& evidence, const Matrix& R, std::size_t joint,
                        const FrictionColumns& own, const std::vector<double>& values) {
  const bool sides = model.friction[joint].kind == JointFriction::asymmetric;
  Matrix target(R.rows(), 1), X(R.rows(), sides ? 3 : 2);
  for (std::size_t k = 0; k < evidence.layout.columns[joint].size(); ++k) {
    const std::size_t column = evidence.layout.columns[joint][k];
    const Column& of = model.columns[column];
    const bool curve = of.curve != Curve::none && of.curve != Curve::offset && of.joint == joint;
    for (std::size_t i = 0; i <= k; ++i) {
      if (curve || static_cast<int>(column) == own.viscous) target[i] += R(i, k) * values[column];
      if (static_cast<int>(column) == own.viscous) X(i, 0) = R(i, k);
      if (static_cast<int>(column) == own.dry) X(i, 1) = R(i, k);
      if (sides && of.joint == joint && of.curve == Curve::forward) X(i, 2) += R(i, k);  // a joint that moves: 1
      if (sides && of.joint == joint && of.curve == Curve::backward) X(i, 2) -= R(i, k);
    }
  }
  Vector out = least_squares(X, target, 1e-9);
  out[0] = std::max(out[0], 0.0), out[1] = std::max(out[1], 0.0);
  return out;
}

// What a file holds of friction and offsets, in θ and in columns: all of them, but of tanh and of viscous friction that
// differs by direction what is nearest. `fitted`: columns, in order.
void write_drives(const Mechanism& robot, const Model& model, const Evidence& evidence, const LogEvidence& log,
                  const std::vector<std::size_t>& fitted, PhysicalFit& out) {
  std::vector<double> shift(index(robot.nv()), 0.0);
  const auto set = [&](int column, double value) {
    const std::vector<ParameterTerm>& terms = model.columns[index(column)].parameter.terms;
    for (const ParameterTerm& term : terms)
      out.parameters[index(term.parameter)] = &term == &terms.front() ? value : 0.0;
  };
  for (const Coordinate c : robot.coordinates.all()) {
    const JointFriction kind = model.friction[index(c)].kind;
    const FrictionColumns own = friction_of(robot, model.columns, c);
    for (const int column : {own.viscous, own.dry, own.stribeck})
      if (column >= 0 && !std::binary_search(fitted.begin(), fitted.end(), index(column))) set(column, 0.0);
    if (own.viscous < 0 || own.dry < 0 || (kind != JointFriction::tanh && kind != JointFriction::asymmetric)) continue;
    const Vector near = nearest_friction(model, evidence, log[index(c)].R, index(c), own, out.of_columns);
    set(own.viscous, near[0]), set(own.dry, near[1]);
    if (near.size() > 2) shift[index(c)] = near[2];
  }
  out.of_columns_written.assign(model.columns.size(), 0.0);
  for (std::size_t k = 0; k < model.columns.size(); ++k) {
    if (model.columns[k].known()) out.of_columns_written[k] = 1.0;
    for (const auto& [parameter, share] : model.columns[k].parameter.terms)
      out.of_columns_written[k] += share * out.parameters[index(parameter)];
  }
  for (const TreeJoint j : robot.all_joints()) out.stribeck_speeds.push_back(robot.drives[j].stribeck_speed);
  for (std::size_t k = 0; k < model.columns.size(); ++k) {
    const Column& column = model.columns[k];
    const Coordinate c(column.joint);
    double& own = out.of_columns_written[k];
    if (column.curve == Curve::offset || column.curve == Curve::stribeck) own = out.of_columns[k];
    if (column.curve == Curve::forward) own = shift[column.joint];
    if (column.curve == Curve::backward) own = -shift[column.joint];
    if (column.curve == Curve::offset || column.curve == Curve::forward)
      out.parameters[drive_parameter(robot, c, "offset{}")] += own;
    if (column.curve != Curve::stribeck) continue;
    out.parameters[drive_parameter(robot, c, "fs{}")] = own;
    out.stribeck_speeds[index(robot.link(robot.link_of(c)).q)] = column.width;
  }
}

}  // namespace

PhysicalFit identification::possible_fit(const Mechanism& robot, const Model& model, const Evidence& evidence,
                                         const LogEvidence& log, const std::vector<double>& weights,
                                         const PhysicalOptions& options) {
  const std::vector<double> nominal = standard_parameters(robot);
  const std::vector<double>& prior = options.prior_parameters.empty() ? nominal : options.prior_parameters;
  if (prior.size() != nominal.size())
    throw std::invalid_argument("a prior of " + std::to_string(prior.size()) + " parameters for a robot that has " +
                                std::to_string(nominal.size()));
  if (!options.bounds.empty() && options.bounds.size() != index(robot.joints()))
    throw std::invalid_argument(std::to_string(options.bounds.size()) + " bounds for " +
                                std::to_string(robot.joints()) + " joints");
  const Unknowns unknowns = unknowns_of(robot, model);
  Selection selection = model.selection;
  selection.chosen = unknowns.columns;
  // The weighted sum of squares is |z - U β|² + what is left at best, whose size is the unit.
  const Matrix triangle = weighted_triangle(evidence.layout, log, selection, weights);
  const std::size_t p = selection.chosen.size();
  double rows = 0.0;
  for (const JointEvidence& joint : log) rows += static_cast<double>(joint.rows);
  const double least = 1e-4 * norm(triangle.column(p)) / std::sqrt(rows);
  const double unit =
      std::sqrt(model.inflation) * std::max(std::abs(triangle(p, p)) / std::sqrt(rows - static_cast<double>(p)), least);
  const double factor = 1.0 / (unit > 0.0 ? unit : 1.0);
  const Matrix U = factor * triangle.block(0, 0, p, p);
  const Vector z = factor * triangle.block(0, p, p, 1);
  const PossibleProblem problem = problem_of(robot, model, unknowns, U, z, prior, options);
  const Vector x = least_possible(problem, start(model, unknowns, problem, prior));

  PhysicalFit out;
  const Vector found = combinations(model, unknowns) * x;
  out.distance = norm(z - U * found) / std::sqrt(static_cast<double>(p));
  out.of_columns = selection.all_values(found);
  out.parameters = nominal;
  for (std::size_t k = 0; k < out.parameters.size(); ++k)
    if (unknowns.place[k] >= 0) out.parameters[k] = x[index(unknowns.place[k])];
  write_drives(robot, model, evidence, log, unknowns.columns, out);
  return out;
}

PhysicalFit fit_physical(const Mechanism& robot, const Identification& found, const PhysicalOptions& options) {
  const Model& model = *found.model;
  const LogEvidence log = found.evidence->joined();
  PhysicalFit out = possible_fit(robot, model, *found.evidence, log, found.weights, options);
  for (std::size_t k = 0; k < found.estimates.size(); ++k) {
    const Column& column = model.columns[model.selection.chosen[k]];
    const bool width = column.curve == Curve::tanh_width || column.curve == Curve::stribeck_width;
    out.values.push_back(width ? found.estimates[k].value : out.of_columns[model.selection.chosen[k]]);
  }
  const FitScore left = score(found.evidence->layout, log, out.of_columns);
  out.residuals = left.rms, out.explained = left.explained;
  out.written = score(found.evidence->layout, log, out.of_columns_written);
  return out;
}

namespace {

Inertial inertial_of(const double* theta) {
  Inertial out;
  out.mass = theta[0];
  if (!(out.mass > 0.0)) return {};
  out.com = (1.0 / out.mass) * Vec3<double>{theta[1], theta[2], theta[3]};
  out.inertia = Sym3<double>{theta[4], theta[5], theta[6], theta[7], theta[8], theta[9]} - out.mass * steiner(out.com);
  return out;
}

}  // namespace

Robot with_parameters(const Robot& robot, std::span<const double> parameters, std::span<const double> stribeck_speeds) {
  const std::vector<int> moving = robot.tree_joints();
  if (!stribeck_speeds.empty() && stribeck_speeds.size() != moving.size())
    throw std::invalid_argument(std::to_string(stribeck_speeds.size()) + " speeds of Stribeck friction for " +
                                std::to_string(moving.size()) + " joints");
  if (parameters.size() != moving.size() * parameters_per_joint)
    throw std::invalid_argument(std::to_string(parameters.size()) + " parameters for " + std::to_string(moving.size()) +
                                " joints, which have " + std::to_string(parameters_per_joint) + " each");
  Robot out = robot;
  std::vector<bool> moves(robot.links.size(), false);
  for (const int j : robot.joints_outward()) {
    const JointDescription& joint = robot.joints[index(j)];
    moves[index(joint.child)] = moves[index(joint.parent)] || joint.type != JointType::fixed;
    if (moves[index(joint.child)]) out.links[index(joint.child)].inertial = {};
  }
  for (std::size_t k = 0; k < moving.size(); ++k) {
    const double* theta = parameters.data() + k * parameters_per_joint;
    JointDescription& joint = out.joints[index(moving[k])];
    out.links[index(joint.child)].inertial = inertial_of(theta);
    JointDrive& drive = joint.drive;
    drive.viscous = theta[10], drive.coulomb = theta[11], drive.stribeck = theta[12];
    if (!stribeck_speeds.empty()) drive.stribeck_speed = drive.stribeck > 0.0 ? stribeck_speeds[k] : 0.0;
    const double ratio = drive.gear_ratio * drive.gear_ratio;
    drive.rotor_inertia = ratio > 0.0 ? theta[13] / ratio : 0.0;
    drive.spring = theta[14];
    if (drive.spring > 0.0) drive.spring_rest = (drive.offset - theta[15]) / drive.spring;  // the offset is the model's
    if (drive.spring == 0.0) drive.offset = theta[15];
  }
  return out;
}

}  // namespace catena
