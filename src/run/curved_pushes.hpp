// What external wrenches do to second derivatives by positions: the generalized forces' stiffness on dual numbers,
// along each coordinate in turn. docs/equations/curvature.md
#pragma once

#include <memory>
#include <span>

#include "catena/mechanism.hpp"
#include "catena/wrenches.hpp"

namespace catena {

class CurvedPushes {
 public:
  explicit CurvedPushes(const Mechanism& robot);
  ~CurvedPushes();
  CurvedPushes(const CurvedPushes&) = delete;
  CurvedPushes& operator=(const CurvedPushes&) = delete;

  // H -= λᵀ ∂²(Jᵀw)/∂q∂q
  void lower(std::span<const double> q, std::span<const ExternalWrench<double>> wrenches,
             std::span<const double> lambda, std::span<double> H);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
