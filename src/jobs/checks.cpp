#include "jobs/checks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string>

#include "formulations/shared/ldlt.hpp"
#include "jobs/instance_scalar.hpp"

namespace catena {
namespace {

template <class S>
std::string rounded(const S& value) {
  std::array<char, 32> buffer{};
  return {buffer.data(),
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6).ptr};
}

// Whether link i or a link beyond it has mass or inertia.
template <class T>
bool moves_mass(const BasicTree<T>& robot, int i) {
  for (int k = i; k < robot.joints(); ++k) {
    const auto& link = robot.link(k);
    int ancestor = k;
    while (ancestor > i) ancestor = robot.link(ancestor).parent;
    if (ancestor == i && (link.mass != T(0) || link.inertia_com != Sym3<T>{})) return true;
  }
  return false;
}

// `taken`: how much of M_ii is lost because the joints beyond joint i move.
template <class S>
[[noreturn]] void report_pivot(const BasicTree<S>& robot, int i, const S& pivot, const S& taken, const S& tolerance) {
  const std::string joint = "joint '" + robot.joint_names[robot.link(i).q] + "': ";
  if (!moves_mass(robot, i))
    throw std::domain_error(
        joint + "the inertia matrix is singular: nothing that this joint moves has mass, and there is no rotor");
  if (pivot < -tolerance)
    throw std::domain_error(joint + "the inertia matrix is not positive definite (pivot " + rounded(pivot) +
                            "): no real body has the inertia of what this joint moves");
  if (taken == S(0))
    throw std::domain_error(joint + "the inertia matrix is singular: what this joint moves has no " +
                            (robot.link(i).revolute ? "inertia about its axis" : "mass") + ", and there is no rotor");
  throw std::domain_error(joint +
                          "the inertia matrix is singular here: the joints beyond this one can undo everything it does "
                          "to the masses, as across a massless link");
}

template <class S>
void require_beyond_rounding(const BasicTree<S>& robot, std::span<const S> pivots) {
  for (std::size_t i = 0; i < pivots.size(); ++i)
    if (!(pivots[i] > S(0)))
      throw std::domain_error(
          "joint '" + robot.joint_names[robot.links[i].q] +
          "': what it moves has so little inertia compared with the rest that its acceleration is lost in rounding");
}

}  // namespace

template <std::floating_point S>
void require_finite_inputs(const Inputs<S>& in, std::span<const Input> inputs) {
  for (const Input input : inputs) {
    const std::span<const S> values = in[input];
    for (std::size_t j = 0; j < values.size(); ++j)
      if (!std::isfinite(values[j]))
        throw std::domain_error(std::string(info_of(input).name) + "[" + std::to_string(j) +
                                "] is not a finite number");
  }
}

template <std::floating_point S>
void report_not_finite(const Inputs<S>& in, std::string_view result) {
  for (const InputInfo& info : all_inputs) require_finite_inputs<S>(in, {{info.input}});
  for (const auto& w : in.wrenches)
    for (const S& v : {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z})
      if (!std::isfinite(v)) throw std::domain_error("an external wrench is not a finite number");
  throw std::domain_error(std::string(result) + " is not finite: the values are too large to compute with");
}

// (10): a pivot is what remains of M_ii = Σ U_ik² D_k and must exceed its rounding error. Tips first: the first bad one
// is the cause, and those between it and the base are not checked. `diagonal` is scratch.
template <std::floating_point S>
void require_positive_pivots(const TreeFor<S>& robot, const Inputs<S>& in, const FactorView<const S>& factors,
                             std::span<S> diagonal) {
  constexpr S share = S(8) * std::numeric_limits<S>::epsilon();
  std::fill(diagonal.begin(), diagonal.end(), S(0));
  for (int k = robot.joints() - 1; k >= 0; --k) {
    const TreeJoint column = robot.link(k).q;
    const S pivot = factors.D[index(column)];
    const S tolerance = share * (diagonal[index(column)] + std::abs(pivot)) + own_rounding(robot.link(k));
    if (!std::isfinite(pivot) || !std::isfinite(tolerance)) report_not_finite(in, "the inertia matrix");
    if (!(pivot > tolerance)) report_pivot(robot, k, pivot, diagonal[index(column)], tolerance);
    for (int i = robot.link(k).parent; i != base_link; i = robot.link(i).parent) {
      const TreeJoint row = robot.link(i).q;
      diagonal[index(row)] += factors.U(row, column) * factors.U(row, column) * pivot;
    }
  }
}

