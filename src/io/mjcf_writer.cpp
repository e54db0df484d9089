// Writes a Robot as MJCF that MuJoCo compiles: a body a link, nested, with its frame at q = 0 and its joint's point and
// axis in it. What MJCF has no words for goes into <custom> (io/mjcf_custom.hpp): the base's name, the tool, velocity
// limits, gear ratios, passive joints, names of fixed joints, an order of q that is not that of the tree, and of closed
// loops which joints are independent and where they start.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "catena/math/index.hpp"
#include "catena/robot_file.hpp"
#include "io/mjcf_custom.hpp"
#include "io/mjcf_inertia.hpp"
#include "io/text.hpp"
#include "io/writing.hpp"
#include "model/free_base.hpp"

namespace catena {

namespace {

using namespace io;

std::string spaced(const Vec3<double>& v) {  // without the sign of a zero
  return listed({v.x + 0.0, v.y + 0.0, v.z + 0.0}, " ");
}

// w x y z: by the largest of the four, so that no digit is lost.
std::string quaternion(const Mat3<double>& R) {
  double w = 1.0 + R.xx + R.yy + R.zz, x = R.zy - R.yz, y = R.xz - R.zx, z = R.yx - R.xy;
  const double largest = std::max({R.xx, R.yy, R.zz});
  if (w < 1.0) {
    const double turned[] = {x, y, z};
    if (largest == R.xx)
      w = turned[0], x = 1.0 + R.xx - R.yy - R.zz, y = R.yx + R.xy, z = R.xz + R.zx;
    else if (largest == R.yy)
      w = turned[1], x = R.yx + R.xy, y = 1.0 + R.yy - R.xx - R.zz, z = R.zy + R.yz;
    else
      w = turned[2], x = R.xz + R.zx, y = R.zy + R.yz, z = 1.0 + R.zz - R.xx - R.yy;
  }
  const double length = std::hypot(std::hypot(w, x), std::hypot(y, z));
  return fmt::format("{} {}", shortest(w / length + 0.0), spaced((1.0 / length) * Vec3<double>{x, y, z}));
}

std::string pose_attributes(const Pose<double>& pose) {
  std::string out;
  if (!(pose.p == Vec3<double>{})) out += fmt::format(" pos=\"{}\"", spaced(pose.p));
  if (!(pose.R == Mat3<double>::identity())) out += fmt::format(" quat=\"{}\"", quaternion(pose.R));
  return out;
}

class MjcfWriter {
 public:
  explicit MjcfWriter(const Robot& robot) : robot_(robot), joints_on_(robot.links.size()) {
    for (std::size_t k = 0; k < robot.joints.size(); ++k)
      if (!is_free_part(robot, k)) joints_on_[index(robot.joints[k].parent)].push_back(&robot.joints[k]);
    base_is_world_ = link(robot.root()).name == "world" && is_massless(link(robot.root()).inertial);
    check_names();
  }

  std::string write() {
    open("mujoco model={}", xml_string(robot_.name));
    line(R"(<compiler angle="radian" autolimits="true"/>)");
    line("<option gravity=\"{}\"/>", spaced(robot_.gravity));
    write_world();
    for (const JointDescription* joint : written_) write_coupling(*joint), write_motor(*joint);
    for (const LoopDescription& loop : robot_.loops) write_loop(loop);
    add_customs();
    section("tendon", tendons_);
    section("equality", equalities_);
    section("actuator", motors_);
    section("keyframe", key());
    section("custom", customs_);
    close("mujoco");
    return out_;
  }

