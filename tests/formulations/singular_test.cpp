// Where the inertia matrix or a frame's mobility has no inverse, and the operational-space inertia where it has one.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/kinematics.hpp"
#include "oracle/newton_world.hpp"
#include "support/factor_robots.hpp"
#include "support/inertia_matrices.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

namespace catena::test::singular_test {
namespace {

constexpr Tolerance promised = relative(1e-10);

std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + std::string(method);
}

// --- operational space ---

// J M⁻¹ Jᵀ by plain products, m rows of J.
Values mobility(const Mechanism& robot, const Values& q, const Values& M, int frame, std::size_t m) {
  const std::size_t n = q.size();
  Kinematics<double> kinematics(robot);
  kinematics.update(q);
  std::vector<JacobianColumn<double>> columns(n);
  kinematics.jacobian(frame, columns);
  const Values inverse = dense_inverse(M, n);
  const auto J = [&](std::size_t r, std::size_t j) {
    const auto& [v, w] = columns[j];
    return Values{v.x, v.y, v.z, w.x, w.y, w.z}[r];
  };
  Values A(m * m, 0.0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < m; ++c)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) A[r * m + c] += J(r, j) * inverse[j * n + k] * J(c, k);
  return A;
}

TEST(OperationalInertia, InvertsTheMobilityOfAnyFrame) {
  int compared = 0, refused = 0;
  for (const std::uint64_t seed : test::seeds(4000, 4150)) {
    const auto [robot, mechanism, x] = regular(seed, 3 + static_cast<int>(seed % 9));
    const Values M = flat(oracle::inertia_matrix(robot, x.q));
    for (const std::string_view method : factor_methods()) {
      Factorization<double> f(mechanism, method);
      f.factor(x.q);
      for (int frame = 0; frame < static_cast<int>(mechanism.frames.size()); ++frame)
        for (const auto directions : {Directions::all, Directions::translation}) {
          const std::size_t m = directions == Directions::all ? 6 : 3;
          Values Lambda(m * m);
          try {
            f.operational_inertia(frame, Lambda, directions);
          } catch (const std::domain_error& error) {
            ++refused;
            EXPECT_NE(std::string(error.what()).find(mechanism.frames[index(frame)].name), std::string::npos);
            continue;
          }
          ++compared;
          // On the scale of Λ and its inverse, so that a frame near a singularity is not held to more than it can give.
          const Values A = mobility(mechanism, x.q, M, frame, m);
          for (std::size_t r = 0; r < m; ++r)
            for (std::size_t c = 0; c < m; ++c) {
              double one = 0.0, size = 1.0;
              for (std::size_t k = 0; k < m; ++k)
                one += A[r * m + k] * Lambda[k * m + c], size += std::abs(A[r * m + k] * Lambda[k * m + c]);
              EXPECT_TRUE(near(one, r == c ? 1.0 : 0.0, size, relative(1e-9)))
                  << label(seed, method) << ", frame " << frame;
              EXPECT_EQ(Lambda[r * m + c], Lambda[c * m + r]);
            }
        }
    }
  }
  EXPECT_GT(compared, test::sampled(1000));
  EXPECT_GT(refused, test::sampled(1000));
}

TEST(OperationalInertia, SaysInHowManyDirectionsAFrameCanMove) {
  constexpr Vec3<double> X{1, 0, 0}, Y{0, 1, 0}, Z{0, 0, 1};
  const auto refusal = [](const Robot& robot, const Values& q, int frame, Directions directions) {
    Factorization<double> f(make_mechanism(robot));
    f.factor(q);
    Values Lambda(directions == Directions::all ? 36 : 9);
    return message_of<std::domain_error>([&] { f.operational_inertia(frame, Lambda, directions); });
  };
  const std::string text = " cannot be accelerated in all directions here: ";
  const Robot planar = arm({Z, Z, Z, Z});
  EXPECT_EQ(refusal(planar, {0.1, 0.5, -0.7, 0.9}, 4, Directions::all),
            "frame 'link4'" + text + "3 of 6 are independent");
  EXPECT_EQ(refusal(planar, {0.1, 0.5, -0.7, 0.9}, 4, Directions::translation),
            "frame 'link4'" + text + "2 of 3 are independent");
  EXPECT_EQ(refusal(planar, {0.1, 0.5, -0.7, 0.9}, 0, Directions::all),
            "frame 'base'" + text + "0 of 6 are independent");
  const Robot wrist = arm({Z, Y, Y, X, Y, Z});
  EXPECT_EQ(refusal(wrist, {0.1, 0.5, -0.7, 0.4, 0.9, 0.2}, 6, Directions::all), "nothing was thrown");
  EXPECT_EQ(refusal(wrist, Values(6, 0.0), 6, Directions::all), "frame 'link6'" + text + "5 of 6 are independent");
  EXPECT_EQ(refusal(arm({X, Y, Z}, JointType::prismatic), {0.1, 0.2, 0.3}, 3, Directions::translation),
            "nothing was thrown");
  EXPECT_EQ(refusal(arm({X, Y, Z}, JointType::prismatic), {0.1, 0.2, 0.3}, 3, Directions::all),
            "frame 'link3'" + text + "3 of 6 are independent");
}

