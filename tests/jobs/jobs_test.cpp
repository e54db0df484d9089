// What must hold for every job and every formulation, whatever it computes: a new one is tested here by being listed.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <utility>

#include "catena/call.hpp"
#include "catena/model/regroup.hpp"
#include "catena/program.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "model/free_base.hpp"
#include "support/allocations.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/runners.hpp"
#include "support/tolerances.hpp"

namespace catena::test::jobs_test {
namespace {

// A robot whose inertia matrix has an inverse, so that every job has a result.
struct Case {
  Robot robot;
  Mechanism mechanism;
  State x;
  Values tau;
};
Case case_of(std::uint64_t seed, int most_joints) {
  auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed) % most_joints);
  Values tau = torques(mechanism, {}, x);
  return {std::move(robot), std::move(mechanism), std::move(x), std::move(tau)};
}

template <class S>
struct On {
  std::vector<S> q, qd, qdd, tau;
  explicit On(const Case& c) : q(as<S>(c.x.q)), qd(as<S>(c.x.qd)), qdd(as<S>(c.x.qdd)), tau(as<S>(c.tau)) {}
  Inputs<S> inputs(int frame) const {
    return with_others<S>({.q = q, .qd = qd, .qdd = qdd, .tau = tau, .frame = frame}, qdd);
  }
};

// visit(job, formulation, label)
template <class Visitor>
void for_each_way(Visitor visit) {
  for (const JobInfo& job : jobs())
    for (const FormulationInfo& f : job.formulations)
      visit(job, f.name, std::string(job.name) + " by " + std::string(f.name));
}

Values by_call(const Case& c, const JobInfo& job, std::string_view formulation, int frame) {
  Call<double> call(c.mechanism, job.name, formulation);
  Values out(call.size());
  call(On<double>(c).inputs(frame), out);
  return out;
}
int some_frame(const Case& c, std::uint64_t seed) { return static_cast<int>(seed % c.mechanism.frames.size()); }
double scale_of(const Values& values) { return std::max(1.0, largest(values)); }

TEST(Jobs, AreDescribedWhole) {
  std::set<std::string_view> names;
  for (const JobInfo& job : jobs()) {
    SCOPED_TRACE(job.name);
    EXPECT_TRUE(names.insert(job.name).second) << "twice";
    EXPECT_FALSE(job.words.empty() || job.result.empty() || job.inputs.empty() || job.outputs.empty());
    EXPECT_EQ(&job_info(job.name), &job);
    for (const int joints : {0, 1, 6, 7, 100})
      EXPECT_NE(std::find(job.interchangeable.begin(), job.interchangeable.end(), job.standard(joints)),
                job.interchangeable.end());
    std::set<std::string_view> formulation_names, outputs;
    for (const FormulationInfo& f : job.formulations) {
      EXPECT_EQ(f.job, job.name) << f.name;
      EXPECT_TRUE(formulation_names.insert(f.name).second) << f.name << " twice";
      EXPECT_FALSE(f.source.empty() || f.equations.empty() || f.cost.empty()) << f.name;
    }
    for (const OutputInfo& output : job.outputs) {
      EXPECT_TRUE(outputs.insert(output.name).second) << output.name << " twice";
      EXPECT_FALSE(output.words.empty());
      if (output.symmetric) {
        EXPECT_EQ(output.rows({3, 4}), output.columns({3, 4}));
      }
    }
  }
  EXPECT_THROW(job_info("dance"), std::invalid_argument);
  EXPECT_THROW(job_info("inverse").formulation("dance"), std::invalid_argument);
  EXPECT_TRUE(formulations("dance").empty());
}

TEST(Jobs, InterchangeableFormulationsAgree) {
  for (const std::uint64_t seed : test::seeds(100, 200)) {
    const Case c = case_of(seed, 12);
    const int frame = some_frame(c, seed);
    for (const JobInfo& job : jobs()) {
      const Values standard = by_call(c, job, {}, frame);
      for (const std::string_view f : job.interchangeable)
        EXPECT_TRUE(near(by_call(c, job, f, frame), standard, scale_of(standard), relative(1e-9)))
            << job.name << " by " << f << ", robot " << seed;
    }
  }
}

