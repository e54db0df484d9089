// Coupled joints: every job and formulation against a dense projection of the tree that shares nothing with the
// library's; forward dynamics and its relatives against each other and against inverse dynamics; generated code;
// simulation; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "catena/assembly.hpp"
#include "catena/call.hpp"
#include "catena/dynamics.hpp"
#include "catena/factorization.hpp"
#include "catena/kinematics.hpp"
#include "catena/program.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/small_matrices.hpp"
#include "support/tolerances.hpp"

namespace catena::test::coupled_test {
namespace {

// A tree of joints, some of which follow others; the same without couplings; and q_all = A q + b, found here.
struct Case {
  Robot robot, tree;
  State x;  // of the joints that move by themselves
  Values A, b;
  std::size_t n = 0, all = 0;
};

// The row of joint k, by following names from joint to joint.
void follow(const Robot& robot, const std::map<std::string, std::size_t>& free, int k, double factor, double* row,
            double& offset) {
  const JointDescription& joint = robot.joints[static_cast<std::size_t>(k)];
  if (const auto found = free.find(joint.name); found != free.end()) {
    row[found->second] += factor;
    return;
  }
  offset += factor * joint.coupling.offset;
  for (const CouplingTerm& term : joint.coupling.terms)
    follow(robot, free, robot.joint_index(term.joint), factor * term.factor, row, offset);
}

Case case_of(std::uint64_t seed, int joints, bool massless = false) {
  Random random(seed + 17'000'000);
  Case c;
  const bool drives = random.chance(0.5);
  c.tree = random_robot(random, {.joints = joints,
                                 .shape = random.chance(0.5) ? Shape::chain : Shape::tree,
                                 .massless_links = massless,
                                 .drives = drives});
  c.robot = c.tree;
  const std::vector<int> moving = c.tree.tree_joints();
  std::vector<int> order = moving;  // a joint may follow those after it here: masters stand anywhere in the tree
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(random.below(int(k)))]);
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (!random.chance(0.5)) continue;
    Coupling& coupling = c.robot.joints[static_cast<std::size_t>(order[k])].coupling;
    const int terms = random.chance(0.7) ? 1 : 2;
    for (int t = 0; t < terms; ++t) {
      const int master = order[static_cast<std::size_t>(random.below(int(k)))];
      const std::string& name = c.robot.joints[static_cast<std::size_t>(master)].name;
      if (t > 0 && coupling.terms[0].joint == name) continue;  // twice is refused
      coupling.terms.push_back({name, random.between(-2.0, 2.0)});
    }
    coupling.offset = random.between(-1.0, 1.0);
  }
  std::map<std::string, std::size_t> free;
  for (const int k : c.robot.moving_joints()) {
    const std::size_t place = free.size();
    free[c.robot.joints[static_cast<std::size_t>(k)].name] = place;
  }
  c.n = free.size(), c.all = moving.size();
  c.A.resize(c.all * c.n), c.b.resize(c.all);
  for (std::size_t k = 0; k < c.all; ++k) follow(c.robot, free, moving[k], 1.0, &c.A[k * c.n], c.b[k]);
  c.x = random_state(random, static_cast<int>(c.n));
  return c;
}

State in_tree(const Case& c) {
  State all{times(c.A, c.x.q, c.n), times(c.A, c.x.qd, c.n), times(c.A, c.x.qdd, c.n)};
  for (std::size_t k = 0; k < c.all; ++k) all.q[k] += c.b[k];
  return all;
}

Values run(const Mechanism& robot, std::string_view job, std::string_view method, const State& x,
           const Values& tau = {}, const std::vector<ExternalWrench<double>>& wrenches = {}) {
  Call<double> call(robot, job, method);
  Values out(call.size());
  call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau, .wrenches = wrenches}, x.qdd), out);
  return out;
}

