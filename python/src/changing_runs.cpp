// Runs of a robot that events change: parts attached and detached, loops closed and opened, masses set.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/progressive.hpp"
#include "evaluate.hpp"
#include "model/close_loops.hpp"
#include "simulation.hpp"

namespace catena::python {
namespace {

using Effect = std::function<void(Change&)>;
using Known = std::shared_ptr<std::map<std::string, Assembly::Handle>>;  // what is attached, by name

Effect attach(nb::handle given, const Known& known) {
  const Robot& robot = nb::cast<const RobotCore&>(given["robot"]).loaded->written;
  const std::string name = nb::cast<std::string>(given["name"]), frame = nb::cast<std::string>(given["frame"]),
                    prefix = nb::cast<std::string>(given["prefix"]);
  JointDescription joint = joint_from(nullptr, nb::borrow<nb::dict>(given["joint"]));
  const std::vector<double> v = numbers(given["moving"], "moving (vx, vy, vz, wx, wy, wz)", 6);
  const LoadMotion motion{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  const auto part = std::make_shared<const Part>(robot, joint);
  return [=](Change& change) {
    if (known->contains(name)) throw std::domain_error("'" + name + "' is attached already");
    (*known)[name] = change.attach(frame, part, prefix, motion);
  };
}

Effect detach(const std::string& name, const Known& known) {
  return [=](Change& change) {
    const auto found = known->find(name);
    if (found == known->end()) throw std::domain_error("'" + name + "' is not attached at this time");
    change.detach(found->second);
    known->erase(found);
  };
}

// The shape is kept: the inertia scales with the mass.
Effect set_mass(const std::string& link, double mass) {
  if (!(mass > 0.0)) throw std::invalid_argument("the mass of link '" + link + "' must be positive");
  return [=](Change& change) {
    const Robot robot = change.assembly().robot();
    const int at = robot.link_index(link);
    if (at < 0) throw std::domain_error("no link '" + link + "' whose mass could be set");
    Inertial inertial = robot.links[index(at)].inertial;
    if (!(inertial.mass > 0.0)) throw std::domain_error("link '" + link + "' has no mass that could be changed");
    inertial.inertia = (mass / inertial.mass) * inertial.inertia;
    inertial.mass = mass;
    const auto [owner, own_name] = change.assembly().owner_of_link(link);
    change.replace_inertia(owner, own_name, inertial);
  };
}

Effect close(nb::handle given) {
  LoopDescription loop;
  loop.name = nb::cast<std::string>(given["name"]);
  loop.frames = {nb::cast<std::string>(given["first"]), nb::cast<std::string>(given["second"])};
  const std::string type = nb::cast<std::string>(given["type"]);
  const auto* known = std::find(loop_type_names.begin(), loop_type_names.end(), type);
  if (known == loop_type_names.end()) throw std::invalid_argument("there is no loop of the type '" + type + "'");
  loop.type = static_cast<LoopType>(known - loop_type_names.begin());
  return [loop](Change& change) { change.close(loop); };
}

// What one event does, in this order.
std::vector<Effect> effects_of(const nb::dict& given, const Known& known) {
  std::vector<Effect> all;
  if (!given["detach"].is_none()) all.push_back(detach(nb::cast<std::string>(given["detach"]), known));
  if (!given["open"].is_none())
    all.emplace_back([loop = nb::cast<std::string>(given["open"])](Change& change) { change.open(loop); });
  if (!given["attach"].is_none()) all.push_back(attach(given["attach"], known));
  if (!given["close"].is_none()) all.push_back(close(given["close"]));
  if (!given["set_mass"].is_none())
    for (const auto& [link, mass] : nb::borrow<nb::dict>(given["set_mass"]))
      all.push_back(set_mass(nb::cast<std::string>(link), nb::cast<double>(mass)));
  if (!all.empty() && nb::cast<bool>(given["stop"])) all.emplace_back([](Change& change) { change.stop(); });
  return all;
}

void add_event(ProgressiveSimulation& simulation, const nb::dict& given, const Known& known, const Raised& raised) {
  if (!given["torque"].is_none() || !given["robot"].is_none())
    throw std::invalid_argument("a run in which parts come and go takes no event with torque= or robot=");
  const std::vector<Effect> effects = effects_of(given, known);
  const auto when = [given = shared(nb::borrow(given)), raised](const Mechanism& robot) {
    const nb::gil_scoped_acquire held;
    const nb::dict words = nb::borrow<nb::dict>(*given);
    Event event = trigger_of(words, robot, raised);
    if (!words["name"].is_none()) event.name = nb::cast<std::string>(words["name"]);
    if (!words["direction"].is_none()) event.direction = nb::cast<int>(words["direction"]);
    if (nb::cast<bool>(words["stop"])) event.effect = [](double, auto, auto) { return EventEffect{.stop = true}; };
    return event;
  };
  if (effects.empty()) return simulation.watch(when);
  const std::string name = nb::cast<std::string>(given["what"]);
  simulation.add({name, when, [effects](Change& change) {
                    for (const Effect& effect : effects) effect(change);
                  }});
}

// Columns for all joints that are there at some time; nan where one is not.
struct Columns {
  std::vector<std::string> positions, joints;

  static void add(std::vector<std::string>& names, const std::vector<std::string>& more) {
    for (const std::string& name : more)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::vector<std::string> position_names(const Segment& segment, const Sample& sample) const {
    if (sample.q.size() == segment.joints.size()) return segment.joints;
    std::vector<std::string> names(positions.begin(), positions.begin() + 7);  // of a free base
    names.insert(names.end(), segment.joints.begin() + 6, segment.joints.end());
    return names;
  }
};

void put(std::span<double> row, const std::vector<std::string>& columns, const std::vector<std::string>& names,
         const std::vector<double>& values) {
  std::fill(row.begin(), row.end(), std::nan(""));
  for (std::size_t k = 0; k < values.size(); ++k)
    row[std::size_t(std::find(columns.begin(), columns.end(), names[k]) - columns.begin())] = values[k];
}

nb::list changes_of(const ProgressiveResult& result) {
  nb::list out;
  for (const ChangeRecord& c : result.changes)
    out.append(nb::make_tuple(c.t, c.what, c.kinetic_before, c.kinetic_of_part, c.kinetic_after, c.lost,
                              c.potential_of_part, to_array(c.momentum), to_array(c.momentum_before)));
  return out;
}

nb::dict result_of(const ProgressiveResult& result, const Mechanism& robot) {
  Columns columns{catena::position_names(robot), coordinate_names(robot)};
  std::vector<const Sample*> samples;
  long steps = 0, evaluations = 0;
  nb::list events;
  for (const Segment& segment : result.segments) {
    Columns::add(columns.joints, segment.joints);
    Columns::add(columns.positions, robot.coordinates.is_free()
                                        ? std::vector<std::string>(segment.joints.begin() + 6, segment.joints.end())
                                        : segment.joints);
    for (const Sample& sample : segment.result.samples) samples.push_back(&sample);
    for (const EventRecord& event : segment.result.events) events.append(nb::make_tuple(event.t, event.what));
    steps += segment.result.steps, evaluations += segment.result.evaluations;
  }
  const std::size_t n = columns.joints.size(), nq = columns.positions.size();
  const NewArray q = new_array({samples.size(), nq}), qd = new_array({samples.size(), n}),
                 tau = new_array({samples.size(), n});
  std::size_t k = 0;
  for (const Segment& segment : result.segments)
    for (const Sample& sample : segment.result.samples) {
      put(q.values.subspan(k * nq, nq), columns.positions, columns.position_names(segment, sample), sample.q);
      put(qd.values.subspan(k * n, n), columns.joints, segment.joints, sample.qd);
      put(tau.values.subspan(k * n, n), columns.joints, segment.joints, sample.tau);
      ++k;
    }
  nb::dict out;
  add_columns(out, samples);
  out["q"] = q.object, out["qd"] = qd.object, out["tau"] = tau.object;
  out["events"] = events, out["changes"] = changes_of(result), out["joints"] = nb::cast(columns.joints);
  out["steps"] = steps, out["evaluations"] = evaluations, out["balance"] = result.balance;
  out["complete"] = result.complete, out["ended_by"] = result.ended_by;
  return out;
}

}  // namespace

nb::dict simulate_changing(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle times, const nb::dict& law,
                           const nb::list& events, const nb::dict& options) {
  const std::shared_ptr<const Loaded> robot = at_rest(core);
  const Raised raised = std::make_shared<std::exception_ptr>();
  Start start{numbers(q, "q", index(robot->sizes.positions))};
  question_positions(*robot, start.q, "q");
  const std::vector<double> speed = numbers(qd, "qd", index(robot->sizes.velocities)), at = numbers(times, "times");
  if (!at.empty()) start.time = at.back();
  const Setup set = set_up({law, events, options}, *robot, start, raised);
  Assembly assembly(without_loops(robot->robot), Assembly::Capacity{}, robot->options);
  ProgressiveSimulation simulation(
      assembly,
      [known = set.law, joints = coordinate_names(robot->mechanism)](const Mechanism& now) {
        return at_joints(known, joints, now);
      },
      set.options);
  if (!robot->robot.loops.empty()) simulation.start_closed(robot->robot);
  const Known known = std::make_shared<Known::element_type>();
  for (const nb::handle event : events) add_event(simulation, nb::borrow<nb::dict>(event), known, raised);
  ProgressiveResult result;
  {
    const nb::gil_scoped_release others_run;
    result = simulation.run(start.q, speed, at);
  }
  if (*raised) std::rethrow_exception(*raised);
  return result_of(result, robot->mechanism);
}

}  // namespace catena::python
