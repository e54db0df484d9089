// A free base: every job against the same robot on six joints that stand anywhere, whose rates are turned into the
// base's twist here; derivatives against differences in the tangent space; formulations, generated and compiled code
// against each other; files; what is refused. tests/peers compares with another library.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "catena/assembly.hpp"
#include "catena/changes.hpp"
#include "catena/compile.hpp"
#include "catena/factorization.hpp"
#include "catena/kinematics.hpp"
#include "catena/program.hpp"
#include "catena/robot_file.hpp"
#include "model/free_base.hpp"
#include "support/allocations.hpp"
#include "support/cache_folder.hpp"
#include "support/formulations.hpp"
#include "support/free_robots.hpp"
#include "support/nightly.hpp"
#include "support/small_matrices.hpp"

namespace catena::test::free_base_test {
namespace {

using V = Vec3<double>;
using M3 = Mat3<double>;
constexpr V ex{1.0, 0.0, 0.0}, ey{0.0, 1.0, 0.0}, ez{0.0, 0.0, 1.0};

// A quaternion of R, whose trace is not near -1 here.
std::array<double, 4> quaternion(const M3& R) {
  const double w = 0.5 * std::sqrt(1.0 + R.xx + R.yy + R.zz);
  return {(R.zy - R.yz) / (4.0 * w), (R.xz - R.zx) / (4.0 * w), (R.yx - R.xy) / (4.0 * w), w};
}

// The robot with its base somewhere, moving; and the same on the six joints, which are not at zero.
struct Case {
  Robot robot;
  Mechanism free, tree;
  State x, on_joints;
  M3 R;
  std::array<V, 3> W;  // angular velocity by the rates of the three joints that turn, along the base's axes
};

Case case_of(std::uint64_t seed, int joints, bool coupled = false) {
  Random random(seed + 31'000'000);
  Case c;
  c.robot = random_free(random, joints, random.chance(0.5), coupled);
  if (random.chance(0.5)) c.robot.joints.front().origin = {random.rotation(), random.vector(1.0)};
  c.free = make_mechanism(c.robot);
  c.tree = c.free;
  c.tree.coordinates.base = BaseKind::fixed;
  c.tree.carried = false;
  c.on_joints = random_state(random, c.free.nv());
  for (std::size_t k = 3; k < 6; ++k) c.on_joints.q[k] *= 0.3;  // away from where the three turns are singular
  const State& j = c.on_joints;
  const M3 X = rotation_about(ex, j.q[3]), Y = rotation_about(ey, j.q[4]), Z = rotation_about(ez, j.q[5]);
  c.R = X * Y * Z;
  const M3 back = c.R.transpose();
  c.W = {Z.transpose() * (Y.transpose() * ex), Z.transpose() * ey, ez};
  const V rates = get(&j.qd[3]);
  const V omega = rates.x * c.W[0] + rates.y * c.W[1] + rates.z * c.W[2];
  const V W0_dot = -rates.z * cross(ez, c.W[0]) - rates.y * (Z.transpose() * cross(ey, Y.transpose() * ex));
  const V W1_dot = -rates.z * cross(ez, c.W[1]);
  const V turning = j.qdd[3] * c.W[0] + j.qdd[4] * c.W[1] + j.qdd[5] * c.W[2] + rates.x * W0_dot + rates.y * W1_dot;
  const V v = back * get(&j.qd[0]);
  c.x = j;
  const auto xi = quaternion(c.R);
  c.x.q.insert(c.x.q.begin() + 3, 0.0);
  for (std::size_t k = 0; k < 4; ++k) c.x.q[3 + k] = xi[k];
  put(v, &c.x.qd[0]), put(omega, &c.x.qd[3]);
  put(back * get(&j.qdd[0]) - cross(omega, v), &c.x.qdd[0]), put(turning, &c.x.qdd[3]);
  return c;
}

// E of θ̇ = E u, by rows: what the joints' rates are of the twist.
Values rates_of_twist(const Case& c) {
  const std::size_t n = c.x.qd.size();
  Values E(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    Values column(n);
    column[k] = 1.0;
    if (k < 3) put(c.R * get(&column[0]), &column[0]);
    if (k >= 3 && k < 6) {
      const Values W{c.W[0].x, c.W[1].x, c.W[2].x, c.W[0].y, c.W[1].y, c.W[2].y, c.W[0].z, c.W[1].z, c.W[2].z};
      const Values rates = solved(W, {column[3], column[4], column[5]});
      std::copy(rates.begin(), rates.end(), column.begin() + 3);
    }
    for (std::size_t i = 0; i < n; ++i) E[i * n + k] = column[i];
  }
  return E;
}

// A frame of the robot: those between the six joints are where the six are, and stand for nothing.
int some_frame(const Case& c, Random& random) {
  for (;;) {
    const int frame = random.below(static_cast<int>(c.free.frames.size()));
    if (!is_between_free_parts(c.robot, frame)) return frame;
  }
}

std::vector<ExternalWrench<double>> some_wrenches(const Case& c, Random& random) {
  std::vector<ExternalWrench<double>> all;
  for (int k = 0; k < 3; ++k)
    all.push_back(
        {some_frame(c, random), random.vector(10.0), random.vector(3.0), k % 2 == 0 ? Axes::world : Axes::frame});
  return all;
}

TEST(FreeBase, TorquesAndInertiaAreThoseOfSixJointsAnywhere) {
  for (const std::uint64_t seed : test::seeds(0, 80)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 9), seed % 4 == 3);
    const std::size_t n = c.x.qd.size();
    Random random(seed);
    const auto wrenches = some_wrenches(c, random);
    const Values E = rates_of_twist(c), turned = transposed(E, n);
    const Values expected = times(turned, run(c.tree, "inverse", "", c.on_joints, {}, wrenches), n);
    EXPECT_TRUE(near(run(c.free, "inverse", "", c.x, {}, wrenches), expected, relative(1e-11))) << seed;
    const Values M = times(times(turned, run(c.tree, "inertia", "", c.on_joints), n), E, n);
    EXPECT_TRUE(near(run(c.free, "inertia", "", c.x), M, relative(1e-12))) << seed;
    // What accelerates it back: torques of the motion give the motion.
    EXPECT_TRUE(near(run(c.free, "forward", "", c.x, expected, wrenches), c.x.qdd, relative(1e-9))) << seed;
  }
}

