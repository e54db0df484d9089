// What an assembly stores: originals, attachments, and how the constants of a link follow from them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/assembly.hpp"
#include "catena/model/regroup.hpp"
#include "catena/validate.hpp"

namespace catena {

// A rigid body in the frame of a mechanism's link, or of the base.
struct RigidBody {
  double mass = 0.0;
  Vec3<double> com{};
  Sym3<double> inertia{};  // about the mass centre
};
inline RigidBody seen_from(const Pose<double>& pose, const Inertial& own) {
  return {own.mass, pose.p + pose.R * own.com, congruence(pose.R, own.inertia)};
}
inline RigidBody lump_of(const LinkConstants<double>& link) { return {link.mass, link.com, link.inertia_com}; }

// Throws ModelError unless a body can have it: finite numbers, no negative mass, no negative moments. In part.cpp.
void require_body(std::string_view robot, std::string_view link, const Inertial& body);

struct Assembly::Impl {
  struct Attachment {
    Handle handle = 0, on = robot_itself;  // `on`: the owner of the host frame
    std::shared_ptr<const Part> part;
    int host_frame = 0;         // in the live mechanism
    int host_link = base_link;  // the mechanism's link, or the base
    Pose<double> mount{};       // host link (or base) from the mount
    int first_link = 0, first_frame = 0;
    int prefix_length = 0;
    std::vector<RigidBody> bodies;  // of its Robot's links, except the mount, with their present pose and inertia
    std::vector<char> replaced;
  };

  Robot robot;                  // as supplied, with replaced inertias
  Mechanism original;           // slid
  std::vector<Inertial> given;  // of the robot's links
  std::vector<RigidBody> robot_bodies;
  std::vector<char> robot_replaced;
  std::vector<Attachment> attachments, spare;
  std::vector<std::string> spare_names;
  std::vector<LinkConstants<double>> handed;  // what each link adds to its parent: only augmented constants count
  std::vector<int> first_child, next_sibling;
  Handle next = 1;

  Impl(const Robot& of, const Capacity& capacity, const MechanismOptions& options)
      : robot(of), original(slide_origins(make_mechanism(of, options))) {
    for (std::size_t k = 0; k < robot.links.size(); ++k) {
      given.push_back(robot.links[k].inertial);
      robot_bodies.push_back(seen_from(original.frames[k].in_link, given.back()));
    }
    robot_replaced.assign(robot_bodies.size(), 0);
    const std::size_t most = original.links.size() + index(capacity.joints);
    for (auto* list : {&first_child, &next_sibling}) list->reserve(most);
    handed.reserve(most);
    attachments.reserve(index(capacity.attachments));
    spare.resize(index(capacity.attachments));
    for (Attachment& own : spare) own.bodies.reserve(8), own.replaced.reserve(8);
    for (int k = 0; k < capacity.frames + capacity.joints; ++k) {
      spare_names.emplace_back();
      spare_names.back().reserve(index(capacity.name_length));
    }
  }

  void make_room(Mechanism& live, const Capacity& capacity) const {
    const std::size_t joints = live.links.size() + index(capacity.joints);
    live.links.reserve(joints);
    live.drives.reserve(joints);
    live.coordinates.limits.reserve(joints);
    live.coordinates.joint_limits.reserve(joints);
    live.coordinates.joints.reserve(joints);
    live.passive.reserve(joints);
    live.joint_names.reserve(joints);
    live.frames.reserve(live.frames.size() + index(capacity.frames));
  }

  std::size_t place_of(Handle handle) const {
    for (std::size_t k = 0; k < attachments.size(); ++k)
      if (attachments[k].handle == handle) return k;
    throw ModelError(robot.name + ": nothing is attached under the handle " + std::to_string(handle) +
                     (handle > 0 && handle < next ? "; it was detached" : ""));
  }
  // The owner of a frame.
  Handle owner_of(int frame) const {
    Handle owner = robot_itself;
    for (const Attachment& own : attachments)
      if (frame >= own.first_frame) owner = own.handle;
    return owner;
  }

  std::string take_name(std::string_view prefix, std::string_view name) {
    std::string out;
    if (!spare_names.empty()) {
      out = std::move(spare_names.back());
      spare_names.pop_back();
    }
    out.assign(prefix).append(name);
    return out;
  }
  void give_back(std::string& name) {
    if (spare_names.size() < spare_names.capacity()) spare_names.push_back(std::move(name));
  }