TEST(Jobs, GiveTheSameNumbersOnEveryScalar) {
  for (const std::uint64_t seed : test::seeds(200, 240)) {
    const Case c = case_of(seed, 7);
    const int frame = some_frame(c, seed);
    for_each_way([&](const JobInfo& job, std::string_view f, const std::string& label) {
      SCOPED_TRACE(label + ", robot " + std::to_string(seed));
      const Values expected = by_call(c, job, f, frame);
      Values counted, dual;
      for (const Counted& v : run_on<Counted>(job.name, f, c.mechanism, On<Counted>(c).inputs(frame)))
        counted.push_back(v.value());
      for (const auto& v : run_on<Dual<double>>(job.name, f, c.mechanism, On<Dual<double>>(c).inputs(frame)))
        dual.push_back(v.value);
      EXPECT_TRUE(near(counted, expected, scale_of(expected), relative(1e-9)));
      EXPECT_TRUE(near(dual, expected, scale_of(expected), relative(1e-9)));
      ProgramRequest request{.jobs = {std::string(job.name)}, .formulations = {std::string(f)}, .frame = frame};
      Choices choices = usual_choices(c.mechanism, request);
      choices.frames = SharedFrames::none;  // some ask for constants
      const Program program = make_program(c.mechanism, request, choices);
      Values inputs;
      for (const Argument& a : program.inputs) {
        const Values& source = a.name == "q" ? c.x.q : a.name == "qd" ? c.x.qd : a.name == "tau" ? c.tau : c.x.qdd;
        inputs.insert(inputs.end(), source.begin(), source.end());
      }
      EXPECT_TRUE(near(program.evaluate(inputs), expected, scale_of(expected), relative(1e-8)));
    });
  }
}

TEST(Jobs, ReadNothingTheyDidNotWrite) {
  for (const std::uint64_t seed : test::seeds(300, 330)) {
    const Case c = case_of(seed, 12);
    for (const JobInfo& job : jobs()) {
      expect_nothing_left_over(job.name, c.mechanism, c.x);
      expect_nothing_left_over(job.name, optimize(c.mechanism), c.x);
    }
  }
}

template <class S>
void expect_no_allocation_in(const Case& c) {
  const On<S> x(c);
  std::vector<ExternalWrench<S>> wrenches{{0, {S(1), S(2), S(3)}, {S(4), S(5), S(6)}, Axes::world},
                                          {0, {S(1), S(2), S(3)}, {S(4), S(5), S(6)}, Axes::frame}};
  wrenches[0].frame = static_cast<int>(c.mechanism.frames.size()) - 1;
  for_each_way([&](const JobInfo& job, std::string_view f, const std::string& label) {
    SCOPED_TRACE(label);
    Call<S> call(c.mechanism, job.name, f);
    std::vector<S> out(call.size());
    Inputs<S> in = x.inputs(tool_frame);
    const NoAlloc guard;
    call(in, out);
    if (job.feels_wrenches()) in.wrenches = wrenches;
    call(in, out);
  });
}

TEST(Jobs, AllocateNothing) {
  for (const std::uint64_t seed : test::seeds(400, 410)) expect_no_allocation_in<double>(case_of(seed, 15));
  for (const std::uint64_t seed : test::seeds(410, 415)) expect_no_allocation_in<float>(case_of(seed, 5));
}

