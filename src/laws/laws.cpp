#include <algorithm>
#include <cmath>

#include "catena/call.hpp"
#include "catena/model/regroup.hpp"
#include "laws/law_list.hpp"

namespace catena {

std::span<const LawInfo> control_laws() {
  static const std::vector<LawInfo> all = [] {
    std::vector<LawInfo> out;
    laws::AllLaws::for_each([&]<class L>(L) { out.push_back(L::info()); });
    return out;
  }();
  return all;
}

const LawInfo& control_law(std::string_view name) {
  std::string names;
  for (const LawInfo& law : control_laws()) {
    if (law.name == name) return law;
    names.append(names.empty() ? "" : ", ").append(law.name);
  }
  throw std::invalid_argument("no law is called '" + std::string(name) + "'; there are " + names);
}

namespace laws {

int size_of(const std::vector<Part>& parts) {
  int size = 0;
  for (const Part& part : parts) size += part.size;
  return size;
}

Mechanism without_friction(Mechanism robot) {
  robot.has_drives = false;
  for (const TreeJoint j : robot.all_joints()) {
    static_cast<Friction::Constants<double>&>(robot.drives[j]) = {};
    robot.has_drives = robot.has_drives || robot.drives[j].acts();
  }
  return robot;
}

bool has_friction(const Mechanism& robot) {
  for (const TreeJoint j : robot.all_joints())
    if (static_cast<const Friction::Constants<double>&>(robot.drives[j]).acts()) return true;
  return false;
}

Mechanism inertia_alone(Mechanism robot) {
  robot.gravity = {};
  for (const TreeJoint j : robot.all_joints()) static_cast<Spring::Constants<double>&>(robot.drives[j]) = {};
  return without_friction(std::move(robot));
}

std::vector<double> LawSetup::values(std::string_view parameter) const {
  using Per = LawParameter::Per;
  const auto p = std::find_if(info.parameters.begin(), info.parameters.end(),
                              [&](const LawParameter& own) { return own.name == parameter; });
  if (p == info.parameters.end()) throw std::logic_error("the law has no parameter of that name");
  const std::size_t size = p->per == Per::law ? 1 : index(p->per == Per::joint ? n() : m());
  std::vector<double> out(size, p->standard);
  if (p->per == Per::direction) std::fill(out.begin() + 3, out.end(), p->turning);
  const auto given = options.parameters.find(std::string(parameter));
  if (given != options.parameters.end()) {
    out = given->second;
    if (out.size() == 1) out.resize(size, out.front());
  } else if (p->by_inertia) {
    if (inertias.empty())
      throw std::invalid_argument("give " + std::string(parameter) + ": the inertias of joints are not known");
    for (std::size_t j = 0; j < size; ++j) out[j] *= inertias[j];
  }
  if (out.size() != size)
    throw std::invalid_argument(std::string(parameter) + " needs one value, or " + std::to_string(size) + ": " +
                                std::to_string(out.size()) + " were given");
  for (const double v : out)
    if (!std::isfinite(v)) throw std::invalid_argument(std::string(parameter) + " must be finite");
  return out;
}

namespace {

// What each joint moves while the others are free, in the middle of the limits; empty where that place is singular or
// loops do not close there.
std::vector<double> inertias_of(const Mechanism& robot) {
  std::vector<double> q(index(robot.nv())), inverse(q.size() * q.size());
  for (const Coordinate c : robot.coordinates.all()) {
    const JointLimits& limits = robot.limits(c);
    if (std::isfinite(limits.lower) && std::isfinite(limits.upper)) q[index(c)] = 0.5 * (limits.lower + limits.upper);
  }
  try {
    Call<double>(robot, "inverse_inertia")({.q = q}, inverse);
  } catch (const std::domain_error&) {
    return {};
  }
  for (std::size_t j = 0; j < q.size(); ++j) q[j] = 1.0 / inverse[j * q.size() + j];
  return q;
}

void require_known(const LawInfo& info, const LawOptions& options) {
  for (const auto& given : options.parameters) {
    const std::string& name = given.first;
    std::string names;
    for (const LawParameter& p : info.parameters) names.append(names.empty() ? "" : ", ").append(p.name);
    if (std::none_of(info.parameters.begin(), info.parameters.end(),
                     [&](const LawParameter& p) { return p.name == name; }))
      throw std::invalid_argument("law '" + std::string(info.name) + "' has no parameter '" + name + "'" +
                                  (names.empty() ? "" : "; it has " + names));
  }
}

void require_schedule(const LawInfo& info, const LawOptions& options, int size) {
  const GainSchedule& schedule = options.schedule;
  if (!info.takes_schedule) {
    if (!schedule.gains.empty())
      throw std::invalid_argument("law '" + std::string(info.name) + "' takes no gains over time");
    return;
  }
  if (schedule.gains.empty() || schedule.times.size() != schedule.gains.size())
    throw std::invalid_argument("law '" + std::string(info.name) + "' needs gains, and a time for each");
  for (std::size_t k = 0; k < schedule.times.size(); ++k) {
    if (schedule.gains[k].size() != index(size)) throw std::invalid_argument("every gain must be n x 2n, for n joints");
    if (k > 0 && !(schedule.times[k] > schedule.times[k - 1]))
      throw std::invalid_argument("the times of the gains must increase");
  }
}

}  // namespace

PreparedLaw prepare(const Mechanism& robot, const LawOptions& options) {
  require_fixed_base(robot, "control laws do");
  const bool search = robot.coordinates.is_closed() && !robot.coordinates.closure.placed;
  PreparedLaw law{
      search ? with_all_positions(robot) : robot, options, &control_law(options.law), {}, inertias_of(robot)};
  require_known(*law.info, options);
  if (law.robot.has_passive && !law.info->takes_passive)
    for (const Coordinate c : law.robot.coordinates.all())
      if (law.robot.is_passive(c))
        throw std::invalid_argument("law '" + options.law + "' needs a motor at every joint; joint '" +
                                    law.robot.name_of(c) + "' is passive");
  if (law.options.frame == tool_frame) law.options.frame = law.robot.tool;
  if (law.options.frame < 0 || index(law.options.frame) >= law.robot.frames.size())
    throw std::invalid_argument("the robot has no such frame");
  AllLaws::for_each([&]<class L>(L) {
    if (L::info().name == law.info->name) law.shape = L::shape(law.setup());
  });
  for (const LawParameter& p : law.info->parameters) (void)law.setup().values(p.name);
  require_schedule(*law.info, options, size_of(law.shape.schedule));
  return law;
}

template <>
std::shared_ptr<const Mechanism> on_scalar<double>(const Mechanism& robot) {
  return std::make_shared<const Mechanism>(optimize(robot));
}
template <>
std::shared_ptr<const BasicMechanism<Expr>> on_scalar<Expr>(const Mechanism& robot) {
  auto symbolic = std::make_shared<BasicMechanism<Expr>>(with_symbols(optimize(robot), {}, {}));
  symbolic->flat = false;  // zeros are folded away anyway
  return symbolic;
}

int Adaptive::joint_of(const LawSetup& setup) {
  const auto& frame = setup.robot.frames[index(setup.options.frame)];
  if (frame.link < 0) throw std::invalid_argument("the frame does not move: no joint carries it");
  return setup.robot.links[index(frame.link)].q;
}

Adaptive::Load Adaptive::load_of(const LawSetup& setup) {
  const std::vector<double> theta = standard_parameters(setup.robot);
  Load load;
  std::copy_n(theta.begin() + static_cast<std::ptrdiff_t>(index(joint_of(setup)) * parameters_per_joint), load.size(),
              load.begin());
  return load;
}

LawShape Adaptive::shape(const LawSetup& setup) {
  if (!(setup.value("learning") >= 0.0)) throw std::invalid_argument("learning must not be negative");
  LawShape shape = joint_shape(setup);
  keep(shape, Signal::load, 10);
  const Load phi = load_of(setup);
  const double half = 0.5 * (phi[4] + phi[5] + phi[6]);
  shape.start = {half - phi[4], half - phi[5], half - phi[6], -phi[7], -phi[8],
                 -phi[9],       phi[1],        phi[2],        phi[3],  phi[0]};
  if (!(shape.start[0] > 0.0 && shape.start[1] > 0.0 && shape.start[2] > 0.0 && phi[0] > 0.0))
    throw std::invalid_argument("the link at joint '" + setup.robot.joint_names[TreeJoint(joint_of(setup))] +
                                "' has no mass, or no extent in some direction, so there is nothing to learn");
  return shape;
}

}  // namespace laws
}  // namespace catena
