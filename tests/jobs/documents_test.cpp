// The C++ of the pages in docs/ compiles and does what the page says: every block stands here, line by line
// (tools/check_blocks.py compares).
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "catena/batch.hpp"
#include "catena/calibration.hpp"
#include "catena/catena.hpp"
#include "catena/code.hpp"
#include "catena/gpu.hpp"
#include "catena/identify.hpp"
#include "catena/laws.hpp"
#include "catena/log.hpp"
#include "catena/model/varied.hpp"
#include "support/random_robot.hpp"

#pragma GCC diagnostic ignored "-Wunused-value"  // a page shows what there is to ask for

namespace catena::documents_test {
namespace {

Mechanism shipped(const char* name) { return make_mechanism(load_robot(find_model(name))); }

// The pages name files as a reader does who stands beside them.
struct AmongModels {
  std::filesystem::path before = std::filesystem::current_path();
  AmongModels() { std::filesystem::current_path(CATENA_SOURCE_DIR "/models"); }
  ~AmongModels() { std::filesystem::current_path(before); }
};

TEST(Documents, Batches) {
  const Mechanism mechanism = shipped("ur5");
  const std::size_t states = 100;
  std::vector<double> qs(600, 0.3), qds(600, 0.1), qdds(600, 1.0), taus(600), Ms(3600);
  const double *q = qs.data(), *qd = qds.data(), *qdd = qdds.data();
  double *tau = taus.data(), *M = Ms.data();
  // clang-format off
  catena::Batch<double> batch(mechanism, {{"inverse"}, {"inertia"}});  // any jobs of the table; Batch<float> too
  const std::size_t n = batch.size(catena::Input::q);                  // numbers of one state
  const catena::StateArray<double> out[] = {catena::states_in_rows(tau, n), catena::states_in_rows(M, n * n)};
  const catena::BatchReport report = batch.run(states,
      {.q = catena::states_in_rows<const double>(q, n), .qd = catena::states_in_rows<const double>(qd, n),
       .qdd = catena::states_in_rows<const double>(qdd, n)}, out);
  // clang-format on
  EXPECT_TRUE(report.failed == 0 && taus.back() != 0.0 && Ms.back() > 0.0);
}

TEST(Documents, ManyRobots) {
  const AmongModels here;
  constexpr std::size_t robots = 20;
  const std::vector<double> q(6 * robots, 0.3), qd(6 * robots, 0.1), qdd(6 * robots, 1.0);
  std::vector<double> tau(6 * robots);
  std::vector<std::vector<double>> theta(robots, standard_parameters(shipped("ur5")));
  // clang-format off
  const Mechanism structure = varied(make_mechanism(load_robot("ur5.toml")));
  ConstantsOf constants_of(structure);
  std::vector<double> constants(robots * constants_of.size());
  for (std::size_t k = 0; k < robots; ++k)
    constants_of(theta[k], std::span(constants).subspan(k * constants_of.size(), constants_of.size()));
  Batch<double> batch(structure, {{"inverse"}}, {.engine = BatchEngine::compiled});
  BatchInputs<double> in{.q = states_in_rows<const double>(q.data(), 6),
                         .qd = states_in_rows<const double>(qd.data(), 6),
                         .qdd = states_in_rows<const double>(qdd.data(), 6)};
  in.constants = states_in_rows<const double>(constants.data(), constants_of.size());
  batch.run(robots, in, std::vector{states_in_rows(tau.data(), 6)});
  // clang-format on
  EXPECT_NE(tau.back(), 0.0);
}

TEST(Documents, CompiledEngine) {
  const Mechanism mechanism = shipped("ur5");
  const std::vector<double> q(6, 0.3), qd(6, 0.1), qdd(6, 1.0);
  std::vector<double> tau(6);
  // clang-format off
  catena::InverseDynamics<double> inverse(catena::compile_or_generic(mechanism, "inverse"));
  inverse(q, qd, qdd, tau);     // spans of n doubles
  if (inverse.engine().kind == catena::EngineKind::generic) std::puts(inverse.engine().why.c_str());
  // clang-format on
  EXPECT_NE(tau.back(), 0.0);
}

TEST(Documents, GeneratedCode) {
  const Mechanism mechanism = shipped("ur5");
  const std::vector<double> inputs(18, 0.1);
  // clang-format off
  const catena::Program program = catena::find_cheapest(mechanism, {{"inverse"}, {}});
  program.cost().multiplications;                       // 140 for a UR5
  program.evaluate(inputs);                             // the graph itself, slow and exact
  const catena::Program brief = catena::abridge(mechanism, program, {0.01});  // brief.abridged->largest_error()
  catena::print_code({program}, {"arm"}).source;        // the text
  catena::jacobian_of(program).outputs[0].name;         // jac_tau_q
  // clang-format on
  EXPECT_EQ(program.cost().multiplications, 140);
  EXPECT_LE(brief.abridged->largest_error(), 0.01);
}

TEST(Documents, Identification) {
  const AmongModels here;
  Measurements measurements;
  test::Random random(7);
  const Mechanism truth = shipped("panda");
  Call<double> inverse(truth, "inverse");
  for (int k = 0; k < 60; ++k) {
    const test::State x = test::random_state(random, 7);
    std::vector<double> tau(7);
    inverse({.q = x.q, .qd = x.qd, .qdd = x.qdd}, tau);
    for (auto [all, one] : {std::pair(&measurements.q, &x.q), {&measurements.qd, &x.qd}, {&measurements.qdd, &x.qdd}})
      all->insert(all->end(), one->begin(), one->end());
    measurements.tau.insert(measurements.tau.end(), tau.begin(), tau.end());
  }
  const Measurements& other_measurements = measurements;
  // clang-format off
  const Mechanism panda = make_mechanism(load_robot("panda.toml"));
  const Excitation excitation = find_excitation(panda, {.period = 10.0});
  const Identification found = identify(panda, measurements, {.weights_from_residuals = true, .friction = {JointFriction::best}});
  const PhysicalFit fit = fit_physical(panda, found, {.prior = 1.0});
  const Validation held_out = validate(panda, found, &fit, other_measurements);
  // clang-format on
  EXPECT_FALSE(found.estimates.empty());
  EXPECT_FALSE(held_out.least_squares.rms.empty());
  [[maybe_unused]] const auto from_a_log = [](const Mechanism& robot) {
    // clang-format off
    PreparedLog log = prepare(read_log({"raw.csv"}, {.joints = coordinate_names(robot), .units = {"t=ms"}}));
    for (const LogFinding& own : diagnose(log, robot)) std::puts(own.text.c_str());
    // clang-format on
  };
}

TEST(Documents, Calibration) {
  const AmongModels here;
  const Mechanism arm = make_mechanism(load_robot("ur5.toml"));
  MeasuredPoses poses;
  Call<double> pose(arm, "pose");
  std::vector<double> q(6), T(16);
  for (int k = 0; k < 40; ++k) {
    for (std::size_t j = 0; j < 6; ++j) q[j] = 1.7 * std::sin(k * (1.0 + 0.31 * static_cast<double>(j)));
    pose({.q = q}, T);
    poses.q.insert(poses.q.end(), q.begin(), q.end());
    poses.positions.push_back({T[3], T[7], T[11]});
  }
  const auto save_robot = [](const Robot& found, const char*) { EXPECT_GE(found.joints.size(), 6U); };
  // clang-format off
  const Robot robot = load_robot("ur5.toml");
  const Calibration found = calibrate(robot, poses, {.form = KinematicForm::modified_dh});
  save_robot(found.robot, "calibrated.toml");
  // clang-format on
  EXPECT_LT(found.after.position, 1e-9);
}

TEST(Documents, LinkModels) {
  const Robot robot = load_robot(find_model("ur5"));
  const std::vector<double> q(6, 0.3), qd(6, 0.1);
  std::vector<double> M(36), C(36), g(6), whole(36);
  // clang-format off
  catena::LinkModels<double> links(robot);
  for (const catena::LinkModel<double>& link : links(q, qd)) catena::scatter_add<double>(link, M, C, g);
  // clang-format on
  Call<double>(make_mechanism(robot), "inertia")({.q = q}, whole);
  for (std::size_t k = 0; k < 36; ++k) EXPECT_NEAR(M[k], whole[k], 1e-12);
}

TEST(Documents, Assembly) {
  const AmongModels here;
  const Inertial body{2.0, {0.0, 0.0, 0.1}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}},
      half_full{1.0, {0.0, 0.0, 0.05}, body.inertia};
  JointDescription pivot;
  pivot.name = "pivot";
  pivot.axis = {1.0, 0.0, 0.0};
  const std::vector<double> q(7, 0.3), qd(7, 0.1), qdd(7, 1.0);
  std::vector<double> tau(7);
  // clang-format off
  catena::Assembly arm(catena::load_robot("ur5.toml"));               // room for 8 joints and 16 attachments more, or as asked for
  catena::Call<double> inverse(arm.live(), "inverse");                // follows
  const auto crucible = std::make_shared<const catena::Part>("crucible", body, pivot);  // made ready beforehand

