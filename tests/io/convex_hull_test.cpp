// Convex hulls: closed, with every point on or below every face, also where points lie in one plane by the hundred.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "catena/validate.hpp"
#include "io/convex_hull.hpp"

namespace catena::convex_hull_test {
namespace {

using Points = std::vector<Vec3<double>>;

Points rounded(Points points) {
  for (Vec3<double>& p : points)
    p = {static_cast<double>(static_cast<float>(p.x)), static_cast<double>(static_cast<float>(p.y)),
         static_cast<double>(static_cast<float>(p.z))};
  return points;
}

// The volume; every edge has a face on either side, and no point is farther above a face than rounding.
double checked_volume(const Points& points) {
  const auto faces = io::convex_hull(points);
  std::map<std::array<double, 6>, int> edges;
  double volume = 0.0, highest = 0.0;
  for (const auto& t : faces) {
    volume += dot(t[0], cross(t[1], t[2])) / 6.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3<double>&a = t[k], &b = t[(k + 1) % 3];
      ++edges[{a.x, a.y, a.z, b.x, b.y, b.z}];
      --edges[{b.x, b.y, b.z, a.x, a.y, a.z}];
    }
    const Vec3<double> normal = cross(t[1] - t[0], t[2] - t[0]);
    for (const Vec3<double>& p : points) highest = std::max(highest, dot(normal, p - t[0]));
  }
  for (const auto& [edge, count] : edges) EXPECT_EQ(count, 0);
  EXPECT_LT(highest, 1e-14);
  return volume;
}

TEST(ConvexHull, OfAGridIsTheBlock) {
  Points points;
  for (int x = 0; x <= 8; ++x)
    for (int y = 0; y <= 8; ++y)
      for (int z = 0; z <= 8; ++z) points.push_back({0.1 * x, 0.07 * y, 0.3 * z});
  points.insert(points.end(), points.begin(), points.begin() + 100);  // twice
  points = rounded(points);
  EXPECT_NEAR(checked_volume(points), 0.8 * 0.56 * 2.4, 1e-7);
}

TEST(ConvexHull, OfRandomPointsTurnedAndNearlyFlat) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 30; ++k) {
    Points points;
    const double thin = std::pow(10.0, -0.25 * k);  // down to what float can tell, and below
    for (int n = 0; n < 400; ++n) {
      Vec3<double> p{normal(random), normal(random), normal(random)};
      if (k % 2 == 0) p = (1.0 / std::sqrt(dot(p, p))) * p;  // all of them corners
      points.push_back({p.x + p.y, p.x - p.y, 0.3 * p.x + thin * p.z});
    }
    EXPECT_GT(checked_volume(rounded(points)), 0.0);
  }
}

TEST(ConvexHull, FlatPointsHaveNone) {
  EXPECT_THROW(io::convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.25, 0}}), ModelError);
  EXPECT_THROW(io::convex_hull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}), ModelError);
  EXPECT_THROW(io::convex_hull({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}), ModelError);
  EXPECT_THROW(io::convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), ModelError);
}

}  // namespace
}  // namespace catena::convex_hull_test
