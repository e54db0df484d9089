#include "report/robot.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "catena/dh_rows.hpp"
#include "catena/mechanism.hpp"
#include "catena/validate.hpp"
#include "model/free_base.hpp"

namespace catena::report {
namespace {

constexpr double rounding = 1e-12;  // for lengths in m and for entries of rotations

const char* type_name(JointType type) {
  return type == JointType::revolute ? "revolute" : type == JointType::prismatic ? "prismatic" : "fixed";
}

std::vector<double> list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

bool near(double a, double b) { return std::abs(a - b) <= rounding * std::max(1.0, std::abs(b)); }

// The same rule as in validate(): no principal moment is negative or larger than the sum of the two others.
bool is_physical(const Sym3<double>& inertia) {
  const Vec3<double> moments = eigenvalues(inertia);
  const double slack = 1e-9 * std::max(std::abs(moments.x), std::abs(moments.z));
  return moments.x >= -slack && moments.x + moments.y >= moments.z - slack;
}

Json link_json(const LinkDescription& link) {
  const Sym3<double>& i = link.inertial.inertia;
  return {{"name", link.name},
          {"mass", link.inertial.mass},
          {"com", list(link.inertial.com)},
          {"inertia", {i.xx, i.xy, i.xz, i.xy, i.yy, i.yz, i.xz, i.yz, i.zz}},
          {"physical", is_physical(i)}};
}

int place_of(const std::vector<int>& list, int value) {
  const auto found = std::find(list.begin(), list.end(), value);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

class Describing {
 public:
  explicit Describing(const Robot& robot)
      : robot_(robot),
        links_(described_links(robot)),
        joints_(described_joints(robot)),
        moving_(robot.moving_joints()) {
    if (!robot.loops.empty()) tree_ = tree_joint_names(make_mechanism(robot));
  }

  Json links() const {
    Json out = Json::array();
    for (const int k : links_) out.push_back(link_json(robot_.links[index(k)]));
    return out;
  }
  Json joints() const {
    Json out = Json::array();
    for (const int j : joints_)
      out.push_back(j < 0 ? joint_json(free_joint(robot_), "floating", 0) : joint_json(robot_.joints[index(j)], j));
    return out;
  }
  Json frames() const {
    Json out = Json::array();
    for (const FrameDescription& frame : robot_.frames)
      out.push_back({{"name", frame.name}, {"link", link(frame.link)}, {"origin", homogeneous(frame.pose)}});
    return out;
  }
  Json loops() const {
    Json out = Json::array();
    for (const LoopDescription& loop : robot_.loops)
      out.push_back({{"name", loop.name}, {"type", name_of(loop.type)}, {"frames", loop.frames}});
    return out;
  }
  Json dh() const {
    const DhTable table = dh_table(robot_);
    Json out = Json::array();
    for (const auto& [j, row] : table.rows)
      out.push_back({{"joint", place_of(joints_, j)},
                     {"convention", table.classic ? "classic" : "modified"},
                     {"a", row.a},
                     {"alpha", row.alpha},
                     {"d", row.d},
                     {"theta", row.theta},
                     {"gamma", row.gamma},
                     {"epsilon", row.epsilon}});
    return out;
  }
  Json units() const {
    Json out = Json::array();
    for (const int j : moving_) out.push_back(robot_.joints[index(j)].type == JointType::prismatic ? "m" : "rad");
    return out;
  }
  std::size_t tree_size() const { return tree_.size(); }
  std::vector<std::string> joint_names() const {
    std::vector<std::string> out;
    for (const int j : moving_) out.push_back(robot_.joints[index(j)].name);
    return out;
  }

 private:
  int link(int k) const { return place_of(links_, k); }

  Json joint_json(const JointDescription& joint, int j) const {
    return joint_json(joint, type_name(joint.type), place_of(moving_, j));
  }
  Json joint_json(const JointDescription& joint, const char* type, int v) const {
    const bool shifted = v >= 0 && !robot_.floating.empty() && std::string_view(type) != "floating";
    Json out = {{"name", joint.name},
                {"type", type},
                {"parent", link(joint.parent)},
                {"link", link(joint.child)},
                {"origin", homogeneous(joint.origin)},
                {"axis", list(joint.axis)},
                {"child", homogeneous(joint.child_frame)},
                {"lower", joint.limits.lower},  // null where there is no limit
                {"upper", joint.limits.upper},
                {"velocity", joint.limits.velocity},
                {"effort", joint.limits.effort},
                {"passive", joint.passive},
                {"viscous", joint.drive.viscous},
                {"coulomb", joint.drive.coulomb},
                {"spring", joint.drive.spring},
                {"spring_rest", joint.drive.spring_rest},
                {"torque_offset", joint.drive.offset},
                {"stribeck", joint.drive.stribeck},
                {"stribeck_speed", joint.drive.stribeck_speed},
                {"q", shifted ? v + 1 : v},
                {"v", v}};
    if (joint.is_coupled()) out["coupled"] = coupling_json(joint.coupling);
    if (joint.dependent) out["tree"] = std::find(tree_.begin(), tree_.end(), joint.name) - tree_.begin();
    return out;
  }
  Json coupling_json(const Coupling& coupling) const {
    Json terms = Json::array();
    for (const CouplingTerm& term : coupling.terms)
      terms.push_back({{"to", place_of(joints_, robot_.joint_index(term.joint))}, {"factor", term.factor}});
    return {{"terms", terms}, {"offset", coupling.offset}};
  }

  const Robot& robot_;
  std::vector<int> links_, joints_, moving_;
  std::vector<std::string> tree_;  // joints in the order of the tree, if there are closed loops
};

bool is_screw_z(const Pose<double>& pose) { return near(pose.R.zz, 1.0) && near(pose.p.x, 0.0) && near(pose.p.y, 0.0); }

// Rz(θ)Tz(d)Tx(a)Rx(α) = T, where the joint turns about or slides along z before Tx(a).
std::optional<DhRow> classic_row(const JointDescription& joint) {
  if (!is_screw_z(joint.origin)) return std::nullopt;
  const auto [R, p] = joint.origin * joint.child_frame;
  if (!near(R.zx, 0.0)) return std::nullopt;
  DhRow row;
  row.theta = std::atan2(R.yx, R.xx);
  const double c = std::cos(row.theta), s = std::sin(row.theta);
  if (!near(c * p.y - s * p.x, 0.0)) return std::nullopt;
  row.a = c * p.x + s * p.y;
  row.d = p.z;
  row.alpha = std::atan2(R.zy, R.zz);
  return row;
}

// Rx(α)Tx(a)Rz(θ)Tz(d) = T, followed by the joint.
std::optional<DhRow> modified_row(const JointDescription& joint) {
  if (!is_screw_z(joint.child_frame)) return std::nullopt;
  const auto [R, p] = joint.origin * joint.child_frame;
  if (!near(R.xz, 0.0)) return std::nullopt;
  DhRow row;
  row.theta = std::atan2(-R.xy, R.xx);
  row.alpha = std::atan2(-R.yz, R.zz);
  const double c = std::cos(row.alpha), s = std::sin(row.alpha);
  if (!near(c * p.y + s * p.z, 0.0)) return std::nullopt;
  row.a = p.x;
  row.d = c * p.z - s * p.y;
  return row;
}

using RowOf = std::optional<DhRow>(const JointDescription&);
std::vector<JointRow> rows_by(const Robot& robot, RowOf* row_of) {
  std::vector<JointRow> rows;
  for (const int j : described_joints(robot)) {
    if (j < 0 || !robot.joints[index(j)].moves()) continue;
    const JointDescription& joint = robot.joints[index(j)];
    const auto row = joint.axis == Vec3<double>{0.0, 0.0, 1.0} ? row_of(joint) : std::nullopt;
    if (!row) return {};
    rows.push_back({j, *row});
  }
  return rows;
}

}  // namespace

std::vector<int> described_links(const Robot& robot) {
  std::vector<int> out;
  for (int k = 0; k < static_cast<int>(robot.links.size()); ++k)
    if (!is_between_free_parts(robot, k)) out.push_back(k);
  return out;
}

std::vector<int> described_joints(const Robot& robot) {
  std::vector<int> out;
  bool floating = false;
  for (const int j : robot.joints_outward()) {
    if (!is_free_part(robot, index(j))) {
      out.push_back(j);
    } else if (!floating) {
      out.push_back(-1);
      floating = true;
    }
  }
  return out;
}

DhTable dh_table(const Robot& robot) {
  if (const std::optional<DhForm> written = rows_as_written(robot)) {
    DhTable out{written->convention == DhConvention::classic, {}};
    for (const int j : described_joints(robot))
      if (j >= 0 && keeps_row(robot.joints[index(j)])) out.rows.push_back({j, written->rows[index(j)]});
    return out;
  }
  std::vector<JointRow> classic = rows_by(robot, classic_row), modified = rows_by(robot, modified_row);
  const bool on_far_ends = std::any_of(robot.joints.begin(), robot.joints.end(), [](const JointDescription& joint) {
    return joint.moves() && !(joint.child_frame == Pose<double>{});
  });
  if (!classic.empty() && (on_far_ends || modified.empty())) return {true, std::move(classic)};
  return {false, std::move(modified)};
}

std::vector<double> closed_start(const Robot& robot) {
  std::vector<double> out;
  for (const int j : robot.moving_joints()) {
    const auto found = robot.closed.find(robot.joints[index(j)].name);
    out.push_back(found == robot.closed.end() ? 0.0 : found->second);
  }
  if (!robot.floating.empty()) out.insert(out.begin() + base_joints, 1.0);
  return out;
}

std::vector<double> homogeneous(const Pose<double>& pose) {
  const auto& [R, p] = pose;
  return {R.xx, R.xy, R.xz, p.x, R.yx, R.yy, R.yz, p.y, R.zx, R.zy, R.zz, p.z, 0.0, 0.0, 0.0, 1.0};
}

Json description(const Robot& robot) {
  const Describing all(robot);
  const int dof = robot.dof(), positions = dof + (robot.floating.empty() ? 0 : 1);
  Json out = {{"name", robot.name},
              {"dof", dof},
              {"nq", positions},
              {"floating", !robot.floating.empty()},
              {"gravity", list(robot.gravity)},
              {"base", robot.links[index(robot.root())].name},
              {"tool", robot.tool_name()},
              {"q_names", position_names(robot)},
              {"joint_names", all.joint_names()},
              {"units", all.units()},
              {"links", all.links()},
              {"joints", all.joints()},
              {"frames", all.frames()}};
  if (Json loops = all.loops(); !loops.empty()) {
    out["loops"] = std::move(loops);
    out["nt"] = all.tree_size();
    out["start"] = closed_start(robot);
  }
  if (Json dh = all.dh(); !dh.empty()) out["dh"] = std::move(dh);
  return out;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace catena::report
