// The scalars: what the concept asks, what Counted counts, what Dual derives, and that a scalar from elsewhere, knowing
// nothing but the concept, runs through every formulation.
#include "catena/scalar/scalar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "formulations/shared/counted_as.hpp"
#include "jobs/inverse.hpp"
#include "run/kinematics_of.hpp"
#include "run/runner_of.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

// A scalar of another library: no implicit conversions, its own namespace, its own sincos and sign.
namespace elsewhere {

struct Number {
  double number = 0.0;
  Number() = default;
  explicit Number(double n) : number(n) {}
  Number& operator+=(const Number& b) { return number += b.number, *this; }
  Number& operator-=(const Number& b) { return number -= b.number, *this; }
};
Number operator+(const Number& a, const Number& b) { return Number(a.number + b.number); }
Number operator-(const Number& a, const Number& b) { return Number(a.number - b.number); }
Number operator*(const Number& a, const Number& b) { return Number(a.number * b.number); }
Number operator/(const Number& a, const Number& b) { return Number(a.number / b.number); }
Number operator-(const Number& a) { return Number(-a.number); }
Number operator+(const Number& a, double k) { return Number(a.number + k); }
Number operator+(double k, const Number& a) { return Number(k + a.number); }
Number operator-(const Number& a, double k) { return Number(a.number - k); }
Number operator-(double k, const Number& a) { return Number(k - a.number); }
Number operator*(const Number& a, double k) { return Number(a.number * k); }
Number operator*(double k, const Number& a) { return Number(k * a.number); }
Number operator/(const Number& a, double k) { return Number(a.number / k); }
Number operator/(double k, const Number& a) { return Number(k / a.number); }

int sincos_calls = 0;
catena::Turn<Number> sincos(const Number& x) {
  ++sincos_calls;
  return {Number(std::cos(x.number)), Number(std::sin(x.number))};
}
Number sign(const Number& x) { return Number((x.number > 0) - (x.number < 0)); }
Number decay(const Number& x) { return Number(std::exp(-x.number)); }

}  // namespace elsewhere

