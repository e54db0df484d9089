// Programs before they are printed: every job and formulation on Expr against the run-time path, every free choice,
// kept symbols, gravity as an argument, and what the folding leaves.
#include "catena/program.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "catena/changes.hpp"
#include "catena/count.hpp"
#include "catena/robot_file.hpp"
#include "formulations/kinematics/centroidal.hpp"
#include "support/generic_job.hpp"
#include "support/golden_robots.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

namespace catena::program_test {
namespace {

using test::State;

// M is regular: forward dynamics has an answer.
bool can_accelerate(const Mechanism& robot, const State& x) {
  try {
    test::generic_job("forward", robot, x, x.qdd, 0);
    return true;
  } catch (const std::domain_error&) {
    return false;
  }
}

// Torques that forward dynamics turns into moderate accelerations.
std::vector<double> torques_of(const Mechanism& robot, const State& x) {
  return test::generic_job("inverse", robot, x, {}, 0);
}

testing::AssertionResult agrees(const Program& program, const std::string& job, const Mechanism& robot, const State& x,
                                double bound = 1e-11) {
  const std::vector<double> tau = torques_of(robot, x);
  auto expected = test::generic_job(job, robot, x, tau, robot.tool);
  if (job == "place" && robot.coordinates.is_closed()) expected.push_back(1.0);  // closed
  const auto actual = program.evaluate(test::input_values(program, test::with_all_positions(robot, x), tau));
  // Accelerations that are zero are what torques that cancel leave of rounding.
  const bool cancels = job == "gravity" || job == "coriolis" || job == "forward" || job == "hybrid";
  const double scale = std::max(test::largest(expected), cancels ? 1.0 : 1e-3);
  return test::near(actual, expected, scale, test::relative(bound)) << job << ", " << program.choices.formulations[0];
}

void check_robot(const Mechanism& robot, const State& x, bool search) {
  for (const JobInfo& job : catena::jobs()) {
    const std::string name(job.name);
    if (job.inverts_inertia && !can_accelerate(robot, x)) continue;
    if (job.gives(Kind::point) && moving_mass(robot) == 0.0) continue;  // where the centre of mass is
    const ProgramRequest request{{name}, {}};
    if (job.takes(Input::lambda) && robot.coordinates.is_closed()) {
      EXPECT_THROW(make_program(robot, request, usual_choices(robot, request)), std::invalid_argument);
      continue;
    }
    EXPECT_TRUE(agrees(make_program(robot, request, usual_choices(robot, request)), name, robot, x)) << robot.name;
    if (search) {
      EXPECT_TRUE(agrees(find_cheapest(robot, request), name, robot, x)) << robot.name;
    }
  }
}

TEST(Program, EveryJobOfEveryShippedRobot) {
  test::Random random(7);
  int count = 0;
  for (const std::string& name : shipped_models()) {
    if (count++ % 3 != 0 && !test::nightly()) continue;
    const Mechanism robot = make_mechanism(load_robot(find_model(name)));
    SCOPED_TRACE(name);
    check_robot(robot, test::random_state(random, robot), true);
  }
}

TEST(Program, EveryJobOfEveryGoldenRobot) {
  for (const auto& golden : test::read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json"))
    check_robot(make_mechanism(golden.robot), golden.x, golden.robot.dof() <= 7);
}

TEST(Program, EveryJobOfRandomChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 80)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [robot, state] = test::sample(9000 + seed, 1 + static_cast<int>(seed % 9));
    check_robot(make_mechanism(robot), state, seed % 10 == 0);
  }
}

TEST(Program, EveryFormulationWithEveryKindOfSharedFrames) {
  test::Random random(11);
  for (const char* name : {"ur5", "stanford", "panda"}) {
    const Mechanism robot = make_mechanism(load_robot(find_model(name)));
    const State x = test::random_state(random, robot.nv());
    for (const JobInfo& job : catena::jobs())
      for (const std::string_view formulation : job.interchangeable)
        for (const auto frames : {SharedFrames::none, SharedFrames::before_first, SharedFrames::after_first})
          for (const bool regrouped : {false, true}) {
            const std::string job_name(job.name);
            Choices choices{{std::string(formulation)}, {}, frames, regrouped};
            try {
              choices.early_omega.assign(robot.links.size(), regrouped ? 1 : 0);
              const Program program = make_program(robot, {{job_name}, {}}, choices);
              EXPECT_TRUE(agrees(program, job_name, robot, x, 1e-9)) << name << ' ' << int(frames) << regrouped;
            } catch (const std::domain_error&) {
              EXPECT_TRUE(formulation == "noc" && frames != SharedFrames::none) << formulation;
            }
          }
  }
}

// The bars of the published prototypes and of the papers, after folding.
TEST(Program, NoProgramGotDearer) {
  struct Bound {
    const char *robot, *job;
    long multiplications, additions;
  };
  constexpr Bound bounds[] = {
      {"ur5", "inverse", 140, 113},   {"ur5", "inertia", 41, 55},     {"ur5", "forward", 190, 190},
      {"panda", "inverse", 305, 289}, {"panda", "inertia", 162, 155}, {"panda", "forward", 586, 533},
      {"", "inverse", 366, 342},      {"", "inertia", 306, 276},      {"", "forward", 753, 673},
  };
  for (const Bound& b : bounds) {
    const std::string name = b.robot;
    const Mechanism robot = make_mechanism(name.empty() ? general_arm(6) : load_robot(find_model(name)));
    const GraphCost cost = find_cheapest(robot, {{b.job}, {}, true}).cost();
    EXPECT_LE(cost.multiplications, b.multiplications) << name << ' ' << b.job;
    EXPECT_LE(cost.additions, b.additions) << name << ' ' << b.job;
  }
}

TEST(Program, SearchGivesTheSameEveryTime) {
  const Mechanism robot = make_mechanism(load_robot(find_model("ur5")));
  const Program a = find_cheapest(robot, {{"inverse"}, {}}), b = find_cheapest(robot, {{"inverse"}, {}});
  EXPECT_EQ(a.choices.slides, b.choices.slides);
  EXPECT_EQ(a.choices.formulations, b.choices.formulations);
  EXPECT_EQ(a.results(), b.results());
  EXPECT_EQ(a.graph.size(), b.graph.size());
}

TEST(Program, ThreadsBuildTheirOwnGraphs) {
  const Mechanism robot = make_mechanism(load_robot(find_model("panda")));
  std::vector<GraphCost> costs(4);
  std::vector<std::thread> threads;
  for (GraphCost& cost : costs) threads.emplace_back([&] { cost = find_cheapest(robot, {{"inverse"}, {}}).cost(); });
  for (auto& thread : threads) thread.join();
  for (const GraphCost& cost : costs) EXPECT_EQ(cost.nodes, costs[0].nodes);
}

TEST(Program, JobsOfOneCallShareTheirWork) {
  const Mechanism robot = make_mechanism(load_robot(find_model("panda")));
  const auto cost = [&](std::vector<std::string> jobs) { return find_cheapest(robot, {std::move(jobs), {}}).cost(); };
  EXPECT_EQ(cost({"inverse", "inertia"}).sincos, cost({"inverse"}).sincos);
  EXPECT_LT(cost({"inertia", "forward"}).multiplications, cost({"forward"}).multiplications + 10);
}

TEST(Program, JobsOfOneCallGiveWhatTheyGiveAlone) {
  const Mechanism robot = make_mechanism(load_robot(find_model("panda")));
  test::Random random(12);
  const State x = test::random_state(random, 7);
  const std::vector<double> tau = torques_of(robot, x);
  const std::vector<std::string> jobs{"inverse", "forward", "inertia", "pose"};
  const Program program = find_cheapest(robot, {jobs, {}});
  std::vector<double> expected;
  for (const std::string& job : jobs)
    for (const double value : test::generic_job(job, robot, x, tau, robot.tool)) expected.push_back(value);
  EXPECT_TRUE(test::near(program.evaluate(test::input_values(program, x, tau)), expected, test::relative(1e-11)));
}

TEST(Program, PacksTheUpperTriangleByRows) {
  const Mechanism robot = make_mechanism(load_robot(find_model("panda")));
  test::Random random(14);
  const State x = test::random_state(random, 7);
  const auto M = test::generic_job("inertia", robot, x, {}, 0);
  std::vector<double> upper;
  for (std::size_t row = 0; row < 7; ++row)
    for (std::size_t column = row; column < 7; ++column) upper.push_back(M[7 * row + column]);
  EXPECT_TRUE(test::near(find_cheapest(robot, {{"inertia"}, {}, true}).evaluate(x.q), upper, test::relative(1e-11)));
}

TEST(Program, PlacesAnyFrame) {
  const Mechanism robot = make_mechanism(load_robot(find_model("ur5")));
  test::Random random(15);
  const State x = test::random_state(random, 6);
  for (int frame = 0; frame < static_cast<int>(robot.frames.size()); ++frame)
    for (const char* job : {"pose", "jacobian"}) {
      ProgramRequest request{{job}, {}};
      request.frame = frame;
      const Program program = find_cheapest(robot, request);
      EXPECT_TRUE(
          test::near(program.evaluate(x.q), test::generic_job(job, robot, x, {}, frame), 1.0, test::relative(1e-11)))
          << job << ' ' << robot.frames[std::size_t(frame)].name;
    }
}

// Newton's method from angles that are off by a seventh of a turn or less: the angles that close the loops.
TEST(Program, ClosesLoopsFromNearby) {
  const ProgramRequest request{{"place"}, {}};
  for (const char* name : {"parallelogram", "five_bar", "fourbar_press", "palletizer"}) {
    const Mechanism robot = make_mechanism(load_robot(find_model(name)));
    const Program program = make_program(robot, request, usual_choices(robot, request));
    const State x = test::random_state(*std::make_unique<test::Random>(3), robot);
    std::vector<double> expected = test::generic_job("place", robot, x, {}, 0);
    std::vector<double> off = test::input_values(program, test::with_all_positions(robot, x), {});
    const auto& closure = robot.coordinates.closure;
    for (std::size_t m = 0; m < closure.movers.size(); ++m)
      if (closure.coordinate[m] < 0 && robot.link(robot.link_of(closure.movers[m])).revolute) off[m] += 0.1;
    expected.push_back(1.0);  // closed
    EXPECT_TRUE(test::near(program.evaluate(off), expected, 1.0, test::relative(1e-11))) << name;
  }
}

TEST(Program, TakesGravityAsAnArgument) {
  test::Random random(13);
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    auto [robot, x] = test::sample(400 + seed, 5);
    ProgramRequest request{{"inverse"}, {}};
    request.gravity_input = true;
    const Mechanism as_made = make_mechanism(robot);
    const Program program = make_program(as_made, request, usual_choices(as_made, request));
    robot.gravity = random.vector(10.0);
    const Mechanism tilted = make_mechanism(robot);
    std::vector<double> values;
    for (const auto* part : {&x.q, &x.qd, &x.qdd}) values.insert(values.end(), part->begin(), part->end());
    values.insert(values.end(), {robot.gravity.x, robot.gravity.y, robot.gravity.z});
    const auto expected = torques_of(tilted, x);
    EXPECT_TRUE(
        test::near(program.evaluate(values), expected, std::max(1.0, test::largest(expected)), test::relative(1e-11)));
  }
}

