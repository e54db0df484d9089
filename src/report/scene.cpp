#include "report/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "catena/call.hpp"
#include "catena/mechanism.hpp"
#include "catena/robot_file.hpp"
#include "model/free_base.hpp"
#include "report/column.hpp"
#include "report/meshes.hpp"

namespace catena::report {
namespace {

// Known columns by name: their label in a legend, their unit and their group.
struct Known {
  std::string_view name, label, unit, group;
};
constexpr Known known[] = {
    {"kinetic", "kinetic energy", "J", "energy"},       {"potential", "potential energy", "J", "energy"},
    {"work", "work of the drives", "J", "energy"},      {"losses", "losses to friction and impacts", "J", "energy"},
    {"external", "work of wrenches", "J", "energy"},    {"base_work", "work of the moving base", "J", "energy"},
    {"balance", "error of the balance", "J", "balance"}};
constexpr std::string_view order[] = {"t",   "q",   "q_ref", "frame",  "frame_ref", "turn", "tree", "qd",
                                      "qdd", "tau", "power", "energy", "balance",   "base", "other"};

std::vector<std::string> labels_of(const Robot& robot, Input input) {
  if (input == Input::q) return position_names(robot);
  std::vector<std::string> names;
  for (const int j : robot.moving_joints()) names.push_back(robot.joints[index(j)].name);
  return names;
}

// The unit of entry k; the position of a free base is three metres and a quaternion.
std::string unit_of(const Robot& robot, Input input, std::size_t k) {
  const Unit& unit = info_of(input).unit;
  std::size_t joint = k;
  if (input == Input::q && !robot.floating.empty()) {
    if (k < 3) return "m";
    if (k < base_joints + 1) return "";
    joint = k - 1;
  }
  const int j = robot.moving_joints()[joint];
  return std::string(robot.joints[index(j)].type == JointType::prismatic ? unit.sliding : unit.turning);
}

bool finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// Positions of all joints of the tree of a robot with closed loops. If they do not close at q it stands elsewhere.
std::vector<double> placed(const Robot& robot, std::vector<double>& q, std::vector<std::string>* notes) {
  Call<double> call(make_mechanism(robot), "place");
  std::vector<double> tree(call.size());
  try {
    call({.q = q}, tree);
  } catch (const std::domain_error& e) {
    if (notes != nullptr) notes->push_back(fmt::format("The robot cannot be drawn there: {}.", e.what()));
    q = closed_start(robot);
    call({.q = q}, tree);
  }
  return tree;
}

}  // namespace

Recording::Recording(const Robot& robot) : robot_(robot) {}

void Recording::add_group(Input input) {
  const std::vector<std::string> labels = labels_of(robot_, input);
  const std::string group(info_of(input).name);
  for (std::size_t k = 0; k < labels.size(); ++k)
    columns_.push_back(
        {fmt::format("{}{}", group, k + 1), labels[k], unit_of(robot_, input, k), group, static_cast<int>(k)});
}

void Recording::add_joint_after(Input input, std::size_t j, const std::string& joint) {
  const std::string_view group = info_of(input).name;
  columns_.push_back({fmt::format("{}{}", group, j + 1), fmt::format("{} of {}", group, joint), "", "other"});
}

void Recording::add_reference() {
  const std::vector<std::string> labels = labels_of(robot_, Input::q);
  for (std::size_t k = robot_.floating.empty() ? 0 : base_joints + 1; k < labels.size(); ++k)
    columns_.push_back(
        {fmt::format("q_ref{}", k + 1), labels[k], unit_of(robot_, Input::q, k), "q_ref", static_cast<int>(k)});
}

void Recording::add_named(const std::string& name) {
  const auto found = std::find_if(std::begin(known), std::end(known), [&](const Known& k) { return k.name == name; });
  if (found == std::end(known))
    columns_.push_back({name, name, "", "other"});
  else
    columns_.push_back({name, std::string(found->label), std::string(found->unit), std::string(found->group)});
}

void Recording::add(std::span<const double> row) {
  if (row.size() != columns_.size()) throw std::logic_error("a row of a report has other columns than its head");
  for (std::size_t k = 0; k < row.size(); ++k) columns_[k].values.push_back(row[k]);
}

void Recording::add_base(const std::function<std::span<const double>(double)>& place) {
  constexpr std::array<std::string_view, 7> names{"x", "y", "z", "qx", "qy", "qz", "qw"};
  std::vector<Column> own;
  for (std::size_t k = 0; k < names.size(); ++k)
    own.push_back({fmt::format("base_{}", names[k]), fmt::format("base {}", names[k]), k < 3 ? "m" : "", "base",
                   static_cast<int>(k)});
  for (const double t : columns_.front().values) {
    const std::span<const double> at = place(t);
    for (std::size_t k = 0; k < names.size(); ++k) own[k].values.push_back(at[k]);
  }
  columns_.insert(columns_.end(), own.begin(), own.end());
}

bool Recording::has(std::string_view group) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const Column& c) { return c.group == group; });
}