  // Mass, mass centre and inertia of a link: the original ones, or the sum over what is fixed to it now.
  template <class Visit>
  void visit_extra(int link, Visit&& visit) const {
    for (const Attachment& own : attachments) {
      if (own.host_link != link) continue;
      for (std::size_t k = 0; k < own.bodies.size(); ++k)
        if (own.part->mechanism_.frames[k + 1].link == base_link) visit(own.bodies[k]);
    }
  }
  template <class Visit>
  void visit_own(int link, Visit&& visit) const {
    if (link < original.joints()) return visit_made(original, 0, robot_bodies, robot_replaced, link, visit);
    const Attachment& own = *std::find_if(attachments.rbegin(), attachments.rend(),
                                          [&](const Attachment& a) { return a.first_link <= link; });
    visit_made(own.part->mechanism_, 1, own.bodies, own.replaced, link - own.first_link, visit);
  }
  // The original link, or body by body if one of its bodies was replaced; body k is that of frame first + k.
  template <class Visit>
  static void visit_made(const Mechanism& made, std::size_t first, const std::vector<RigidBody>& bodies,
                         const std::vector<char>& replaced, int link, Visit&& visit) {
    bool changed = false;
    for (std::size_t k = 0; k < bodies.size(); ++k)
      changed = changed || (replaced[k] != 0 && made.frames[first + k].link == link);
    if (!changed) return visit(lump_of(made.link(link)));
    for (std::size_t k = 0; k < bodies.size(); ++k)
      if (made.frames[first + k].link == link) visit(bodies[k]);
  }
  void weigh(int link, Mechanism& live) const {
    LinkConstants<double>& out = live.link(link);
    int bodies = 0;
    RigidBody only;
    double mass = 0.0;
    Vec3<double> moment{};
    const auto each = [&](auto&& visit) {
      visit_own(link, visit);
      visit_extra(link, visit);
    };
    each([&](const RigidBody& b) {
      ++bodies, only = b;
      mass += b.mass;
      moment += b.mass * b.com;
    });
    out.mass = mass;
    if (bodies == 1) {  // identical bit for bit
      out.com = only.com, out.inertia_com = only.inertia;
    } else {
      out.com = mass > 0.0 ? (1.0 / mass) * moment : Vec3<double>{};
      out.inertia_com = {};
      each([&](const RigidBody& b) { out.inertia_com += b.inertia + b.mass * steiner(b.com - out.com); });
    }
    out.pseudo_com = pseudo_inertia(out.inertia_com);
  }

  // The augmented and regrouped constants of one link, from its own and what its children pass to it.
  void augment(int i, Mechanism& live) {
    LinkConstants<double>& link = live.link(i);
    start_augmented(link);
    for (int c = first_child[index(i)]; c != base_link; c = next_sibling[index(c)]) {
      const LinkConstants<double>& share = handed[index(c)];
      link.augmented_mass += share.augmented_mass;
      link.augmented_moment += share.augmented_moment;
      link.augmented_pseudo += share.augmented_pseudo;
      link.prismatic_child = link.prismatic_child || share.prismatic_child;
    }
    LinkConstants<double>& own = handed[index(i)];
    own.augmented_mass = 0.0, own.augmented_moment = {}, own.augmented_pseudo = {}, own.prismatic_child = false;
    augment_parent(link, own);
    regroup_link(link, own);
  }
  void augment_from(int link, Mechanism& live) {
    for (int i = link; i != base_link; i = live.link(i).parent) augment(i, live);
  }
  // The children of each link, in the order of links.
  void link_up(const Mechanism& live) {
    const std::size_t n = live.links.size();
    first_child.assign(n, base_link), next_sibling.assign(n, base_link), handed.resize(n);
    for (std::size_t i = n; i-- > 0;) {
      const int parent = live.links[i].parent;
      if (parent == base_link) continue;
      next_sibling[i] = first_child[index(parent)];
      first_child[index(parent)] = static_cast<int>(i);
    }
  }
  void mark(Mechanism& live) const {
    live.flat = live.joints() == original.joints() && is_flat(original);
    live.has_prismatic = live.has_drives = live.has_passive = false;
    for (const char passive : live.passive) live.has_passive = live.has_passive || passive != 0;
    for (const auto& link : live.links) live.has_prismatic = live.has_prismatic || !link.revolute;
    for (const auto& d : live.drives) live.has_drives = live.has_drives || d.acts();
  }

  void splice(const Attachment& own, std::string_view prefix, Mechanism& live);
};

}  // namespace catena