// Kept symbols: the code at other values of the parameters against a robot that was described with them.
TEST(Program, KeepsParametersSymbolic) {
  test::Random random(17);
  for (const std::uint64_t seed : test::seeds(0, 30)) {
    test::RobotOptions options;
    options.joints = 5;
    options.fixed_links = false;
    options.shape = seed % 2 == 0 ? test::Shape::chain : test::Shape::tree;
    Robot robot = test::random_robot(random, options);
    const Mechanism as_made = make_mechanism(robot);
    ProgramRequest request{{"inverse"}, {}};
    request.keep = parse_kept("mass:3,com:3,inertia:3,length:x2,length:z4", robot, as_made);
    ASSERT_EQ(request.keep.size(), 12u);
    Choices choices = usual_choices(as_made, request);
    choices.regrouped = seed % 3 != 0;
    const Program program = make_program(as_made, request, choices);
    const auto moving = robot.moving_joints();
    Inertial& changed = robot.links[static_cast<std::size_t>(robot.joints[std::size_t(moving[2])].child)].inertial;
    changed = test::random_inertial(random);
    double& x2 = robot.joints[std::size_t(moving[1])].origin.p.x;
    double& z4 = robot.joints[std::size_t(moving[3])].origin.p.z;
    x2 += 0.3, z4 -= 0.2;
    const State x = test::random_state(random, 5);
    std::vector<double> values;
    for (const auto* part : {&x.q, &x.qd, &x.qdd}) values.insert(values.end(), part->begin(), part->end());
    const auto& [m, c, I] = changed;
    values.insert(values.end(), {m, c.x, c.y, c.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz, x2, z4});
    const auto expected = torques_of(make_mechanism(robot), x);
    EXPECT_TRUE(
        test::near(program.evaluate(values), expected, std::max(1.0, test::largest(expected)), test::relative(1e-11)))
        << "seed " << seed;
  }
}