template <class S>
void RegularInertia<S>::look_closer(const TreeFor<S>& robot, const JobInfo& job, const Inputs<S>& in,
                                    std::span<const S> out, std::span<const S> pivots) {
  require_finite_inputs<S>(in, job.inputs);
  if (!judge_) {
    const JobInfo& factor = job_info("factor");
    judge_ = make_tree_runner<S>(factor.name, std::make_shared<const TreeFor<S>>(robot), factor.standard_for(robot));
    factors_.resize(index(factor.size(sizes_of(robot))));
  }
  judge_->run(in, factors_);
  judge_->check(in, factors_);
  if (!all_finite<S>(out)) report_not_finite(in, job.result);
  require_beyond_rounding(robot, pivots);
}

// The pivots of M_tt, tips first: the first bad one is the cause.
template <class S>
void RegularPassiveBlock<S>::look_closer(const TreeFor<S>& robot, const JobInfo& job, const Inputs<S>& in,
                                         std::span<const S> out, std::span<const S> pivots) const {
  require_finite_inputs<S>(in, job.inputs);
  const JobInfo& inertia = job_info("inertia");
  std::vector<S> entries(index(robot.joints()) * index(robot.joints()));
  make_tree_runner<S>(inertia.name, std::make_shared<const TreeFor<S>>(robot), inertia.standard_for(robot))
      ->run({.q = in.q}, entries);
  std::vector<int> links;
  for (int i = robot.joints() - 1; i >= 0; --i)
    if (robot.is_passive(robot.link(i).q)) links.push_back(i);
  const MatrixView<S> M{entries, robot.joints()};
  std::vector<S> block(links.size() * links.size()), diagonal(links.size()), inverse_pivots(links.size());
  const MatrixView<S> L{block, static_cast<int>(links.size())};
  for (int r = 0; r < L.n; ++r)
    for (int c = 0; c < L.n; ++c) L(r, c) = M(robot.link(links[index(r)]).q, robot.link(links[index(c)]).q);
  for (int r = 0; r < L.n; ++r) diagonal[index(r)] = L(r, r);
  factor_ldlt<S>(L, inverse_pivots);
  for (int r = 0; r < L.n; ++r) {
    const S pivot = L(r, r), taken = diagonal[index(r)] - pivot;
    const S tolerance = S(8) * std::numeric_limits<S>::epsilon() * (std::abs(taken) + std::abs(pivot));
    if (!std::isfinite(pivot) || !std::isfinite(tolerance)) report_not_finite(in, "the inertia matrix");
    if (!(pivot > tolerance)) report_pivot(robot, links[index(r)], pivot, taken, tolerance);
  }
  if (!all_finite<S>(out)) report_not_finite(in, job.result);
  require_beyond_rounding(robot, pivots);
}

namespace {

template <class S>
S quaternion_length(std::span<const S> q) {
  return std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
}

}  // namespace

template <std::floating_point S>
bool has_unit_quaternion(std::span<const S> q) {
  const S square = q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6];
  return std::abs(square - S(1)) <= S(2e-4) || !std::isfinite(square);
}
template <std::floating_point S>
void require_unit_quaternion(std::span<const S> q) {
  if (has_unit_quaternion(q)) return;
  const S length = quaternion_length(q);
  throw std::invalid_argument("the quaternion of the base, q4 to q7 = (" + rounded(q[3]) + ", " + rounded(q[4]) + ", " +
                              rounded(q[5]) + ", " + rounded(q[6]) + "), has length " + rounded(length) +
                              "; it must be 1 (x, y, z, w)");
}

using On = InstanceScalar;
template bool has_unit_quaternion(std::span<const On>);
template void require_unit_quaternion(std::span<const On>);
template void report_not_finite(const Inputs<On>&, std::string_view);
template void require_finite_inputs(const Inputs<On>&, std::span<const Input>);
template void require_positive_pivots(const TreeFor<On>&, const Inputs<On>&, const FactorView<const On>&,
                                      std::span<On>);
template class RegularInertia<On>;
template class RegularPassiveBlock<On>;

}  // namespace catena