std::vector<double> Recording::numbers(std::string_view group, std::size_t row) const {
  std::vector<double> out;
  for (const Column& column : columns_)
    if (column.group == group) out.push_back(column.values[row]);
  return out;
}

void Recording::put_group(Input input, std::vector<std::vector<double>> columns) {
  const std::size_t first = columns_.size();
  add_group(input);
  for (std::size_t k = 0; k < columns.size(); ++k) columns_[first + k].values = std::move(columns[k]);
}

// The positions of all joints by row, as they were given or as they follow from q.
std::vector<std::vector<double>> Recording::trees(const Mechanism& robot) const {
  const auto whole = [&](const std::vector<double>& tree) { return tree.size() == index(sizes_of(robot).joints); };
  if (trees_.size() == count() && std::all_of(trees_.begin(), trees_.end(), whole)) return trees_;
  Call<double> call(robot, "place");
  std::vector<std::vector<double>> out;
  for (std::size_t i = 0; i < count(); ++i) {
    const std::vector<double> q = numbers("q", i);
    std::vector<double>& tree = out.emplace_back(call.size(), std::nan(""));
    try {
      if (finite(q)) call({.q = q}, tree);
    } catch (const std::domain_error&) {
      std::fill(tree.begin(), tree.end(), std::nan(""));
    }
  }
  return out;
}

void Recording::add_dependent(const Mechanism& robot) {
  const Closure<double>& closure = robot.coordinates.closure;
  const int first = robot.coordinates.is_moving() ? base_joints : 0;  // those that carry the base are not drawn
  const std::vector<std::vector<double>> all = trees(robot);
  for (std::size_t m = 0; m < closure.movers.size(); ++m) {
    if (closure.coordinate[m] >= 0) continue;
    const TreeJoint joint = closure.movers[m];
    const Unit& unit = info_of(Input::q).unit;
    const bool turns = robot.link(robot.link_of(joint)).revolute;
    Column own{fmt::format("tree{}", joint - first + 1), robot.joint_names[joint],
               std::string(turns ? unit.turning : unit.sliding), "tree", joint - first};
    for (const std::vector<double>& tree : all) own.values.push_back(tree[index(joint)]);
    columns_.push_back(std::move(own));
  }
}

void Recording::add_torques(const Mechanism& robot, const Inputs<double>& around, bool forward) {
  const char* job = forward ? "forward" : "inverse";
  const char* given = forward ? "tau" : "qdd";
  Call<double> call(robot, job);
  std::vector<double> out(call.size());
  std::vector<std::vector<double>> columns(out.size());
  for (std::size_t i = 0; i < count(); ++i) {
    const std::vector<double> q = numbers("q", i), qd = numbers("qd", i), last = numbers(given, i);
    std::fill(out.begin(), out.end(), std::nan(""));
    try {
      if (finite(q) && finite(qd) && finite(last))
        call({.q = q, .qd = qd, .qdd = last, .tau = last, .base = around.base, .wrenches = around.wrenches}, out);
    } catch (const std::domain_error&) {
      std::fill(out.begin(), out.end(), std::nan(""));
    }
    for (std::size_t j = 0; j < out.size(); ++j) columns[j].push_back(out[j]);
  }
  put_group(forward ? Input::qdd : Input::tau, std::move(columns));
}

void Recording::add_power() {
  std::vector<Column> power;
  for (const Column& tau : columns_) {
    if (tau.group != "tau") continue;
    const auto rate = std::find_if(columns_.begin(), columns_.end(),
                                   [&](const Column& c) { return c.group == "qd" && c.joint == tau.joint; });
    if (rate == columns_.end()) continue;
    Column own{fmt::format("power{}", tau.joint + 1), tau.label, "W", "power", tau.joint};
    for (std::size_t i = 0; i < tau.values.size(); ++i) own.values.push_back(tau.values[i] * rate->values[i]);
    power.push_back(std::move(own));
  }
  columns_.insert(columns_.end(), power.begin(), power.end());
}

void Recording::add_energies(const Mechanism& robot, const Inputs<double>& around) {
  Call<double> call(robot, "energy");
  const std::size_t first = columns_.size();
  add_named("kinetic");
  add_named("potential");
  for (std::size_t i = 0; i < count(); ++i) {
    const std::vector<double> q = numbers("q", i), qd = numbers("qd", i);
    std::array<double, 2> out{std::nan(""), std::nan("")};
    try {
      if (finite(q) && finite(qd)) call({.q = q, .qd = qd, .base = around.base}, out);
    } catch (const std::domain_error&) {
      out.fill(std::nan(""));
    }
    columns_[first].values.push_back(out[0]);
    columns_[first + 1].values.push_back(out[1]);
  }
}

void Recording::add_balance() {
  const auto part = [&](std::string_view name) -> const std::vector<double>* {
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.name == name; });
    return found == columns_.end() ? nullptr : &found->values;
  };
  const auto *kinetic = part("kinetic"), *potential = part("potential"), *work = part("work"), *losses = part("losses");
  if (kinetic == nullptr || potential == nullptr || work == nullptr || losses == nullptr) return;
  const auto *external = part("external"), *base = part("base_work");
  std::vector<double> balance;
  for (std::size_t i = 0; i < count(); ++i) {
    double account = (*kinetic)[i] + (*potential)[i] - (*work)[i] + (*losses)[i];
    if (external != nullptr) account -= (*external)[i];
    if (base != nullptr) account -= (*base)[i];
    balance.push_back(account);
  }
  const double first = balance.empty() ? 0.0 : balance.front();
  for (double& value : balance) value -= first;
  add_named("balance");
  columns_.back().values = std::move(balance);
}

