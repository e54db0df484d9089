// How small the pivots of the inertia matrix can be beside its diagonal: what may be lost if M is formed.
#pragma once

#include <cmath>
#include <concepts>

#include "catena/formulation/formulation.hpp"
#include "catena/model/tree.hpp"
#include "catena/validate.hpp"

namespace catena {

// The least that pivot i can be, in any position: what the joint feels of its own link, and its rotor; links beyond
// only add to it. The six joints of a base that moves share one link, the last one's; their pivots are at least its
// smallest moment of inertia, and the part of its mass that does not yield by rotation.
template <std::floating_point T>
T least_pivot(const BasicTree<T>& tree, int i) {
  const auto& link = tree.link(i);
  if (!tree.carried || i >= base_joints) return felt_of_link(link) + added_inertia(tree, link);
  const auto& body = tree.links[base_joints - 1];
  const T least = static_cast<T>(eigenvalues(static_cast<Sym3<double>>(body.inertia_com)).x);
  const T arm = dot(body.com, body.com);
  return link.revolute ? least : body.mass * least / (least + body.mass * arm);
}

// The largest that entry i of the diagonal can be: all that the joint moves, stretched out across its axis, with
// sliding joints at zero (or, if it slides, the mass).
template <std::floating_point T>
T largest_diagonal(const BasicTree<T>& tree, int i) {
  const auto length = [](const Vec3<T>& v) { return std::sqrt(dot(v, v)); };
  T sum(0);
  for (int k = i; k < tree.joints(); ++k) {
    const auto& body = tree.link(k);
    T way = length(body.com);
    int at = k;
    for (; at > i; at = tree.link(at).parent) way += length(tree.link(at).p_parent_to_link);
    if (at == i) sum += tree.link(i).revolute ? body.mass * way * way + body.inertia_com.trace() : body.mass;
  }
  return sum + added_inertia(tree, tree.link(i));
}

// Whether some pivot may be less than this share of its diagonal entry. A solution with M formed and factored loses so
// many digits; a recursion over articulated bodies keeps most of them: docs/equations/composite_ldlt.md has the table.
constexpr double safe_share = 1e-5;
template <class T>
bool forming_loses_digits(const BasicTree<T>& tree) {
  if constexpr (std::floating_point<T>)
    for (int i = 0; i < tree.joints(); ++i)
      if (!(least_pivot(tree, i) >= T(safe_share) * largest_diagonal(tree, i))) return true;
  return false;
}

}  // namespace catena
