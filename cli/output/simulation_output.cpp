#include "output/simulation_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/inverse_kinematics.hpp"
#include "catena/kinematics.hpp"
#include "catena/math/quaternion.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

struct EnergyColumn {
  const char* name;
  double Sample::*value;
};
std::vector<EnergyColumn> energies(Beside beside) {
  std::vector<EnergyColumn> all{{"kinetic", &Sample::kinetic},
                                {"potential", &Sample::potential},
                                {"work", &Sample::work},
                                {"losses", &Sample::losses}};
  if (beside.wrenches) all.push_back({"external", &Sample::external});
  if (beside.base) all.push_back({"base_work", &Sample::base_work});
  return all;
}

struct JointColumns {
  Input input;
  std::vector<double> Sample::*values;
};
constexpr JointColumns joint_columns[] = {{Input::q, &Sample::q}, {Input::qd, &Sample::qd}, {Input::tau, &Sample::tau}};

// t, q, qd, tau and the energies, one list each.
Json samples_json(const std::vector<Sample>& samples, Beside beside) {
  Json out{{"t", Json::array()}};
  for (const JointColumns& group : joint_columns) out[std::string(info_of(group.input).name)] = Json::array();
  out["energy"] = Json::array();
  for (const EnergyColumn& energy : energies(beside)) out[energy.name] = Json::array();
  for (const Sample& s : samples) {
    out["t"].push_back(s.t);
    for (const JointColumns& group : joint_columns)
      out[std::string(info_of(group.input).name)].push_back(s.*group.values);
    out["energy"].push_back(s.kinetic + s.potential);
    if (!s.q_tree.empty()) out["q_tree"].push_back(s.q_tree);
    if (!s.loop_forces.empty()) out["loop_forces"].push_back(rows_of(s.loop_forces, 6));
    if (beside.base) out["base_orientation"].push_back(s.base_orientation);
    for (const EnergyColumn& energy : energies(beside)) out[energy.name].push_back(s.*energy.value);
  }
  return out;
}

void put_events(const std::vector<EventRecord>& records, Json& events) {
  for (const EventRecord& e : records) events.push_back({{"t", e.t}, {"what", e.what}});
}

}  // namespace

void SampleSink::write_table(const std::string& path) {
  std::vector<std::string> names{"t"};
  for (const JointColumns& group : joint_columns)
    for (std::size_t j = 0; j < joints_.size() + (free_base_ && group.input == Input::q ? 1 : 0); ++j)
      names.push_back(joint_column(info_of(group.input).name, j));
  for (const EnergyColumn& energy : energies(beside_)) names.emplace_back(energy.name);
  table_.emplace(path, names);
}

namespace {

// One number per joint, for plotting: the rotation of a free base as roll, pitch and yaw.
std::vector<double> by_joint(const std::vector<double>& q) {
  std::vector<double> out = q;
  const Vec3<double> angles = rpy_from_rotation(rotation_of(q[3], q[4], q[5], q[6]));
  out[4] = angles.x, out[5] = angles.y, out[6] = angles.z;
  out.erase(out.begin() + 3);
  return out;
}

}  // namespace

void SampleSink::add_free(const Sample& s) {
  std::vector<double> row{s.t}, drawn;
  for (const JointColumns& group : joint_columns) {
    const std::vector<double>& own = s.*group.values;
    row.insert(row.end(), own.begin(), own.end());
    const std::vector<double> shown = group.input == Input::q ? by_joint(own) : own;
    drawn.insert(drawn.end(), shown.begin(), shown.end());
  }
  for (const EnergyColumn& energy : energies(beside_)) row.push_back(s.*energy.value), drawn.push_back(s.*energy.value);
  if (table_) table_->write(row);
  record_row(row, s);
  if (plot_) plot_->add(s.t, drawn);
}