// What the tree gives, projected as the extents of each output say.
Values projected(const Case& c, const JobInfo& job, const Values& tree) {
  Values out;
  std::size_t at = 0;
  const Mechanism all = make_mechanism(c.tree);
  for (const OutputInfo& output : job.outputs) {
    const auto by_joint = [](const Extent& e) {
      return e.of == Extent::Of::positions || e.of == Extent::Of::velocities;
    };
    const std::size_t size = static_cast<std::size_t>(output.size(sizes_of(all)));
    const std::size_t columns = static_cast<std::size_t>(output.columns(sizes_of(all)));
    Values part(tree.begin() + static_cast<std::ptrdiff_t>(at), tree.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
    if (by_joint(output.columns)) part = times(part, c.A, c.all);
    if (by_joint(output.rows)) part = times(transposed(c.A, c.n), part, c.all);
    (void)columns;
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

TEST(CoupledJoints, EveryJobIsTheTreesProjected) {
  int coupled = 0, several = 0;
  for (const std::uint64_t seed : test::seeds(0, 300)) {
    const Case c = case_of(seed, 2 + static_cast<int>(seed % 12), true);
    const Mechanism robot = make_mechanism(c.robot), tree = make_mechanism(c.tree);
    ASSERT_EQ(robot.nv(), static_cast<int>(c.n));
    coupled += robot.is_coupled();
    for (const auto& joint : robot.coordinates.following) several += joint.terms.size() > 1;
    const State all = in_tree(c);
    for (const JobInfo& job : jobs()) {
      if (job.inverts_inertia) continue;
      for (const FormulationInfo& method : job.formulations)
        EXPECT_TRUE(near(run(robot, job.name, method.name, c.x),
                         projected(c, job, run(tree, job.name, method.name, all)), relative(1e-11)))
            << seed << " " << job.name << " " << method.name;
      EXPECT_TRUE(near(run(robot, job.name, "", c.x), projected(c, job, run(tree, job.name, "", all)), relative(1e-11)))
          << seed << " " << job.name;
    }
  }
  EXPECT_GT(coupled, test::sampled(250));
  EXPECT_GT(several, test::sampled(100));
}

TEST(CoupledJoints, WrenchesAreGatheredToo) {
  for (const std::uint64_t seed : test::seeds(0, 100)) {
    const Case c = case_of(seed, 2 + static_cast<int>(seed % 10), true);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.robot, 3);
    const Mechanism robot = make_mechanism(c.robot), tree = make_mechanism(c.tree);
    for (const char* job : {"inverse", "linearize", "stiffness", "bias", "gravity"})
      EXPECT_TRUE(near(run(robot, job, "", c.x, {}, wrenches),
                       projected(c, job_info(job), run(tree, job, "", in_tree(c), {}, wrenches)), relative(1e-11)))
          << seed << " " << job;
  }
}

TEST(CoupledJoints, AccelerationsAreThoseWhoseTorquesWereGiven) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    const Case c = case_of(seed, 2 + static_cast<int>(seed % 12));
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.robot, static_cast<int>(seed % 3));
    const Mechanism robot = make_mechanism(c.robot);
    const Values tau = run(robot, "inverse", "", c.x, {}, wrenches);
    const Values M = run(robot, "inertia", "", c.x);
    const double scale = largest(tau) + largest(M) * largest(c.x.qdd);
    const Values qdd = run(robot, "forward", "", c.x, tau, wrenches);
    EXPECT_TRUE(near(times(M, qdd, c.n), times(M, c.x.qdd, c.n), scale, relative(1e-10))) << seed;
    for (const FormulationInfo& method : job_info("forward").formulations)
      if (job_info("forward").serves(robot, method.name)) {
        const Values by = run(robot, "forward", method.name, c.x, tau, wrenches);
        EXPECT_TRUE(near(times(M, by, c.n), times(M, c.x.qdd, c.n), scale, relative(1e-10))) << seed << method.name;
      }
    // In two halves, and by its factors.
    ForwardDynamics<double> halves(robot);
    Values again(c.n), solved_by_factors(c.n);
    halves.factor(c.x.q, c.x.qd, wrenches);
    halves.solve(tau, again);
    EXPECT_TRUE(near(again, qdd, relative(1e-12))) << seed;
    Factorization<double> factors(robot);
    factors.factor(c.x.q);
    factors.solve(times(M, c.x.qdd, c.n), solved_by_factors);
    EXPECT_TRUE(near(times(M, solved_by_factors, c.n), times(M, c.x.qdd, c.n), scale, relative(1e-10))) << seed;
  }
}