namespace catena::test::scalar_test {
namespace {

using D = Dual<double>;

static_assert(Scalar<double> && Scalar<float> && Scalar<long double>);
static_assert(Scalar<Counted> && Scalar<D> && Scalar<Dual<D>> && Scalar<elsewhere::Number>);
static_assert(!Scalar<std::string> && !Scalar<void*>);
static_assert(std::same_as<ConstantOf<float>, float> && std::same_as<ConstantOf<double>, double>);
static_assert(std::same_as<ConstantOf<D>, double> && std::same_as<ConstantOf<Counted>, double>);

TEST(Scalars, DecayHasItsDerivatives) {
  EXPECT_EQ(decay(2.0), std::exp(-2.0));
  EXPECT_EQ(decay(0.5f), std::exp(-0.5f));
  EXPECT_EQ(decay(Counted(0.0)).value(), 1.0);
  EXPECT_EQ(decay(D(2.0, 3.0)).value, std::exp(-2.0));
  EXPECT_EQ(decay(D(2.0, 3.0)).derivative, -3.0 * std::exp(-2.0));
  EXPECT_EQ(decay(Dual<D>(D(2.0, 1.0), D(1.0, 0.0))).derivative.derivative, std::exp(-2.0));
}

TEST(Scalars, SignIsZeroAtZero) {
  EXPECT_EQ(sign(3.0), 1.0);
  EXPECT_EQ(sign(-0.5f), -1.0f);
  EXPECT_EQ(sign(0.0), 0.0);
  EXPECT_EQ(sign(-0.0), 0.0);
  EXPECT_EQ(sign(Counted(-2.0)).value(), -1.0);
  EXPECT_EQ(sign(D(2.0, 5.0)).value, 1.0);
  EXPECT_EQ(sign(D(2.0, 5.0)).derivative, 0.0);
}

TEST(Counting, EveryOperationOnce) {
  Counted a(3.0), b(4.0);
  Counted::reset();
  Counted c = a * b + a - b / a;
  c += a;
  c -= b;
  c *= a;
  c = -c;
  const Turn<Counted> turn = sincos(a);
  EXPECT_EQ(Counted::count(), (OperationCount{2, 4, 1, 1}));
  EXPECT_EQ(c.value(), -((12.0 + 3.0 - 4.0 / 3.0 + 3.0 - 4.0) * 3.0));
  EXPECT_EQ(turn.c.value(), sincos(3.0).c);
  const OperationCount before = Counted::count();
  c = a * 2.0;  // a robot constant is a factor like any other
  EXPECT_EQ(Counted::count() - before, (OperationCount{1, 0, 0, 0}));
}

// With constants known, what they make superfluous is left out, and nothing else.
TEST(Counting, KnownConstantsLeaveOutWhatIsSuperfluous) {
  const Counted x = Counted::variable(3.0), one(1.0), zero(0.0), half(0.5);
  const auto cost = [](auto&& compute) {
    Counted::reset();
    Counted::tally().constants_known = true;
    compute();
    Counted::tally().constants_known = false;
    return Counted::count();
  };
  EXPECT_EQ(cost([&] { return one * x + zero; }), (OperationCount{}));
  EXPECT_EQ(cost([&] { return x * (-one) - zero * x; }), (OperationCount{}));
  EXPECT_EQ(cost([&] { return half * half + half; }), (OperationCount{}));
  EXPECT_EQ(cost([&] { return zero * x + half; }), (OperationCount{}));  // 0 x is a constant
  EXPECT_EQ(cost([&] { return half * x + half; }), (OperationCount{1, 1, 0, 0}));
  EXPECT_EQ(cost([&] { return Counted::variable(0.0) * x; }), (OperationCount{1, 0, 0, 0}));  // happens to be 0
  EXPECT_EQ(cost([&] { return sincos(Counted::variable(0.0)).c * x; }), (OperationCount{1, 0, 0, 1}));
  EXPECT_EQ(cost([&] { return x * x - x * x; }), (OperationCount{2, 1, 0, 0}));
}

// All operations since the last charge belong to the next; for other scalars the value is passed on.
TEST(Counting, OperationsAreChargedToEquations) {
  const Counted x(3.0), y(4.0);
  Counted::reset();
  const Vec3<Counted> v = counted_as("1", Vec3<Counted>{x * y, x + y, x});
  const Counted w = counted_as("2", counted_as("1", v.x * v.y) - v.z);
  const auto& lines = Counted::tally().lines;
  EXPECT_EQ(lines[0].equation, "1");
  EXPECT_EQ(lines[0].online, (OperationCount{2, 1, 0, 0}));
  EXPECT_EQ(lines[1].equation, "2");
  EXPECT_EQ(lines[1].online, (OperationCount{0, 1, 0, 0}));
  EXPECT_TRUE(lines[2].equation.empty());
  EXPECT_EQ(w.value(), 81.0);
  EXPECT_EQ(counted_as("1", 2.5), 2.5);
  static_assert(counted_as("1", Vec3<double>{1.0, 2.0, 3.0}).y == 2.0);
}

TEST(Duals, FollowTheRulesOfDifferentiation) {
  const D x(0.7, 1.0), k(2.5);
  EXPECT_EQ((x + k).derivative, 1.0);
  EXPECT_EQ((k - x).derivative, -1.0);
  EXPECT_EQ((x * x * x).derivative, 0.7 * 2 * 0.7 + 0.7 * 0.7);
  EXPECT_TRUE(near((k / x).derivative, -2.5 / (0.7 * 0.7), 1.0, ulps<double>(16)));
  EXPECT_EQ((-x).derivative, -1.0);
  EXPECT_EQ(sincos(x).s.derivative, sincos(0.7).c);
  EXPECT_EQ(sincos(x).c.derivative, -sincos(0.7).s);
  D sum = x;
  sum += x;
  sum *= x;
  sum -= k;
  EXPECT_TRUE(near(sum.derivative, 4 * 0.7, 1.0, ulps<double>(4)));
}

// f(x) = sin(x)² / x: first and second derivative against the formulas.
TEST(Duals, OfDualsGiveSecondDerivatives) {
  using DD = Dual<D>;
  const double at = 0.7, s = std::sin(at), c = std::cos(at);
  const DD x(D(at, 1.0), D(1.0, 0.0));
  const DD f = sincos(x).s * sincos(x).s / x;
  const double first = 2 * s * c / at - s * s / (at * at);
  const double second = 2 * (c * c - s * s) / at - 4 * s * c / (at * at) + 2 * s * s / (at * at * at);
  EXPECT_TRUE(near(f.value.value, s * s / at, 1.0, ulps<double>(8)));
  EXPECT_TRUE(near(f.derivative.value, first, 1.0, ulps<double>(8)));
  EXPECT_TRUE(near(f.value.derivative, first, 1.0, ulps<double>(8)));
  EXPECT_TRUE(near(f.derivative.derivative, second, 1.0, ulps<double>(32)));
}

TEST(Scalars, OneFromElsewhereRunsThroughEveryFormulation) {
  using elsewhere::Number;
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 8));
    const Mechanism mechanism = make_mechanism(robot);
    const oracle::Torques expected = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd);
    const auto tree = std::make_shared<const Tree>(mechanism);
    int revolute = 0;
    for (const auto& link : mechanism.links) revolute += link.revolute ? 1 : 0;
    for_each_formulation("inverse", [&, &x = x](const FormulationInfo& formulation) {
      elsewhere::sincos_calls = 0;
      const auto runner = RunnersOf<InverseJob, Number>::make(tree, formulation.name);
      const std::vector<Number> q = as<Number>(x.q), qd = as<Number>(x.qd), qdd = as<Number>(x.qdd);
      const std::vector<Number> tau = run_on<Number>(*runner, "inverse", mechanism, {.q = q, .qd = qd, .qdd = qdd});
      Values values;
      for (const Number& t : tau) values.push_back(t.number);
      EXPECT_TRUE(near(values, expected.tau, expected.scale, ulps<double>(64))) << formulation.name;
      // Found by argument-dependent lookup, once a joint; one is made of three others, each with its own.
      EXPECT_EQ(elsewhere::sincos_calls, formulation.name == "christoffel" ? 3 * revolute : revolute);
    });
    Kinematics<Number> kinematics(mechanism);
    kinematics.update(as<Number>(x.q), as<Number>(x.qd), as<Number>(x.qdd));
    const double kinetic = oracle::kinetic_energy(robot, x.q, x.qd);
    EXPECT_TRUE(near(kinematics.kinetic_energy().number, kinetic, kinetic, ulps<double>(1024)));
  }
}

