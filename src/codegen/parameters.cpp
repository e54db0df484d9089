#include "catena/program.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace catena {
namespace {

using Kept = KeptParameter::Kind;

[[noreturn]] void refuse(std::string_view item, const std::string& why) {
  throw std::invalid_argument("'" + std::string(item) + "': " + why);
}

// The joint that `text` gives by number (from 1, in the order of q) or by name.
Coordinate find_joint(std::string_view text, std::string_view item, const Mechanism& mechanism) {
  const int n = mechanism.nv();
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (number < 1 || number > n) refuse(item, "joints are numbered 1 to " + std::to_string(n));
    return Coordinate(number - 1);
  }
  for (const Coordinate c : mechanism.coordinates.all())
    if (mechanism.name_of(c) == text) return c;
  refuse(item,
         "there is no joint '" + std::string(text) + "'; give its number (1 to " + std::to_string(n) + ") or its name");
}

// Classic Denavit-Hartenberg rows have a after the joint, on its link; modified rows and URDF before it, on the parent.
bool lengths_follow_joints(const Robot& robot) {
  return std::any_of(robot.joints.begin(), robot.joints.end(),
                     [](const JointDescription& joint) { return !(joint.child_frame == Pose<double>{}); });
}

KeptParameter length(char which, KeptParameter parameter, const JointDescription& joint, bool classic,
                     std::string_view item) {
  parameter.kind = Kept::joint_position;
  if (which == 'x' || which == 'y' || which == 'z') {
    parameter.direction = {double(which == 'x'), double(which == 'y'), double(which == 'z')};
  } else if (which == 'd') {
    parameter.direction = joint.origin.R * joint.axis;
  } else if (which == 'a' && !classic) {
    parameter.direction = {1.0, 0.0, 0.0};
  } else if (which == 'a') {
    parameter.kind = Kept::link_position;
    parameter.direction = joint.child_frame.R.transpose() * Vec3<double>{1.0, 0.0, 0.0};
    parameter.nominal = joint.child_frame.p.x;
    return parameter;
  } else {
    refuse(item, "a length is a or d (of a Denavit-Hartenberg row), x, y or z, then the joint: length:a2");
  }
  parameter.nominal = dot(joint.origin.p, parameter.direction);
  return parameter;
}

// Adds the parameters that one item, "mass:3", asks for to `kept`.
void keep_item(std::string_view item, const Robot& robot, const Mechanism& mechanism,
               std::vector<KeptParameter>& kept) {
  const std::size_t colon = item.find(':');
  if (colon == std::string_view::npos || colon + 1 >= item.size())
    refuse(item, "write QUANTITY:JOINT, such as mass:3, com:3, inertia:3 or length:a2");
  const std::string_view quantity = item.substr(0, colon);
  std::string_view which = item.substr(colon + 1);
  const bool is_length = quantity == "length";
  const char component = which.front();
  if (is_length) which.remove_prefix(1);
  const Coordinate q = find_joint(which, item, mechanism);
  const JointDescription& joint = robot.joints[index(robot.moving_joints()[index(q)])];
  KeptParameter parameter;
  parameter.link = mechanism.link_of(q);
  parameter.parent_frame = joint.parent;
  parameter.child_frame = joint.child;
  const std::string number = std::to_string(q + 1);
  const auto& link = mechanism.link(parameter.link);
  const auto& drive = mechanism.drives[link.q];
  const Pose<double> from_link = mechanism.frames[index(joint.child)].in_link.inverse();
  const auto add = [&](std::string name, Kept kind, int axis, double nominal) {
    parameter.name = std::move(name);
    parameter.kind = kind;
    parameter.axis = axis;
    parameter.nominal = nominal;
    kept.push_back(parameter);
  };
  if (is_length) {
    parameter = length(component, parameter, joint, lengths_follow_joints(robot), item);
    parameter.name = std::string(1, component).append(number);
    kept.push_back(parameter);
  } else if (quantity == "mass") {
    add("m" + number, Kept::mass, 0, link.mass);
  } else if (quantity == "com") {
    const Vec3<double> com = from_link.p + from_link.R * link.com;
    for (const auto& [axis, value] : {std::pair{0, com.x}, {1, com.y}, {2, com.z}})
      add(std::string("c") + "xyz"[axis] + number, Kept::com, axis, value);
  } else if (quantity == "inertia") {
    const Sym3<double> I = congruence(from_link.R, link.inertia_com);
    const char* names[] = {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
    const double values[] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    for (int k = 0; k < 6; ++k) add(names[k] + number, Kept::inertia, k, values[k]);
  } else if (quantity == "friction") {
    add("fv" + number, Kept::viscous, 0, drive.viscous);
    add("fc" + number, Kept::coulomb, 0, drive.coulomb);
    if (drive.stribeck != 0.0) add("fs" + number, Kept::stribeck, 0, drive.stribeck);
  } else if (quantity == "rotor") {
    const bool turns = drive.reflected_inertia != 0.0;  // rotors may have been left out
    const double inertia = turns ? joint.drive.rotor_inertia : 0.0, ratio = joint.drive.gear_ratio;
    parameter.partner = ratio;
    add("Ir" + number, Kept::rotor, 0, inertia);
    parameter.partner = inertia;
    add("G" + number, Kept::gear, 0, ratio);
  } else if (quantity == "spring") {
    add("k" + number, Kept::stiffness, 0, drive.stiffness);
    add("qr" + number, Kept::rest, 0, drive.rest);
    if (drive.offset != 0.0) add("to" + number, Kept::offset, 0, drive.offset);
  } else {
    refuse(item, "known quantities: mass, com, inertia, length, friction, rotor, spring");
  }
}

}  // namespace