 private:
  // ---- lines ----

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(2 * open_, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    line("<{}>", fmt::format(format, std::forward<Args>(args)...));
    if (++open_ + 1 >= TINYXML2_MAX_ELEMENT_DEPTH)
      fail(fmt::format("bodies would be nested more than {} deep, which readers of XML refuse",
                       TINYXML2_MAX_ELEMENT_DEPTH));
  }
  void close(std::string_view name) {
    --open_;
    line("</{}>", name);
  }
  template <class... Args>
  void custom(fmt::format_string<Args...> format, Args&&... args) {
    customs_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  static std::string own_name(std::string_view key, std::string_view subject = "") {
    return xml_string(fmt::format("{}{}{}{}", own_prefix, key, subject.empty() ? "" : " ", subject));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(fmt::format("{}: as MJCF: {}", printable(robot_.name), what));
  }
  const LinkDescription& link(int k) const { return robot_.links[index(k)]; }

  void check_names() const {
    for (int k = 0; k < static_cast<int>(robot_.links.size()); ++k)
      if (link(k).name == "world" && !(k == robot_.root() && base_is_world_))
        fail("link 'world' must be the base and have no mass: MuJoCo has another meaning for that name");
    const auto check = [&](const std::string& name) {
      if (is_own(&name)) fail(fmt::format("{}: names must not start with '{}'", io::quoted(name), own_prefix));
    };
    for (const FrameDescription& frame : robot_.frames) check(frame.name);
    for (const LoopDescription& loop : robot_.loops) check(loop.name);
  }

  // ---- bodies ----

  void write_world() {
    open("worldbody");
    if (base_is_world_) {
      write_parts(robot_.root());
    } else {
      const LinkDescription& base = link(robot_.root());
      custom("<text name={} data={}/>", own_name("base"), xml_string(base.name));
      open("body name={}", xml_string(base.name));
      write_inertial(base, false);
      write_parts(robot_.root());
      close("body");
    }
    if (!robot_.floating.empty()) write_free();
    close("worldbody");
  }

  // What a link carries.
  void write_parts(int k) {
    const std::string& name = link(k).name;
    if (std::any_of(robot_.loops.begin(), robot_.loops.end(),
                    [&](const LoopDescription& loop) { return loop.frames[0] == name || loop.frames[1] == name; }))
      line("<site name={}/>", xml_string(name));  // loops are closed between sites
    for (const FrameDescription& frame : robot_.frames)
      if (frame.link == k) line("<site name={}{}/>", xml_string(frame.name), pose_attributes(frame.pose));
    for (const LoopDescription& loop : robot_.loops)
      if (loop.type == LoopType::revolute) write_points(loop, k);
    for (const JointDescription* joint : joints_on_[index(k)]) write_body(*joint);
  }

  // A second point on the axis of a revolute loop, on both sides.
  void write_points(const LoopDescription& loop, int k) {
    for (std::size_t side = 0; side < 2; ++side) {
      const auto frame = std::find_if(robot_.frames.begin(), robot_.frames.end(),
                                      [&](const FrameDescription& f) { return f.name == loop.frames[side]; });
      const bool is_frame = frame != robot_.frames.end();
      if (is_frame ? frame->link != k : link(k).name != loop.frames[side]) continue;
      const Pose<double> at = is_frame ? frame->pose : Pose<double>{};
      line("<site name={} pos=\"{}\"/>", point(loop, side), spaced(at.p + at.R.column_z()));
    }
  }
  static std::string point(const LoopDescription& loop, std::size_t side) {
    return own_name(side == 0 ? "first" : "second", loop.name);
  }

  void write_body(const JointDescription& joint) {
    const LinkDescription& body = link(joint.child);
    open("body name={}{}", xml_string(body.name), pose_attributes(joint.origin * joint.child_frame));
    write_inertial(body, joint.moves());
    if (joint.moves())
      write_joint(joint);
    else if (joint.name != body.name + "_fixed")
      custom("<text name={} data={}/>", own_name("fixed", body.name), xml_string(joint.name));
    write_parts(joint.child);
    close("body");
  }

  // Beside the base, where MuJoCo wants it.
  void write_free() {
    const JointDescription joint = free_joint(robot_);
    Pose<double> origin = joint.origin;
    for (int k = joint.parent; k != robot_.root();)
      for (const JointDescription& below : robot_.joints)
        if (below.child == k) origin = below.origin * below.child_frame * origin, k = below.parent;
    start_ = origin * joint.child_frame;
    open("body name={}{}", xml_string(link(joint.child).name), pose_attributes(start_));
    write_inertial(link(joint.child), true);
    line("<freejoint name={}/>", xml_string(joint.name));
    const auto place = [&](const char* key, const Pose<double>& pose) {
      if (!(pose == Pose<double>{}))
        custom("<numeric name={} data=\"{} {}\"/>", own_name(key), spaced(pose.p), spaced(rpy_from_rotation(pose.R)));
    };
    place("free_origin", origin);
    place("free_frame", joint.child_frame);
    write_parts(joint.child);
    close("body");
  }

  // MuJoCo wants some mass and moments in a body that moves, and no moment larger than the sum of the others, not even
  // by rounding. Its own way to the axes takes moments for zero that are far from it.
  void write_inertial(const LinkDescription& body, bool moves) {
    constexpr double least_full = 1e-12, rounding = 4e-15, negligible = 1e-12;
    if (is_massless(body.inertial) && !moves) return;
    Sym3<double> inertia = body.inertial.inertia;
    const bool diagonal = inertia.xy == 0.0 && inertia.xz == 0.0 && inertia.yz == 0.0;
    const Vec3<double> m = eigenvalues(inertia);
    const double size = inertia.trace(), spare = diagonal ? 0.0 : rounding * size, lacks = m.z - m.x - m.y;
    if (lacks > negligible * size || m.x < -negligible * size)
      fail(
          fmt::format("link {}: no body has the principal moments {}: one is negative or larger than the sum of the "
                      "others, and MuJoCo refuses that",
                      io::quoted(body.name), listed(m, ", ")));
    if (const double more = lacks + spare; m.x > 0.0 && more > 0.0) inertia += Sym3<double>::diagonal(more, more, more);
    auto [moments, axes] = std::pair(Vec3<double>{inertia.xx, inertia.yy, inertia.zz}, Mat3<double>::identity());
    const bool full = !diagonal && eigenvalues(inertia).x > least_full;
    if (!diagonal && !full) std::tie(moments, axes) = principal(inertia);
    const double least = moves ? least_mass : 0.0;
    line("<inertial pos=\"{}\"{} mass=\"{}\" {}/>", spaced(body.inertial.com), pose_attributes({axes, {}}),
         shortest(std::max(body.inertial.mass, least)),
         full ? fmt::format("fullinertia=\"{} {}\"", spaced(moments), spaced({inertia.xy, inertia.xz, inertia.yz}))
              : fmt::format("diaginertia=\"{}\"", spaced({std::max(moments.x, least), std::max(moments.y, least),
                                                          std::max(moments.z, least)})));
  }

  void write_joint(const JointDescription& joint) {
    const JointLimits& limits = joint.limits;
    const JointDrive& drive = joint.drive;
    const Pose<double> in_body = joint.child_frame.inverse();
    std::string more;
    const auto add = [&](const char* key, double value) {
      if (value != 0.0) more += fmt::format(" {}=\"{}\"", key, shortest(value));
    };
    if (limits.lower != -unsaid || limits.upper != unsaid)
      more += fmt::format(" range=\"{} {}\"", finite(limits.lower), finite(limits.upper));
    if (limits.effort >= 0.0 && limits.effort != unsaid)
      more += fmt::format(" actuatorfrcrange=\"{} {}\"", shortest(0.0 - limits.effort), shortest(limits.effort + 0.0));
    add("armature", drive.rotor_inertia * drive.gear_ratio * drive.gear_ratio);
    add("damping", drive.viscous);
    add("frictionloss", drive.coulomb);
    add("stiffness", drive.spring);
    add("springref", drive.spring_rest);
    line("<joint name={} type=\"{}\"{} axis=\"{}\"{}/>", xml_string(joint.name),
         joint.type == JointType::revolute ? "hinge" : "slide", pose_attributes({Mat3<double>::identity(), in_body.p}),
         spaced(in_body.R * joint.axis), more);
    for (const MjcfJointNumber& number : joint_numbers)
      if (const double value = number.get(joint); value != unsaid)
        custom("<numeric name={} data=\"{}\"/>", own_name(number.key, joint.name), finite(value));
    written_.push_back(&joint);
  }

  static std::string finite(double value) { return shortest(std::isinf(value) ? std::copysign(1e308, value) : value); }

  // ---- beside the tree ----

  void write_coupling(const JointDescription& joint) {
    const auto& [terms, offset] = joint.coupling;
    const std::string name = xml_string(joint.name);
    if (terms.size() == 1)
      equalities_.push_back(fmt::format(R"(<joint joint1={} joint2={} polycoef="{} {} 0 0 0"/>)", name,
                                        xml_string(terms.front().joint), shortest(offset),
                                        shortest(terms.front().factor)));
    if (terms.size() < 2) return;
    tendons_.push_back(fmt::format("<fixed name={}>", name));
    tendons_.push_back(fmt::format("  <joint joint={} coef=\"1\"/>", name));
    for (const CouplingTerm& term : terms)
      tendons_.push_back(
          fmt::format("  <joint joint={} coef=\"{}\"/>", xml_string(term.joint), shortest(-term.factor)));
    tendons_.emplace_back("</fixed>");
    equalities_.push_back(fmt::format(R"(<tendon tendon1={} polycoef="{} 0 0 0 0"/>)", name, shortest(offset)));
  }

  void write_loop(const LoopDescription& loop) {
    const bool turns = loop.type == LoopType::revolute, weld = loop.type == LoopType::fixed;
    if (!turns && !weld && loop.type != LoopType::spherical)
      fail(fmt::format("loop {} is {}; MuJoCo has equalities only for spherical, revolute and fixed loops",
                       io::quoted(loop.name), name_of(loop.type)));
    equalities_.push_back(fmt::format("<{} name={} site1={} site2={}/>", weld ? "weld" : "connect",
                                      xml_string(loop.name), xml_string(loop.frames[0]), xml_string(loop.frames[1])));
    if (!turns) return;
    equalities_.push_back(fmt::format("<connect name={} site1={} site2={}/>", own_name("axis", loop.name),
                                      point(loop, 0), point(loop, 1)));
    custom(R"(<text name={} data="revolute"/>)", own_name("loop", loop.name));
  }

  // Of joint torques; the joints with motors are those of q.
  void write_motor(const JointDescription& joint) {
    if (joint.passive || joint.is_coupled() || joint.dependent) return;
    motors_.push_back(fmt::format("<motor name={0} joint={0}/>", xml_string(joint.name)));
  }

  double position(const std::string& name) const {
    const Coupling& coupling = robot_.joints[index(robot_.joint_index(name))].coupling;
    if (const auto found = robot_.closed.find(name); found != robot_.closed.end()) return found->second;
    double q = coupling.offset;
    for (const CouplingTerm& term : coupling.terms) q += term.factor * position(term.joint);
    return q;
  }

  // Where MuJoCo's qpos is not zero: loops are closed, and coupled joints are where the others are at zero.
  std::vector<std::string> key() const {
    std::string qpos;
    bool at_zero = true;
    if (!robot_.floating.empty()) qpos = fmt::format(" {} {}", spaced(start_.p), quaternion(start_.R));
    for (const JointDescription* joint : written_) {
      const double q = position(joint->name);
      at_zero = at_zero && std::abs(q) < 1e-12;
      qpos += " " + shortest(q);
    }
    if (at_zero) return {};
    return {fmt::format("<key name={} qpos=\"{}\"/>", own_name("closed"), qpos.substr(1))};
  }

  // Not as a <tuple>, whose names have no blanks.
  void list(std::string_view name, const std::vector<std::string>& joints) {
    for (std::size_t k = 0; k < joints.size(); ++k)
      custom("<numeric name={} data=\"{}\"/>", own_name(name, joints[k]), k + 1);
  }

  void add_customs() {
    custom("<text name={} data={}/>", own_name("tool"), xml_string(robot_.tool_name()));
    std::vector<std::string> in_file, in_tree;
    for (std::size_t k = 0; k < robot_.joints.size(); ++k)
      if (robot_.joints[k].moves() && !is_free_part(robot_, k)) in_file.push_back(robot_.joints[k].name);
    for (const JointDescription* joint : written_) in_tree.push_back(joint->name);
    if (in_file != in_tree) list("order", in_file);
    list("independent", robot_.independent);
    for (const auto& [name, q] : robot_.start)
      custom("<numeric name={} data=\"{}\"/>", own_name("start", name), shortest(q));
  }

  void section(const char* name, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    open("{}", name);
    for (const std::string& text : lines) line("{}", text);
    close(name);
  }

  const Robot& robot_;
  std::vector<std::vector<const JointDescription*>> joints_on_;  // by link
  bool base_is_world_ = false;
  std::string out_;
  std::size_t open_ = 0;
  std::vector<std::string> tendons_, equalities_, motors_, customs_;
  std::vector<const JointDescription*> written_;  // those that move, in the order of MuJoCo's qpos
  Pose<double> start_{};                          // of a free base
};

}  // namespace

std::string to_mjcf(const Robot& robot) {
  io::require_valid(robot);
  return MjcfWriter(robot).write();
}

}  // namespace catena
