// What libsdformat reads in an SDF file, as JSON: links, joints and frames of the model that is not static, all of them
// seen from the world in the pose of the file.
//   sdf_peer FILE
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sdf/sdf.hh>
#include <string>

using ignition::math::Pose3d, ignition::math::Vector3d, nlohmann::json;

namespace {

void check(const sdf::Errors& errors) {
  for (const auto& error : errors) std::cerr << error.Message() << "\n";
  if (!errors.empty()) std::exit(1);
}

json values(const Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

json matrix(const ignition::math::Matrix3d& m) {
  json rows = json::array();
  for (std::size_t i = 0; i < 3; ++i) rows.push_back({m(i, 0), m(i, 1), m(i, 2)});
  return rows;
}

json pose_values(const Pose3d& pose) {
  return {{"p", values(pose.Pos())}, {"R", matrix(ignition::math::Matrix3d(pose.Rot()))}};
}

template <class T>
Pose3d in_world(const T& part, const Pose3d& model) {
  Pose3d pose;
  check(part.SemanticPose().Resolve(pose, "__model__"));
  return model * pose;
}

json axis_values(const sdf::JointAxis& axis, const Pose3d& model) {
  Vector3d xyz;
  check(axis.ResolveXyz(xyz, "__model__"));
  return {{"xyz", values(model.Rot().RotateVector(xyz))},
          {"damping", axis.Damping()},
          {"friction", axis.Friction()},
          {"lower", axis.Lower()},
          {"upper", axis.Upper()}};
}

void add(const sdf::Model& model, const Pose3d& place, const std::string& prefix, json& out) {
  for (uint64_t k = 0; k < model.LinkCount(); ++k) {
    const sdf::Link& link = *model.LinkByIndex(k);
    const auto& inertial = link.Inertial();
    const Pose3d pose = in_world(link, place);
    out["links"][prefix + link.Name()] = {{"pose", pose_values(pose)},
                                          {"mass", inertial.MassMatrix().Mass()},
                                          {"com", values((pose * inertial.Pose()).Pos())},
                                          {"inertia", matrix(ignition::math::Matrix3d(pose.Rot()) * inertial.Moi() *
                                                             ignition::math::Matrix3d(pose.Rot()).Transposed())}};
  }
  for (uint64_t k = 0; k < model.JointCount(); ++k) {
    const sdf::Joint& joint = *model.JointByIndex(k);
    std::string parent, child;
    check(joint.ResolveParentLink(parent));
    check(joint.ResolveChildLink(child));
    json one{{"name", prefix + joint.Name()},
             {"type", static_cast<int>(joint.Type())},
             {"parent", parent == "world" ? parent : prefix + parent},
             {"child", prefix + child},
             {"pose", pose_values(in_world(joint, place))},
             {"pitch", joint.ThreadPitch()},
             {"axes", json::array()}};
    for (unsigned int a = 0; a < 2; ++a)
      if (joint.Axis(a) != nullptr) one["axes"].push_back(axis_values(*joint.Axis(a), place));
    out["joints"].push_back(one);
  }
  for (uint64_t k = 0; k < model.FrameCount(); ++k) {
    const sdf::Frame& frame = *model.FrameByIndex(k);
    std::string body;
    check(frame.ResolveAttachedToBody(body));
    out["frames"][prefix + frame.Name()] = {{"link", prefix + body}, {"pose", pose_values(in_world(frame, place))}};
  }
  for (uint64_t k = 0; k < model.ModelCount(); ++k) {
    const sdf::Model& inner = *model.ModelByIndex(k);
    add(inner, in_world(inner, place), prefix + inner.Name() + "::", out);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "";
  const std::string folder = file.substr(0, file.rfind('/'));
  sdf::ParserConfig config;
  config.AddURIPath("model://", folder);
  config.SetFindCallback([&](const std::string& name) { return folder + "/" + name; });
  sdf::Root root;
  check(root.Load(file, config));
  json out{
      {"links", json::object()}, {"joints", json::array()}, {"frames", json::object()}, {"gravity", {0, 0, -9.81}}};
  const sdf::Model* robot = root.Model();
  if (const sdf::World* world = root.WorldByIndex(0)) {
    out["gravity"] = values(world->Gravity());
    for (uint64_t k = 0; k < world->ModelCount(); ++k)
      if (!world->ModelByIndex(k)->Static()) robot = world->ModelByIndex(k);
  }
  Pose3d place = robot->RawPose();
  if (root.WorldCount() > 0) check(robot->SemanticPose().Resolve(place, "world"));
  add(*robot, place, "", out);
  std::cout << std::setprecision(17) << out << "\n";
}