// Whether a formulation reads it or not: the angle of a first axis along gravity, joints beside a frame's way to the
// base, the place of a free base. A batch refuses it as well.
TEST(Jobs, RefuseEveryNumberThatIsNotFinite) {
  test::Random random(77);
  std::vector<Mechanism> robots;
  for (const int joints : {1, 6})
    robots.push_back(
        make_mechanism(test::random_robot(random, {.joints = joints, .massless_links = false, .drives = true})));
  Robot tree = test::random_robot(random, {.joints = 7, .shape = test::Shape::tree, .massless_links = false}),
        free = tree;
  robots.push_back(make_mechanism(tree));
  test::couple_some(random, tree, 0.4);
  robots.push_back(make_mechanism(tree));
  free.links[std::size_t(free.root())].inertial = test::random_inertial(random);
  robots.push_back(make_mechanism(on_free_base(std::move(free))));
  const double bad[] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  int refused = 0;
  for (const Mechanism& robot : robots) {
    State x = test::random_state(random, robot);
    if (robot.coordinates.is_free()) x.q[3] = 1.0, x.q[4] = x.q[5] = x.q[6] = 0.0;
    const Values tau(x.qd.size(), 0.1);
    for (const JobInfo& job : jobs())
      for (const FormulationInfo& formulation : job.formulations) {
        SCOPED_TRACE(robot.name + ": " + std::string(job.name) + " by " + std::string(formulation.name));
        std::optional<Call<double>> call;
        Values out;
        try {
          call.emplace(robot, job.name, formulation.name);
          out.resize(call->size());
          (*call)(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau}, x.qdd), out);
        } catch (const std::logic_error&) {
          continue;  // it does not take such robots, or has no result here
        }
        for (const Input input : job.inputs)
          for (const double worst : bad) {
            const Inputs<double> good = with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau}, x.qdd);
            Values wrong(good[input].begin(), good[input].end());
            for (double& entry : wrong) {
              const double kept = std::exchange(entry, worst);
              Inputs<double> in = good;
              in[input] = wrong;
              EXPECT_THROW((*call)(in, out), std::domain_error) << info_of(input).name << ' ' << &entry - wrong.data();
              entry = kept, ++refused;
            }
          }
      }
  }
  EXPECT_GT(refused, 5000);
}

TEST(Jobs, CheckWhatTheyAreHanded) {
  const Case c = case_of(5, 6);
  const std::size_t n = c.x.q.size();
  for (const JobInfo& job : jobs()) {
    SCOPED_TRACE(job.name);
    Call<double> call(c.mechanism, job.name);
    EXPECT_EQ(call.nv(), static_cast<int>(n));
    if (call.size() == 0) continue;  // of closed loops
    Values out(call.size());
    const On<double> x(c);
    EXPECT_THROW(call(x.inputs(tool_frame), std::span<double>(out).first(out.size() - 1)), std::invalid_argument);
    for (const Input input : job.inputs) {
      Values wrong(n + 1, 0.1), infinite(n, 0.1);
      infinite.back() = std::numeric_limits<double>::infinity();
      Inputs<double> in = x.inputs(tool_frame);
      in[input] = wrong;
      EXPECT_THROW(call(in, out), std::invalid_argument) << info_of(input).name;
      in[input] = infinite;
      EXPECT_THROW(call(in, out), std::domain_error) << info_of(input).name;
    }
    Inputs<double> in = x.inputs(99);
    if (job.takes_frame) {
      EXPECT_THROW(call(in, out), std::invalid_argument);
    }
    const std::vector<ExternalWrench<double>> push{{}};
    in = x.inputs(tool_frame);
    in.wrenches = push;
    if (!job.feels_wrenches()) {
      EXPECT_THROW(call(in, out), std::invalid_argument) << "wrenches would be left out silently";
    } else {
      std::vector<ExternalWrench<double>> bad = push;  // also where it acts on nothing
      bad.front().moment.y = std::numeric_limits<double>::quiet_NaN();
      in.wrenches = bad;
      EXPECT_THROW(call(in, out), std::domain_error);
    }
    call(x.inputs(tool_frame), out);  // and it still works
  }
}

