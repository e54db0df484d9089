#include "catena/model/regroup.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "catena/scalar/expr.hpp"

namespace catena {
namespace {

bool is_positive(double value) { return value > 0.0; }
bool is_positive(const Expr& value) {
  return !value.is_constant() || value.constant() > 0.0;
}  // a symbol is assumed positive

// Removes the rounding left of a difference that is zero: compares `value` with the terms it was computed from.
double without_dust(double value, double scale) { return std::abs(value) <= 4e-16 * std::abs(scale) ? 0.0 : value; }
Expr without_dust(const Expr& value, const Expr& scale) {
  return value.is_constant() && scale.is_constant() ? Expr(without_dust(value.constant(), scale.constant())) : value;
}

// R_parent_from_link at q = 0.
template <class T>
Mat3<T> rotation_at_zero(const LinkConstants<T>& link) {
  return matrix(link.tilt, link.fixed_turn);
}

// Moves the origin of link i by `shift` (frame i; shift_in_parent is the same in the parent's frame), with everything
// measured from it.
template <class T>
void move_origin(BasicMechanism<T>& robot, int i, const Vec3<T>& shift, const Vec3<T>& shift_in_parent) {
  LinkConstants<T>& link = robot.link(i);
  link.com -= shift;
  if (link.parent == base_link && i == 0) {
    // The base frame is frame 0 at q = 0 and moves with it.
    robot.world_from_base.p += robot.world_from_base.R * shift;
    for (auto& other : robot.links)
      if (other.parent == base_link && &other != &link) other.p_parent_to_link -= shift;
    for (auto& frame : robot.frames)
      if (frame.link == base_link) frame.in_link.p -= shift;
  } else {
    link.p_parent_to_link += shift_in_parent;
  }
  for (auto& other : robot.links)
    if (other.parent == i) other.p_parent_to_link -= shift;
  for (auto& frame : robot.frames)
    if (frame.link == i) frame.in_link.p -= shift;
}
template <class T>
void slide_along_axis(BasicMechanism<T>& robot, int i, const T& distance) {
  move_origin(robot, i, {T(0), T(0), distance}, distance * robot.link(i).z_in_parent);
}

// Whether there is no first moment, up to the rounding that moving the origin there leaves.
bool is_centred(const LinkConstants<double>& link) {
  const Vec3<double>& u = link.augmented_moment;
  // In the same unit, kg m. Squares of the smallest masses would be zero.
  const double reach = std::sqrt(link.augmented_pseudo.trace()) * std::sqrt(link.augmented_mass);
  return std::hypot(u.x, u.y, u.z) <= 1e-13 * reach;
}
bool is_centred(const LinkConstants<Expr>& link) {
  const auto numbers = [](std::initializer_list<Expr> values) {
    return std::all_of(values.begin(), values.end(), [](const Expr& v) { return v.is_constant(); });
  };
  const auto& [xx, yy, zz, xy, xz, yz] = link.augmented_pseudo;
  const auto& [ux, uy, uz] = link.augmented_moment;
  if (!numbers({xx, yy, zz, ux, uy, uz, link.augmented_mass})) return ux == Expr(0) && uy == Expr(0) && uz == Expr(0);
  LinkConstants<double> number;
  number.augmented_mass = link.augmented_mass.constant();
  number.augmented_moment = {ux.constant(), uy.constant(), uz.constant()};
  number.augmented_pseudo = {xx.constant(), yy.constant(), zz.constant(), 0.0, 0.0, 0.0};
  return is_centred(number);
}

template <class T>
int first_child(const BasicMechanism<T>& robot, int i) {
  for (int c = i + 1; c < robot.joints(); ++c)
    if (robot.link(c).parent == i) return c;
  return base_link;
}

// Whether the axes are clearly inclined, so that their common normal is near.
bool is_inclined(double sin_alpha) { return std::abs(sin_alpha) > 0.1; }
bool is_inclined(const Expr& sin_alpha) { return sin_alpha.is_constant() && is_inclined(sin_alpha.constant()); }

template <class T>
void slide_to_normal(BasicMechanism<T>& robot, int i) {
  LinkConstants<T>& link = robot.link(i);
  const auto& tilt = link.tilt;
  Vec3<T>& p = link.p_parent_to_link;
  if (link.parent == base_link || !is_inclined(tilt.sin_alpha)) return;
  // Across the common normal, in the parent's xy plane: y after γ. The axis has the component -sin α there.
  const T y = tilt.turned ? T(tilt.cos_gamma * p.y - tilt.sin_gamma * p.x) : p.y;
  slide_along_axis(robot, i, T(y / tilt.sin_alpha));
  if (!tilt.turned) p.y = T(0);  // y - y, exactly
  p.z = without_dust(p.z, y);
}

// The joints that carry a moving base keep their common point, and the base its parameters: all of them affect torques.
template <class T>
int first_own(const BasicTree<T>& tree) {
  return tree.carried ? base_joints : 0;
}

}  // namespace

template <class T>
BasicMechanism<T> slide_origins(const BasicMechanism<T>& robot, std::span<const Slide> slides) {
  BasicMechanism<T> out = robot;
  for (int i = out.joints() - 1; i >= first_own(out); --i) {
    const LinkConstants<T>& link = out.links[index(i)];
    if (!link.revolute) augment_links(out.links);  // the shift of all the others does not depend on augmented constants
    const int child = first_child(out, i);
    if (!link.revolute) {
      if (is_positive(link.augmented_mass) && !link.prismatic_child) {
        const Vec3<T> shift = T(T(1.0) / link.augmented_mass) * link.augmented_moment;
        move_origin(out, i, shift, rotation_at_zero(link) * shift);
      }
    } else if (!slides.empty() && slides[index(i)] == Slide::to_normal) {
      slide_to_normal(out, i);
    } else if (child != base_link && out.links[index(child)].revolute) {
      slide_along_axis(out, i, T(out.links[index(child)].p_parent_to_link.z));
      out.links[index(child)].p_parent_to_link.z = T(0.0);  // p - p, exactly
    } else if (child == base_link && is_positive(link.mass)) {
      slide_along_axis(out, i, T(link.com.z));
    }
  }
  augment_links(out.links);
  return out;
}

template <class T>
void regroup_link(LinkConstants<T>& link, LinkConstants<T>& parent) {
  const Vec3<T>& p = link.p_parent_to_link;
  const Vec3<T>& k = link.z_in_parent;
  if (link.revolute) {
    // The rod on the axis: first moment h_z, second moment Σ_zz. Augmentation has already moved its mass.
    T& h_z = link.augmented_moment.z;
    T& S_zz = link.augmented_pseudo.zz;
    parent.augmented_moment += h_z * k;
    parent.augmented_pseudo += h_z * outer_symmetric(p, k) + S_zz * outer(k);
    h_z = S_zz = T(0.0);
  } else if (!link.prismatic_child && is_centred(link)) {
    // The mass centre at the origin: the rest turns with the parent, wherever it slides to.
    link.augmented_moment = {};
    parent.augmented_pseudo += congruence(rotation_at_zero(link), link.augmented_pseudo);
    link.augmented_pseudo = {};
  }
}

template <class T>
BasicMechanism<T> regroup(const BasicMechanism<T>& robot) {
  BasicMechanism<T> out = robot;
  augment_links(out.links);
  for (std::size_t i = out.links.size(); i-- > index(first_own(out));) {
    LinkConstants<T> discarded;  // what reaches the base affects nothing
    const int parent = out.links[i].parent;
    regroup_link(out.links[i], parent == base_link ? discarded : out.links[index(parent)]);
  }
  return out;
}

template Mechanism slide_origins(const Mechanism&, std::span<const Slide>);
template void regroup_link(LinkConstants<double>&, LinkConstants<double>&);
template Mechanism regroup(const Mechanism&);
template BasicMechanism<Expr> slide_origins(const BasicMechanism<Expr>&, std::span<const Slide>);
template BasicMechanism<Expr> regroup(const BasicMechanism<Expr>&);

bool is_flat(const Mechanism& slid) {
  for (int i = 0; i < slid.joints(); ++i) {
    const auto& link = slid.link(i);
    if (!link.revolute || link.tilt.turned || link.parent != i - 1 || link.p_parent_to_link.z != 0.0) return false;
  }
  return true;
}

Mechanism optimize(const Mechanism& robot) {
  if (robot.varied) return robot;  // constants are given for these frames
  Mechanism out = regroup(slide_origins(robot));
  out.flat = is_flat(out);
  return out;
}

}  // namespace catena