TEST(FreeBase, WhatIsSeenFromTheWorldIsThatOfSixJointsAnywhere) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 7), seed % 4 == 1);
    const std::size_t n = c.x.qd.size();
    const Values E = rates_of_twist(c);
    const Mechanism rigid = make_mechanism(c.robot, {.rigid = true});
    for (const char* same : {"energy", "momentum"})
      EXPECT_TRUE(near(run(c.free, same, "", c.x), run(c.tree, same, "", c.on_joints), relative(1e-12))) << seed;
    Random random(seed);
    for (const int frame : {some_frame(c, random), some_frame(c, random), c.free.tool, c.free.frame_index("world")}) {
      const auto at = [&](const Mechanism& robot, const char* job, const State& x) {
        return run(robot, job, "", x, {}, {}, frame);
      };
      EXPECT_TRUE(near(at(c.free, "pose", c.x), at(c.tree, "pose", c.on_joints), relative(1e-12))) << seed;
      EXPECT_TRUE(
          near(at(c.free, "jacobian", c.x), times(at(c.tree, "jacobian", c.on_joints), E, n), 5.0, relative(1e-12)));
      // J̇ u + J u̇ is the same acceleration.
      const auto acceleration = [&](const Mechanism& robot, const State& x) {
        return combined(1.0, at(robot, "drift", x), 1.0, times(at(robot, "jacobian", x), x.qdd, n));
      };
      EXPECT_TRUE(near(acceleration(c.free, c.x), acceleration(c.tree, c.on_joints), 100.0, relative(1e-12))) << seed;
      Kinematics<double> kinematics(c.free), on_joints(c.tree);
      kinematics.update(c.x.q, c.x.qd, c.x.qdd), on_joints.update(c.on_joints.q, c.on_joints.qd, c.on_joints.qdd);
      const auto a = kinematics.motion(frame), b = on_joints.motion(frame);
      for (const auto& [one, other] : {std::pair{a.velocity, b.velocity},
                                       {a.acceleration, b.acceleration},
                                       {a.omega, b.omega},
                                       {a.omega_dot, b.omega_dot}})
        EXPECT_TRUE(near(Values{one.x, one.y, one.z}, {other.x, other.y, other.z}, 100.0, relative(1e-12))) << seed;
      EXPECT_NEAR(kinematics.potential_energy(), run(rigid, "energy", "", c.x)[1], 1e-10);
      std::vector<JacobianColumn<double>> rate(n);
      kinematics.jacobian_derivative(frame, rate);
      V drift{};
      for (std::size_t k = 0; k < n; ++k) drift += c.x.qd[k] * rate[k].linear;
      EXPECT_TRUE(near(
          Values{drift.x, drift.y, drift.z},
          [&] {
            Values all = at(c.free, "drift", c.x);
            all.resize(3);
            return all;
          }(),
          100.0, relative(1e-12)));
    }
  }
}