// What a formulation costs for a chain of revolute links in general position.
OperationCount chain_cost(const FormulationInfo& formulation, int n) {
  Random random(42);
  Robot robot = random_robot(random, {.joints = n,
                                      .mix = JointMix::revolute,
                                      .fixed_links = false,
                                      .massless_links = false,
                                      .aligned_axes = false,
                                      .shuffled = false});
  const State x = random_state(random, n);
  const Mechanism mechanism = make_mechanism(robot);
  const auto q = as<Counted>(x.q), qd = as<Counted>(x.qd), qdd = as<Counted>(x.qdd);
  Counted::reset();
  torques<Counted>(formulation.name, mechanism, q, qd, qdd);
  return Counted::count();
}

// The order-th difference of what so many links more cost; zero where the cost is a polynomial of less degree.
long difference(const FormulationInfo& formulation, int n, int order, long OperationCount::*of) {
  if (order == 0) return chain_cost(formulation, n).*of;
  return difference(formulation, n + 1, order - 1, of) - difference(formulation, n, order - 1, of);
}

// By the same amount with every link, but for the rungs below: those grow by a power of n that their pages name.
TEST(Counting, FormulationsGrowByTheSameCostWithEveryLink) {
  const std::map<std::string_view, int> powers{{"uicker-kahn", 4}, {"christoffel", 3}, {"waters", 2}, {"kane", 2}};
  for_each_formulation("inverse", [&](const FormulationInfo& formulation) {
    const auto found = powers.find(formulation.name);
    const int power = found == powers.end() ? 1 : found->second;
    for (const auto of : {&OperationCount::multiplications, &OperationCount::additions}) {
      EXPECT_GT(difference(formulation, 6, power, of), 0) << formulation.name;
      EXPECT_EQ(difference(formulation, 6, power + 1, of), 0) << formulation.name;
      EXPECT_EQ(difference(formulation, 12, power + 1, of), 0) << formulation.name;
    }
    EXPECT_EQ(difference(formulation, 6, 1, &OperationCount::sincos), formulation.name == "christoffel" ? 3 : 1);
    EXPECT_EQ(difference(formulation, 6, 1, &OperationCount::divisions), 0);
  });
}

}  // namespace
}  // namespace catena::test::scalar_test
