// What external wrenches do to second derivatives by positions: the generalized forces' stiffness on dual numbers,
// along each coordinate in turn. docs/equations/curvature.md
#pragma once

#include <memory>
#include <span>

#include "catena/formulation/array.hpp"
#include "catena/mechanism.hpp"
#include "catena/wrenches.hpp"

namespace catena {

class CurvedPushes {
 public:
  explicit CurvedPushes(const std::shared_ptr<const Mechanism>& robot);
  ~CurvedPushes();
  CurvedPushes(const CurvedPushes&) = delete;
  CurvedPushes& operator=(const CurvedPushes&) = delete;
  static void* operator new(std::size_t bytes) { return allocate_in_arena(bytes); }
  static void operator delete(void* object) { deallocate_in_arena(object); }

  // H -= λᵀ ∂²(Jᵀw)/∂q∂q. Up to 16 wrenches allocate nothing.
  void lower(std::span<const double> q, std::span<const ExternalWrench<double>> wrenches,
             std::span<const double> lambda, std::span<double> H);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
