#include "fmu/model.hpp"

#include <algorithm>
#include <stdexcept>

#include "catena/math/quaternion.hpp"
#include "codegen/escape.hpp"
#include "coordinates/charts.hpp"

namespace catena::fmu {
namespace {

constexpr double usual_period = 1e-3, usual_rest_speed = 1e-3;

// The rates of all entries of q. docs/equations/free_base.md (10); the rest follows q̇, or what closed loops make of it.
std::vector<SymbolicMatrix> position_rates(const BasicMechanism<Expr>& robot, const Inputs<Expr>& in) {
  const auto& coordinates = robot.coordinates;
  std::vector<Expr> rates;
  if (coordinates.is_free()) {
    const Expr &x = in.q[3], &y = in.q[4], &z = in.q[5], &w = in.q[6];
    const Vec3<Expr> v{in.qd[0], in.qd[1], in.qd[2]}, omega{in.qd[3], in.qd[4], in.qd[5]}, axis{x, y, z};
    const Vec3<Expr> moved = rotation_of(x, y, z, w) * v;
    const Expr back = 0.5 * (1.0 - dot(axis, axis) - w * w);  // restores length 1, which does not affect the rotation
    const Vec3<Expr> turned = 0.5 * (w * omega + cross(axis, omega)) + back * axis;
    rates = {moved.x, moved.y, moved.z, turned.x, turned.y, turned.z, back * w - 0.5 * dot(axis, omega)};
  }
  const std::size_t first = coordinates.is_free() ? base_joints : 0;
  if (coordinates.is_closed()) {
    const Chart<Expr> chart(coordinates, robot);
    const Inputs<Expr> tree = chart.place({.q = in.q, .qd = in.qd});
    for (std::size_t m = first; m < coordinates.closure.movers.size(); ++m)
      rates.push_back(tree.qd[index(coordinates.closure.movers[m])]);
  } else {
    for (std::size_t j = first; j < in.qd.size(); ++j) rates.push_back(in.qd[j]);
  }
  return {{"rates", "rates of the positions", static_cast<int>(rates.size()), 1, rates}};
}

// A load at the frame, and friction of every joint that is a coordinate.
std::vector<KeptParameter> tunable(const Mechanism& robot, int frame) {
  std::vector<KeptParameter> keep;
  const auto& at = robot.frames[index(frame)];
  for (int axis = 0; at.link != base_link && axis < 4; ++axis) {
    KeptParameter load;
    load.name = axis == 0 ? std::string("load") : std::string("load_") + "xyz"[axis - 1];
    load.kind = KeptParameter::Kind::load, load.link = at.link, load.axis = axis, load.child_frame = frame;
    keep.push_back(std::move(load));
  }
  for (const auto kind : {KeptParameter::Kind::viscous, KeptParameter::Kind::coulomb, KeptParameter::Kind::stribeck})
    for (const Coordinate c : robot.coordinates.all()) {
      if (robot.coordinates.is_free() && c < base_joints) continue;
      const auto& drive = robot.drives[robot.coordinates.joints[c]];
      const bool viscous = kind == KeptParameter::Kind::viscous, dry = kind == KeptParameter::Kind::coulomb;
      if (!viscous && !dry && drive.stribeck == 0.0) continue;
      KeptParameter own;
      own.name = (viscous ? "fv" : dry ? "fc" : "fs") + std::to_string(c + 1);
      own.kind = kind, own.link = robot.link_of(c), own.axis = c;
      own.nominal = viscous ? drive.viscous : dry ? drive.coulomb : drive.stribeck;
      keep.push_back(std::move(own));
    }
  return keep;
}

// All results in one array: rates, accelerations, position and rotation of the frame, energies.
Program in_one_array(Program program, int nv) {
  const std::vector<NodeRef> all = program.results();  // q̈, T by rows, energies, rates
  const std::size_t n = index(nv), pose = n, energies = n + 16, rates = n + 18;
  Program::Output out;
  out.name = "results", out.meaning = "rates, accelerations, position, rotation by rows, energies";
  out.entries.assign(all.begin() + static_cast<std::ptrdiff_t>(rates), all.end());
  out.entries.insert(out.entries.end(), all.begin(), all.begin() + nv);
  for (std::size_t row = 0; row < 3; ++row) out.entries.push_back(all[pose + 4 * row + 3]);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) out.entries.push_back(all[pose + 4 * row + column]);
  for (std::size_t k = 0; k < 2; ++k) out.entries.push_back(all[energies + k]);
  out.rows = static_cast<int>(out.entries.size());
  program.outputs = {std::move(out)};
  program.jobs = {"model"};
  return program;
}

// One name and one number, from 1: "q[3]".
std::string numbered(std::string_view name, int k) { return std::string(name) + "[" + std::to_string(k) + "]"; }

class Variables {
 public:
  Variables(Model& model, const Mechanism& robot) : all_(model.variables), robot_(robot) {}

