// SDF, the format of Gazebo (docs/robot-files.md): which elements matter to dynamics and what they mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/sdf_tree.hpp"
#include "io/sdf_visuals.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::array<std::string_view, 12> model_children{
    "static",  "self_collide", "allow_auto_disable", "enable_wind", "pose", "link", "joint", "frame", "model", "plugin",
    "gripper", "include"};
constexpr std::array<std::string_view, 19> link_children{
    "gravity",           "enable_wind",    "self_collide", "kinematic",
    "must_be_base_link", "velocity_decay", "pose",         "frame",
    "inertial",          "collision",      "visual",       "sensor",
    "particle_emitter",  "projector",      "battery",      "audio_sink",
    "audio_source",      "light",          "plugin"};
constexpr std::array<std::string_view, 7> inertial_children{
    "mass", "pose", "inertia", "density", "auto_inertia_params", "fluid_added_mass", "frame"};
constexpr std::array<std::string_view, 6> moments{"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
constexpr std::array<std::string_view, 25> unused{"collision",   "visual",
                                                  "sensor",      "particle_emitter",
                                                  "projector",   "battery",
                                                  "audio_sink",  "audio_source",
                                                  "light",       "must_be_base_link",
                                                  "enable_wind", "self_collide",
                                                  "gripper",     "allow_auto_disable",
                                                  "scene",       "physics",
                                                  "gui",         "atmosphere",
                                                  "audio",       "magnetic_field",
                                                  "road",        "population",
                                                  "state",       "spherical_coordinates",
                                                  "actor"};
// In the file name of a plugin, in lower case and without '-' and '_': forces that no joint exerts.
constexpr std::array<std::string_view, 7> forces{"liftdrag", "hydrodynamics",   "buoyancy",   "mimicjoint",
                                                 "wind",     "springstiffness", "jointspring"};

class SdfReader {
 public:
  SdfReader(const SdfNode& root, const RobotText& source)
      : root_(root), file_(source.file), shared_{out_, source.lenient} {}

  // The shapes too; null: none.
  void draw_into(std::vector<Visual>* drawn) { drawn_ = drawn; }

  Reading read() {
    out_.robot.line = root_.line;
    if (choose()) {
      const SdfFrames frames(shared_, world_, models_, prefixed_);
      read_parts(frames);
    }
    report_once();
    return std::move(out_);
  }

 private:
  SdfElement element(const SdfNode& node) { return {shared_, node, sdf_subject(node)}; }

  // ---- which model ----

  bool choose() {
    std::vector<const SdfNode*> worlds;
    for (const SdfNode& child : root_.children) {
      if (child.name == "world") worlds.push_back(&child);
      if (child.name == "model") models_.push_back(&child);
    }
    if (worlds.size() + (models_.empty() ? 0 : 1) > 1) {
      element(*worlds.back()).error("a second <world>, or a <world> beside a <model>; a file has one");
      return false;
    }
    if (!worlds.empty()) {
      world_ = worlds.front();
      for (const SdfNode& child : world_->children)
        if (child.name == "model") models_.push_back(&child);
      prefixed_ = world_->child("joint") != nullptr;
      read_gravity(SdfElement(shared_, *world_, ""));
    }
    if (models_.empty()) out_.error(root_.line, "there is no <model>");
    return !models_.empty() && has_one_robot();
  }

  // By its joints a world makes one robot of several models. Otherwise all models but one are scenery.
  bool has_one_robot() {
    std::vector<std::string> names;
    for (const SdfNode* model : models_) {
      const bool moves = !element(*model).truth("static", false);
      const std::string* name = model->find("name");
      if (moves) names.push_back(io::quoted(name == nullptr ? "" : *name));
      if (moves || models_.size() == 1) robot_ = model;
    }
    if (prefixed_ || names.size() == 1 || models_.size() == 1) return true;
    const SdfElement said = world_ == nullptr ? element(root_) : element(*world_);
    if (names.empty())
      said.error(fmt::format("all {} models are static; a robot moves", models_.size()));
    else
      said.error(
          fmt::format("there are {} models that are not static, {}; a file may hold only one robot: move it to its own "
                      "file, or set <static>true</static> in the others",
                      names.size(), fmt::join(names, ", ")));
    return false;
  }

  void read_gravity(const SdfElement& world) {
    const auto physics = world.node().minor < 6 ? world.children("physics") : std::vector<SdfElement>{};
    out_.robot.gravity = {0.0, 0.0, -9.8};  // SDF's default
    if (!physics.empty()) out_.robot.gravity = physics.front().vector("gravity", out_.robot.gravity);
    out_.robot.gravity = world.vector("gravity", out_.robot.gravity);
  }

  // ---- links, joints, frames ----

  void read_parts(const SdfFrames& frames) {
    const SdfNode& named = robot_ != nullptr && !prefixed_ ? *robot_ : world_ != nullptr ? *world_ : *models_.front();
    if (const std::string* name = named.find("name"); name != nullptr && !name->empty()) out_.robot.name = *name;
    out_.robot.line = named.line;
    const std::vector<SdfJoint> joints = read_joints(frames);
    std::map<int, int> links{{0, out_.robot.add_link("world")}};
    for (int k = 1; k < static_cast<int>(frames.all().size()); ++k) {
      if (!is_used(frames, k)) continue;
      if (frames.at(k).kind == SdfKind::link) {
        links[k] = out_.robot.add_link(frames.at(k).name, read_link(frames.element(k)));
        out_.robot.links.back().line = frames.at(k).node->line;
        draw(frames, k);
      }
      if (frames.at(k).kind == SdfKind::model) check_model(frames.element(k));
    }
    if (world_ != nullptr) {
      const SdfElement world(shared_, *world_, "");
      check_plugins(world);
      world.note_unused(unused);
    }
    if (fall_.empty() && !hover_.empty()) out_.robot.gravity = {};
    if (!fall_.empty())
      for (const SdfElement& link : hover_) link.refuse("<gravity> is false, while other links have weight");
    if (!out_.connected || !out_.findings.ok()) {
      out_.connected = false;
      return;
    }
    for (int k = 1; k < static_cast<int>(frames.all().size()); ++k) {
      const auto link = links.find(frames.link_of(k));
      if (frames.at(k).kind != SdfKind::frame || !is_used(frames, k) || link == links.end()) continue;
      if (frames.at(k).scope == 0 && !prefixed_) continue;  // of the world, beside the robot
      out_.robot.add_frame(frames.at(k).name, link->second, frames.between(link->first, k));
      out_.robot.frames.back().line = frames.at(k).node->line;
    }
    connect_sdf(shared_, frames, links, joints);
    if (!out_.findings.ok()) out_.connected = false;
  }

  // Of the robot: all that is not static, and what joints of the world hold.
  bool is_used(const SdfFrames& frames, int k) const {
    const int top = frames.at(k).top;
    if (top == 0) return true;
    const SdfFrame& model = frames.at(top);
    return prefixed_ ? !model.is_static || held_.contains(top) : model.node == robot_;
  }

  std::vector<SdfJoint> read_joints(const SdfFrames& frames) {
    std::vector<SdfJoint> joints;
    for (int k = 1; k < static_cast<int>(frames.all().size()); ++k) {
      if (frames.at(k).kind != SdfKind::joint) continue;
      if (frames.at(k).top != 0 && !prefixed_ && !is_used(frames, k)) continue;
      joints.push_back(read_sdf_joint(frames, k));
      if (joints.back().parent < 0 || joints.back().child < 0) out_.connected = false;
      if (frames.at(k).top != 0) continue;
      for (const int link : {joints.back().parent, joints.back().child})
        if (link > 0) held_.insert(frames.at(link).top);
    }
    std::erase_if(joints, [&](const SdfJoint& joint) { return !is_used(frames, joint.frame); });
    return joints;
  }

  void draw(const SdfFrames& frames, int link) {
    if (drawn_ == nullptr) return;
    for (const SdfElement& visual : frames.element(link).children("visual"))
      if (auto shape = sdf_visual(frames, link, visual, file_)) drawn_->push_back(std::move(*shape));
  }

  void check_model(const SdfElement& model) {
    model.check_names(model_children);
    model.note_unused(unused);
    check_plugins(model);
    if (model.truth("static", false) && model.node().child("joint") != nullptr)
      model.warning("static", "is static: its base is fixed; simulators also fix its joints, which move here");
  }

  void check_plugins(const SdfElement& holder) {
    for (const SdfElement& plugin : holder.children("plugin")) {
      std::string file;
      for (const char c : plugin.attribute("filename") + plugin.attribute("name"))
        if (c != '-' && c != '_') file += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      out_.note_unknown(plugin.node().line, "<plugin> in " + holder.tag());
      const auto acts = [&](std::string_view force) { return file.find(force) != std::string::npos; };
      if (std::any_of(forces.begin(), forces.end(), acts))
        plugin.warning("plugin",
                       fmt::format("<plugin> {}: its forces are not read", io::quoted(plugin.attribute("filename"))));
    }
  }

  Inertial read_link(const SdfElement& link) {
    link.check_names(link_children);
    link.note_unused(unused);
    const Inertial body = read_inertial(link);
    if (body.mass > 0.0) (link.truth("gravity", true) ? fall_ : hover_).push_back(link);
    if (link.truth("kinematic", false)) link.refuse("<kinematic> true");
    if (const auto decay = link.child("velocity_decay"))
      for (const char* part : {"linear", "angular"})
        if (decay->number(part, 0.0) != 0.0) decay->refuse(fmt::format("<velocity_decay> {}", part));
    check_plugins(link);
    return body;
  }

  // SDF's defaults are a mass and moments of 1; they are hardly ever meant, so they are reported.
  Inertial read_inertial(const SdfElement& link) {
    Inertial body{1.0, {}, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}};
    const auto inertial = link.child("inertial");
    if (!inertial) {
      link.warning("no inertial", "<inertial> is missing; SDF's default is 1 for mass and moments of inertia");
      return body;
    }
    inertial->check_names(inertial_children);
    if (inertial->attribute("auto") == "true" || inertial->attribute("auto") == "1")
      inertial->refuse("<inertial> auto: inertia from collision shapes");
    if (const auto fluid = inertial->child("fluid_added_mass"))
      for (const SdfNode& part : fluid->node().children)
        if (parse_number(part.text).value_or(1.0) != 0.0) {
          fluid->refuse("<fluid_added_mass>");
          break;
        }
    const Pose<double> pose = inertial->pose();
    body.com = pose.p;
    if (inertial->node().child("mass") == nullptr)
      inertial->warning("no mass", "<mass> is missing; SDF's default is 1 kg");
    body.mass = inertial->number("mass", 1.0);
    if (body.mass < 0.0) inertial->error(fmt::format("<mass> {} must not be negative", body.mass));
    body.mass = std::max(body.mass, 0.0);
    const Sym3<double> own = read_moments(*inertial, body.inertia);
    body.inertia = pose.R == Mat3<double>::identity() ? own : congruence(pose.R, own);
    return body;
  }

  static Sym3<double> read_moments(const SdfElement& inertial, const Sym3<double>& otherwise) {
    const auto inertia = inertial.child("inertia");
    if (!inertia) {
      inertial.warning("no inertia", "<inertia> is missing; SDF's default is 1 for the moments of inertia");
      return otherwise;
    }
    inertia->check_names(moments);
    std::array<double, 6> v{otherwise.xx, otherwise.yy, otherwise.zz, 0.0, 0.0, 0.0};
    for (std::size_t k = 0; k < moments.size(); ++k) {
      if (k < 3 && inertia->node().child(moments[k]) == nullptr)
        inertia->warning("no moment", fmt::format("<{}> is missing; SDF's default is 1", moments[k]));
      v[k] = inertia->number(moments[k], v[k]);
    }
    return {v[0], v[1], v[2], v[3], v[4], v[5]};
  }

  // A value that several questions ask for is wrong once.
  void report_once() {
    for (std::vector<Problem>* problems : {&out_.findings.errors, &out_.findings.warnings}) {
      std::set<std::pair<int, std::string>> said;
      std::erase_if(*problems, [&](const Problem& p) { return !said.insert({p.line, p.text}).second; });
    }
  }

  const SdfNode& root_;
  std::string file_;
  std::vector<Visual>* drawn_ = nullptr;
  Reading out_;
  SdfModel shared_;
  const SdfNode* world_ = nullptr;
  std::vector<const SdfNode*> models_;
  const SdfNode* robot_ = nullptr;
  bool prefixed_ = false;
  std::vector<SdfElement> fall_, hover_;  // links with mass: with weight, and without
  std::set<int> held_;                    // outermost models that joints of the world hold
};

}  // namespace

Reading read_sdf(const RobotText& source) {
  Reading failed;
  const SdfNode root = read_sdf_document(source, failed);
  if (!failed.findings.ok()) return failed;
  Reading out = SdfReader(root, source).read();
  out.findings.warnings.insert(out.findings.warnings.end(), failed.findings.warnings.begin(),
                               failed.findings.warnings.end());
  return out;
}

std::vector<Visual> sdf_visuals(const RobotText& source) {
  Reading failed;
  const SdfNode root = read_sdf_document(source, failed);
  std::vector<Visual> drawn;
  if (!failed.findings.ok()) return drawn;
  SdfReader reader(root, source);
  reader.draw_into(&drawn);
  reader.read();
  return drawn;
}

}  // namespace catena::io