TEST(CoupledJoints, ResponseIsTheDerivativeOfForwardDynamics) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    const Case c = case_of(seed, 2 + static_cast<int>(seed % 6));
    Mechanism robot = make_mechanism(c.robot, {.rigid = true});
    const Values tau = run(robot, "inverse", "", c.x), found = run(robot, "response", "", c.x, tau);
    const std::size_t n = c.n;
    const double h = 1e-6;
    for (std::size_t j = 0; j < n; ++j)
      for (int which = 0; which < 3; ++which) {
        State up = c.x, down = c.x;
        Values tau_up = tau, tau_down = tau;
        Values& plus = which == 0 ? up.q : which == 1 ? up.qd : tau_up;
        Values& minus = which == 0 ? down.q : which == 1 ? down.qd : tau_down;
        plus[j] += h, minus[j] -= h;
        const Values difference = combined(0.5 / h, run(robot, "forward", "", up, tau_up), -0.5 / h,
                                           run(robot, "forward", "", down, tau_down));
        Values column(n);
        for (std::size_t i = 0; i < n; ++i) column[i] = found[static_cast<std::size_t>(which) * n * n + i * n + j];
        EXPECT_TRUE(near(column, difference, largest(found) + largest(c.x.qdd) * 10.0, relative(1e-5)))
            << seed << " " << which << " " << j;
      }
  }
}

TEST(CoupledJoints, HybridDynamicsGivesTheTorquesOfItsAccelerations) {
  for (const std::uint64_t seed : test::seeds(0, 100)) {
    Case c = case_of(seed, 3 + static_cast<int>(seed % 8));
    Random random(seed);
    for (const int k : c.robot.moving_joints())
      c.robot.joints[static_cast<std::size_t>(k)].passive = random.chance(0.4);
    const Mechanism robot = make_mechanism(c.robot);
    Values tau(c.n);
    for (double& value : tau) value = random.between(-5.0, 5.0);
    const Values found = run(robot, "hybrid", "", c.x, tau);
    State x = c.x;
    x.qdd.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(c.n));
    const Values given(found.begin() + static_cast<std::ptrdiff_t>(c.n), found.end());
    EXPECT_TRUE(near(run(robot, "inverse", "", x), given, largest(given) + largest(tau) + 1.0, relative(1e-9))) << seed;
    for (const Coordinate j : robot.coordinates.all())
      EXPECT_EQ(robot.is_passive(j) ? given[index(j)] : x.qdd[index(j)],
                robot.is_passive(j) ? tau[index(j)] : c.x.qdd[index(j)]);
  }
}

TEST(CoupledJoints, GeneratedCodeIsTheSame) {
  for (const std::uint64_t seed : test::seeds(0, 30)) {
    const Case c = case_of(seed, 2 + static_cast<int>(seed % 4));
    const Mechanism robot = make_mechanism(c.robot);
    for (const char* job : {"inverse", "inertia", "forward", "jacobian", "linearize", "energy"}) {
      const JobInfo& info = job_info(job);
      const Values tau = run(robot, "inverse", "", c.x);
      const Program program = make_program(robot, {.jobs = {job}}, usual_choices(robot, {.jobs = {job}}));
      Values in;
      for (const Input input : info.inputs) {
        const Values& part = input == Input::q     ? c.x.q
                             : input == Input::qd  ? c.x.qd
                             : input == Input::tau ? tau
                                                   : c.x.qdd;
        in.insert(in.end(), part.begin(), part.end());
      }
      EXPECT_TRUE(near(program.evaluate(in), run(robot, job, "", c.x, tau), relative(1e-9))) << seed << " " << job;
    }
  }
}

