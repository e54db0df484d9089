#include "io/mjcf_custom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/model/indices.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

class Customs {
 public:
  Customs(MjcfModel& model, const MjcfTree& tree) : model_(model), robot_(model.out.robot), tree_(tree) {}

  void read(const MjcfNode& node) {
    const std::string* name = node.find("name");
    if (!is_own(name)) return;
    const MjcfElement element(model_, node, fmt::format("{} {}: ", printable(node.name), io::quoted(*name)));
    const std::string words = name->substr(own_prefix.size());
    const std::size_t blank = words.find(' ');
    const std::string key = words.substr(0, blank), subject = blank < words.size() ? words.substr(blank + 1) : "";
    if (key == "base") return;
    if (key == "tool") return static_cast<void>(robot_.tool = element.text("data").value_or(""));
    if (key == "loop") return set_loop(element, subject);
    if (key == "fixed") return name_fixed(element, subject);
    if (key == "free_origin" || key == "free_frame") return place_free(element, key == "free_origin");
    read_number(element, key, subject);
  }

  // The joints listed take each other's places.
  void set_order() {
    std::vector<std::size_t> places = order_;
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.size() != order_.size()) return model_.out.error(robot_.line, "catena:order: a joint is listed twice");
    std::vector<JointDescription> listed;
    for (const std::size_t k : order_) listed.push_back(robot_.joints[k]);
    for (std::size_t k = 0; k < places.size(); ++k) robot_.joints[places[k]] = listed[k];
  }

 private:
  void set_loop(const MjcfElement& element, const std::string& name) {
    const auto loop = std::find_if(robot_.loops.begin(), robot_.loops.end(),
                                   [&](const LoopDescription& l) { return l.name == name; });
    const std::string type = element.text("data").value_or("");
    if (loop == robot_.loops.end()) return element.error("there is no such <connect> or <weld>");
    if (!loop_type(type)) return element.error(unknown_loop_type(type));
    loop->type = *loop_type(type);
  }

  void name_fixed(const MjcfElement& element, const std::string& body) {
    const auto link = tree_.bodies.find(body);
    for (JointDescription& joint : robot_.joints)
      if (link != tree_.bodies.end() && joint.child == link->second && !joint.moves())
        return static_cast<void>(joint.name = element.text("data").value_or(""));
    element.error("there is no such body that is fixed to another");
  }

  void place_free(const MjcfElement& element, bool origin) {
    const auto v = element.numbers("data", 6, 6);
    if (!v) return;
    if (robot_.floating.empty()) return element.error("there is no free joint");
    const Pose<double> pose{rotation_from_rpy({(*v)[3], (*v)[4], (*v)[5]}), {(*v)[0], (*v)[1], (*v)[2]}};
    if (origin)
      robot_.joints.front().origin = pose;
    else
      robot_.joints[base_joints - 1].child_frame = pose;
  }

  void read_number(const MjcfElement& element, const std::string& key, const std::string& name) {
    const auto known = std::find_if(joint_numbers.begin(), joint_numbers.end(),
                                    [&](const MjcfJointNumber& number) { return number.key == key; });
    if (known == joint_numbers.end() && key != "start" && key != "order" && key != "independent")
      return element.error("is not a name that Catena writes");
    const auto v = element.numbers("data", 1, 1);
    const int k = robot_.joint_index(name);
    if (!v) return;
    if (k < 0) return element.error("there is no such joint");
    if (key == "start")
      robot_.start[name] = v->front();
    else if (key == "independent")
      robot_.independent.push_back(name);
    else if (key == "order")
      order_.push_back(static_cast<std::size_t>(k));
    else
      known->set(robot_.joints[static_cast<std::size_t>(k)], limit_of(v->front()));
  }

  MjcfModel& model_;
  Robot& robot_;
  const MjcfTree& tree_;
  std::vector<std::size_t> order_;  // joints
};

}  // namespace

double limit_of(double number) {
  return std::abs(number) < 1e300 ? number : std::copysign(std::numeric_limits<double>::infinity(), number);
}

std::string base_of(const std::vector<const MjcfNode*>& customs) {
  for (const MjcfNode* section : customs)
    for (const MjcfNode& node : section->children) {
      const std::string *name = node.find("name"), *data = node.find("data");
      if (name != nullptr && data != nullptr && *name == fmt::format("{}base", own_prefix)) return *data;
    }
  return "";
}

void read_customs(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& customs) {
  Customs all(model, tree);
  for (const MjcfNode* section : customs)
    for (const MjcfNode& node : section->children) all.read(node);
  all.set_order();
}

}  // namespace catena::io
