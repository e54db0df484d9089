// Robots on a free base, states of them, and calls by name.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "catena/call.hpp"
#include "model/free_base.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

inline void put(const Vec3<double>& v, double* at) { at[0] = v.x, at[1] = v.y, at[2] = v.z; }
inline Vec3<double> get(const double* at) { return {at[0], at[1], at[2]}; }

// The base at the origin, everything moving.
inline State start(Random& random, const Mechanism& robot, double speed) {
  State x;
  x.q.assign(static_cast<std::size_t>(robot.nq()), 0.0), x.qd.resize(static_cast<std::size_t>(robot.nv()));
  x.q[6] = 1.0;
  for (std::size_t k = 7; k < x.q.size(); ++k) x.q[k] = random.between(-1.0, 1.0);
  for (double& rate : x.qd) rate = speed * random.between(-1.0, 1.0);
  return x;
}

inline Values run(const Mechanism& robot, std::string_view job, std::string_view method, const State& x,
                  const Values& tau = {}, const std::vector<ExternalWrench<double>>& wrenches = {},
                  int frame = tool_frame) {
  Call<double> call(robot, job, method);
  Values out(call.size());
  call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau, .wrenches = wrenches, .frame = frame},
                           x.qdd),
       out);
  return out;
}

}  // namespace catena::test