TEST(CoupledJoints, FloatAndKinematicsAgree) {
  for (const std::uint64_t seed : test::seeds(0, 50)) {
    const Case c = case_of(seed, 2 + static_cast<int>(seed % 10));
    const Mechanism robot = make_mechanism(c.robot);
    Call<float> call(robot, "inverse");
    const std::vector<float> q(c.x.q.begin(), c.x.q.end()), qd(c.x.qd.begin(), c.x.qd.end()),
        qdd(c.x.qdd.begin(), c.x.qdd.end());
    std::vector<float> tau(c.n);
    call({.q = q, .qd = qd, .qdd = qdd}, tau);
    EXPECT_TRUE(near(to_values(tau), run(robot, "inverse", "", c.x), ulps<float>(4096))) << seed;

    Kinematics<double> kinematics(robot);
    kinematics.update(c.x.q, c.x.qd, c.x.qdd);
    std::vector<JacobianColumn<double>> columns(c.n);
    kinematics.jacobian(robot.tool, columns);
    const Values J = run(robot, "jacobian", "", c.x);
    for (std::size_t j = 0; j < c.n; ++j) {
      EXPECT_NEAR(columns[j].linear.y, J[1 * c.n + j], 1e-10 * (1.0 + largest(J)));
      EXPECT_NEAR(columns[j].angular.z, J[5 * c.n + j], 1e-10 * (1.0 + largest(J)));
    }
  }
}

// Two fingers that slide apart, one of them by itself, on a base that turns.
Robot gripper(double friction = 0.0) {
  Robot robot;
  const int base_link = robot.add_link("base");
  const int palm = robot.add_link("palm", {1.0, {0.0, 0.0, 0.1}, {0.01, 0.01, 0.02, 0.0, 0.0, 0.0}});
  const int left = robot.add_link("left", {0.2, {0.0, 0.0, 0.05}, {0.001, 0.001, 0.001, 0.0, 0.0, 0.0}});
  const int right = robot.add_link("right", {0.2, {0.0, 0.0, 0.05}, {0.001, 0.001, 0.001, 0.0, 0.0, 0.0}});
  const auto add = [&](const char* name, JointType type, int parent, int child, const Vec3<double>& axis) {
    JointDescription joint;
    joint.name = name, joint.type = type, joint.parent = parent, joint.child = child, joint.axis = axis;
    joint.drive.coulomb = friction;
    return robot.add_joint(joint);
  };
  add("wrist", JointType::revolute, base_link, palm, {0.0, 1.0, 0.0});
  const int master = add("left", JointType::prismatic, palm, left, {0.0, 1.0, 0.0});
  const int copy = add("right", JointType::prismatic, palm, right, {1.0, 0.0, 0.0});
  robot.joints[static_cast<std::size_t>(master)].limits = {-0.5, 0.5};
  robot.joints[static_cast<std::size_t>(copy)].limits = {-0.2, 0.1};
  robot.joints[static_cast<std::size_t>(copy)].coupling = {{{"left", -2.0}}, 0.02};
  return robot;
}