TEST(FreeBase, MomentumIsItsMatrixTimesRatesAndItsRateIsTheForce) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 7), seed % 4 == 1);
    const std::size_t n = c.x.qd.size();
    const Values all = run(c.free, "centroidal", "", c.x), momentum = run(c.free, "momentum", "", c.x);
    const Values A(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(6 * n));
    EXPECT_TRUE(near(times(A, c.x.qd, n), Values(momentum.begin(), momentum.begin() + 6), relative(1e-12))) << seed;
    EXPECT_TRUE(
        near(Values(all.end() - 4, all.end() - 1), Values(momentum.end() - 3, momentum.end()), relative(1e-12)));
    // One rigid body: A's share of the angular velocity is the inertia about the centre.
    State turning = c.x;
    std::fill(turning.qd.begin(), turning.qd.end(), 0.0);
    turning.qd[4] = 1.0;
    const Values spin = run(c.free, "momentum", "", turning);
    const M3 to_world = c.free.coordinates.free_origin.R * c.R;
    const V axis = to_world * ey;
    const M3 I{all[6 * n],     all[6 * n + 1], all[6 * n + 2], all[6 * n + 3], all[6 * n + 4],
               all[6 * n + 5], all[6 * n + 6], all[6 * n + 7], all[6 * n + 8]};
    const V expected = I * axis;
    EXPECT_TRUE(
        near(Values(spin.begin() + 3, spin.begin() + 6), {expected.x, expected.y, expected.z}, relative(1e-11)));
    // Newton: the wrench on the base and the weight change the linear momentum, whatever the joints do.
    const Values tau = run(make_mechanism(c.robot, {.rigid = true}), "inverse", "", c.x);
    const V force = to_world * get(&tau[0]) + all.back() * c.robot.gravity;
    const double h = 1e-6;
    Values rate(3);
    for (const double way : {1.0, -1.0}) {
      State moved = c.x;
      const V p = c.R * get(&c.x.qd[0]);
      for (std::size_t k = 0; k < n; ++k) moved.qd[k] += way * h * c.x.qdd[k];
      for (std::size_t k = 6; k < n; ++k) moved.q[k + 1] += way * h * (c.x.qd[k] + 0.5 * way * h * c.x.qdd[k]);
      put(get(&c.x.q[0]) + way * h * p, &moved.q[0]);
      const V w = get(&c.x.qd[3]);
      const double angle = h * std::sqrt(dot(w, w));
      const auto xi = quaternion(c.R * rotation_about((1.0 / std::sqrt(dot(w, w))) * w, way * angle));
      std::copy(xi.begin(), xi.end(), moved.q.begin() + 3);
      const Values h_moved = run(c.free, "momentum", "", moved);
      for (std::size_t k = 0; k < 3; ++k) rate[k] += way * h_moved[k] / (2.0 * h);
    }
    EXPECT_TRUE(near(rate, {force.x, force.y, force.z}, 100.0, relative(1e-6))) << seed;
  }
}