// A point mass as an argument, on links with a mass and on one without.
TEST(Program, KeepsALoadSymbolic) {
  for (const bool massless : {false, true}) {
    Robot robot = load_robot(find_model("ur5"));
    const int last = robot.joints[index(robot.moving_joints().back())].child;
    robot.add_frame("grip", last, {rotation_about({0.6, 0.0, 0.8}, 0.7), {0.1, -0.2, 0.3}});
    if (massless) robot.links[index(last)].inertial = {};
    const Mechanism as_made = make_mechanism(robot);
    const int frame = as_made.frame_index("grip");
    ProgramRequest request{{"inverse"}, {}};
    for (int axis = 0; axis < 4; ++axis) {
      KeptParameter load;
      load.name = "load" + std::to_string(axis), load.kind = KeptParameter::Kind::load;
      load.link = as_made.frames[index(frame)].link, load.axis = axis, load.child_frame = frame;
      request.keep.push_back(load);
    }
    const Program program = make_program(as_made, request, usual_choices(as_made, request));
    test::Random random(4);
    const State x = test::random_state(random, 6);
    std::vector<double> values;
    for (const auto* part : {&x.q, &x.qd, &x.qdd}) values.insert(values.end(), part->begin(), part->end());
    values.insert(values.end(), {2.0, 0.03, -0.04, 0.05});
    const auto expected = torques_of(make_mechanism(add_payload(robot, "grip", {2.0, {0.03, -0.04, 0.05}, {}})), x);
    EXPECT_TRUE(test::near(program.evaluate(values), expected, test::largest(expected), test::relative(1e-11)))
        << massless;
  }
}