// A wrench does to torques what Jᵀ w says, whichever job it acts on; on forward dynamics it is a torque more.
TEST(Jobs, WrenchesActByTheirGeneralizedForce) {
  for (const std::uint64_t seed : test::seeds(500, 560)) {
    const Case c = case_of(seed, 9);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.robot, 3);
    const std::size_t n = c.x.q.size();
    Values force(n, 0.0);
    for (const auto& w : wrenches) {
      const Values J = by_call(c, job_info("jacobian"), {}, w.frame), T = by_call(c, job_info("pose"), {}, w.frame);
      const Mat3<double> R{T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
      const Vec3<double> f = w.axes == Axes::world ? w.force : R * w.force;
      const Vec3<double> m = w.axes == Axes::world ? w.moment : R * w.moment;
      for (std::size_t j = 0; j < n; ++j)
        force[j] += J[j] * f.x + J[n + j] * f.y + J[2 * n + j] * f.z + J[3 * n + j] * m.x + J[4 * n + j] * m.y +
                    J[5 * n + j] * m.z;
    }
    const On<double> x(c);
    for_each_way([&](const JobInfo& job, std::string_view f, const std::string& label) {
      const Kind kind = job.outputs.front().kind;
      const bool lower_result = kind == Kind::torque || kind == Kind::bias || kind == Kind::weight;
      const bool add_to_torques = kind == Kind::acceleration && job.outputs.size() == 1;  // not hybrid dynamics
      if (!lower_result && !add_to_torques) return;  // what they do to derivatives: linearize_test.cpp
      Call<double> call(c.mechanism, job.name, f);
      Values pushed(n), expected(n), tau = c.tau;
      Inputs<double> in = x.inputs(tool_frame);
      if (add_to_torques) {
        for (std::size_t j = 0; j < n; ++j) tau[j] += force[j];
        in.tau = tau;
      }
      call(in, expected);
      if (lower_result)
        for (std::size_t j = 0; j < n; ++j) expected[j] -= force[j];
      in = x.inputs(tool_frame);
      in.wrenches = wrenches;
      call(in, pushed);
      EXPECT_TRUE(near(pushed, expected, scale_of(expected) + largest(force), relative(1e-9)))
          << label << ", robot " << seed;
    });
  }
}

// The jobs know each other: T = ½ q̇ᵀ M q̇, J̇ q̇ is what J q̇ changes by, b = C q̇ + g + friction, U D Uᵀ = M.
TEST(Jobs, FitTogether) {
  for (const std::uint64_t seed : test::seeds(600, 660)) {
    SCOPED_TRACE(seed);
    const Case c = case_of(seed, 10);
    const std::size_t n = c.x.q.size();
    const int frame = some_frame(c, seed);
    const auto get = [&](const char* job) { return by_call(c, job_info(job), {}, frame); };
    const Values M = get("inertia"), energy = get("energy"), C = get("coriolis"), b = get("bias"), g = get("gravity");
    double twice = 0.0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) twice += c.x.qd[j] * M[j * n + k] * c.x.qd[k];
    EXPECT_TRUE(near(energy[0], 0.5 * twice, scale_of(energy), relative(1e-11)));
    for (std::size_t j = 0; j < n; ++j) {
      const auto& drive = c.mechanism.drives[TreeJoint(j)];
      double sum = g[j] + Friction::torque<double>(drive, {0.0, c.x.qd[j], 0.0});
      for (std::size_t k = 0; k < n; ++k) sum += C[j * n + k] * c.x.qd[k];
      EXPECT_TRUE(near(b[j], sum, scale_of(b), relative(1e-10)));
    }
    using D = Dual<double>;
    std::vector<D> q;
    for (std::size_t j = 0; j < n; ++j) q.emplace_back(c.x.q[j], c.x.qd[j]);
    const auto J = run_on<D>("jacobian", "kinematics", c.mechanism, {.q = q, .frame = frame});
    const Values drift = get("drift");
    for (std::size_t r = 0; r < 6; ++r) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += J[r * n + j].derivative * c.x.qd[j];
      EXPECT_TRUE(near(drift[r], sum, scale_of(drift), relative(1e-10)));
    }
  }
}

}  // namespace
}  // namespace catena::test::jobs_test
