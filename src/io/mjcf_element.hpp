// One element of an MJCF file with the defaults of its class: checked attributes, poses; every problem is reported with
// its line.
#pragma once

#include <array>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/pose.hpp"
#include "io/mjcf_document.hpp"

namespace catena::io {

// What <compiler> says.
struct MjcfCompiler {
  double angle = std::numbers::pi / 180.0;  // radians per unit of an angle
  std::string eulerseq = "xyz", mesh_folder;
  bool autolimits = true, balance = false, strip_path = false;
  enum class FromGeom { no, if_missing, always } from_geoms = FromGeom::if_missing;
  std::array<double, 2> groups{0.0, 5.0};  // of geoms whose mass counts
  double bound_mass = 0.0, bound_inertia = 0.0, total_mass = -1.0;
};

// What all parts of the reader share.
struct MjcfModel {
  Reading& out;
  bool lenient = false;
  std::string folder;
  MjcfCompiler compiler{};
  MjcfDefaults defaults{};
};

class MjcfElement {
 public:
  // `who` starts every message, e.g. "joint 'wrist': "; `inherited` is the class of the elements around it.
  MjcfElement(MjcfModel& model, const MjcfNode& node, std::string who, const std::string& inherited = "");

  const MjcfNode& node() const { return *node_; }
  std::string tag() const;
  void error(const std::string& what) const;
  // For what changes the answer and is not understood: an error, or a warning with --lenient.
  void refuse(const std::string& what) const;
  void warning(const std::string& what) const;

  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  std::optional<std::string> text(std::string_view attribute) const;
  double number(std::string_view attribute, double otherwise) const;  // finite
  bool truth(std::string_view attribute, bool otherwise) const;
  // As many finite numbers as there are, between these; none when absent or wrong.
  std::optional<std::vector<double>> numbers(std::string_view attribute, std::size_t least, std::size_t most) const;
  Vec3<double> vector(std::string_view attribute, const Vec3<double>& otherwise) const;
  Vec3<double> direction(std::string_view attribute, const Vec3<double>& otherwise) const;  // of length 1
  // "true", "false", or, by default, whether the range is given and autolimits is on.
  bool limited(std::string_view attribute, std::string_view range) const;
  double effort(std::string_view range) const;  // the larger side of a range of forces; a warning where they differ
  Pose<double> pose() const;                    // pos, and quat, axisangle, euler, xyaxes or zaxis

 private:
  const std::string* find(std::string_view attribute) const;
  Mat3<double> orientation() const;
  Mat3<double> orientation_of(std::string_view form, const std::vector<double>& v) const;

  MjcfModel* model_;
  const MjcfNode* node_;
  std::string who_;
  std::vector<const MjcfNode*> layers_;  // the element, then its defaults
};

// The shortest rotation that brings z to this direction.
Mat3<double> rotation_to_z(const Vec3<double>& direction);

}  // namespace catena::io
