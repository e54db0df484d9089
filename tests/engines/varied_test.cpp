// Robots whose constants are an input, against robots that were made with the same parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "catena/batch.hpp"
#include "catena/identify.hpp"
#include "catena/model/varied.hpp"
#include "support/cache_folder.hpp"
#include "support/kinds_of_robots.hpp"

namespace catena::varied_test {
namespace {

using test::Random;

// Other bodies, and other forces where the robot has some; where springs rest stays.
std::vector<double> other_parameters(Random& random, const Mechanism& robot) {
  std::vector<double> theta = standard_parameters(robot);
  const int first = robot.joints() - parameter_joints(robot);
  for (std::size_t j = 0; j < theta.size() / parameters_per_joint; ++j) {
    double* own = &theta[j * parameters_per_joint];
    const Inertial body = test::random_inertial(random);
    if (own[0] > 0.0) {
      const Sym3<double> J = body.inertia + body.mass * steiner(body.com);
      const double values[] = {body.mass,
                               body.mass * body.com.x,
                               body.mass * body.com.y,
                               body.mass * body.com.z,
                               J.xx,
                               J.yy,
                               J.zz,
                               J.xy,
                               J.xz,
                               J.yz};
      std::copy(std::begin(values), std::end(values), own);
    }
    const auto& drive = robot.drives[TreeJoint(int(j) + first)];
    for (int k : {10, 11, 12, 13, 14}) own[k] *= random.between(0.5, 2.0);
    own[15] = drive.stiffness > 0.0 ? drive.offset - own[14] * drive.rest : own[15] * random.between(0.5, 2.0);
  }
  return theta;
}

std::vector<Robot> robots() {
  std::vector<Robot> all = test::kinds_of_robots();
  Random random(5);
  all.push_back(test::random_free(random, 6, true));
  all.push_back(test::random_free(random, 7, true, true));
  return all;
}

struct Trial {
  Mechanism varied, made;
  std::vector<double> constants;
};
Trial trial(Random& random, const Robot& described, bool moving) {
  const auto mechanism = [&](const Robot& robot) {
    const Mechanism plain = make_mechanism(robot);
    return moving ? on_moving_base(plain) : plain;
  };
  Trial out{varied(mechanism(described)), {}, {}};
  const std::vector<double> theta = other_parameters(random, out.varied);
  out.made = mechanism(with_parameters(described, theta));
  ConstantsOf of(out.varied);
  out.constants.resize(of.size());
  of(theta, out.constants);
  return out;
}

void expect_close(const std::vector<double>& a, const std::vector<double>& b, double share) {
  double scale = 1e-6;
  for (const double value : b) scale = std::max(scale, std::abs(value));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], share * scale) << k;
}

TEST(Varied, CallsAreThoseOfTheRobotThatIsMeant) {
  Random random(11);
  int compared = 0;
  for (const Robot& described : robots())
    for (const bool moving : {false, true}) {
      if (moving && make_mechanism(described).coordinates.base != BaseKind::fixed) continue;
      const Trial own = trial(random, described, moving);
      const test::State x = test::random_state(random, own.made);
      const std::vector<double> base(moving ? base_motion_size : 0, 0.3);
      for (const JobInfo& job : jobs()) {
        SCOPED_TRACE(described.name + " " + std::to_string(own.made.nv()) + " " + std::string(job.name));
        if (job.size(sizes_of(own.made)) > 5000) continue;
        Inputs<double> in =
            with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd, .base = base}, x.qdd);
        std::vector<double> expected;
        try {
          Call<double> made(own.made, job.name);
          expected.resize(made.size());
          made(in, expected);
        } catch (const std::exception&) {
          continue;  // not for such robots, or not in that state
        }
        Call<double> call(own.varied, job.name);
        in.constants = own.constants;
        std::vector<double> found(call.size());
        call(in, found);
        expect_close(found, expected, 1e-8);
        ++compared;
      }
    }
  EXPECT_GT(compared, 400);
}