  int next() const { return static_cast<int>(all_.size()); }
  int add(const std::string& name, const std::string& words, const std::string& unit, Role role, double start = 0.0,
          int derivative_of = -1) {
    all_.push_back({name, words, unit, role, start, derivative_of});
    return next() - 1;
  }
  // Of the joint of the tree, or of what carries a free base: "joint 'elbow'", and whether it turns.
  std::string who(TreeJoint joint) const {
    constexpr const char* along[] = {"x", "y", "z"};
    if (robot_.coordinates.is_free() && joint < base_joints)
      return std::string(joint < 3 ? "the base along its axis " : "the base about its axis ") + along[joint % 3];
    return "joint '" + plain_text(shortened(robot_.joint_names[joint])) + "'";
  }
  bool turns(TreeJoint joint) const { return robot_.link(robot_.link_of(joint)).revolute; }
  std::string unit(TreeJoint joint, const Unit& unit) const {
    std::string text(turns(joint) ? unit.turning : unit.sliding);
    std::erase(text, '^');
    std::replace(text.begin(), text.end(), ' ', '.');
    return text;
  }

 private:
  std::vector<Variable>& all_;
  const Mechanism& robot_;
};

void add_positions(Variables& to, const Mechanism& robot, bool rates, int state) {
  const auto& coordinates = robot.coordinates;
  const int first = coordinates.is_free() ? base_joints : 0, shift = first > 0 ? 1 : 0;
  const auto add = [&](int k, const std::string& words, const std::string& unit, double start) {
    const std::string name = numbered("q", k + 1);
    rates ? to.add("der(" + name + ")", "rate of " + words, unit, Role::rate, 0.0, state + k)
          : to.add(name, words, unit, Role::state, start);
  };
  for (int k = 0; shift > 0 && k < 7; ++k) {
    const bool place = k < 3;
    const std::string axis(1, "xyzxyzw"[k]);
    add(k, (place ? "position of the base, " : "quaternion of the base, ") + axis,
        rates ? (place ? "m/s" : "1/s") : (place ? "m" : "1"), k == 6 ? 1.0 : 0.0);
  }
  const bool closed = coordinates.is_closed();
  const int movers = closed ? static_cast<int>(coordinates.closure.movers.size()) : robot.nv();
  for (int m = first; m < movers; ++m) {
    const TreeJoint joint = closed ? coordinates.closure.movers[index(m)] : coordinates.joints[Coordinate(m)];
    add(m + shift, "position of " + to.who(joint), to.unit(joint, rates ? unit::velocity : unit::position),
        closed ? coordinates.closure.closed[index(m)] : 0.0);
  }
}

void add_by_coordinate(Variables& to, const Mechanism& robot, const char* name, const char* words, const Unit& unit,
                       Role role, int derivative_of = -1) {
  for (const Coordinate c : robot.coordinates.all()) {
    const TreeJoint joint = robot.coordinates.joints[c];
    const bool undriven = role == Role::input && robot.is_passive(c);
    to.add(numbered(name, c + 1), words + to.who(joint), to.unit(joint, unit), undriven ? Role::hidden : role, 0.0,
           derivative_of < 0 ? -1 : derivative_of + c);
  }
}

void add_law(Model& model, Variables& to, const Mechanism& robot, const FmuOptions& options) {
  const Controller controller(robot, *options.law);
  const auto add = [&](const LawPart& part) {
    for (int k = 0; k < part.size; ++k) {
      const bool unit_rotation = part.name == "pose_ref" && k >= 3 && (k - 3) % 4 == 0;
      to.add(numbered(part.name, k + 1), part.words, "", Role::input, unit_rotation ? 1.0 : 0.0);
    }
  };
  model.reference = to.next();
  for (const LawPart& part : controller.reference()) add(part);
  model.more = to.next();
  for (const LawPart& part : controller.measurement())
    if (part.name != "q" && part.name != "qd") add(part);
  model.measured_more = to.next() - model.more;
  model.period = to.add("period", "between two steps of the law", "s", Role::fixed_parameter, usual_period);
  model.law_states = 0;
  for (const LawPart& part : controller.state_parts()) model.law_states += part.size;
  CodeOptions code;
  code.name = options.name + "_law", code.sines = SineSource::freestanding, code.version = options.version;
  model.law = print_controller(robot, *options.law, code);
}

void add_parameters(Model& model, Variables& to, const Mechanism& robot) {
  model.parameters = to.next();
  for (const Argument& input : model.program.inputs)
    for (const KeptParameter& kept : input.parameters) {
      using Kind = KeptParameter::Kind;
      if (kept.kind == Kind::load && kept.axis == 0)
        to.add("payload.mass", "point mass at the tool, beside what the model has", "kg", Role::parameter);
      else if (kept.kind == Kind::load)
        to.add(numbered("payload.centre", kept.axis), "its place in the tool's frame", "m", Role::parameter);
      if (kept.kind == Kind::load) continue;
      const TreeJoint joint = robot.coordinates.joints[Coordinate(kept.axis)];
      const bool viscous = kept.kind == Kind::viscous;
      const char* const kind = viscous ? "viscous" : kept.kind == Kind::coulomb ? "dry" : "stribeck";
      to.add(numbered(std::string("friction.") + kind, kept.axis + 1), kind + (" friction of " + to.who(joint)),
             viscous ? (to.turns(joint) ? "N.m.s/rad" : "N.s/m") : to.unit(joint, unit::effort), Role::parameter,
             kept.nominal);
    }
  model.rest_speed =
      to.add("friction.rest_speed", "dry friction grows as tanh(speed / this)", "", Role::parameter, usual_rest_speed);
}

void add_outputs(Variables& to) {
  for (int k = 0; k < 3; ++k)
    to.add(numbered("tool.position", k + 1), "of the tool seen from the base", "m", Role::output);
  for (int row = 1; row <= 3; ++row)
    for (int column = 1; column <= 3; ++column)
      to.add("tool.rotation[" + std::to_string(row) + "," + std::to_string(column) + "]",
             "rotation matrix of the tool seen from the base", "1", Role::output);
  to.add("energy.kinetic", "kinetic energy, rotors included", "J", Role::output);
  to.add("energy.potential", "potential energy, springs included", "J", Role::output);
}

void require_possible(const Mechanism& robot, const FmuOptions& options) {
  if (options.name.empty() || options.name != identifier(options.name))
    throw std::invalid_argument("'" + options.name + "' cannot name an FMU: letters, digits and _ can");
  if (options.fmi != 2 && options.fmi != 3) throw std::invalid_argument("FMUs are of FMI 3 or 2");
  if (!options.model_exchange && !options.co_simulation)
    throw std::invalid_argument("an FMU is for model exchange, for co-simulation, or both");
  if (robot.coordinates.is_moving())
    throw std::invalid_argument("a base that moves as prescribed is not in an FMU; leave it free or at rest");
  if (robot.nv() == 0) throw std::invalid_argument("a robot without joints has no motion to simulate");
}

}  // namespace

