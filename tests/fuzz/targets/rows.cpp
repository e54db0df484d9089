// A robot of any kind in rows of both conventions, as a table and as a file: the same robot.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "catena/call.hpp"
#include "catena/robot_file.hpp"
#include "fuzz/support/built_robot.hpp"
#include "fuzz/support/violation.hpp"

namespace catena::fuzz {
namespace {

using Values = std::vector<double>;

// None: the robot has none in this state.
Values result_of(const char* job, const Mechanism& robot, const BuiltState& x) {
  Call<double> call(robot, job);
  Values out(call.size());
  try {
    call({.q = x.q, .qd = x.qd, .qdd = x.qdd, .frame = robot.frame_index("probe")}, out);
  } catch (const std::domain_error&) {
    return {};
  }
  return out;
}

void require_same(const std::string& what, const Values& a, const Values& b, double bound) {
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    require(std::abs(a[k] - b[k]) <= bound, what + ": entry " + std::to_string(k) + " is " + std::to_string(a[k]) +
                                                " and in rows " + std::to_string(b[k]) + ", bound " +
                                                std::to_string(bound));
}

void compare(const Robot& robot, const Robot& in_rows, Bytes bytes) {
  const Mechanism one = make_mechanism(robot), other = make_mechanism(in_rows);
  // Whether a loop holds a joint may be a matter of rounding.
  if (!robot.loops.empty() && one.nv() != other.nv()) return;
  require(one.nv() == other.nv() && one.nq() == other.nq(), "in rows, it has other coordinates");
  const double share = 0.2 * bytes.number(1.0);
  const BuiltState x = build_state(bytes, one, share);
  constexpr double rounding = 1e-9, rate = 60.0;
  require_same("pose", result_of("pose", one, x), result_of("pose", other, x), rounding * 100.0);
  require_same("inverse", result_of("inverse", one, x), result_of("inverse", other, x),
               rounding * rate * largest_inertia(robot));
}

}  // namespace

void fuzz_rows(Input input) {
  Bytes bytes(input);
  or_say_why<ModelError>([&] {
    const BuiltRobot built = build_robot(bytes);
    for (const DhConvention convention : {DhConvention::classic, DhConvention::modified}) {
      const DhForm rows = dh_form(built.robot, convention);
      compare(built.robot, rows.robot, bytes);
      compare(built.robot, parse_toml(to_toml(rows), "rows.toml"), bytes);
    }
  });
}

}  // namespace catena::fuzz