TEST(FreeBase, AllFormulationsAgreeOrSayThatTheyCannot) {
  int refused = 0;
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 5), seed % 4 == 3);
    const Values tau = run(c.free, "inverse", "", c.x);
    for (const JobInfo& job : jobs())
      for (const FormulationInfo& f : job.formulations) {
        if (!job.serves(c.free, f.name)) {
          EXPECT_THROW(Call<double>(c.free, job.name, f.name), std::invalid_argument);
          ++refused;
          continue;
        }
        if (std::find(job.interchangeable.begin(), job.interchangeable.end(), f.name) == job.interchangeable.end() &&
            job.name == "coriolis")
          continue;  // another C
        EXPECT_TRUE(near(run(c.free, job.name, f.name, c.x, tau), run(c.free, job.name, "", c.x, tau), relative(1e-8)))
            << seed << " " << job.name << " " << f.name;
      }
  }
  EXPECT_GT(refused, 0);
}

// The state moved by δ in the tangent space: the base along and about its own axes.
State displaced(const State& x, std::size_t k, double h) {
  State out = x;
  if (k >= 6) {
    out.q[k + 1] += h;
    return out;
  }
  const double *xi = &x.q[3], w = xi[3];
  const V u = get(xi);
  const V e = k % 3 == 0 ? ex : k % 3 == 1 ? ey : ez;
  if (k < 3) {
    const V moved = e + 2.0 * cross(u, cross(u, e) + w * e);  // R e
    put(get(&x.q[0]) + h * moved, &out.q[0]);
    return out;
  }
  const double s = std::sin(0.5 * h), co = std::cos(0.5 * h);  // ξ ⊗ (sin e, cos)
  put(co * u + (w * s) * e + s * cross(u, e), &out.q[3]);
  out.q[6] = w * co - s * dot(u, e);
  return out;
}

TEST(FreeBase, DerivativesAreThoseInTheTangentSpace) {
  for (const std::uint64_t seed : test::seeds(0, 16)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 5), seed % 4 == 3);
    Random random(seed);
    const auto wrenches = some_wrenches(c, random);
    const std::size_t n = c.x.qd.size();
    const Values tau = run(c.free, "inverse", "", c.x, {}, wrenches);
    const Values found = run(c.free, "linearize", "", c.x, {}, wrenches),
                 answer = run(c.free, "response", "", c.x, tau, wrenches);
    Values V_(n * n), P(n * n), to_q(n * n), to_qd(n * n);
    const double h = 1e-6;
    for (std::size_t k = 0; k < n; ++k)
      for (const double way : {1.0, -1.0}) {
        State faster = c.x;
        faster.qd[k] += way * h;
        const State moved = displaced(c.x, k, way * h);
        const auto add = [&](const Values& values, Values& into) {
          for (std::size_t i = 0; i < n; ++i) into[i * n + k] += way * values[i] / (2.0 * h);
        };
        add(run(c.free, "inverse", "", faster, {}, wrenches), V_),
            add(run(c.free, "inverse", "", moved, {}, wrenches), P);
        add(run(c.free, "forward", "", faster, tau, wrenches), to_qd),
            add(run(c.free, "forward", "", moved, tau, wrenches), to_q);
      }
    const auto part = [&](const Values& all, std::size_t k) {
      return Values(all.begin() + static_cast<std::ptrdiff_t>(k * n * n),
                    all.begin() + static_cast<std::ptrdiff_t>((k + 1) * n * n));
    };
    EXPECT_TRUE(near(part(found, 1), V_, largest(V_) + 1.0, relative(1e-6))) << seed;
    EXPECT_TRUE(near(part(found, 2), P, largest(P) + 1.0, relative(1e-6))) << seed;
    EXPECT_TRUE(near(run(c.free, "stiffness", "", c.x, {}, wrenches), part(found, 2), relative(1e-10))) << seed;
    EXPECT_TRUE(near(run(c.free, "damping", "", c.x), part(found, 1), relative(1e-10))) << seed;
    EXPECT_TRUE(near(part(answer, 0), to_q, largest(to_q) + 1.0, relative(1e-5))) << seed;
    EXPECT_TRUE(near(part(answer, 1), to_qd, largest(to_qd) + 1.0, relative(1e-5))) << seed;
  }
}