std::vector<KeptParameter> parse_kept(std::string_view text, const Robot& robot, const Mechanism& mechanism) {
  if (!text.empty()) require_uncoupled(mechanism, "constants that stay arguments");
  if (!text.empty()) require_fixed_base(mechanism, "constants that stay arguments do");
  std::vector<KeptParameter> kept;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    keep_item(text.substr(0, comma), robot, mechanism, kept);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  for (std::size_t k = 0; k < kept.size(); ++k)
    for (std::size_t l = 0; l < k; ++l)
      if (kept[k].name == kept[l].name) refuse(kept[k].name, "is asked for twice");
  return kept;
}

namespace {

// Friction, rotors, gears and springs as symbols. A joint may keep some of them; the others have the model's number.
void keep_drives(BasicMechanism<Expr>& out, const std::vector<KeptParameter>& keep, const std::vector<Expr>& symbols) {
  for (std::size_t k = 0; k < keep.size(); ++k) {
    DriveConstants<Expr>& drive = out.drives[out.link(keep[k].link).q];
    if (keep[k].kind == Kept::viscous) drive.viscous = symbols[k];
    if (keep[k].kind == Kept::coulomb) drive.coulomb = symbols[k];
    if (keep[k].kind == Kept::stiffness) drive.stiffness = symbols[k];
    if (keep[k].kind == Kept::rest) drive.rest = symbols[k];
    if (keep[k].kind == Kept::stribeck) drive.stribeck = symbols[k];
    if (keep[k].kind == Kept::offset) drive.offset = symbols[k];
    if (keep[k].kind != Kept::rotor && keep[k].kind != Kept::gear) continue;
    const bool is_rotor = keep[k].kind == Kept::rotor;
    Expr partner(keep[k].partner);
    for (std::size_t l = 0; l < keep.size(); ++l)
      if (keep[l].link == keep[k].link && keep[l].kind == (is_rotor ? Kept::gear : Kept::rotor)) partner = symbols[l];
    const Expr ratio = is_rotor ? partner : symbols[k];
    drive.reflected_inertia = ratio * ratio * (is_rotor ? symbols[k] : partner);
  }
  const auto of_drive = [](const KeptParameter& p) { return p.kind >= Kept::viscous; };
  out.has_drives = out.has_drives || std::any_of(keep.begin(), keep.end(), of_drive);
}

// Masses, mass centres and inertias as symbols. Vectors and tensors of a link are replaced as a whole, in the user's
// frame at `from`, before they are rotated.
void keep_bodies(BasicMechanism<Expr>& out, const Mechanism& from, const std::vector<KeptParameter>& keep,
                 const std::vector<Expr>& symbols) {
  struct InUserFrame {
    bool com_kept = false, inertia_kept = false;
    Vec3<Expr> com{};
    Sym3<Expr> inertia{};
  };
  std::vector<InUserFrame> kept(out.links.size());
  for (std::size_t k = 0; k < keep.size(); ++k) {
    const KeptParameter& parameter = keep[k];
    InUserFrame& own = kept[index(parameter.link)];
    if (parameter.kind == Kept::mass) out.links[index(parameter.link)].mass = symbols[k];
    if (parameter.kind == Kept::com) {
      own.com_kept = true;
      (parameter.axis == 0 ? own.com.x : parameter.axis == 1 ? own.com.y : own.com.z) = symbols[k];
    }
    if (parameter.kind == Kept::inertia) {
      own.inertia_kept = true;
      Sym3<Expr>& I = own.inertia;
      Expr* entries[] = {&I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz};
      *entries[index(parameter.axis)] = symbols[k];
    }
  }
  for (const KeptParameter& parameter : keep) {
    LinkConstants<Expr>& link = out.links[index(parameter.link)];
    InUserFrame& own = kept[index(parameter.link)];
    const Pose<double> frame = from.frames[index(parameter.child_frame)].in_link;
    if (own.com_kept) {
      link.com = static_cast<Vec3<Expr>>(frame.p) + static_cast<Mat3<Expr>>(frame.R) * own.com;
      own.com_kept = false;
    }
    if (own.inertia_kept) {
      link.inertia_com = congruence(static_cast<Mat3<Expr>>(frame.R), own.inertia);
      link.pseudo_com = pseudo_inertia(link.inertia_com);
      own.inertia_kept = false;
    }
  }
}

// Adds point masses to links. A link without a mass has its centre there.
void keep_loads(BasicMechanism<Expr>& out, const Mechanism& from, const std::vector<KeptParameter>& keep,
                const std::vector<Expr>& symbols) {
  for (std::size_t k = 0; k < keep.size(); ++k) {
    if (keep[k].kind != Kept::load || keep[k].axis != 0) continue;
    Vec3<Expr> place{Expr(0.0), Expr(0.0), Expr(0.0)};
    for (std::size_t l = 0; l < keep.size(); ++l)
      if (keep[l].kind == Kept::load && keep[l].child_frame == keep[k].child_frame && keep[l].axis > 0)
        (keep[l].axis == 1 ? place.x : keep[l].axis == 2 ? place.y : place.z) = symbols[l];
    const Pose<double> frame = from.frames[index(keep[k].child_frame)].in_link;
    LinkConstants<Expr>& link = out.links[index(keep[k].link)];
    const Vec3<Expr> at = static_cast<Vec3<Expr>>(frame.p) + static_cast<Mat3<Expr>>(frame.R) * place;
    const bool alone = link.mass == Expr(0.0);
    const Expr all = link.mass + symbols[k], share = alone ? Expr(1.0) : symbols[k] / all;
    const Vec3<Expr> d = at - link.com;
    const Expr reduced = link.mass * share;  // what two masses weigh as they turn about their common centre
    link.com += share * d;
    link.inertia_com += reduced * Sym3<Expr>{d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y,
                                             -(d.x * d.y),          -(d.x * d.z),          -(d.y * d.z)};
    link.pseudo_com = pseudo_inertia(link.inertia_com);
    link.mass = all;
  }
}

// Moves a joint on its parent link, or a link on its joint, with everything attached to it.
void keep_length(BasicMechanism<Expr>& out, const Mechanism& from, const KeptParameter& parameter, const Expr& symbol) {
  const bool on_parent = parameter.kind == Kept::joint_position;
  const Expr longer = symbol - Expr(parameter.nominal);
  const Mat3<double> R = from.frames[index(on_parent ? parameter.parent_frame : parameter.child_frame)].in_link.R;
  const Vec3<Expr> shift = longer * static_cast<Vec3<Expr>>(R * parameter.direction);
  LinkConstants<Expr>& link = out.links[index(parameter.link)];
  if (on_parent && parameter.link == 0) {  // the base frame is at the first link's origin
    out.world_from_base.p += out.world_from_base.R * shift;
    for (auto& other : out.links)
      if (other.parent == base_link && &other != &link) other.p_parent_to_link -= shift;
    for (auto& frame : out.frames)
      if (frame.link == base_link) frame.in_link.p -= shift;
  } else if (on_parent) {
    link.p_parent_to_link += shift;
  } else {
    link.com += shift;
    for (auto& other : out.links)
      if (other.parent == parameter.link) other.p_parent_to_link += shift;
    for (auto& frame : out.frames)
      if (frame.link == parameter.link) frame.in_link.p += shift;
  }
}

}  // namespace

BasicMechanism<Expr> with_symbols(const Mechanism& mechanism, const std::vector<KeptParameter>& keep,
                                  const std::vector<Expr>& symbols) {
  BasicMechanism<Expr> out = mechanism.cast<Expr>();
  if (keep.empty()) return out;
  keep_bodies(out, mechanism, keep, symbols);
  keep_loads(out, mechanism, keep, symbols);
  for (std::size_t k = 0; k < keep.size(); ++k)  // lengths last: they also move what is already kept
    if (keep[k].kind == Kept::joint_position || keep[k].kind == Kept::link_position)
      keep_length(out, mechanism, keep[k], symbols[k]);
  keep_drives(out, keep, symbols);
  augment_links(out.links);
  return out;
}

}  // namespace catena
