// Reads what a shipped model of the convention "frames" says, without the reader's dependencies: this benchmark is to
// build with a C++ compiler alone.
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot.hpp"

namespace catena::bench {

class FramesFile {
 public:
  explicit FramesFile(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw std::runtime_error("cannot read '" + path + "'");
    robot_.add_link("base");
    for (std::string line; std::getline(file_, line);) read(line.substr(0, line.find('#')));
    finish();
    if (robot_.dof() == 0) throw std::runtime_error("'" + path + "' has no joints in the convention \"frames\"");
  }
  const Robot& robot() const { return robot_; }

 private:
  void read(const std::string& line) {
    if (line.starts_with('[')) {
      finish();
      section_ = line.substr(0, line.find(' '));
      return;
    }
    const std::size_t equal = line.find('=');
    if (equal == std::string::npos) return;
    const std::string key = line.substr(0, line.find_last_not_of(" ", equal - 1) + 1);
    std::string& value = values_[key] = line.substr(equal + 1);
    value.erase(0, value.find_first_not_of(" \""));
    value.erase(std::min(value.find_last_not_of(" \"") + 1, value.size()));
  }
  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> found;
    const auto value = values_.find(key);
    if (value == values_.end()) return found;
    for (const char* at = value->second.c_str(); *at != '\0';) {
      char* end = nullptr;
      const double number = std::strtod(at, &end);
      if (end == at) {
        ++at;
      } else {
        found.push_back(number);
        at = end;
      }
    }
    return found;
  }
  Vec3<double> vector(const std::string& key, const Vec3<double>& otherwise = {}) const {
    const auto v = numbers(key);
    return v.size() == 3 ? Vec3<double>{v[0], v[1], v[2]} : otherwise;
  }
  Inertial inertial() const {
    auto i = numbers("inertia");
    i.resize(6);
    const auto mass = numbers("mass");
    Sym3<double> inertia = Sym3<double>::diagonal(i[0], i[1], i[2]);
    inertia.xy = i[3];
    inertia.xz = i[4];
    inertia.yz = i[5];
    return {mass.empty() ? 0.0 : mass[0], vector("com"), inertia};
  }
  Pose<double> pose() const { return {rotation_from_rpy(vector("rpy")), vector("xyz")}; }

  // What the section's lines said.
  void finish() {
    if (section_.empty()) {
      robot_.name = values_["name"];
      robot_.tool = values_["tool"];
      if (!values_.empty() && values_["convention"] != "frames")
        throw std::runtime_error("'" + path_ + "' is not of the convention \"frames\"");
    } else if (section_ == "[base]") {
      robot_.links[0].name = values_["name"];
    } else if (section_ == "[[link]]") {
      JointDescription joint;
      joint.name = values_["joint_name"];
      joint.type = values_["joint"] == "prismatic" ? JointType::prismatic : JointType::revolute;
      joint.parent = int(robot_.links.size()) - 1;
      joint.child = robot_.add_link(values_["name"], inertial());
      joint.origin = pose();
      joint.axis = vector("axis", {0.0, 0.0, 1.0});
      if (const auto friction = numbers("friction"); !friction.empty()) joint.drive.viscous = friction[0];
      robot_.add_joint(joint);
    } else if (section_ == "[[frame]]") {
      robot_.add_frame(values_["name"], robot_.link_index(values_["link"]), pose());
    }
    values_.clear();
  }

  std::string path_;
  std::ifstream file_;
  std::string section_;
  std::map<std::string, std::string> values_;
  Robot robot_;
};

}  // namespace catena::bench
