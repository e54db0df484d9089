#include "run/curved_pushes.hpp"

#include <algorithm>

#include "coordinates/pushes.hpp"
#include "run/positions_along.hpp"

namespace catena {

struct CurvedPushes::Impl {
  using S = Dual<double>;
  PositionsAlong positions;
  Pushes<S> pushes;
  Array<ExternalWrench<S>> wrenches;
  Array<S> P;

  explicit Impl(const std::shared_ptr<const Mechanism>& robot)
      : positions(robot), pushes(with_positions(robot)), P(index(robot->nv()) * index(robot->nv())) {
    wrenches.reserve(16);
  }
  static std::shared_ptr<const Mechanism> with_positions(const std::shared_ptr<const Mechanism>& robot) {
    if (!robot->coordinates.is_closed()) return robot;
    return std::make_shared<const Mechanism>(with_all_positions(*robot));
  }
  static void* operator new(std::size_t bytes) { return allocate_in_arena(bytes); }
  static void operator delete(void* object) { deallocate_in_arena(object); }
};

CurvedPushes::CurvedPushes(const std::shared_ptr<const Mechanism>& robot) : impl_(std::make_unique<Impl>(robot)) {}
CurvedPushes::~CurvedPushes() = default;

void CurvedPushes::lower(std::span<const double> q, std::span<const ExternalWrench<double>> wrenches,
                         std::span<const double> lambda, std::span<double> H) {
  using S = Impl::S;
  Impl& p = *impl_;
  const std::size_t n = lambda.size();
  p.wrenches.clear();
  for (const auto& w : wrenches)
    p.wrenches.push_back({w.frame, static_cast<Vec3<S>>(w.force), static_cast<Vec3<S>>(w.moment), w.axes});
  p.positions.set(q);
  for (std::size_t k = 0; k < n; ++k) {
    std::fill(p.P.begin(), p.P.end(), S{});
    p.pushes.lower_stiffness(p.positions.along(static_cast<int>(k)), p.wrenches, p.P);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) H[j * n + k] += lambda[i] * p.P[i * n + j].derivative;
  }
}

}  // namespace catena
