#include "io/sdf_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "io/limits.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

std::size_t at_index(int k) { return static_cast<std::size_t>(k); }

bool says_static(SdfModel& shared, const SdfNode& node) {
  return SdfElement(shared, node, sdf_subject(node)).truth("static", false);
}

}  // namespace

SdfFrames::SdfFrames(SdfModel& shared, const SdfNode* world, const std::vector<const SdfNode*>& models, bool prefixed)
    : shared_(shared) {
  all_.push_back({SdfKind::world, world});
  all_[0].attached = 0;
  names_.emplace_back();
  for (const SdfNode* model : models) {
    const std::string* name = model->find("name");
    add_model(*model, 0, prefixed && name != nullptr ? *name + "::" : "");
  }
  if (world != nullptr) add_parts(*world, 0, "");
  for (int k = 1; k < static_cast<int>(all_.size()); ++k) attach(k);
  for (int k = 1; k < static_cast<int>(all_.size()); ++k) set_pose(k);
  open_circles();
  for (int k = static_cast<int>(all_.size()) - 1; k > 0; --k)  // those inside first
    if (all_[at_index(k)].kind == SdfKind::model) place(k);
  stand_all();
}

SdfElement SdfFrames::element(int k) const {
  const SdfFrame& frame = all_[at_index(k)];
  return {shared_, *frame.node, fmt::format("{} {}: ", printable(frame.node->name), io::quoted(frame.name))};
}

// ---- names ----

void SdfFrames::enter(int scope, const std::string& name, int k) {
  if (names_[at_index(scope)].try_emplace(name, k).second) return;
  const SdfElement element(shared_, *all_[at_index(k)].node, sdf_subject(*all_[at_index(k)].node));
  if (element.node().minor >= 7)  // older files may name a joint like a link
    element.error("its name is used twice in this model");
}

int SdfFrames::add(SdfKind kind, const SdfNode& node, int scope, const std::string& prefix) {
  const int k = static_cast<int>(all_.size());
  if (all_.size() > 4 * limits::parts)  // links, joints, frames, models
    throw TooManyProblems{{{1, fmt::format("more than {} parts; this is not a robot file", 4 * limits::parts)}}};
  const std::string* name = node.find("name");
  if (name == nullptr || name->empty())
    SdfElement(shared_, node, "").error(fmt::format("<{}> has no attribute 'name', which is required", node.name));
  SdfFrame frame{kind, &node, prefix + (name == nullptr ? "" : *name), scope};
  if (frame.name.size() > limits::name) {
    SdfElement(shared_, node, "").error(overlong_name(frame.name));
    frame.name.resize(limits::name);
  }
  frame.top = scope == 0 && kind == SdfKind::model ? k : all_[at_index(scope)].top;
  frame.is_static = all_[at_index(scope)].is_static;
  all_.push_back(std::move(frame));
  names_.emplace_back();
  if (name == nullptr) return k;
  enter(scope, *name, k);
  // What is merged has a name in the models around it as well.
  for (int outer = scope; outer != 0 && all_[at_index(outer)].node->find("merge") != nullptr;) {
    outer = all_[at_index(outer)].scope;
    enter(outer, *name, k);
  }
  return k;
}

void SdfFrames::add_model(const SdfNode& node, int scope, const std::string& prefix) {
  const bool merged = node.find("merge") != nullptr;
  const std::string* name = node.find("name");
  const int k = static_cast<int>(all_.size());
  if (merged) {
    all_.push_back({SdfKind::model, &node, prefix + "_merged__" + (name == nullptr ? "" : *name) + "__model__", scope});
    all_.back().top = scope == 0 ? k : all_[at_index(scope)].top;
    all_.back().is_static = all_[at_index(scope)].is_static;
    names_.emplace_back();
  } else {
    add(SdfKind::model, node, scope, scope == 0 ? "" : prefix);
  }
  all_[at_index(k)].is_static = all_[at_index(k)].is_static || says_static(shared_, node);
  add_parts(node, k, merged || scope == 0 ? prefix : prefix + (name == nullptr ? "" : *name) + "::");
}

void SdfFrames::add_parts(const SdfNode& node, int scope, const std::string& prefix) {
  for (const SdfNode& child : node.children) {
    if (child.name == "link" && scope != 0) add(SdfKind::link, child, scope, prefix);
    if (child.name == "joint") add(SdfKind::joint, child, scope, prefix);
    if (child.name == "frame" && child.minor >= 7) add(SdfKind::frame, child, scope, prefix);
    if (child.name == "model" && scope != 0) add_model(child, scope, prefix);
  }
}

int SdfFrames::find(int scope, std::string_view name) const {
  while (true) {
    if (name == "__model__" && scope != 0) return scope;
    if (name == "world") return 0;
    const auto& names = names_[at_index(scope)];
    if (const auto found = names.find(name); found != names.end()) return found->second;
    const std::size_t colons = name.find("::");
    const auto head = colons == std::string_view::npos ? names.end() : names.find(name.substr(0, colons));
    if (head == names.end() || at(head->second).kind != SdfKind::model) return -1;
    scope = head->second;
    name.remove_prefix(colons + 2);
  }
}

int SdfFrames::named(int scope, std::string_view name, const SdfElement& by, std::string_view what) const {
  const int k = find(scope, name);
  if (k >= 0) return k;
  std::vector<std::string_view> known;
  for (const auto& [other, frame] : names_[at_index(scope)]) known.push_back(other);
  by.error(fmt::format("{} {} is not a link, joint, frame or model here{}", what, io::quoted(name),
                       did_you_mean(name, known)));
  return -1;
}

// ---- what moves with what ----

