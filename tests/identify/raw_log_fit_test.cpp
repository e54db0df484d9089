// From raw logs of currents to parameters, with known truth: clocks that jitter, encoders, rest in a third of the rows,
// offsets, Stribeck friction and noise that is correlated in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "support/raw_arm.hpp"

namespace catena::test::raw_log_fit_test {
namespace {

// What tools/measure_coverage.py sets: CATENA_DRAWS, and CATENA_ARM for one arm alone.
int draws() {
  const char* given = std::getenv("CATENA_DRAWS");
  return given != nullptr ? std::atoi(given) : 1;
}
std::vector<std::string> arms() {
  const char* given = std::getenv("CATENA_ARM");
  return given != nullptr ? std::vector<std::string>{given} : six_arms();
}
const Inertial& load() {
  static const Inertial own{4.0, {0.1, 0.04, 0.06}, {0.02, 0.025, 0.015, 0.0, 0.001, 0.0}};
  return own;
}

struct Draw {
  PreparedLog without, with;
  Identification found;
};
Draw drawn(const RawArm& own, Random& random) {
  Draw out;
  out.without = prepare(draw_of(own, false, true, random));
  PrepareOptions same;
  same.filter = out.without.filter, same.decimation = out.without.decimation;
  out.with = prepare(draw_of(own, true, true, random), same);
  out.found = identify_gains(own.robot, out.without.data, out.with.data, own.load,
                             options_for(out.without, {JointFriction::stribeck}, true));
  return out;
}

// How often intervals hold the truth: all, and by parameter.
class Coverage {
 public:
  void add(const RawArm& own, const Identification& found) {
    for (const std::vector<Estimate>* list : {&found.estimates, &found.gains})
      for (const Estimate& estimate : *list) {
        const double truth = truth_of(own, estimate);
        const bool inside = estimate.lower <= truth && truth <= estimate.upper;
        std::string name = estimate.parameter.text;
        if (name.starts_with("fs")) name = name.substr(0, name.find(' '));  // its width differs from draw to draw
        inside_ += inside, ++all_;
        by_parameter_[name].first += inside, ++by_parameter_[name].second;
      }
  }
  double share() const { return static_cast<double>(inside_) / static_cast<double>(all_); }
  void print(const std::string& name) const {
    std::printf("coverage %s %.4f\n", name.c_str(), share());
    for (const auto& [parameter, counts] : by_parameter_)
      std::printf("parameter %s %d of %d: %s\n", name.c_str(), counts.first, counts.second, parameter.c_str());
    std::fflush(stdout);
  }

 private:
  int inside_ = 0, all_ = 0;
  std::map<std::string, std::pair<int, int>> by_parameter_;
};

double largest(const std::vector<double>& errors) { return *std::max_element(errors.begin(), errors.end()); }
// One in a hundred may be larger.
double nearly_largest(std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  return errors[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(errors.size() - 1)))];
}

TEST(RawLogs, GainsFrictionAndIntervalsHold) {
  for (const std::string& name : arms()) {
    SCOPED_TRACE(name);
    const RawArm own = raw_arm(name, load());
    Random random(42);
    Coverage coverage;
    std::vector<double> gain, dry, viscous;  // errors, as a share
    for (int draw = 0; draw < draws(); ++draw) {
      const Identification found = drawn(own, random).found;
      coverage.add(own, found);
      for (std::size_t j = 0; j < own.n(); ++j) {
        gain.push_back(std::abs(found.gains[j].value / own.drives[j].gain - 1.0));
        dry.push_back(std::abs(found.friction[j].coulomb / own.drives[j].coulomb - 1.0));
        viscous.push_back(std::abs(found.friction[j].viscous / own.drives[j].viscous - 1.0));
      }
    }
    coverage.print(name);
    std::printf("errors %s gain %.5f dry %.5f viscous %.5f\n", name.c_str(), largest(gain), largest(dry),
                largest(viscous));
    std::fflush(stdout);
    EXPECT_LT(largest(gain), 0.01);
    EXPECT_LT(nearly_largest(dry), 0.05);
    EXPECT_LT(nearly_largest(viscous), 0.05);
    EXPECT_GT(coverage.share(), draws() < 100 ? 0.8 : 0.93);
    if (draws() >= 100) {
      EXPECT_LT(coverage.share(), 0.97);
    }
  }
}

// The robot known, offsets not; and what is left of another log by least squares and by the model that is possible.
TEST(RawLogs, LoadsAndHeldOutTorques) {
  for (const std::string& name : arms()) {
    SCOPED_TRACE(name);
    const RawArm own = raw_arm(name, load());
    RawPlan another;
    another.seed = 2;
    RawArm other = raw_arm(name, load(), another);
    other.drives = own.drives;
    Random random(7);
    double mass = 0.0, centre = 0.0, ratio = 0.0;
    for (int draw = 0; draw < std::min(draws(), 20); ++draw) {
      const PreparedLog held = prepare(draw_of(own, true, false, random));
      const PayloadFit body =
          identify_payload(own.robot, held.data, own.robot.tool, {.fit = options_for(held, {}, true)});
      mass = std::max(mass, std::abs(body.body.mass / load().mass - 1.0));
      const Vec3<double> off = body.body.com - load().com;
      const double by_axis[] = {off.x, off.y, off.z};
      double squared = 0.0;  // along what a planar arm shows
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (std::isfinite(body.centre[axis].standard_error)) squared += by_axis[axis] * by_axis[axis];
      centre = std::max(centre, std::sqrt(squared));
      const PreparedLog log = prepare(draw_of(own, false, false, random));
      const Identification found = identify(own.robot, log.data, options_for(log, {JointFriction::stribeck}, true));
      const PhysicalFit fit = fit_physical(own.robot, found);
      const Validation left = validate(own.robot, found, &fit, prepare(draw_of(other, false, false, random)).data);
      double squares = 0.0;
      for (std::size_t j = 0; j < own.n(); ++j)
        squares += std::pow(left.physical.rms[j] / left.least_squares.rms[j], 2) / static_cast<double>(own.n());
      ratio = std::max(ratio, std::sqrt(squares));
    }
    std::printf("errors %s mass %.5f centre %.5f ratio %.5f\n", name.c_str(), mass, centre, ratio);
    EXPECT_LT(mass, 0.01);
    EXPECT_LT(centre, 0.002);
    EXPECT_LT(ratio, 1.02);
  }
}

}  // namespace
}  // namespace catena::test::raw_log_fit_test
