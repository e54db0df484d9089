// Judges the pivots of the inertia matrix of a robot with a chart, which has no factors on the tree to be judged by:
// each must exceed the rounding of the entry it remains of, that of the moments of its links about their own axes, and
// that of what was summed up to the entry where terms cancel there.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "jobs/checks.hpp"
#include "model/clusters.hpp"

namespace catena {

template <class S>
class JudgedPivots {
 public:
  using T = ConstantOf<S>;
  static constexpr bool judges = std::floating_point<S> || Packed<S>;  // others have no rounding

  explicit JudgedPivots(std::shared_ptr<const MechanismFor<S>> robot)
      : robot_(std::move(robot)), least_(index(robot_->nv())) {
    for (const auto& link : robot_->links)
      for (const auto& term : terms_of(robot_->coordinates, link.q))
        least_[index(term.coordinate)] += term.factor * term.factor * own_rounding(link);
  }

  Doubt<S> doubt(Coordinate c, const S& pivot, const S& entry, const S& summed = S{}) const {
    if constexpr (judges) {
      return not_above(pivot, S(share * entry + digit * summed + least_[index(c)]));
    } else {
      return false;
    }
  }
  void require(Coordinate c, const S& pivot, const S& entry, const Inputs<S>& in,
               const S& summed = S{}) const requires std::floating_point<S> {
    if (!std::isfinite(pivot) || !std::isfinite(entry)) report_not_finite<S>(in, "the inertia matrix");
    if (!(pivot > share * std::abs(entry) + digit * summed + least_[index(c)]))
      throw std::domain_error("joint '" + robot_->name_of(c) +
                              "': the inertia matrix is singular here: what moves with this joint has no inertia of "
                              "its own, and there is no rotor");
  }

 private:
  static constexpr T digit = T(2) * std::numeric_limits<T>::epsilon(), share = T(32) * digit;

  std::shared_ptr<const MechanismFor<S>> robot_;
  Array<T> least_;
};

}  // namespace catena