void SdfFrames::attach(int k) {
  SdfFrame& frame = all_[at_index(k)];
  const SdfElement own = element(k);
  if (frame.kind == SdfKind::link) frame.attached = k;
  if (frame.kind == SdfKind::model) return attach_model(k, own);
  if (frame.kind == SdfKind::joint) {
    const auto child = own.child("child");
    if (!child) own.error("<joint> has no <child>, which is required");
    frame.attached = child ? named(frame.scope, child->node().text, *child, "<child>") : -1;
  }
  if (frame.kind == SdfKind::frame) {
    const std::string to = own.attribute("attached_to");
    frame.attached = to.empty() ? frame.scope : named(frame.scope, to, own, "attached_to");
  }
  if (frame.attached < 0) shared_.out.connected = false;
}

// Its canonical link: the first one, or that of the first model in it.
void SdfFrames::attach_model(int k, const SdfElement& own) {
  SdfFrame& frame = all_[at_index(k)];
  const std::string canonical = own.attribute("canonical_link");
  if (!canonical.empty()) {
    frame.attached = named(k, canonical, own, "canonical_link");
    if (frame.attached < 0) shared_.out.connected = false;
    return;
  }
  for (const SdfKind kind : {SdfKind::link, SdfKind::model})
    for (int j = k + 1; frame.attached < 0 && j < static_cast<int>(all_.size()) && at(j).scope >= k; ++j)
      if (at(j).scope == k && at(j).kind == kind) frame.attached = j;
  if (frame.attached >= 0) return;
  frame.attached = 0;
  if (!frame.is_static) own.error("<model> has no <link>");
}

int SdfFrames::link_of(int k) const {
  while (k > 0 && all_[at_index(k)].attached != k) k = all_[at_index(k)].attached;
  return std::max(k, 0);
}

// ---- where things stand ----

void SdfFrames::set_pose(int k) {
  SdfFrame& frame = all_[at_index(k)];
  const SdfElement own = element(k);
  frame.base = frame.scope;
  if ((frame.kind == SdfKind::joint || frame.kind == SdfKind::frame) && frame.attached >= 0)
    frame.base = frame.attached;
  const auto pose = own.child("pose");
  if (!pose) return;
  frame.pose = pose->as_pose();
  const std::string relative_to = pose->attribute("relative_to"), old = pose->attribute("frame");
  if (!old.empty())
    pose->refuse(
        fmt::format("<pose> frame {}: its meaning is not defined; use relative_to of SDF 1.7", io::quoted(old)));
  if (relative_to.empty()) return;
  const int found = named(frame.scope, relative_to, *pose, "<pose> relative_to");
  if (found < 0) shared_.out.connected = false;
  if (found >= 0) frame.base = found;
}

void SdfFrames::open_circles() {
  for (int k = 1; k < static_cast<int>(all_.size()); ++k)
    if (all_[at_index(k)].attached < 0) all_[at_index(k)].attached = 0;
  open_circles(&SdfFrame::attached, "it is attached to itself, by way of others");
  open_circles(&SdfFrame::base, "its <pose> is relative to itself, by way of others");
}

// A circle is reported and opened, so that every chain ends in the world, or, of what is attached, in a link.
void SdfFrames::open_circles(int SdfFrame::*next, const char* what) {
  const auto ends = [&](int k) { return k == 0 || (next == &SdfFrame::attached && at(k).kind == SdfKind::link); };
  std::vector<int> seen(all_.size(), -1);  // in the chain from which frame
  for (int k = 1; k < static_cast<int>(all_.size()); ++k) {
    int j = k;
    for (; seen[at_index(j)] < 0 && !ends(j); j = at(j).*next) seen[at_index(j)] = k;
    if (ends(j) || seen[at_index(j)] != k) continue;
    element(j).error(what);
    shared_.out.connected = false;
    all_[at_index(j)].*next = 0;
  }
}

// A pose of a model is that of its placement_frame, where it has one.
void SdfFrames::place(int model) {
  SdfFrame& frame = all_[at_index(model)];
  const SdfElement own = element(model);
  const std::string name = own.attribute("placement_frame");
  if (name.empty()) return;
  const int placed = named(model, name, own, "placement_frame");
  if (placed < 0) shared_.out.connected = false;
  Pose<double> inside;  // of the placed frame in the model
  int k = placed;
  for (; k > 0 && k != model; k = at(k).base) inside = at(k).pose * inside;
  if (k == model) frame.pose = frame.pose * inside.inverse();
  if (k == 0) own.error(fmt::format("placement_frame {} is not placed in this model", io::quoted(name)));
}

// Depths, and poses in the world, for frames that are far apart.
void SdfFrames::stand_all() {
  for (int k = 1; k < static_cast<int>(all_.size()); ++k) {
    std::vector<int> open;
    for (int j = k; j > 0 && at(j).depth == 0; j = at(j).base) open.push_back(j);
    for (std::size_t i = open.size(); i-- > 0;) {
      SdfFrame& frame = all_[at_index(open[i])];
      frame.depth = at(frame.base).depth + 1;
      frame.in_world = at(frame.base).in_world * frame.pose;
    }
  }
}

// Only by way of frames between the two: what is identity by the file stays so.
Pose<double> SdfFrames::between(int from, int to) const {
  constexpr int far = 100;
  Pose<double> back, there;
  int a = from, b = to, steps = 0;
  for (; a != b && steps < far; ++steps) {
    Pose<double>& path = at(a).depth > at(b).depth ? back : there;
    int& end = at(a).depth > at(b).depth ? a : b;
    path = at(end).pose * path;
    end = at(end).base;
  }
  return a == b ? back.inverse() * there : at(from).in_world.inverse() * at(to).in_world;
}

}  // namespace catena::io