void SampleSink::add(const std::vector<std::string>& joints, const Sample& s, const std::vector<std::string>& tree) {
  if (free_base_) return add_free(s);
  std::vector<double> row{s.t};
  for (const JointColumns& group : joint_columns)
    for (const std::string& joint : joints_) {
      const auto found = std::find(joints.begin(), joints.end(), joint);
      row.push_back(found == joints.end() ? std::nan("")
                                          : (s.*group.values)[static_cast<std::size_t>(found - joints.begin())]);
    }
  for (const EnergyColumn& energy : energies(beside_)) row.push_back(s.*energy.value);
  if (table_) table_->write(row);
  if (home_.empty())
    record_row(row, s);
  else if (recording_)
    record_tree(row, s, tree.empty() ? home_ : tree);
  if (plot_) plot_->add(s.t, std::span<const double>(row).subspan(1));
}

void SampleSink::record_row(const std::vector<double>& row, const Sample& s) {
  if (!recording_) return;
  recording_->add(row);
  if (!s.q_tree.empty()) recording_->place(s.q_tree);
}

// Joints that loops, closed by events or from the start, make dependent have positions all the same.
void SampleSink::record_tree(std::vector<double> row, const Sample& s, const std::vector<std::string>& tree) {
  const auto position = [&](const std::string& joint) -> double& {
    return row[1 + static_cast<std::size_t>(std::find(joints_.begin(), joints_.end(), joint) - joints_.begin())];
  };
  for (std::size_t k = 0; k < s.q_tree.size(); ++k) position(tree[k]) = s.q_tree[k];
  std::vector<double> at_home;
  for (const std::string& joint : home_) at_home.push_back(position(joint));
  recording_->add(row);
  recording_->place(at_home);
}

std::string SampleSink::position_column(const std::string& joint) const {
  return joint_column("q",
                      static_cast<std::size_t>(std::find(joints_.begin(), joints_.end(), joint) - joints_.begin()));
}

void SampleSink::record(const Robot& robot, std::vector<std::string> tree) {
  home_ = std::move(tree);
  record(robot);
}

void SampleSink::record(const Robot& robot) {
  recording_.emplace(robot);
  recording_->add_time();
  for (const JointColumns& group : joint_columns) {
    recording_->add_group(group.input);
    for (std::size_t j = index(robot.dof()); j < joints_.size(); ++j)
      recording_->add_joint_after(group.input, j, joints_[j]);
  }
  for (const EnergyColumn& energy : energies(beside_)) recording_->add_named(energy.name);
}

report::Recording SampleSink::recorded(const std::vector<EventRecord>& events) {
  for (const EventRecord& event : events) recording_->add_event(event.t, event.what);
  return std::move(*recording_);
}

std::string SampleSink::finish(const std::string& title, bool whole) {
  if (!whole) return table_ ? table_->keep() : "";
  if (table_) table_->finish();
  if (plot_) plot_->write(title);
  return "";
}

MotionPlot sample_plot(const PlotOption& option, const Robot& robot, Beside beside) {
  std::vector<JointQuantity> quantities;
  for (const JointColumns& group : joint_columns) quantities.push_back(quantity_of(group.input));
  MotionPlot plot(option, robot, quantities);
  std::vector<std::string> names;
  for (const EnergyColumn& energy : energies(beside)) names.emplace_back(energy.name);
  plot.add_panel("energies, J", names);
  return plot;
}

Json to_json(const SimulationResult& result, const Mechanism& robot, Beside beside) {
  Json out = samples_json(result.samples, beside), events = Json::array(), left = Json::array();
  put_events(result.events, events);
  for (const LeftLimits& joint : result.left_limits)
    left.push_back({{"joint", robot.name_of(Coordinate(joint.joint))}, {"t", joint.t}});
  out.update({{"balance", result.balance},
              {"steps", result.steps},
              {"evaluations", result.evaluations},
              {"events", events},
              {"left_limits", left},
              {"complete", result.complete}});
  return out;
}

namespace {

class ErrorSum {
 public:
  void add(double error) {
    squares_ += error * error, ++count_;
    largest_ = std::max(largest_, std::abs(error));
  }
  TrackingError result() const { return {count_ > 0.0 ? std::sqrt(squares_ / count_) : 0.0, largest_}; }

 private:
  double squares_ = 0.0, count_ = 0.0, largest_ = 0.0;
};

}  // namespace

