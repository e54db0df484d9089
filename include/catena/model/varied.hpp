// Robots of one structure whose bodies and joint forces differ: masses, mass centres, inertias, friction, rotors,
// springs. A robot that is `varied` takes these constants with every state, as one more input; all else about it is
// fixed. docs/batches.md#many-robots-of-one-structure.
#pragma once

#include <span>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// Which constants of the tree they are, in one order: visit(constant of `tree`) for each. The fixed part, what turns
// and which forces act, is that of `nominal`. Those that regrouping moves to the parent stay zero.
template <class N, class AnyTree, class Visitor>
void for_each_constant(const BasicTree<N>& nominal, AnyTree& tree, Visitor&& visit) {
  for (int i = 0; i < nominal.joints(); ++i) {
    auto& link = tree.link(i);
    auto& I = link.inertia_com;
    auto& u = link.augmented_moment;
    auto& K = link.augmented_pseudo;
    for (auto* constant : {&link.mass, &link.com.x, &link.com.y, &link.com.z, &I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz,
                           &link.augmented_mass, &u.x, &u.y, &K.xx, &K.yy, &K.xy, &K.xz, &K.yz})
      visit(*constant);
    const bool regrouped = nominal.link(i).revolute && !(nominal.carried && i < base_joints);
    if (!regrouped) visit(u.z), visit(K.zz);
  }
  for (const TreeJoint j : nominal.all_joints())
    AllForces::for_each([&](auto force) {
      if constexpr (requires { force.vary(nominal.drives[j], tree.drives[j], visit); })
        force.vary(nominal.drives[j], tree.drives[j], visit);
    });
}

// The number of them.
template <class T>
int varied_constants(const BasicTree<T>& nominal) {
  int count = 0;
  for_each_constant(nominal, nominal, [&](const T&) { ++count; });
  return count;
}

// Gives them values.
template <class T, class N>
void set_constants(const BasicTree<N>& nominal, BasicTree<T>& tree, std::span<const T> values) {
  auto next = values.begin();
  for_each_constant(nominal, tree, [&](T& constant) { constant = *next++; });
  for (auto& link : tree.links) link.pseudo_com = pseudo_inertia(link.inertia_com);
}

// The robot whose constants are an input of every job. Its frames are those in which the nominal robot is cheapest.
Mechanism varied(const Mechanism& robot);

// The constants of a varied robot for parameters as standard_parameters() gives them.
class ConstantsOf {
 public:
  explicit ConstantsOf(const Mechanism& varied);
  std::size_t parameters() const { return standard_.size(); }
  std::size_t size() const { return size_; }
  // Throws std::invalid_argument with the name of a parameter that cannot be: not finite, a negative mass, a first
  // moment without a mass, or a force at a joint where the model has none.
  void operator()(std::span<const double> parameters, std::span<double> constants);

 private:
  void set(LinkConstants<double>& link, const double* theta, std::size_t joint) const;
  [[noreturn]] void refuse(std::size_t parameter, double value, const std::string& why) const;

  Mechanism nominal_, robot_;
  std::vector<double> standard_;
  std::size_t size_;
};
std::vector<double> constants_of(const Mechanism& varied);  // the nominal ones

}  // namespace catena
