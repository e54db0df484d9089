// Every job of a robot whose base moves as it is told: against an arm on a real track whose motion is prescribed, by
// what each result is; factors and responses against their matrices; generated and compiled code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catena/compile.hpp"
#include "catena/factorization.hpp"
#include "catena/program.hpp"
#include "support/cache_folder.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/on_track.hpp"
#include "support/same_results.hpp"
#include "support/small_matrices.hpp"

namespace catena::test::moving_base_jobs_test {
namespace {

// Vectors by rows of three, in so many columns, turned.
Values turned(const Mat3<double>& R, const Values& rows, std::size_t columns) {
  Values out(rows.size());
  for (std::size_t top = 0; top < rows.size(); top += 3 * columns)
    for (std::size_t k = top; k < top + columns; ++k) {
      const Vec3<double> v = R * Vec3<double>{rows[k], rows[k + columns], rows[k + 2 * columns]};
      out[k] = v.x, out[k + columns] = v.y, out[k + 2 * columns] = v.z;
    }
  return out;
}
Values last_columns(const Values& rows, std::size_t columns, std::size_t n) {
  Values out;
  for (std::size_t row = 0; row < rows.size(); row += columns)
    out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(row + columns - n),
               rows.begin() + static_cast<std::ptrdiff_t>(row + columns));
  return out;
}

// The arm on the track, where nothing has mass but what the arm's joints move.
Robot without_track(const OnTrack& c, const Mechanism& arm) {
  Robot robot = c.whole;
  const Mechanism whole = make_mechanism(robot);
  for (LinkDescription& link : robot.links)
    if (link.name.starts_with("carriage")) link.inertial = {};
  for (int k = 0; k < static_cast<int>(c.arm.links.size()); ++k)
    if (arm.frames[index(k)].link == base_link) robot.links[index(on_whole(arm, whole, k))].inertial = {};
  return robot;
}

// A result of the arm by what the whole gives: entries of the arm's coordinates, seen from its base link.
class SeenFromTheBase {
 public:
  SeenFromTheBase(const OnTrack& c, const Mechanism& arm, const std::vector<ExternalWrench<double>>& wrenches,
                  int frame)
      : c_(c),
        bare_(without_track(c, arm)),
        whole_(make_mechanism(bare_)),
        pushes_(on_whole(c, arm, whole_, wrenches)),
        frame_(on_whole(arm, whole_, frame)),
        n_(c.x.qd.size()),
        all_(c.all.qd.size()),
        parameters_(index(arm.joints()) * parameters_per_joint) {}

  Values result(const JobInfo& job) const {
    Values whole = of_whole(job.name, c_.all), out;
    for (const OutputInfo& output : job.outputs) {
      const auto size = static_cast<std::ptrdiff_t>(output.size(sizes_of(whole_)));
      const Values own = seen(output.kind, {whole.begin(), whole.begin() + size});
      whole.erase(whole.begin(), whole.begin() + size);
      out.insert(out.end(), own.begin(), own.end());
    }
    return out;
  }

