#include "support/golden_robots.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace catena::test {
namespace {

Vec3<double> vector_from(const std::vector<double>& v) { return {v.at(0), v.at(1), v.at(2)}; }

Inertial inertial_from(const nlohmann::json& json, std::size_t i) {
  const Rows I = json.at("inertia_com").at(i);
  return {
      json.at("mass").at(i), vector_from(json.at("com").at(i)), {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]}};
}

Golden read(const nlohmann::json& json) {
  Golden golden;
  Robot& robot = golden.robot;
  robot.name = json.at("name");
  robot.gravity = vector_from(json.at("gravity"));
  robot.add_link("base");
  const auto number = [&](const char* key, std::size_t i) { return json.at(key).at(i).get<double>(); };
  for (std::size_t i = 0; i < json.at("parent").size(); ++i) {
    const int link = robot.add_link("link" + std::to_string(i + 1), inertial_from(json, i));
    const DhRow row{number("a", i),     number("alpha", i), number("d", i),
                    number("theta", i), number("gamma", i), number("epsilon", i)};
    const JointType type = json.at("revolute").at(i) == 1 ? JointType::revolute : JointType::prismatic;
    JointDescription joint = json.at("convention") == "mdh" ? modified_dh(row, type) : classic_dh(row, type);
    joint.name = "joint" + std::to_string(i + 1);
    joint.parent = json.at("parent").at(i).get<int>() + 1;
    joint.child = link;
    robot.add_joint(joint);
  }
  golden.x = {json.at("q"), json.at("qd"), json.at("qdd")};
  json.at("tau").get_to(golden.tau);
  json.at("bias").get_to(golden.bias);
  json.at("grav").get_to(golden.grav);
  json.at("M").get_to(golden.M);
  json.at("C_christoffel").get_to(golden.C);
  json.at("dtau_dq").get_to(golden.dtau_dq);
  json.at("dtau_dqd").get_to(golden.dtau_dqd);
  return golden;
}

}  // namespace

std::vector<Golden> read_golden_robots(const std::string& path) {
  std::ifstream file(path);
  std::vector<Golden> robots;
  for (const auto& json : nlohmann::json::parse(file)) robots.push_back(read(json));
  return robots;
}

}  // namespace catena::test
