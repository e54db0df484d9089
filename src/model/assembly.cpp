#include "catena/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "model/assembly_impl.hpp"
#include "model/find_frame.hpp"
#include "model/places.hpp"
#include "model/words.hpp"

namespace catena {

using words::escaped;
using words::rounded;

namespace {

// γ, α and θ with R = Rot(z, γ) Rot(x, α) Rot(z, θ), in the form of link constants.
void factor_rotation(const Mat3<double>& R, LinkConstants<double>& link) {
  const double across = std::hypot(R.xz, R.yz);
  link.z_in_parent = R.column_z();
  if (across < 1e-14) {
    link.tilt = {R.zz < 0.0 ? -1.0 : 1.0, 0.0, 1.0, 0.0, false};
    link.z_in_parent = {0.0, 0.0, link.tilt.cos_alpha};
    link.fixed_turn = {R.xx, -R.xy};
  } else {
    link.tilt = {R.zz, across, -R.yz / across, R.xz / across, true};
    link.fixed_turn = {R.zy / across, R.zx / across};
  }
  const double h = std::hypot(link.fixed_turn.c, link.fixed_turn.s);
  link.fixed_turn.c /= h, link.fixed_turn.s /= h;
  link.theta = std::atan2(link.fixed_turn.s, link.fixed_turn.c);
}

bool same(const Inertial& a, const Inertial& b) { return a.mass == b.mass && a.com == b.com && a.inertia == b.inertia; }

}  // namespace

// Appends a part's links, joints and frames to the existing ones.
void Assembly::Impl::splice(const Attachment& own, std::string_view prefix, Mechanism& live) {
  const Mechanism& made = own.part->mechanism_;
  const int first_q = live.joints();
  const Pose<double> host_from_base = own.mount * made.world_from_base;
  for (int i = 0; i < made.joints(); ++i) {
    LinkConstants<double> link = made.link(i);
    if (link.parent == base_link) {
      const Mat3<double> at_zero = i == 0 ? Mat3<double>::identity() : matrix(link.tilt, link.fixed_turn);
      factor_rotation(host_from_base.R * at_zero, link);
      link.p_parent_to_link = host_from_base.p + host_from_base.R * link.p_parent_to_link;
      link.parent = own.host_link;
    } else {
      link.parent += own.first_link;
    }
    link.q = TreeJoint(first_q + link.q);
    link.frame += own.first_frame - 1;
    live.links.push_back(link);
  }
  for (const TreeJoint j : made.all_joints()) {
    live.coordinates.joints.push_back(live.drives.next());
    live.drives.push_back(made.drives[j]);
    live.coordinates.limits.push_back(made.coordinates.joint_limits[j]);
    live.coordinates.joint_limits.push_back(made.coordinates.joint_limits[j]);
    live.passive.push_back(made.passive[j]);
    live.joint_names.push_back(take_name(prefix, made.joint_names[j]));
  }
  for (std::size_t k = 1; k < made.frames.size(); ++k) {
    const auto& frame = made.frames[k];
    const bool on_host = frame.link == base_link;
    live.frames.push_back({take_name(prefix, frame.name), on_host ? own.host_link : frame.link + own.first_link,
                           on_host ? host_from_base * frame.in_link : frame.in_link});
  }
}

Assembly::Assembly(const Robot& robot) : Assembly(robot, Capacity{}) {}
Assembly::Assembly(const Robot& robot, const Capacity& capacity, const MechanismOptions& options)
    : impl_(std::make_unique<Impl>(robot, capacity, options)), live_(std::make_shared<LiveMechanism>()) {
  require_uncoupled(impl_->original, "assemblies");
  require_fixed_base(impl_->original, "assemblies do");
  Mechanism& live = live_->robot;
  live = impl_->original;
  impl_->make_room(live, capacity);
  impl_->link_up(live);
  for (int i = live.joints() - 1; i >= 0; --i) impl_->augment(i, live);
  impl_->mark(live);
}
Assembly::~Assembly() = default;
Assembly::Assembly(Assembly&&) noexcept = default;
Assembly& Assembly::operator=(Assembly&&) noexcept = default;

Assembly::Handle Assembly::attach(std::string_view frame, std::shared_ptr<const Part> part, std::string_view prefix) {
  Mechanism& live = live_->robot;
  Impl& p = *impl_;
  if (!part) throw ModelError(p.robot.name + ": there is no part to attach");
  const int at = find_frame(live, frame);
  if (at < 0)
    throw ModelError(p.robot.name + ": no link or frame '" + escaped(frame) + "' that '" + escaped(part->name()) +
                     "' could be attached to");
  const auto is = [&](const std::string& taken, const std::string& name) {
    return taken.size() == prefix.size() + name.size() && taken.starts_with(prefix) && taken.ends_with(name);
  };
  const Mechanism& made = part->mechanism_;
  const auto refuse = [&](const char* what, const std::string& name) {
    throw ModelError(p.robot.name + ": there is a " + what + " '" + escaped(std::string(prefix) + name) +
                     "' already; attach '" + escaped(part->name()) + "' with another prefix");
  };
  for (const std::string& name : made.joint_names)
    for (const std::string& taken : live.joint_names)
      if (is(taken, name)) refuse("joint", name);
  for (std::size_t k = 1; k < made.frames.size(); ++k)
    for (const auto& taken : live.frames)
      if (is(taken.name, made.frames[k].name)) refuse("link or frame", made.frames[k].name);

  Impl::Attachment own;
  if (!p.spare.empty()) {
    own = std::move(p.spare.back());
    p.spare.pop_back();
  }
  own.handle = p.next++;
  own.on = p.owner_of(at);
  own.host_frame = at;
  own.part = std::move(part);
  own.host_link = live.frames[index(at)].link;
  own.mount = live.frames[index(at)].in_link;
  own.first_link = live.joints();
  own.first_frame = static_cast<int>(live.frames.size());
  own.prefix_length = static_cast<int>(prefix.size());
  own.bodies.clear();
  const Pose<double> host_from_base = own.mount * made.world_from_base;
  for (std::size_t k = 1; k < own.part->robot_.links.size(); ++k) {
    const auto& seat = made.frames[k];
    const Pose<double> pose = seat.link == base_link ? host_from_base * seat.in_link : seat.in_link;
    own.bodies.push_back(seen_from(pose, own.part->robot_.links[k].inertial));
  }
  own.replaced.assign(own.bodies.size(), 0);
  p.attachments.push_back(std::move(own));
  const Impl::Attachment& added = p.attachments.back();
  p.splice(added, prefix, live);
  p.link_up(live);
  for (int i = live.joints() - 1; i >= added.first_link; --i) p.augment(i, live);
  if (added.host_link != base_link) {
    p.weigh(added.host_link, live);
    p.augment_from(added.host_link, live);
  }
  p.mark(live);
  ++live_->version;
  return added.handle;
}

void Assembly::detach(Handle handle) {
  Mechanism& live = live_->robot;
  Impl& p = *impl_;
  const std::size_t place = p.place_of(handle);
  std::string others;
  for (const Impl::Attachment& other : p.attachments)
    if (other.on == handle) others += (others.empty() ? "'" : ", '") + escaped(other.part->name()) + "'";
  if (!others.empty())
    throw ModelError(p.robot.name + ": '" + escaped(p.attachments[place].part->name()) +
                     "' cannot be detached: " + others + " hangs from it");
  Impl::Attachment gone = std::move(p.attachments[place]);
  p.attachments.erase(p.attachments.begin() + static_cast<std::ptrdiff_t>(place));
  const int links = gone.part->joints(),
            frames = static_cast<int>(gone.bodies.size() + gone.part->robot_.frames.size());
  const auto cut = [](auto& list, int first, int count) {
    list.erase(list.begin() + first, list.begin() + first + count);
  };
  for (int j = gone.first_link; j < gone.first_link + links; ++j) p.give_back(live.joint_names[TreeJoint(j)]);
  for (int k = gone.first_frame; k < gone.first_frame + frames; ++k) p.give_back(live.frames[index(k)].name);
  cut(live.links, gone.first_link, links);  // joints of parts have the same order in q as their links in the mechanism
  cut(live.drives.list(), gone.first_link, links);
  cut(live.coordinates.limits.list(), gone.first_link, links);
  cut(live.coordinates.joint_limits.list(), gone.first_link, links);
  live.coordinates.joints.resize(live.drives.size());
  cut(live.passive.list(), gone.first_link, links);
  cut(live.joint_names.list(), gone.first_link, links);
  cut(live.frames, gone.first_frame, frames);
  for (Impl::Attachment& later : p.attachments) {
    if (later.first_link >= gone.first_link + links && later.first_frame > gone.first_frame) later.first_link -= links;
    if (later.first_frame > gone.first_frame) later.first_frame -= frames;
    if (later.host_frame > gone.first_frame) later.host_frame -= frames;
    if (later.host_link >= gone.first_link + links) later.host_link -= links;
  }
  for (auto& link : live.links) {
    if (link.parent >= gone.first_link + links) link.parent -= links;
    if (link.q >= gone.first_link + links) link.q = TreeJoint(link.q - links);
    if (link.frame >= gone.first_frame + frames) link.frame -= frames;
  }
  for (auto& frame : live.frames)
    if (frame.link >= gone.first_link + links) frame.link -= links;
  // What each link passes on has the same index as the link.
  cut(p.handed, gone.first_link, links);
  p.link_up(live);
  if (gone.host_link != base_link) {
    p.weigh(gone.host_link, live);
    p.augment_from(gone.host_link, live);
  }
  p.mark(live);
  ++live_->version;
  gone.part.reset();
  if (p.spare.size() < p.spare.capacity()) p.spare.push_back(std::move(gone));
}

void Assembly::replace_inertia(Handle handle, std::string_view link, const Inertial& inertia) {
  Mechanism& live = live_->robot;
  Impl& p = *impl_;
  const std::size_t place = handle == robot_itself ? 0 : p.place_of(handle);
  const Robot& owner = handle == robot_itself ? p.robot : p.attachments[place].part->robot_;
  int at = -1;
  for (std::size_t k = handle == robot_itself ? 0 : 1; k < owner.links.size() && at < 0; ++k)
    if (owner.links[k].name == link) at = static_cast<int>(k);
  if (at < 0 && link.empty() && handle != robot_itself && owner.links.size() == 2) at = 1;
  if (at < 0) throw ModelError(owner.name + ": no link '" + escaped(link) + "' whose inertia could be replaced");
  require_body(owner.name, owner.links[index(at)].name, inertia);
  int changed = base_link;
  if (handle == robot_itself) {
    p.robot.links[index(at)].inertial = inertia;
    p.robot_bodies[index(at)] = seen_from(p.original.frames[index(at)].in_link, inertia);
    p.robot_replaced[index(at)] = same(inertia, p.given[index(at)]) ? 0 : 1;
    changed = p.original.frames[index(at)].link;
  } else {
    Impl::Attachment& own = p.attachments[place];
    const auto& frame = live.frames[index(own.first_frame + at - 1)];
    own.bodies[index(at - 1)] = seen_from(frame.in_link, inertia);
    own.replaced[index(at - 1)] = same(inertia, own.part->robot_.links[index(at)].inertial) ? 0 : 1;
    changed = frame.link;
  }
  if (changed != base_link) {
    p.weigh(changed, live);
    p.augment_from(changed, live);
  }
  ++live_->version;
}

Assembly::JointRange Assembly::joints_of(Handle handle) const {
  if (handle == robot_itself) return {0, impl_->original.joints()};
  const Impl::Attachment& own = impl_->attachments[impl_->place_of(handle)];
  return {own.first_link, own.part->joints()};
}

std::vector<Assembly::Handle> Assembly::attached() const {
  std::vector<Handle> handles;
  for (const Impl::Attachment& own : impl_->attachments) handles.push_back(own.handle);
  return handles;
}

int Assembly::mounted_at(Handle handle) const { return impl_->attachments[impl_->place_of(handle)].host_frame; }

Assembly::OwnedLink Assembly::owner_of_link(std::string_view link) const {
  if (impl_->robot.link_index(link) >= 0) return {robot_itself, std::string(link)};
  for (const Impl::Attachment& own : impl_->attachments)
    for (std::size_t k = 0; k < own.bodies.size(); ++k)
      if (live_->robot.frames[index(own.first_frame) + k].name == link)
        return {own.handle, own.part->robot_.links[k + 1].name};
  throw ModelError(impl_->robot.name + ": no link '" + escaped(link) + "'");
}

std::vector<Assembly::PartBody> Assembly::bodies_of(Handle handle) const {
  const Impl::Attachment& own = impl_->attachments[impl_->place_of(handle)];
  std::vector<PartBody> out;
  for (std::size_t k = 0; k < own.bodies.size(); ++k) {
    const int frame = own.first_frame + static_cast<int>(k);
    const RigidBody& body = own.bodies[k];
    const Pose<double> back = live_->robot.frames[index(frame)].in_link.inverse();
    out.push_back({frame, own.replaced[k] != 0
                              ? Inertial{body.mass, back.p + back.R * body.com, congruence(back.R, body.inertia)}
                              : own.part->robot_.links[k + 1].inertial});
  }
  return out;
}

Robot Assembly::robot() const {
  const Mechanism& live = live_->robot;
  Robot out = impl_->robot;
  out.tool = impl_->robot.tool_name();
  for (const Impl::Attachment& own : impl_->attachments) {
    const Robot& part = own.part->robot_;
    const std::string prefix =
        live.frames[index(own.first_frame)].name.substr(0, static_cast<std::size_t>(own.prefix_length));
    const int first = static_cast<int>(out.links.size()) - 1;  // link k of the part is first + k
    const std::vector<PartBody> bodies = bodies_of(own.handle);
    for (std::size_t k = 1; k < part.links.size(); ++k)
      out.add_link(prefix + part.links[k].name, bodies[k - 1].inertial);
    for (std::size_t j = 0; j < part.joints.size(); ++j) {
      JointDescription joint = part.joints[j];
      joint.name = prefix + joint.name;
      for (CouplingTerm& term : joint.coupling.terms) term.joint = prefix + term.joint;
      joint.child += first;
      if (joint.parent == 0) {
        const Place place = place_of(out, live.frames[index(own.host_frame)].name, "'" + part.name + "'");
        joint.parent = place.link;
        joint.origin = place.pose * joint.origin;
      } else {
        joint.parent += first;
      }
      out.add_joint(joint);
    }
    for (const FrameDescription& frame : part.frames)
      out.add_frame(prefix + frame.name, frame.link + first, frame.pose);
  }
  return out;
}

}  // namespace catena