 private:
  Values of_whole(std::string_view job, const State& x) const {
    Values lambda = x.qdd, reference = x.qdd;  // the track's torques are not weighed, and it moves as it does
    std::fill(lambda.begin(), lambda.end() - static_cast<std::ptrdiff_t>(n_), 0.0);
    std::copy_n(x.qd.begin(), x.qd.size() - n_, reference.begin());
    Inputs<double> in{.q = x.q, .qd = x.qd, .qdd = x.qdd, .frame = frame_, .lambda = lambda, .reference = reference};
    if (job_info(job).feels_wrenches()) in.wrenches = pushes_;
    return call_job(whole_, job, {}, in);
  }
  // Inverse dynamics where the arm's joints do not accelerate, or do not move; the track does as ever.
  Values held(bool still) const {
    State x = c_.all;
    std::fill(x.qdd.end() - static_cast<std::ptrdiff_t>(n_), x.qdd.end(), 0.0);
    if (still) std::fill(x.qd.end() - static_cast<std::ptrdiff_t>(n_), x.qd.end(), 0.0);
    return last_of(of_whole("inverse", x), n_);
  }
  Values seen(Kind kind, const Values& whole) const {
    const Mat3<double> back = c_.base.R.transpose();
    const Vec3<double> at = c_.base.p;
    switch (kind) {
      case Kind::torque:
        return last_of(whole, n_);
      case Kind::positions:  // of the arm's joints, coupled ones too
        return last_of(whole, whole.size() - (all_ - n_));
      case Kind::bias:
      case Kind::weight:
        return held(kind == Kind::weight);
      case Kind::connection: {  // the track meets the arm's rates twice in C q̇, once in each place
        State x = c_.all;
        for (std::size_t k = 0; k + n_ < all_; ++k) x.qd[k] *= 2.0;
        return last_of(last_columns(of_whole("coriolis", x), all_, n_), n_ * n_);
      }
      case Kind::form:
      case Kind::damping:
      case Kind::stiffness:
      case Kind::curvature_q_q:
      case Kind::curvature_q_qd:
      case Kind::curvature_q_qdd:
      case Kind::curvature_qd_qd:
        return last_of(last_columns(whole, all_, n_), n_ * n_);
      case Kind::rows: {  // the six joints have no parameters that the arm feels
        const Values own = last_columns(whole, whole.size() / all_, parameters_);
        return last_of(own, n_ * parameters_);
      }
      case Kind::columns:
        return turned(back, last_columns(whole, all_, n_), n_);
      case Kind::drift: {  // with what the track accelerates
        Values track = c_.all.qdd;
        std::fill(track.end() - static_cast<std::ptrdiff_t>(n_), track.end(), 0.0);
        return turned(back, combined(1.0, whole, 1.0, times(of_whole("jacobian", c_.all), track, all_)), 1);
      }
      case Kind::momentum:
        return turned(back, whole, 1);
      case Kind::point:
        return turned(back, {whole[0] - at.x, whole[1] - at.y, whole[2] - at.z}, 1);
      case Kind::tensor:
        return turned(back, transposed(turned(back, whole, 3), 3), 3);
      case Kind::pose: {
        Values out = whole;
        out[3] -= at.x, out[7] -= at.y, out[11] -= at.z;
        out = turned(back, {out.begin(), out.begin() + 12}, 4);
        out.insert(out.end(), {0.0, 0.0, 0.0, 1.0});
        return out;
      }
      case Kind::potential:
        return {whole[0] + bare_.mass() * dot(bare_.gravity, at)};
      default:
        return whole;
    }
  }

  const OnTrack& c_;
  Robot bare_;
  Mechanism whole_;
  std::vector<ExternalWrench<double>> pushes_;
  int frame_;
  std::size_t n_, all_, parameters_;
};

TEST(MovingBaseJobs, EveryJobIsThatOfAnArmOnATrack) {
  for (const std::uint64_t seed : test::seeds(700, 730)) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 7), true, seed % 3 == 2);
    const Mechanism arm = make_mechanism(c.arm);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.arm, static_cast<int>(seed % 3));
    const int frame = random.below(static_cast<int>(arm.frames.size()));
    const SeenFromTheBase track(c, arm, wrenches, frame);
    for (const JobInfo& job : jobs()) {
      if (job.inverts_inertia || job.gives(Kind::momenta)) continue;  // these: two_velocities_test.cpp
      Inputs<double> in = with_others<double>({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .frame = frame}, c.x.qdd);
      if (job.feels_wrenches()) in.wrenches = wrenches;
      const Values expected = track.result(job);
      for (const std::string_view method : serving(arm, job.name)) {
        const auto& same = job.interchangeable;
        if (!method.empty() && std::find(same.begin(), same.end(), method) == same.end()) continue;  // another C
        EXPECT_TRUE(
            near(call_moving(arm, job.name, method, in, c.motion), expected, largest(expected) + 1.0, relative(1e-10)))
            << job.name << ", " << label_of(seed, method);
      }
    }
    // The same as an object.
    Kinematics<double> seen(on_moving_base(arm)), whole(make_mechanism(c.whole));
    seen.update(c.x.q, c.x.qd, c.x.qdd, c.motion.numbers()), whole.update(c.all.q, c.all.qd, c.all.qdd);
    const auto a = seen.motion(frame), b = whole.motion(on_whole(arm, make_mechanism(c.whole), frame));
    for (const auto& [one, other] : {std::pair{a.velocity, b.velocity},
                                     {a.acceleration, b.acceleration},
                                     {a.omega, b.omega},
                                     {a.omega_dot, b.omega_dot}}) {
      const Vec3<double> d = c.base.R * one - other;
      EXPECT_LT(std::sqrt(dot(d, d)), 1e-10 * (1.0 + std::sqrt(dot(other, other)))) << seed;
    }
  }
}