TEST(CoupledJoints, LimitsAndFrictionOfFollowersAreThoseOfTheirMaster) {
  const Mechanism robot = make_mechanism(gripper(0.3));
  ASSERT_EQ(robot.nv(), 2);
  EXPECT_NEAR(robot.limits(Coordinate(1)).lower, (0.1 - 0.02) / -2.0, 1e-15);
  EXPECT_NEAR(robot.limits(Coordinate(1)).upper, (-0.2 - 0.02) / -2.0, 1e-15);
  EXPECT_NEAR(drives_by_coordinate(robot)[Coordinate(1)].coulomb, 0.3 + 2.0 * 0.3, 1e-15);
  State x{{0.3, 0.05}, {0.4, -0.2}, {0.0, 0.0}};
  const Values with = run(robot, "bias", "", x), without = run(make_mechanism(gripper(0.0)), "bias", "", x);
  EXPECT_NEAR(with[1] - without[1], -0.9, 1e-12);
}

// A follower by -2 runs twice as fast as its master: its viscous friction takes four times the power, and the speed at
// which it reaches its limit is half.
TEST(CoupledJoints, ViscousFrictionAndSpeedsOfFollowersAreThoseOfTheirMaster) {
  Robot description = gripper();
  description.joints[1].drive.viscous = 0.7;
  description.joints[2].drive.viscous = 0.5;
  description.joints[1].limits.velocity = 3.0;
  description.joints[2].limits.velocity = 1.6;
  const Mechanism robot = make_mechanism(description);
  EXPECT_NEAR(drives_by_coordinate(robot)[Coordinate(1)].viscous, 0.7 + 4.0 * 0.5, 1e-15);
  EXPECT_NEAR(robot.limits(Coordinate(1)).velocity, 0.8, 1e-15);
  const State x{{0.3, 0.05}, {0.4, -0.2}, {0.0, 0.0}};
  const double lost = 0.7 * 0.2 * 0.2 + 0.5 * 0.4 * 0.4;
  const Values with = run(robot, "bias", "", x), without = run(make_mechanism(gripper()), "bias", "", x);
  EXPECT_NEAR((with[1] - without[1]) * x.qd[1], lost, 1e-12);
}

TEST(CoupledJoints, SimulationKeepsItsEnergyAndItsStops) {
  const TorqueLaw nothing = [](double, auto, auto, std::span<double> tau) { std::fill(tau.begin(), tau.end(), 0.0); };
  Robot robot = gripper();
  const Mechanism mechanism = make_mechanism(robot);
  Values times_of(201);
  for (std::size_t k = 0; k < times_of.size(); ++k) times_of[k] = 0.01 * static_cast<double>(k);
  {
    Simulation simulation(mechanism, nothing, {});
    const SimulationResult result = simulation.run(Values{0.4, 0.0}, Values{1.0, 0.1}, times_of);
    const auto total = [](const catena::Sample& s) { return s.kinetic + s.potential; };
    for (const catena::Sample& s : result.samples) EXPECT_NEAR(total(s), total(result.samples.front()), 1e-7) << s.t;
  }
  SimulationOptions stops;
  stops.stops = true;
  Simulation simulation(make_mechanism(gripper(0.05)), nothing, stops);
  const SimulationResult result = simulation.run(Values{0.4, 0.0}, Values{3.0, 0.5}, times_of);
  bool at_stop = false;
  for (const catena::Sample& s : result.samples) {
    EXPECT_GE(-2.0 * s.q[1] + 0.02, -0.2 - 1e-9) << s.t;  // the follower's own limits
    EXPECT_LE(-2.0 * s.q[1] + 0.02, 0.1 + 1e-9) << s.t;
    at_stop = at_stop || std::abs(s.q[1] - 0.11) < 1e-9 || std::abs(s.q[1] + 0.04) < 1e-9;
  }
  EXPECT_TRUE(at_stop);
}

TEST(CoupledJoints, AMasslessFollowerLeavesTheMatrixRegular) {
  Robot robot = gripper();
  robot.links[3].inertial = {};
  const Mechanism mechanism = make_mechanism(robot);
  const State x{{0.1, 0.02}, {0.3, 0.1}, {1.0, -2.0}};
  const Values qdd = run(mechanism, "forward", "", x, run(mechanism, "inverse", "", x));
  EXPECT_TRUE(near(qdd, x.qdd, relative(1e-11)));
  robot.links[2].inertial = {};  // nothing moves with 'left' any more
  const Mechanism singular = make_mechanism(robot);
  EXPECT_THROW(run(singular, "forward", "", x, {0.0, 0.0}), std::domain_error);
}