// Ṁ - 2C is skew: Ṁ by differences along the motion.
TEST(FreeBase, TheCoriolisMatrixIsSkewBesideTheRateOfM) {
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 5));
    const std::size_t n = c.x.qd.size();
    const double h = 1e-6;
    Values rate(n * n);
    for (const double way : {1.0, -1.0}) {
      State moved = c.x;
      for (std::size_t k = 6; k < n; ++k) moved.q[k + 1] += way * h * c.x.qd[k];  // where the base is has no part in M
      rate = combined(1.0, rate, way / (2.0 * h), run(c.free, "inertia", "", moved));
    }
    for (const FormulationInfo& f : job_info("coriolis").formulations) {
      const Values C = run(c.free, "coriolis", f.name, c.x);
      EXPECT_TRUE(near(combined(1.0, C, 1.0, transposed(C, n)), rate, largest(rate) + 1.0, relative(1e-7))) << f.name;
      State still = c.x;
      std::fill(still.qd.begin(), still.qd.end(), 0.0);
      const Mechanism rigid = make_mechanism(c.robot, {.rigid = true});
      const Values b = run(rigid, "bias", "", c.x), g = run(rigid, "gravity", "", c.x);
      EXPECT_TRUE(near(times(C, c.x.qd, n), combined(1.0, b, -1.0, g), largest(b) + largest(g), relative(1e-11)))
          << f.name;
    }
  }
}

TEST(FreeBase, HybridDynamicsFindsHowTheBaseMoves) {
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 6));
    const std::size_t n = c.x.qd.size();
    State x = c.x;
    std::fill(x.qdd.begin(), x.qdd.begin() + 6, 0.0);
    const Values out = run(c.free, "hybrid", "", x, Values(n));
    State moving = x;
    moving.qdd.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n));
    Values tau = run(c.free, "inverse", "", moving);
    EXPECT_TRUE(near(tau, Values(out.begin() + static_cast<std::ptrdiff_t>(n), out.end()), largest(tau) + 1.0,
                     relative(1e-10)));
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(tau[k], 0.0, 1e-9 * (1.0 + largest(tau))) << seed;
  }
}

TEST(FreeBase, GeneratedCodeIsTheSame) {
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 4), seed % 4 == 3);
    const Values tau = run(c.free, "inverse", "", c.x);
    for (const JobInfo& job : jobs()) {
      const ProgramRequest request{.jobs = {std::string(job.name)}};
      const Program program = make_program(c.free, request, usual_choices(c.free, request));
      Values in;
      for (const Input input : job.inputs) {
        const Values& part = input == Input::q     ? c.x.q
                             : input == Input::qd  ? c.x.qd
                             : input == Input::tau ? tau
                                                   : c.x.qdd;
        in.insert(in.end(), part.begin(), part.end());
      }
      EXPECT_TRUE(near(program.evaluate(in), run(c.free, job.name, "", c.x, tau), relative(1e-8)))
          << seed << " " << job.name;
    }
  }
}

TEST(FreeBase, CompiledCodeIsTheSame) {
  const CacheFolder cache;
  const Case c = case_of(5, 6);
  const Values tau = run(c.free, "inverse", "", c.x);
  for (const char* job : {"inverse", "forward", "centroidal", "pose"}) {
    Call<double> call = compile(c.free, job, cache.options());
    Values out(call.size());
    call(with_others<double>({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .tau = tau}, c.x.qdd), out);
    EXPECT_TRUE(near(out, run(c.free, job, "", c.x, tau), relative(1e-9))) << job;
    State bad = c.x;
    bad.q[6] += 1.0;
    EXPECT_THROW(call({.q = bad.q, .qd = bad.qd, .qdd = bad.qdd, .tau = tau}, out), std::invalid_argument) << job;
  }
}