TEST(Program, KeepsDenavitHartenbergLengths) {
  test::Random random(19);
  for (const auto convention : {classic_dh, modified_dh}) {
    const auto build = [&](double a2, double d3) {
      Robot robot;
      robot.add_link("base");
      for (int i = 1; i <= 4; ++i) {
        const int link =
            robot.add_link("l" + std::to_string(i), {1.0 + i, {0.1, 0.2, -0.1 * i}, {2, 3, 4, 0.1, 0.2, 0.3}});
        const DhRow row{i == 2 ? a2 : 0.3, 0.4 * i, i == 3 ? d3 : 0.1, 0.2 * i, 0.0, 0.0};
        JointDescription joint = convention(row, JointType::revolute);
        joint.name = "j" + std::to_string(i);
        joint.parent = link - 1;
        joint.child = link;
        robot.add_joint(joint);
      }
      return robot;
    };
    const Robot described = build(0.5, 0.25);
    const Mechanism as_made = make_mechanism(described);
    ProgramRequest request{{"inverse"}, {}};
    request.keep = parse_kept("length:a2,length:dj3", described, as_made);
    EXPECT_NEAR(request.keep[0].nominal, 0.5, 1e-15);
    EXPECT_NEAR(request.keep[1].nominal, 0.25, 1e-15);
    const Program program = find_cheapest(as_made, request);
    const State x = test::random_state(random, 4);
    std::vector<double> values;
    for (const auto* part : {&x.q, &x.qd, &x.qdd}) values.insert(values.end(), part->begin(), part->end());
    values.insert(values.end(), {0.7, -0.4});
    const auto expected = torques_of(make_mechanism(build(0.7, -0.4)), x);
    EXPECT_TRUE(test::near(program.evaluate(values), expected, test::relative(1e-11)));
  }
}

// Friction, rotors and gears that stay arguments, of joints that have them and of joints that have none; a rotor
// without its gear and a gear without its rotor.
TEST(Program, KeepsDrivesSymbolic) {
  test::Random random(29);
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    test::RobotOptions options;
    options.joints = 4;
    options.shape = seed % 2 == 0 ? test::Shape::chain : test::Shape::tree;
    Robot robot = test::random_robot(random, options);
    const auto drive = [&](int j) -> JointDrive& { return robot.joints[std::size_t(robot.moving_joints()[j])].drive; };
    for (int j = 0; j < 4; ++j) drive(j) = j == 1 ? JointDrive{} : JointDrive{0.2, 0.3, 0.01, 7.0};
    const Mechanism as_made = make_mechanism(robot);
    ProgramRequest request{{seed % 3 == 0 ? "forward" : "inverse"}, {}};
    request.keep = parse_kept("friction:1,rotor:1,friction:2,rotor:2,rotor:3", robot, as_made);
    std::erase_if(request.keep, [&](const KeptParameter& p) { return p.name == (seed % 2 == 0 ? "Ir3" : "G3"); });
    std::vector<std::string> names;
    for (const KeptParameter& p : request.keep) names.push_back(p.name);
    EXPECT_EQ(names, (std::vector<std::string>{"fv1", "fc1", "Ir1", "G1", "fv2", "fc2", "Ir2", "G2",
                                               seed % 2 == 0 ? "G3" : "Ir3"}));
    EXPECT_EQ(request.keep[2].nominal, 0.01);
    EXPECT_EQ(request.keep[3].nominal, 7.0);
    const Program program = make_program(as_made, request, usual_choices(as_made, request));
    drive(0) = {0.5, 0.6, 0.02, 9.0};
    drive(1) = {0.7, 0.1, 0.03, 2.0};
    (seed % 2 == 0 ? drive(2).gear_ratio : drive(2).rotor_inertia) = seed % 2 == 0 ? 11.0 : 0.5;
    const State x = test::random_state(random, 4);
    const std::vector<double> tau = test::generic_job("inverse", make_mechanism(robot), x, {}, 0);
    std::vector<double> values =
        test::input_values(make_program(as_made, {request.jobs}, usual_choices(as_made, {request.jobs})), x, tau);
    values.insert(values.end(), {0.5, 0.6, 0.02, 9.0, 0.7, 0.1, 0.03, 2.0, seed % 2 == 0 ? 11.0 : 0.5});
    const auto expected = test::generic_job(request.jobs[0], make_mechanism(robot), x, tau, 0);
    EXPECT_TRUE(
        test::near(program.evaluate(values), expected, std::max(1.0, test::largest(expected)), test::relative(1e-9)))
        << "seed " << seed;
  }
}