TEST(MovingBaseJobs, FactorsAndResponsesAreThoseOfItsMatrices) {
  for (const std::uint64_t seed : test::seeds(740, 760)) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 6), true, seed % 3 == 2);
    const Mechanism arm = make_mechanism(c.arm);
    Random random(seed);
    const auto wrenches = random_wrenches(random, c.arm, 2);
    Inputs<double> in{.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .wrenches = wrenches};
    const std::size_t n = c.x.qd.size();
    const auto square = static_cast<std::ptrdiff_t>(n * n);
    const Values tau = call_moving(arm, "inverse", {}, in, c.motion),
                 DVP = call_moving(arm, "linearize", {}, in, c.motion);
    const Values M(DVP.begin(), DVP.begin() + square);
    in.tau = tau;
    const Values found = call_moving(arm, "response", {}, in, c.motion);
    const auto times_M = [&](std::ptrdiff_t k) {
      return times(M, Values(found.begin() + k * square, found.begin() + (k + 1) * square), n);
    };
    const auto minus = [&](std::ptrdiff_t k) {
      return combined(-1.0, Values(DVP.begin() + k * square, DVP.begin() + (k + 1) * square), 0.0, M);
    };
    Values one(n * n);
    for (std::size_t j = 0; j < n; ++j) one[j * n + j] = 1.0;
    EXPECT_TRUE(near(times_M(0), minus(2), largest(minus(2)) + 1.0, relative(1e-8))) << seed;
    EXPECT_TRUE(near(times_M(1), minus(1), largest(minus(1)) + 1.0, relative(1e-8))) << seed;
    EXPECT_TRUE(near(times_M(2), one, relative(1e-8))) << seed;
    Factorization<double> factors(on_moving_base(arm));
    factors.factor(c.x.q);
    EXPECT_TRUE(near(rebuilt(factors), M, entry_scales(M, n), relative(1e-11))) << seed;
  }
}

TEST(MovingBaseJobs, GeneratedAndCompiledCodeIsTheSame) {
  const CacheFolder cache;
  CompileOptions quickly = cache.options();
  quickly.search = false;
  for (const std::uint64_t seed : test::seeds(780, 786)) {
    const OnTrack c = on_track(seed, 1 + static_cast<int>(seed % 4), true, seed % 3 == 2);
    const Mechanism arm = make_mechanism(c.arm), robot = on_moving_base(arm);
    const auto told = c.motion.numbers();
    const Values tau = call_moving(arm, "inverse", {}, {.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd}, c.motion);
    Inputs<double> in =
        with_others<double>({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .tau = tau, .base = told}, c.x.qdd);
    for (const JobInfo& job : jobs()) {
      const ProgramRequest request{.jobs = {std::string(job.name)}};
      const Program program = make_program(robot, request, usual_choices(robot, request));
      Values numbers;
      for (const Argument& argument : program.inputs)
        for (const InputInfo& info : all_inputs)
          if (info.name == argument.name) numbers.insert(numbers.end(), in[info.input].begin(), in[info.input].end());
      const Values expected = call_job(robot, job.name, {}, in);
      EXPECT_TRUE(near(program.evaluate(numbers), expected, largest(expected) + 1.0, relative(1e-8)))
          << seed << job.name;
    }
    if (seed > 780) continue;
    for (const char* job : {"inverse", "forward", "drift"}) {
      Call<double> call = compile(robot, job, quickly);
      Values out(call.size());
      for (const std::span<const double> base_motion : {std::span<const double>(told), std::span<const double>()}) {
        in.base = base_motion;
        call(in, out);
        EXPECT_TRUE(near(out, call_job(robot, job, {}, in), relative(1e-9))) << job;
      }
      in.base = told;
    }
  }
}

// Nothing but the base moves: what stands on it is where it would be beside an arm.
TEST(MovingBaseJobs, OfARobotWithoutJoints) {
  Robot robot;
  robot.add_link("vehicle", {3.0, {0.1, 0.0, 0.2}, Sym3<double>::diagonal(0.1, 0.2, 0.3)});
  robot.add_frame("camera", 0, {rotation_about({0.0, 1.0, 0.0}, 0.3), {0.2, 0.4, 0.6}});
  robot.tool = "camera";
  const Mechanism alone = on_moving_base(make_mechanism(robot));
  JointDescription joint;
  joint.name = "arm";
  joint.parent = 0;
  joint.child = robot.add_link("bar", robot.links.front().inertial);
  robot.add_joint(joint);
  const Mechanism with_arm = on_moving_base(make_mechanism(robot));
  const auto same = [](const JobInfo&, const OutputInfo& output) {
    return output.kind == Kind::pose || output.kind == Kind::drift;
  };
  EXPECT_GT(expect_same_results<double>(alone, {}, with_arm, {{0.3}, {0.0}, {0.0}}, 1e-12, same), 20);
}

}  // namespace
}  // namespace catena::test::moving_base_jobs_test
