#include "catena/model/regroup.hpp"

#include <cmath>
#include <cstddef>

namespace catena {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// R_parent_from_link at q = 0.
Mat3<double> rotation_at_zero(const LinkConstants<double>& link) { return matrix(link.twist, link.fixed_turn); }

// Moves the origin of link i by `shift` (frame i): everything measured from it follows.
void move_origin(Mechanism& robot, int i, const Vec3<double>& shift) {
  LinkConstants<double>& link = robot.links[at(i)];
  link.com -= shift;
  if (link.parent == base && i == 0) {
    // The base frame is frame 0 at q = 0 and moves along.
    robot.world_from_base.p += robot.world_from_base.R * shift;
    for (auto& other : robot.links)
      if (other.parent == base && &other != &link) other.p_parent_to_link -= shift;
    for (auto& frame : robot.frames)
      if (frame.link == base) frame.in_link.p -= shift;
  } else {
    link.p_parent_to_link += rotation_at_zero(link) * shift;
  }
  for (auto& other : robot.links)
    if (other.parent == i) other.p_parent_to_link -= shift;
  for (auto& frame : robot.frames)
    if (frame.link == i) frame.in_link.p -= shift;
}

// No first moment, up to what rounding leaves when the origin is moved there.
bool is_centred(const LinkConstants<double>& link) {
  const Vec3<double>& u = link.augmented_moment;
  const double reach = std::sqrt(link.augmented_pseudo.trace() * link.augmented_mass);  // of the same unit, kg m
  return std::sqrt(dot(u, u)) <= 1e-13 * reach;
}

int first_child(const Mechanism& robot, int i) {
  for (int c = i + 1; c < robot.n(); ++c)
    if (robot.links[at(c)].parent == i) return c;
  return base;
}

}  // namespace

Mechanism slide_origins(const Mechanism& robot) {
  Mechanism out = robot;
  for (int i = out.n() - 1; i >= 0; --i) {
    compute_augmented_links(out);
    const LinkConstants<double>& link = out.links[at(i)];
    const int child = first_child(out, i);
    if (!link.revolute) {
      if (link.augmented_mass > 0.0 && !link.prismatic_child)
        move_origin(out, i, (1.0 / link.augmented_mass) * link.augmented_moment);
    } else if (child != base && out.links[at(child)].revolute) {
      move_origin(out, i, {0.0, 0.0, out.links[at(child)].p_parent_to_link.z});
      out.links[at(child)].p_parent_to_link.z = 0.0;  // p - p, exactly
    } else if (child == base && link.mass > 0.0) {
      move_origin(out, i, {0.0, 0.0, link.com.z});
    }
  }
  compute_augmented_links(out);
  return out;
}

Mechanism regroup(const Mechanism& robot) {
  Mechanism out = robot;
  compute_augmented_links(out);
  for (int i = out.n() - 1; i >= 0; --i) {
    LinkConstants<double>& link = out.links[at(i)];
    const Vec3<double>& p = link.p_parent_to_link;
    const Vec3<double>& k = link.z_in_parent;
    LinkConstants<double> discarded;  // what reaches the base moves nothing
    LinkConstants<double>& parent = link.parent == base ? discarded : out.links[at(link.parent)];
    if (link.revolute) {
      // The rod on the axis: first moment h_z, second moment Σ_zz. Its mass was moved by the augmentation already.
      double& h_z = link.augmented_moment.z;
      double& S_zz = link.augmented_pseudo.zz;
      parent.augmented_moment += h_z * k;
      parent.augmented_pseudo += h_z * outer_symmetric(p, k) + S_zz * outer(k);
      h_z = S_zz = 0.0;
    } else if (!link.prismatic_child && is_centred(link)) {
      // The mass centre at the origin: the rest turns with the parent, wherever it slides.
      link.augmented_moment = {};
      parent.augmented_pseudo += congruence(rotation_at_zero(link), link.augmented_pseudo);
      link.augmented_pseudo = {};
    }
  }
  return out;
}

Mechanism optimize(const Mechanism& robot) {
  Mechanism out = regroup(slide_origins(robot));
  out.flat = true;
  for (int i = 0; i < out.n(); ++i) {
    const auto& link = out.links[at(i)];
    out.flat =
        out.flat && link.revolute && !link.twist.turned && link.parent == i - 1 && link.p_parent_to_link.z == 0.0;
  }
  return out;
}

}  // namespace catena