// --- where there are no factors ---

std::string refused(const Mechanism& robot, std::string_view method, const Values& q) {
  Factorization<double> f(robot, method);
  const std::string message = message_of<std::domain_error>([&] { f.factor(q); });
  if (message != "nothing was thrown") {
    EXPECT_THROW(f.D(), std::logic_error);
  }
  return message;
}

TEST(SingularInertia, NamesTheJointOfAMasslessLeaf) {
  for (const std::uint64_t seed : test::seeds(5000, 5060)) {
    auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 12));
    add_massless_leaf(robot, seed);
    x.q.push_back(0.7);
    for (const std::string_view method : factor_methods())
      EXPECT_EQ(refused(make_mechanism(robot), method, x.q),
                "joint 'the leaf': the inertia matrix is singular: nothing that this joint moves has mass, and there "
                "is no rotor")
          << label(seed, method);
    robot.joints.back().drive = {0.0, 0.0, 1e-4, 50.0};  // a rotor of its own is enough
    for (const std::string_view method : factor_methods())
      EXPECT_EQ(refused(make_mechanism(robot), method, x.q), "nothing was thrown") << label(seed, method);
  }
}

// Two joints in a row that do the same, with nothing between them.
TEST(SingularInertia, NamesTheJointThatAnotherRepeats) {
  constexpr Vec3<double> Y{0, 1, 0}, Z{0, 0, 1};
  const std::string expected =
      "joint 'joint2': the inertia matrix is singular here: the joints beyond this one can undo everything it does to "
      "the masses, as across a massless link";
  for (const JointType type : {JointType::revolute, JointType::prismatic})
    for (const Vec3<double>& tilted :
         {Z, Vec3<double>{0.6, 0.0, 0.8}, Vec3<double>{1 / std::sqrt(3.0), 1 / std::sqrt(3.0), 1 / std::sqrt(3.0)}}) {
      Robot robot = arm({Y, tilted, tilted, Y}, type);
      robot.links[2].inertial = {};
      robot.joints[2].origin.p = {};
      for (const std::string_view method : factor_methods())
        EXPECT_EQ(refused(make_mechanism(robot), method, {0.3, -0.4, 0.8, 0.2}), expected) << method;
    }
}

// A point mass on the axis of the last joint: no joint beyond it is to blame.
TEST(SingularInertia, NamesTheLastJointThatTurnsNothing) {
  constexpr Vec3<double> Y{0, 1, 0}, Z{0, 0, 1};
  for (const std::vector<Vec3<double>>& axes : {std::vector<Vec3<double>>{Z}, {Y, Z}, {Z, Y, Z}}) {
    Robot robot = arm(axes);
    robot.links.back().inertial = {1.0, {0, 0, 0.2}, {}};
    const std::string last = "joint 'joint" + std::to_string(axes.size()) + "': ";
    for (const std::string_view method : factor_methods())
      EXPECT_EQ(refused(make_mechanism(robot), method, Values(axes.size(), 0.3)),
                last +
                    "the inertia matrix is singular: what this joint moves has no inertia about its axis, and there is "
                    "no rotor")
          << method;
  }
}

TEST(SingularInertia, NamesTheJointThatFeelsAnImpossibleInertia) {
  Mechanism robot = make_mechanism(arm({{0, 1, 0}, {0, 0, 1}, {0, 1, 0}}));
  LinkConstants<double>& link = robot.links[1];
  link.inertia_com = Sym3<double>::diagonal(0.1, 0.1, -50.0);
  link.pseudo_com = pseudo_inertia(link.inertia_com);
  compute_augmented_links(robot);
  for (const std::string_view method : factor_methods()) {
    const std::string message = refused(robot, method, {0.3, -0.4, 0.8});
    EXPECT_EQ(message.substr(0, 62), "joint 'joint2': the inertia matrix is not positive definite (p") << message;
  }
}

// Massless links anywhere: either factors that rebuild M, or a refusal that names a joint. Never a NaN.
TEST(SingularInertia, NeverGivesWhatIsNotANumber) {
  int made = 0, refusals = 0;
  for (const std::uint64_t seed : test::seeds(6000, 6400)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 20);
    const Robot robot = random_robot(random, {.joints = n, .shape = seed % 2 == 0 ? Shape::chain : Shape::tree});
    const Mechanism mechanism = make_mechanism(robot);
    const State x = random_state(random, n);
    const Values M = matrix_by(mechanism, "generalized-links", x.q);
    for (const std::string_view method : factor_methods()) {
      SCOPED_TRACE(label(seed, method));
      Factorization<double> f(mechanism, method);
      const std::string message = message_of<std::domain_error>([&] { f.factor(x.q); });
      if (message != "nothing was thrown") {
        EXPECT_EQ(message.substr(0, 7), "joint '");
        ++refusals;
        continue;
      }
      ++made;
      for (const double entry : f.U()) EXPECT_TRUE(std::isfinite(entry));
      EXPECT_TRUE(near(rebuilt(f), M, entry_scales(M, x.q.size()), promised));
    }
  }
  EXPECT_GT(made, test::sampled(100));
  EXPECT_GT(refusals, test::sampled(100));
}

}  // namespace
}  // namespace catena::test::singular_test