TEST(FreeBase, CallsAllocateNothing) {
  const Case c = case_of(2, 7);
  const Values tau = run(c.free, "inverse", "", c.x);
  for (const JobInfo& job : jobs()) {
    Call<double> call(c.free, job.name);
    Values out(call.size());
    const NoAlloc guard;
    call(with_others<double>({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .tau = tau}, c.x.qdd), out);
  }
}

TEST(FreeBase, FloatsToo) {
  for (const std::uint64_t seed : test::seeds(0, 8)) {
    const Case c = case_of(seed, 4);
    Call<float> call(c.free, "inverse");
    const auto narrow = [](const Values& v) { return std::vector<float>(v.begin(), v.end()); };
    const auto q = narrow(c.x.q), qd = narrow(c.x.qd), qdd = narrow(c.x.qdd);
    std::vector<float> tau(call.size());
    call({.q = q, .qd = qd, .qdd = qdd}, tau);
    EXPECT_TRUE(near(to_values(tau), run(c.free, "inverse", "", c.x), relative(1e-4))) << seed;
  }
}

TEST(FreeBase, InTwoHalvesAndFactored) {
  const Case c = case_of(3, 6);
  const std::size_t n = c.x.qd.size();
  const Values tau = run(c.free, "inverse", "", c.x);
  Factorization<double> M(c.free);
  M.factor(c.x.q);
  Values solved_(n);
  M.solve(combined(1.0, tau, -1.0, run(c.free, "bias", "", c.x)), solved_);
  EXPECT_TRUE(near(solved_, c.x.qdd, relative(1e-9)));
}

TEST(FreeBase, GoesThroughFilesBothWays) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    Random random(seed);
    Robot robot = random_free(random, 1 + static_cast<int>(seed % 6), true, seed % 3 == 0);
    if (seed % 2 == 0) robot.joints.front().origin.p = {0.5, -1.0, 2.0};
    const Robot toml = parse_toml(to_toml(robot), "robot.toml"), urdf = parse_urdf(to_urdf(robot), "robot.urdf");
    for (const Robot* read : {&toml, &urdf}) {
      EXPECT_EQ(read->floating, robot.floating);
      const Mechanism a = make_mechanism(robot), b = make_mechanism(*read);
      ASSERT_EQ(a.nq(), b.nq());
      EXPECT_EQ(position_names(a), position_names(*read));
      State x = start(random, a, 1.0);
      x.qdd = x.qd;
      EXPECT_TRUE(near(run(b, "inverse", "", x), run(a, "inverse", "", x), relative(1e-9))) << seed;
    }
  }
}

TEST(FreeBase, IsRefusedWhereItCannotBe) {
  Random random(1);
  const Robot robot = random_free(random, 3, false);
  const Mechanism m = make_mechanism(robot);
  EXPECT_THROW(on_free_base(robot), ModelError);
  EXPECT_THROW(lock_joints(robot, {{"floating_base_x", 0.0}}), ModelError);
  EXPECT_THROW(Assembly{robot}, std::invalid_argument);
  EXPECT_THROW(on_moving_base(m), std::invalid_argument);
  State x = start(random, m, 1.0);
  Values out(static_cast<std::size_t>(m.nv()));
  Call<double> bias(m, "bias");
  for (const double length : {0.0, 0.5, 2.0}) {
    x.q[6] = length;
    EXPECT_THROW(bias({.q = x.q, .qd = x.qd}, out), std::invalid_argument) << length;
  }
  x.q[6] = 1.0 + 5e-5;  // a few written digits
  EXPECT_NO_THROW(bias({.q = x.q, .qd = x.qd}, out));
  x.q[6] = std::nan("");
  EXPECT_THROW(bias({.q = x.q, .qd = x.qd}, out), std::domain_error);
  x.q.pop_back();
  EXPECT_THROW(bias({.q = x.q, .qd = x.qd}, out), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test::free_base_test
