// Springs among the parameters that are identified.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "catena/call.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "support/tolerances.hpp"

namespace catena::test::spring_identification_test {
namespace {

// Torques of the actual robot along a motion that was made for its model.
Measurements measured(const Mechanism& actual, const Mechanism& model) {
  ExcitationOptions options;
  options.starts = 2, options.steps = 40;
  const FourierMotion motion = find_excitation(model, options).motion;
  Measurements data;
  Call<double> inverse(actual, "inverse");
  Values q(index(actual.nv())), qd(q.size()), qdd(q.size()), tau(q.size());
  for (int k = 0; k < 300; ++k) {
    motion.at(motion.period * k / 300.0, q, qd, qdd);
    inverse({.q = q, .qd = qd, .qdd = qdd}, tau);
    for (const auto& [to, from] : {std::pair{&data.q, &q}, {&data.qd, &qd}, {&data.qdd, &qdd}, {&data.tau, &tau}})
      to->insert(to->end(), from->begin(), from->end());
  }
  return data;
}

// Springs are looked for where the model has one, and found again though its numbers are wrong.
TEST(SpringIdentification, FindsThem) {
  Robot robot = load_robot(find_model("panda"));
  const std::vector<int> moving = robot.moving_joints();
  const auto put = [&](std::size_t j, double stiffness, double rest) {
    JointDrive& drive = robot.joints[index(moving[j])].drive;
    drive.spring = stiffness, drive.spring_rest = rest;
  };
  const std::size_t without = base_parameters(make_mechanism(robot)).size();
  put(1, 35.0, -0.4), put(5, 2000.0, 0.0);
  const Mechanism actual = make_mechanism(robot);
  put(1, 20.0, 0.3), put(5, 1500.0, 0.1);
  const Mechanism model = make_mechanism(robot);
  EXPECT_EQ(base_parameters(model).size(), without + 4);
  EXPECT_EQ(base_parameters(model, false).size(),
            base_parameters(make_mechanism(load_robot(find_model("panda"))), false).size());
  const Measurements data = measured(actual, model);
  const Identification found = identify(model, data);
  std::map<std::string, double> values;
  for (const Estimate& own : found.estimates) values[own.parameter.text] = own.value;
  for (const auto& [text, value] : {std::pair{"k2", 35.0}, {"offset2", 14.0}, {"k6", 2000.0}, {"offset6", 0.0}}) {
    ASSERT_TRUE(values.contains(text)) << text;
    EXPECT_NEAR(values[text], value, 1e-5) << text;
  }
  const Robot written = with_parameters(robot, fit_physical(model, found).parameters);
  EXPECT_NEAR(written.joints[index(moving[1])].drive.spring, 35.0, 0.05);
  EXPECT_NEAR(written.joints[index(moving[1])].drive.spring_rest, -0.4, 1e-3);
  EXPECT_NEAR(written.joints[index(moving[5])].drive.spring, 2000.0, 1.0);
  EXPECT_NEAR(written.joints[index(moving[5])].drive.spring_rest, 0.0, 1e-3);
  EXPECT_EQ(written.joints[index(moving[0])].drive.spring, 0.0);
  EXPECT_TRUE(validate(written).ok());
}

}  // namespace
}  // namespace catena::test::spring_identification_test