Model make_model(const Mechanism& asked, const FmuOptions& options) {
  require_possible(asked, options);
  const Mechanism robot = asked.coordinates.is_closed() ? with_all_positions(asked) : asked;
  const int frame = options.frame == tool_frame ? robot.tool : options.frame;
  ProgramRequest request;
  request.jobs = {"forward", "pose", "energy"};
  request.frame = frame;
  request.keep = tunable(robot, frame);
  request.more = position_rates;
  request.most_operations = options.most_operations;
  Model model;
  model.nq = robot.nq(), model.nv = robot.nv();
  Program program = usual_program(robot, request);
  if (options.search) program = find_cheapest(robot, request, options.progress);
  model.program = smooth_signs(in_one_array(std::move(program), model.nv), "rest_speed");
  Variables to(model, robot);
  to.add("time", "time", "s", Role::time);
  model.tau = to.next();
  add_by_coordinate(to, robot, "tau", "torque or force of ", unit::effort, options.law ? Role::torque : Role::input);
  if (options.law) add_law(model, to, asked, options);
  add_parameters(model, to, robot);
  model.q = to.next();
  add_positions(to, robot, false, model.q);
  add_by_coordinate(to, robot, "qd", "velocity of ", unit::velocity, Role::state);
  model.results = to.next();
  add_positions(to, robot, true, model.q);
  add_by_coordinate(to, robot, "qdd", "acceleration of ", unit::acceleration, Role::rate, model.q + model.nq);
  add_outputs(to);
  return model;
}

}  // namespace catena::fmu