void Recording::complete(const Mechanism& robot, std::span<const ExternalWrench<double>> wrenches, bool forward,
                         bool whole, std::span<const double> base) {
  const Inputs<double> around{.base = base, .wrenches = wrenches};
  const auto size = [&](std::string_view group) {
    return static_cast<int>(
        std::count_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.group == group; }));
  };
  const bool state = size("q") == robot.nq() && size("qd") == robot.nv();
  if (robot.coordinates.is_closed() && size("q") == robot.nq()) add_dependent(robot);
  if (state && size("qdd") == robot.nv() && !has("tau") && !robot.has_passive) add_torques(robot, around, false);
  if (state && size("tau") == robot.nv() && !has("qdd") && forward) add_torques(robot, around, true);
  if (state && !has("energy")) add_energies(robot, around);
  if (has("tau") && has("qd")) add_power();
  if (whole && !has("balance")) add_balance();
  const auto place = [](const Column& c) { return std::find(std::begin(order), std::end(order), c.group); };
  std::stable_sort(columns_.begin(), columns_.end(),
                   [&](const Column& a, const Column& b) { return place(a) < place(b); });
}

Json Recording::json() const {
  Json columns = Json::array();
  for (const Column& c : columns_)
    columns.push_back({{"name", c.name},
                       {"label", c.label},
                       {"unit", c.unit},
                       {"group", c.group},
                       {"joint", c.joint},
                       {"data", packed(c.values)}});
  return {{"count", count()}, {"columns", std::move(columns)}, {"events", events_}};
}

namespace {

// Zeros, or the middle of a joint's range where 0 is beyond its limits.
std::vector<double> start_within_limits(const Json& robot) {
  std::vector<double> start(robot["nq"].get<std::size_t>(), 0.0);
  if (robot["floating"].get<bool>()) start[6] = 1.0;
  if (robot.contains("loops")) return start;
  for (const Json& joint : robot["joints"]) {
    const int at = joint["q"].get<int>();
    if (at < 0 || joint["type"] == "floating") continue;
    const auto limit = [&](const char* side, double none) {
      const double value = joint[side].is_number() ? joint[side].get<double>() : none;
      return std::isfinite(value) ? value : none;
    };
    const double lower = limit("lower", -HUGE_VAL), upper = limit("upper", HUGE_VAL);
    if (lower > upper || (lower <= 0.0 && upper >= 0.0)) continue;
    start[index(at)] = std::isfinite(lower + upper) ? 0.5 * (lower + upper) : lower > 0.0 ? lower : upper;
  }
  return start;
}

}  // namespace

Json Scene::json(const std::function<void(const std::string&)>& warn) const {
  std::vector<std::string> said;
  for (const Warning& warning : robot.warnings) said.push_back(warning.text);
  said.insert(said.end(), notes.begin(), notes.end());
  // In the form that the module in the page reads, with the links in that order.
  const std::string toml = to_toml(robot);
  const Robot shown = parse_toml(toml, robot.name, {.strict = false, .lenient = true});
  const std::size_t before = said.size();
  Json drawn = meshes(shown, file, reading, said);
  if (const std::size_t missing = said.size() - before; missing > 0 && warn)
    warn(fmt::format("{}{}; the page draws links in their place", said[before],
                     missing > 1 ? fmt::format(" (and {} more)", missing - 1) : ""));
  Json own = description(shown);
  std::vector<double> start = q, tree;
  if (start.empty()) {
    start = start_within_limits(own);
  }
  if (!shown.loops.empty()) tree = placed(shown, start, q.empty() ? nullptr : &said);
  Json out = {{"name", name}, {"kind", kind},         {"command", command},  {"toml", toml}, {"robot", std::move(own)},
              {"q", start},   {"wrenches", wrenches}, {"payloads", payloads}};
  if (!tree.empty()) out["tree"] = tree;
  if (!base.empty()) out["base"] = base;
  if (!recordings.empty()) out["samples"] = recordings.front().json();
  if (!matrix.is_null()) out["matrix"] = matrix;
  if (!compare.is_null()) out["compare"] = compare;
  if (!phases.is_null()) out["phases"] = phases;
  out["meshes"] = std::move(drawn);
  out["notes"] = said;
  return out;
}

Json wrenches_json(std::span<const ExternalWrench<double>> wrenches, const Mechanism& robot) {
  Json out = Json::array();
  for (const ExternalWrench<double>& w : wrenches)
    out.push_back({{"frame", robot.frames[index(w.frame)].name},
                   {"axes", w.axes == Axes::world ? "world" : "frame"},
                   {"wrench", {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z}}});
  return out;
}

}  // namespace catena::report
