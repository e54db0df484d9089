// Calls allocate nothing once their object is made. The guard is first shown to see an allocation.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <vector>

#include "catena/dynamics.hpp"
#include "run/kinematics_of.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/no_allocation.hpp"

namespace catena::test::no_allocation_test {
namespace {

// A compiler may leave out a new whose block nobody sees; these are seen.
std::vector<double> seen;
void allocate() {
  seen.assign(100, 1.0);
  std::vector<double>().swap(seen);
}

TEST(NoAllocation, TheGuardSeesAllocations) {
  AllocationCount allocations;
  allocate();
  EXPECT_EQ(allocations.count(), 1);
  ::operator delete(::operator new(64, std::align_val_t(64)), std::align_val_t(64));
  EXPECT_EQ(allocations.count(), 2);
  ::operator delete[](::operator new[](64, std::nothrow), std::nothrow);
  EXPECT_EQ(allocations.count(), 3);
  EXPECT_NONFATAL_FAILURE(
      {
        NoAlloc guard;
        allocate();
      },
      "the guarded code allocated memory");
}

TEST(NoAllocation, InInverseDynamics) {
  expect_no_allocation(0, inverse_methods(), [](const Mechanism& robot, std::string_view method, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    return [&x, inverse = InverseDynamics<S>(robot, method), wrenches = wrench_on_every_frame<S>(robot),
            tau = x.q]() mutable {
      inverse(x.q, x.qd, x.qdd, tau);
      inverse(x.q, x.qd, x.qdd, tau, wrenches);
      inverse.gravity(x.q, tau);
      inverse.statics(x.q, wrenches, tau);
    };
  });
}

TEST(NoAllocation, InKinematics) {
  const std::vector<std::string_view> one_way{"kinematics"};
  expect_no_allocation(0, one_way, [](const Mechanism& robot, std::string_view, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    auto own = std::make_shared<MechanismFor<S>>(robot.cast<ConstantOf<S>>());
    return [&x, own, kinematics = Kinematics<S>(*own), columns = std::vector<JacobianColumn<S>>(x.q.size()),
            sum = S(0)]() mutable {
      for (int k = 0; k < static_cast<int>(own->frames.size()); ++k) {
        kinematics.update(x.q);
        kinematics.update(x.q, x.qd, x.qdd);
        kinematics.jacobian(k, columns);
        kinematics.jacobian_derivative(k, columns);
        sum += kinematics.pose(k).p.x + kinematics.motion(k).velocity.x;
      }
      sum += kinematics.kinetic_energy() + kinematics.potential_energy();
    };
  });
}

}  // namespace
}  // namespace catena::test::no_allocation_test
