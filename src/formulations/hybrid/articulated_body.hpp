// Hybrid dynamics by articulated bodies in which only the passive joints are released: O(n). The sweeps are those of
// forward/articulated_body.hpp. Equations (1), (2), (13)-(15): docs/equations/hybrid.md.
#pragma once

#include <algorithm>
#include <limits>

#include "formulations/forward/articulated_body.hpp"
#include "formulations/hybrid/given.hpp"
#include "formulations/inverse/tensor_augmented.hpp"

namespace catena {

// Passive joints accelerate under their given torque; the others have a given acceleration and get a torque.
template <class S>
struct GivenByJoint {
  std::span<const S> given_qdd, given_tau;
  std::span<S> qdd, tau;

  template <class T>
  static bool gives_way(const BasicTree<T>& robot, const LinkConstants<T>& link) {
    return robot.is_passive(link.q);
  }
  template <class T>
  const S& given(const BasicTree<T>& robot, const LinkConstants<T>& link) const {
    return (robot.is_passive(link.q) ? given_tau : given_qdd)[index(link.q)];
  }
  template <class T>
  const S& take(const BasicTree<T>& robot, const LinkConstants<T>& link, const S& found) const {
    const std::size_t j = index(link.q);
    const bool passive = robot.is_passive(link.q);
    tau[j] = passive ? given_tau[j] : found;
    return qdd[j] = passive ? found : given_qdd[j];
  }
};

struct HybridArticulatedBody {
  static constexpr FormulationInfo info{"articulated-body", "hybrid", "Featherstone 1987, 2008",
                                        "docs/equations/hybrid.md",
                                        "as articulated-body of forward dynamics, less the joints that are driven"};

  template <class S>
  struct Workspace : ArticulatedBody::Workspace<S> {
    TensorAugmented::Workspace<S> inverse;  // if no joint is passive

    explicit Workspace(const TreeFor<S>& robot) : ArticulatedBody::Workspace<S>(robot), inverse(robot) {
      for (S& pivot : this->pivots) pivot = S(std::numeric_limits<ConstantOf<S>>::max());  // for joints that have none
    }
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Given<S>& in, Workspace<S>& ws, const Found<S>& out) {
    if (robot.has_passive)
      return ArticulatedBody::sweep<S>(robot, in.q, in.qd, GivenByJoint<S>{in.qdd, in.tau, out.qdd, out.tau}, ws);
    std::copy(in.qdd.begin(), in.qdd.end(), out.qdd.begin());
    TensorAugmented::run<S>(robot, {in.q, in.qd, in.qdd}, ws.inverse, out.tau);  // only (2)
  }
};

}  // namespace catena
