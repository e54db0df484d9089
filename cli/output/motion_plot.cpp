#include "output/motion_plot.hpp"

#include <fmt/format.h>

namespace catena::cli {
namespace {

constexpr std::size_t most_points = 4000;

template <class T>
void keep_every_other(std::vector<T>& list) {
  for (std::size_t k = 0; 2 * k < list.size(); ++k)
    if (k > 0) list[k] = std::move(list[2 * k]);
  list.resize((list.size() + 1) / 2);
}

}  // namespace

JointQuantity quantity_of(Input input) {
  const InputInfo& info = info_of(input);
  const std::string words(info.words.substr(info.words.find(' ') + 1));
  switch (input) {
    case Input::q:
      return {words, info.unit, [](const JointLimits& l) { return l.lower; },
              [](const JointLimits& l) { return l.upper; }};
    case Input::qd:
      return {words, info.unit, [](const JointLimits& l) { return -l.velocity; },
              [](const JointLimits& l) { return l.velocity; }};
    case Input::tau:
      return {words, info.unit, [](const JointLimits& l) { return -l.effort; },
              [](const JointLimits& l) { return l.effort; }};
    default:
      break;
  }
  return {words, info.unit};
}

MotionPlot::MotionPlot(PlotOption option, const Robot& robot, std::vector<JointQuantity> quantities)
    : option_(std::move(option)), quantities_(std::move(quantities)) {
  for (const int j : robot.moving_joints()) {
    const JointDescription& joint = robot.joints[static_cast<std::size_t>(j)];
    joints_.push_back({joint.name, joint.type == JointType::prismatic, joint.limits});
  }
}

void MotionPlot::add_joint(const std::string& name, bool slides) { joints_.push_back({name, slides, {}}); }

void MotionPlot::add_panel(const std::string& y_label, const std::vector<std::string>& names) {
  extras_.push_back({y_label, names});
}

void MotionPlot::add(double t, std::span<const double> values) {
  if (!option_.given() || seen_++ % stride_ != 0) return;
  times_.push_back(t);
  rows_.emplace_back(values.begin(), values.end());
  if (times_.size() < most_points) return;
  keep_every_other(times_);
  keep_every_other(rows_);
  stride_ *= 2;
}

PlotCurve MotionPlot::curve(const std::string& name, std::size_t column) const {
  PlotCurve out{name, times_, {}};
  out.y.reserve(rows_.size());
  for (const std::vector<double>& row : rows_) out.y.push_back(row[column]);
  return out;
}

void MotionPlot::write(const std::string& title) const {
  if (!option_.given()) return;
  std::vector<PlotPanel> panels;
  std::size_t first = 0;
  for (const JointQuantity& quantity : quantities_) {
    for (const bool slides : {false, true}) {
      const std::string_view unit = slides ? quantity.unit.sliding : quantity.unit.turning;
      PlotPanel panel{"time, s", unit.empty() ? quantity.words : fmt::format("{}, {}", quantity.words, unit), {}};
      for (std::size_t j = 0; j < joints_.size(); ++j) {
        if (joints_[j].slides != slides) continue;
        panel.curves.push_back(curve(joints_[j].name, first + j));
        panel.curves.back().colour = static_cast<int>(j);
        if (quantity.lower != nullptr) panel.curves.back().lower = quantity.lower(joints_[j].limits);
        if (quantity.upper != nullptr) panel.curves.back().upper = quantity.upper(joints_[j].limits);
      }
      if (!panel.curves.empty()) panels.push_back(std::move(panel));
    }
    first += joints_.size();
  }
  for (const Extra& extra : extras_) {
    PlotPanel panel{"time, s", extra.y_label, {}};
    for (const std::string& name : extra.names) panel.curves.push_back(curve(name, first++));
    panels.push_back(std::move(panel));
  }
  option_.write(title, panels);
}

}  // namespace catena::cli
