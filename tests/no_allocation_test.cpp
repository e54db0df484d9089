// Calls allocate nothing once their object is made. The guard is first shown to see an allocation.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/kinematics.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"

namespace catena::test {
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
  EXPECT_NONFATAL_FAILURE(
      {
        NoAlloc guard;
        allocate();
      },
      "the guarded code allocated memory");
}

template <class S>
void expect_no_allocation(std::uint64_t seed, int joints) {
  const auto [robot, x] = sample(seed, joints);
  const Mechanism mechanism = make_mechanism(robot);
  const std::vector<S> q = as<S>(x.q), qd = as<S>(x.qd), qdd = as<S>(x.qdd);
  std::vector<S> tau(q.size());
  std::vector<ExternalWrench<S>> wrenches;
  for (int k = 0; k < static_cast<int>(mechanism.frames.size()); ++k)
    wrenches.push_back({k, {S(1), S(2), S(3)}, {S(4), S(5), S(6)}, k % 2 == 0 ? Axes::frame : Axes::world});
  for (const std::string_view method : inverse_methods()) {
    SCOPED_TRACE(method);
    InverseDynamics<S> inverse(mechanism, method);
    NoAlloc guard;  // the very first call counts: nothing is put off until then
    for (int repeat = 0; repeat < 3; ++repeat) {
      inverse(q, qd, qdd, tau);
      inverse(q, qd, qdd, tau, wrenches);
      inverse.gravity(q, tau);
      inverse.statics(q, wrenches, tau);
    }
  }
  const MechanismFor<S> own = mechanism.cast<ConstantOf<S>>();
  Kinematics<S> kinematics(own);
  std::vector<JacobianColumn<S>> columns(q.size());
  NoAlloc guard;
  for (int k = 0; k < static_cast<int>(own.frames.size()); ++k) {
    kinematics.update(q);
    kinematics.update(q, qd, qdd);
    kinematics.jacobian(k, columns);
    kinematics.jacobian_derivative(k, columns);
    tau[0] += kinematics.pose(k).p.x + kinematics.motion(k).velocity.x;
  }
  tau[0] += kinematics.kinetic_energy() + kinematics.potential_energy();
}

TEST(NoAllocation, InDouble) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) expect_no_allocation<double>(seed, 1 + static_cast<int>(seed));
}
TEST(NoAllocation, InFloat) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) expect_no_allocation<float>(seed, 1 + static_cast<int>(seed));
}

}  // namespace
}  // namespace catena::test