// Origins are tried one by one beyond eight joints, of the choices that are not behind: the result is no dearer than
// the usual choices, and few of them are tried. One report comes for each trial.
TEST(Program, LongRobotsAreSearchedInMoments) {
  test::Random random(31);
  test::RobotOptions options;
  options.joints = 55;
  for (const test::Shape shape : {test::Shape::chain, test::Shape::tree}) {
    options.shape = shape;
    const Mechanism robot = make_mechanism(test::random_robot(random, options));
    for (const char* job : {"inverse", "forward", "inertia"}) {
      const ProgramRequest request{{job}, {}};
      double last = 0.0;
      int trials = 0;
      const Program found = find_cheapest(robot, request, [&](double share) {
        EXPECT_TRUE(share >= last && share <= 1.0) << share << " after " << last;
        last = share;
        ++trials;
      });
      EXPECT_GT(last, 0.5);
      EXPECT_GT(trials, 55);
      EXPECT_LT(trials, 9 * 55) << job;  // nine formulations and frames would be ten times 55
      const Program usual = make_program(robot, request, usual_choices(robot, request));
      EXPECT_LE(instruction_cost(found.cost()), instruction_cost(usual.cost())) << job;
    }
  }
}

TEST(Program, SaysWhatItCannotKeep) {
  const Robot robot = load_robot(find_model("ur5"));
  const Mechanism mechanism = make_mechanism(robot);
  const auto message = [&](const char* text) {
    try {
      parse_kept(text, robot, mechanism);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("mass:7"), "'mass:7': joints are numbered 1 to 6");
  EXPECT_EQ(message("weight:1"), "'weight:1': known quantities: mass, com, inertia, length, friction, rotor, spring");
  EXPECT_EQ(message("mass:1,mass:1"), "'m1': is asked for twice");
  EXPECT_EQ(message("mass"), "'mass': write QUANTITY:JOINT, such as mass:3, com:3, inertia:3 or length:a2");
  EXPECT_EQ(message("length:r2"),
            "'length:r2': a length is a or d (of a Denavit-Hartenberg row), x, y or z, then the joint: length:a2");
  EXPECT_EQ(message("mass:elbow"), "'mass:elbow': there is no joint 'elbow'; give its number (1 to 6) or its name");
}

TEST(Program, TwentyFourJoints) {
  const Mechanism robot = make_mechanism(general_arm(24));
  test::Random random(23);
  const State x = test::random_state(random, 24);
  for (const char* job : {"inverse", "inertia", "forward", "bias", "gravity"}) {
    const ProgramRequest request{{job}, {}};
    EXPECT_TRUE(agrees(make_program(robot, request, usual_choices(robot, request)), job, robot, x, 1e-10));
  }
}

TEST(Program, RefusesUnknownJobsAndFormulations) {
  const Mechanism robot = make_mechanism(general_arm(3));
  const auto make = [&](const ProgramRequest& request) {
    return make_program(robot, request, usual_choices(robot, request));
  };
  EXPECT_THROW(make({{"dance"}, {}}), std::invalid_argument);
  EXPECT_THROW(make({{"inverse"}, {"nonsense"}}), std::invalid_argument);
  EXPECT_THROW(make({{"inverse", "inverse"}, {}}), std::invalid_argument);
  EXPECT_THROW(make({{}, {}}), std::invalid_argument);
}

}  // namespace
}  // namespace catena::program_test