TrackingError tracking_error(const SimulationResult& result, const Reference& reference) {
  ErrorSum sum;
  for (const Sample& s : result.samples) {
    std::vector<double> q(s.q.size()), qd(s.qd.size()), qdd(qd);
    reference(s.t, q, qd, qdd);
    const std::size_t first = q.size() == qd.size() ? 0 : base_joints + 1;  // a free base has no reference
    for (std::size_t j = first; j < q.size(); ++j) sum.add(s.q[j] - q[j]);
  }
  return sum.result();
}

PathError path_error_of(const SimulationResult& result, const Mechanism& robot, int frame, const FrameReference& path,
                        bool turns) {
  ErrorSum place, turn;
  Kinematics<double> kinematics(robot);
  for (const Sample& s : result.samples) {
    kinematics.update(s.q);
    const Pose<double> is = kinematics.pose(frame), wanted = path(s.t).pose;
    const Vec3<double> off = wanted.p - is.p, turned = rotation_vector(wanted.R * is.R.transpose());
    place.add(std::sqrt(dot(off, off)));
    turn.add(std::sqrt(dot(turned, turned)));
  }
  return {place.result(), turns ? std::optional(turn.result()) : std::nullopt};
}

Json to_json(const TrackingError& error) { return {{"rms", error.rms}, {"largest", error.largest}}; }

Json to_json(const PathError& error) {
  Json out{{"position", to_json(error.place)}};
  if (error.turn) out["rotation"] = to_json(*error.turn);
  return out;
}

std::string text_of(const SimulationResult& result) {
  return fmt::format("{} samples, {} steps, {} evaluations, energy balance {:.2e} J of {:.4g} J", result.samples.size(),
                     result.steps, result.evaluations, result.balance, result.largest_energy);
}

std::string text_of(const ChangeRecord& change) {
  return fmt::format("t = {:.6g} s: {}: {:.4g} J lost, {:.4g} J brought", change.t, printable(change.what), change.lost,
                     change.kinetic_of_part + change.potential_of_part);
}

std::string text_of(const TrackingError& error) {
  return fmt::format("tracking error {:.4g} rms, at most {:.4g}, rad and m over all joints", error.rms, error.largest);
}

std::string text_of(const PathError& error, const std::string& frame) {
  return fmt::format(
      "tracking error of '{}' {:.4g} m rms, at most {:.4g}{}", printable(frame), error.place.rms, error.place.largest,
      error.turn ? fmt::format("; {:.4g} rad rms, at most {:.4g}", error.turn->rms, error.turn->largest) : "");
}

void note_left_limits(const Segment& segment) {
  if (segment.result.left_limits.empty()) return;
  std::vector<std::string> joints;
  for (const LeftLimits& left : segment.result.left_limits)
    joints.push_back(fmt::format("'{}' (t = {:.4g} s)", printable(segment.joints[index(left.joint)]), left.t));
  note(fmt::format("catena: beyond its limits: joint {}; --stops turns limits into stops", fmt::join(joints, ", ")));
}

std::size_t sample_count(const ProgressiveResult& result) {
  std::size_t count = 0;
  for (const Segment& segment : result.segments) count += segment.result.samples.size();
  return count;
}

Json to_json(const ProgressiveResult& result, Beside beside) {
  Json segments = Json::array(), changes = segments, events = segments;
  for (const Segment& segment : result.segments) {
    Json own{{"joints", segment.joints}};
    own.update(samples_json(segment.result.samples, beside));
    segments.push_back(std::move(own));
    put_events(segment.result.events, events);
  }
  for (const ChangeRecord& c : result.changes)
    changes.push_back({{"t", c.t},
                       {"what", c.what},
                       {"kinetic_before", c.kinetic_before},
                       {"kinetic_of_part", c.kinetic_of_part},
                       {"kinetic_after", c.kinetic_after},
                       {"lost", c.lost},
                       {"potential_of_part", c.potential_of_part},
                       {"momentum_before", c.momentum_before},
                       {"momentum", c.momentum}});
  return {{"segments", segments},
          {"changes", changes},
          {"events", events},
          {"balance", result.balance},
          {"complete", result.complete}};
}

}  // namespace catena::cli
