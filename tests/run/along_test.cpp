// Derivatives along directions, by dual numbers: every job against differences, a chain, a tree of loops and a free
// base.
#include "run/along.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "catena/call.hpp"
#include "catena/math/quaternion.hpp"
#include "catena/robot_file.hpp"
#include "model/free_base.hpp"
#include "support/held_linkages.hpp"

namespace catena::test::along_test {
namespace {

using Vector = std::vector<double>;
using Arrays = std::array<Vector, std::size(all_inputs)>;

Arrays drawn(const Mechanism& robot, double size, unsigned seed) {
  std::mt19937 dice(seed);
  std::uniform_real_distribution<double> any(0.3 * size, size);  // friction does not change its sign
  Arrays arrays;
  for (const InputInfo& info : all_inputs)
    for (int k = 0; k < info.size(sizes_of(robot)); ++k) arrays[std::size_t(info.input)].push_back(any(dice));
  return arrays;
}
Arrays state(const Mechanism& robot) {
  Arrays at = drawn(robot, 0.8, 1);
  if (robot.coordinates.is_free()) normalize_quaternion(&at[std::size_t(Input::q)][3]);
  return at;
}
Inputs<double> inputs(const Arrays& arrays) {
  Inputs<double> in;
  for (const InputInfo& info : all_inputs) in[info.input] = arrays[std::size_t(info.input)];
  return in;
}
Arrays moved(Arrays at, const Arrays& along, double step) {
  for (std::size_t k = 0; k < at.size(); ++k)
    for (std::size_t j = 0; j < at[k].size(); ++j) at[k][j] += step * along[k][j];
  return at;
}
template <class Work>
Vector difference(const Work& work, const Arrays& at, const Arrays& along) {
  constexpr double step = 1e-6;
  Vector after = work(moved(at, along, step));
  const Vector before = work(moved(at, along, -step));
  for (std::size_t k = 0; k < after.size(); ++k) after[k] = (after[k] - before[k]) / (2 * step);
  return after;
}
double largest(const Vector& values) {
  double most = 1e-9;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}
void expect_near(const Vector& found, const Vector& expected, double scale, std::string_view what) {
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-5 * std::max(scale, largest(expected))) << what << ", entry " << k;
}

void expect_derivatives(const Mechanism& robot) {
  const Arrays at = state(robot), first = drawn(robot, 1.0, 2), second = drawn(robot, 1.0, 3);
  for (const JobInfo& job : jobs()) {
    if (robot.coordinates.is_closed() && job.takes(Input::lambda)) continue;
    Call<double> call(robot, job.name);
    Along once(robot, job.name, 1), twice(robot, job.name, 2);
    const auto value = [&](const Arrays& x) {
      Vector out(call.size());
      call(inputs(x), out);
      return out;
    };
    const auto change = [&](const Arrays& x) {
      Vector out(once.size());
      const Inputs<double> along[] = {inputs(first)};
      once(inputs(x), along, out);
      return out;
    };
    Vector both(twice.size());
    const Inputs<double> along[] = {inputs(first), inputs(second)};
    twice(inputs(at), along, both);
    expect_near(change(at), difference(value, at, first), largest(value(at)), job.name);
    expect_near(both, difference(change, at, second), largest(change(at)), job.name);
  }
}

TEST(Along, EveryJobOfAnArm) { expect_derivatives(make_mechanism(load_robot(find_model("panda")))); }
TEST(Along, EveryJobOfAnArmOnAFreeBase) {
  expect_derivatives(make_mechanism(on_free_base(load_robot(find_model("ur5")))));
}
TEST(Along, EveryJobOfALinkage) { expect_derivatives(make_mechanism(load_robot(find_model("fourbar_press")))); }

TEST(Along, EveryJobOfALinkageThatIsHeld) {
  for (const Robot& robot : held(upright())) expect_derivatives(make_mechanism(robot));
}

TEST(Along, OtherOrdersAreRefused) {
  const Mechanism robot = make_mechanism(load_robot(find_model("planar2r")));
  EXPECT_THROW(Along(robot, "pose", 0), std::invalid_argument);
  EXPECT_THROW(Along(robot, "pose", 3), std::invalid_argument);
  EXPECT_THROW(Along(robot, "nothing", 1), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test::along_test
