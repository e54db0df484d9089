// The expression graph and its scalar: what folds, what is shared, what is counted; and that nothing of it changes a
// value.
#include "catena/scalar/expr.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/random_robot.hpp"

namespace catena::expr_test {
namespace {

struct Symbols : testing::Test {
  Graph graph;
  Expr x = Expr::input(graph, "x"), y = Expr::input(graph, "y"), z = Expr::input(graph, "z");

  GraphCost cost(const std::vector<Expr>& results) {
    std::vector<NodeRef> refs;
    for (const Expr& e : results) refs.push_back(e.in(graph));
    return graph.cost(refs);
  }
  double value(const Expr& e, double vx, double vy, double vz) {
    const NodeRef ref = e.in(graph);
    const double values[] = {vx, vy, vz};
    return graph.evaluate(std::span(&ref, 1), values)[0];
  }
};

TEST_F(Symbols, ZerosAndOnesVanish) {
  EXPECT_EQ(x + 0.0, x);
  EXPECT_EQ(0.0 - x, -x);
  EXPECT_EQ(x * 1.0, x);
  EXPECT_EQ(x * -1.0, -x);
  EXPECT_EQ(x * 0.0, Expr(0.0));
  EXPECT_EQ(x - x, Expr(0.0));
  EXPECT_EQ(x / 1.0, x);
  EXPECT_EQ(x / x, Expr(1.0));
  EXPECT_FALSE(std::signbit((-Expr(0.0)).constant()));
}

TEST_F(Symbols, OperandsHaveOneOrder) {
  EXPECT_EQ(x + y, y + x);
  EXPECT_EQ(x * y, y * x);
  EXPECT_EQ(x - y, -(y - x));
  EXPECT_EQ(graph.size(), 6u);  // three inputs, a sum, a product, a difference
}

TEST_F(Symbols, SignsMoveOutward) {
  EXPECT_EQ((-x) * y, -(x * y));
  EXPECT_EQ((-x) * (-y), x * y);
  EXPECT_EQ((-x) + (-y), -(x + y));
  EXPECT_EQ(x + (-y), x - y);
  EXPECT_EQ(1.0 / -x, -(1.0 / x));
  EXPECT_EQ(-2.0 * x, -(2.0 * x));
  EXPECT_EQ(sincos(-x).s, -sincos(x).s);
  EXPECT_EQ(sincos(-x).c, sincos(x).c);
  EXPECT_EQ(sign(-x), -sign(x));
}

TEST_F(Symbols, ConstantsGather) {
  EXPECT_EQ(2.0 + (3.0 + x), 5.0 + x);
  EXPECT_EQ((x - 3.0) + 3.0, x);
  EXPECT_EQ(5.0 - (3.0 - x), 2.0 + x);
  EXPECT_EQ(2.0 * (3.0 * x), 6.0 * x);
  EXPECT_EQ((x + 2.0) - 2.0, x);
  EXPECT_EQ(1.0 / (1.0 / x), x);
  EXPECT_EQ((x + y) - y, x);
  EXPECT_EQ((x - y) + y, x);
  EXPECT_EQ(x - (x - y), y);
  EXPECT_EQ(x + x, 2.0 * x);
}

TEST_F(Symbols, ConstantsNeedNoGraph) {
  const Expr k = Expr(2.0) * 3.0 + 1.0;
  EXPECT_TRUE(k.is_constant());
  EXPECT_EQ(k.constant(), 7.0);
  EXPECT_EQ(graph.size(), 3u);
  EXPECT_NEAR(sincos(Expr(0.3)).s.constant(), std::sin(0.3), 1e-16);
  EXPECT_TRUE(Expr(1.0) < Expr(2.0));
  EXPECT_THROW((void)(x < Expr(2.0)), std::domain_error);
  EXPECT_THROW((void)sqrt(x), std::domain_error);
}

TEST_F(Symbols, QuarterTurnsExchangeSineAndCosine) {
  const double quarter = std::numbers::pi / 2;
  const Turn<Expr> t = sincos(x);
  EXPECT_EQ(sincos_of_sum(x, quarter).c, -t.s);
  EXPECT_EQ(sincos_of_sum(x, quarter).s, t.c);
  EXPECT_EQ(sincos_of_sum(x, -quarter).c, t.s);
  EXPECT_EQ(sincos_of_sum(x, 2 * quarter).s, -t.s);
  EXPECT_EQ(sincos_of_sum(x, 5 * quarter).s, t.c);
  EXPECT_EQ(sincos_of_sum(x, 0.0).c, t.c);
  EXPECT_NE(sincos_of_sum(x, 1.5708).c, -t.s);  // what a file may say is no quarter turn
}

TEST_F(Symbols, CountsWhatIsLive) {
  const Expr product = x * y, dead = x * z;
  const GraphCost c = cost({product + z, product + 1.0});
  EXPECT_EQ(c.multiplications, 1);
  EXPECT_EQ(c.additions, 2);
  EXPECT_EQ(c.fused, 0);  // the product is read twice
  EXPECT_EQ(cost({product + z}).fused, 1);
  EXPECT_EQ(cost({x * y + x * z}).instructions(), 2);
  EXPECT_EQ(cost({x + x}).multiplications, 0);
  EXPECT_EQ(cost({x + x}).additions, 1);
  EXPECT_EQ(cost({1.0 / x + y / x}).reciprocals, 1);
  EXPECT_EQ(cost({sincos(x).s * sincos(x).c}).sincos, 1);
  EXPECT_EQ(cost({(x * y + z) * x}).depth, 3);
  EXPECT_EQ(cost({x}).depth, 0);
  EXPECT_FALSE(dead.is_constant());
}

TEST_F(Symbols, ConstantRotationsTakeThreeShears) {
  for (const double angle : {0.3, -0.8, 2.0, -2.9, 3.1}) {
    const Expr c(std::cos(angle)), s(std::sin(angle));
    const Plane<Expr> there = rotate(c, s, x, y), back = rotate_back(c, s, x, y);
    EXPECT_EQ(cost({there.x, there.y}).instructions(), 3);
    const double vx = 1.3, vy = -0.4, cd = std::cos(angle), sd = std::sin(angle);
    EXPECT_NEAR(value(there.x, vx, vy, 0), cd * vx - sd * vy, 1e-15);
    EXPECT_NEAR(value(there.y, vx, vy, 0), sd * vx + cd * vy, 1e-15);
    EXPECT_NEAR(value(back.x, vx, vy, 0), cd * vx + sd * vy, 1e-15);
    EXPECT_NEAR(value(back.y, vx, vy, 0), cd * vy - sd * vx, 1e-15);
  }
}

// Random expressions, written by Expr and computed by double side by side.
TEST(Expr, ComputesWhatDoubleComputes) {
  test::Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    Graph graph;
    std::vector<double> inputs;
    std::vector<std::pair<Expr, double>> pool;
    for (int k = 0; k < 3; ++k) {
      inputs.push_back(random.between(0.5, 2.0));
      pool.emplace_back(Expr::input(graph, std::string(1, char('x' + k))), inputs.back());
    }
    for (const double k : {0.0, 1.0, -1.0, 2.0, 0.7, -0.3}) pool.emplace_back(Expr(k), k);
    for (int step = 0; step < 40; ++step) {
      const auto a = pool[std::size_t(random.below(int(pool.size())))];
      const auto b = pool[std::size_t(random.below(int(pool.size())))];
      std::pair<Expr, double> made;
      switch (random.below(7)) {
        case 0:
          made = {a.first + b.first, a.second + b.second};
          break;
        case 1:
          made = {a.first - b.first, a.second - b.second};
          break;
        case 2:
          made = {a.first * b.first, a.second * b.second};
          break;
        case 3:
          made = {-a.first, -a.second};
          break;
        case 4:
          made = {sincos(a.first).s, std::sin(a.second)};
          break;
        case 5:
          made = {sincos(a.first).c, std::cos(a.second)};
          break;
        default:
          if (std::abs(b.second) < 0.2) continue;
          made = {a.first / b.first, a.second / b.second};
      }
      if (std::abs(made.second) < 10.0) pool.push_back(made);
    }
    std::vector<NodeRef> refs;
    for (const auto& [e, v] : pool) refs.push_back(e.in(graph));
    const auto values = graph.evaluate(refs, inputs);
    for (std::size_t k = 0; k < pool.size(); ++k) ASSERT_NEAR(values[k], pool[k].second, 1e-9) << trial << ' ' << k;
  }
}

}  // namespace
}  // namespace catena::expr_test