  const auto held = arm.attach("tool0", crucible);                    // now 7 joints
  inverse({.q = q, .qd = qd, .qdd = qdd}, tau);                       // of arm and crucible
  arm.replace_inertia(held, "", half_full);
  arm.detach(held);                                                   // bit for bit what it was
  // clang-format on
  EXPECT_NE(tau.back(), 0.0);
}

// These need a device: they are compiled, and run by gpu_test.cpp, gpu_gradient_test.cpp and gpu_rollout_test.cpp on a
// stub of one.
[[maybe_unused]] void on_graphics_processors(const Mechanism& mechanism, const std::vector<double>& kp,
                                             const std::vector<double>& kd, std::size_t arms, std::size_t stride,
                                             std::size_t steps, const float* target, float* q, float* qd,
                                             std::size_t states, std::span<const float* const> in,
                                             std::span<float* const> out, void* stream) {
  // clang-format off
  catena::GpuBatch<float> gpu(mechanism, {{"inverse"}, {"inertia"}}, {.device = 0});
  catena::GpuGradient<float> gradient(mechanism, "inverse");
  gradient.launch(states, stride, catena::GpuLayout::rows, in, out, stream);  // in: q, qd, qdd, w; out: one for each of the first three
  catena::GpuRollout<float> rollout(mechanism, {.law = catena::RolloutLaw::pd, .kp = kp, .kd = kd});
  rollout.launch(arms, stride, steps, 1e-3, target, q, qd, stream);  // or run(…) with arrays of the host
  // clang-format on
}

TEST(Documents, ControlLaws) {
  const Mechanism mechanism = shipped("ur5");
  const std::vector<double> measurement(12, 0.1), reference(12, 0.2);
  std::vector<double> torque(6);
  // clang-format off
  catena::Controller controller(mechanism, {.law = "pid", .parameters = {{"kp", {800.0}}}});
  controller.step(measurement, reference, 1e-3, torque);                       // allocates nothing
  const catena::Code code = catena::print_controller(mechanism, controller.options(), {.name = "controller"});
  // clang-format on
  EXPECT_NE(code.source.find("controller_step"), std::string::npos);
}

TEST(Documents, SecondDerivatives) {
  const Mechanism robot = shipped("ur5");
  const std::vector<double> q(6, 0.3), qd(6, 0.1), qdd(6, 1.0);
  // clang-format off
  catena::SecondDerivativeTensors<double> all(robot);            // or (robot, "response_curvature")
  std::vector<double> tensors(all.size());                       // for each i: H_q_q, H_q_qd, H_q_qdd, H_qd_qd of tau_i
  all({.q = q, .qd = qd, .qdd = qdd}, tensors);
  // clang-format on
  EXPECT_EQ(tensors.size(), 4U * 216U);
}

TEST(Documents, Trajectories) {
  const Mechanism mechanism = shipped("planar2r");
  const std::vector<double> times{0.0, 1.0, 2.0};
  std::vector<double> q(2), qd(2), qdd(2);
  const auto run = [](const Trajectory& scaled) { EXPECT_GT(scaled.duration(), 0.0); };
  // clang-format off
  const catena::Trajectory motion = catena::Trajectory::through(catena::ProfileKind::cubic, {{0, 0}, {1, -0.5}, {2, 1}}, times);
  motion.at(0.7, q, qd, qdd);                                           // allocates nothing
  const catena::LimitReport report = catena::check_limits(motion, mechanism);
  if (report.time_scale.outcome == catena::TimeScale::Outcome::found)
    run(motion.scaled(report.time_scale.factor));                       // as fast as the limits allow
  // clang-format on
  EXPECT_NE(qd[0], 0.0);
}

}  // namespace
}  // namespace catena::documents_test