// A mass at the end of two rods that has no extent of its own: where the rods are in line, the second joint can undo
// the first. What elimination leaves of the matrix is then rounding, of either sign.
TEST(CoupledJoints, ASingularMatrixIsRefusedWhateverRoundingLeavesOfIt) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const double first = random.between(0.2, 1.0), second = random.between(0.2, 1.0);
    Robot robot;
    robot.add_link("base");
    robot.add_link("upper");
    robot.add_link("lower", {random.between(0.5, 3.0), {second, 0.0, 0.0}, {}});
    robot.add_link("wheel", {1.0, {}, {0.01, 0.01, 0.02, 0.0, 0.0, 0.0}});
    for (int k = 0; k < 3; ++k) {
      JointDescription joint;
      joint.name = "joint" + std::to_string(k + 1), joint.parent = k == 2 ? 0 : k, joint.child = k + 1;
      joint.axis = {0.0, 0.0, 1.0};
      if (k == 1) joint.origin.p = {first, 0.0, 0.0};
      robot.add_joint(joint);
    }
    robot.add_link("geared", {1.0, {}, {0.01, 0.01, 0.02, 0.0, 0.0, 0.0}});
    JointDescription geared;
    geared.name = "geared", geared.parent = 0, geared.child = 4, geared.axis = {0.0, 0.0, 1.0};
    geared.coupling = {{{"joint3", -3.0}}, 0.0};
    robot.add_joint(geared);
    const Mechanism mechanism = make_mechanism(robot);
    ASSERT_TRUE(mechanism.is_coupled());
    const State in_line{{random.between(-1.0, 1.0), 0.0, 0.3}, Values(3), Values(3)};
    State bent = in_line;
    bent.q[1] = 0.5;
    for (const auto& [job, method] : {std::pair{"forward", "composite-ldlt"}, {"inverse_inertia", ""}}) {
      EXPECT_NO_THROW(run(mechanism, job, method, bent, Values(3))) << trial << " " << job;
      EXPECT_THROW(run(mechanism, job, method, in_line, Values(3)), std::domain_error) << trial << " " << job;
    }
  }
}

TEST(CoupledJoints, WhoCannotSaysSo) {
  const Mechanism robot = make_mechanism(gripper());
  const auto message = [&](const auto& act) -> std::string {
    try {
      act();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(message([&] { Call<double>(robot, "forward", "denoc"); }),
            "'denoc' of forward does not take coupled joints; 'composite-ldlt' does");
  EXPECT_EQ(message([&] { Assembly assembly(gripper()); }),
            "robot 'robot' has coupled joints, which assemblies do not support");
}

TEST(CoupledJoints, CallsAllocateNothing) {
  const Case c = case_of(3, 9);
  const Mechanism robot = make_mechanism(c.robot);
  ASSERT_TRUE(robot.is_coupled());
  const Values tau(c.n, 1.0);
  Random random(1);
  const auto wrenches = random_wrenches(random, c.robot, 2);
  for (const JobInfo& job : jobs()) {
    Call<double> call(robot, job.name);
    Values out(call.size());
    const bool pushes = job.feels_wrenches();
    const std::span<const ExternalWrench<double>> given = pushes ? std::span(wrenches) : std::span(wrenches).first(0);
    NoAlloc guard;
    for (int repeat = 0; repeat < 2; ++repeat)
      call(with_others<double>({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .tau = tau, .wrenches = given}, c.x.qdd),
           out);
  }
}

}  // namespace
}  // namespace catena::test::coupled_test
