// What the tests of the factors share: robots whose inertia matrix has an inverse, and dense arithmetic to compare
// with.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "catena/factorization.hpp"
#include "support/random_robot.hpp"
#include "support/runners.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

inline std::vector<std::string_view> factor_methods() { return names_of("factor"); }

// A robot all of whose links have mass, so that its inertia matrix has an inverse everywhere.
struct Regular {
  Robot robot;
  Mechanism mechanism;
  State x;
};
inline Regular regular(std::uint64_t seed, int joints) {
  Random random(seed);
  const auto shape = random.chance(0.5) ? Shape::chain : Shape::tree;
  const auto mix = random.chance(0.6) ? JointMix::mixed : random.chance(0.7) ? JointMix::revolute : JointMix::prismatic;
  const bool drives = random.chance(0.5);
  Robot robot =
      random_robot(random, {.joints = joints, .shape = shape, .mix = mix, .massless_links = false, .drives = drives});
  Mechanism mechanism = make_mechanism(robot);
  return {std::move(robot), std::move(mechanism), random_state(random, joints)};
}

// U D Uᵀ
inline Values rebuilt(const Factorization<double>& f) {
  const std::size_t n = f.D().size();
  Values M(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) M[i * n + j] += f.U()[i * n + k] * f.D()[k] * f.U()[j * n + k];
  return M;
}
// sqrt(M_jj M_kk): no entry of a positive definite matrix is larger.
inline Values entry_scales(const Values& M, std::size_t n) {
  Values scales;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) scales.push_back(std::sqrt(M[j * n + j] * M[k * n + k]));
  return scales;
}

// The inverse by Gauss and Jordan, pivoting on the largest entry of a column, in long double.
inline Values dense_inverse(const Values& matrix, std::size_t n) {
  std::vector<long double> a(matrix.begin(), matrix.end()), b(n * n, 0.0L);
  for (std::size_t i = 0; i < n; ++i) b[i * n + i] = 1.0L;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t p = c;
    for (std::size_t i = c; i < n; ++i)
      if (std::abs(a[i * n + c]) > std::abs(a[p * n + c])) p = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(a[c * n + j], a[p * n + j]), std::swap(b[c * n + j], b[p * n + j]);
    const long double pivot = a[c * n + c];
    for (std::size_t j = 0; j < n; ++j) a[c * n + j] /= pivot, b[c * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      const long double factor = a[i * n + c];
      if (i == c || factor == 0.0L) continue;
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[c * n + j], b[i * n + j] -= factor * b[c * n + j];
    }
  }
  return Values(b.begin(), b.end());
}

// A chain of links with mass at the given axes, 0.4 apart along x.
inline Robot arm(const std::vector<Vec3<double>>& axes, JointType type = JointType::revolute) {
  Robot robot;
  robot.add_link("base");
  for (const auto& axis : axes) {
    JointDescription joint;
    joint.type = type;
    joint.axis = axis;
    joint.origin.p = {0.4, 0.0, 0.0};
    joint.parent = static_cast<int>(robot.links.size()) - 1;
    joint.child = robot.add_link("link" + std::to_string(joint.parent + 1),
                                 {1.0, {0.2, 0.0, 0.0}, Sym3<double>::diagonal(0.01, 0.02, 0.02)});
    joint.name = "joint" + std::to_string(joint.child);
    robot.add_joint(joint);
  }
  return robot;
}

// A joint, "the leaf", that moves nothing with inertia: a turning or a sliding one, somewhere.
inline void add_massless_leaf(Robot& robot, std::uint64_t seed) {
  JointDescription joint;
  joint.name = "the leaf";
  joint.type = seed % 2 == 0 ? JointType::revolute : JointType::prismatic;
  joint.parent = static_cast<int>(seed) % static_cast<int>(robot.links.size());
  joint.child = robot.add_link("leaf");
  joint.origin.p = {0.1, 0.2, 0.3};
  robot.add_joint(joint);
}

// The message of the error that a call throws.
template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace catena::test