// Many robots at once, on compiled code: one state each.
TEST(Varied, BatchesOfCompiledCode) {
  const test::CacheFolder cache;
  Random random(3);
  constexpr std::size_t count = 37;
  for (const Robot& described : robots()) {
    if (make_mechanism(described).nv() > 9) continue;
    const Mechanism structure = varied(make_mechanism(described));
    if (structure.coordinates.is_closed()) continue;  // code takes other positions
    for (const char* job : {"inverse", "forward"}) {
      SCOPED_TRACE(described.name + " " + job);
      BatchOptions options{.engine = BatchEngine::compiled, .threads = 2};
      options.compile = cache.options();
      options.compile.search = false;
      Batch<double> batch(structure, {{job}}, options);
      ASSERT_EQ(batch.engines().front().kind, EngineKind::compiled) << batch.engines().front().why;
      const std::size_t nc = batch.size(Input::constants), size = index(job_info(job).size(sizes_of(structure)));
      std::vector<double> q, qd, qdd, constants(nc * count), out(size * count);
      std::vector<Trial> trials;
      for (std::size_t k = 0; k < count; ++k) {
        trials.push_back(trial(random, described, false));
        const test::State x = test::random_state(random, structure);
        q.insert(q.end(), x.q.begin(), x.q.end());
        qd.insert(qd.end(), x.qd.begin(), x.qd.end());
        qdd.insert(qdd.end(), x.qdd.begin(), x.qdd.end());
        for (std::size_t j = 0; j < nc; ++j) constants[j * count + k] = trials[k].constants[j];
      }
      const std::size_t nq = index(structure.nq()), nv = index(structure.nv());
      BatchInputs<double> in;
      in.q = states_in_rows<const double>(q.data(), nq);
      in.qd = states_in_rows<const double>(qd.data(), nv);
      in.qdd = in.tau = states_in_rows<const double>(qdd.data(), nv);
      in.constants = states_in_columns<const double>(constants.data(), count);
      std::vector<StateArray<double>> results;
      std::size_t at = 0;
      for (const auto& output : batch.outputs()) {
        results.push_back(states_in_rows(out.data() + at, output.size()));
        at += output.size() * count;
      }
      ASSERT_EQ(batch.run(count, in, results).failed, 0U);
      for (std::size_t k = 0; k < count; ++k) {
        Call<double> call(trials[k].made, job);
        std::vector<double> expected(call.size()), found;
        call({.q = std::span(q).subspan(k * nq, nq),
              .qd = std::span(qd).subspan(k * nv, nv),
              .qdd = std::span(qdd).subspan(k * nv, nv),
              .tau = std::span(qdd).subspan(k * nv, nv)},
             expected);
        for (std::size_t o = 0; o < results.size(); ++o)
          for (std::size_t j = 0; j < batch.outputs()[o].size(); ++j) found.push_back(results[o](k, j));
        expect_close(found, expected, 1e-9);
      }
    }
  }
}

TEST(Varied, SaysWhichParameterCannotBe) {
  const Mechanism robot = varied(make_mechanism(load_robot(find_model("ur5"))));
  ConstantsOf of(robot);
  std::vector<double> constants(of.size());
  const auto refused = [&](std::size_t parameter, double value) {
    std::vector<double> theta = standard_parameters(robot);
    theta[parameter] = value;
    try {
      of(theta, constants);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(0, -1.0), "m1 is -1: a mass must not be negative");
  EXPECT_EQ(refused(16, 0.0).substr(0, 3), "m2 ");
  EXPECT_EQ(refused(2 * 16 + 10, 0.5),
            "fv3 is 0.5: the model has no such force at joint 'elbow_joint' that could vary");
  EXPECT_EQ(refused(5, std::nan("")), "Jyy1 is nan");
  EXPECT_EQ(refused(0, 3.0), "");
}

}  // namespace
}  // namespace catena::varied_test
