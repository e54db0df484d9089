// One element of an SDF file: checked children, texts and poses; every problem is reported with its line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/math/pose.hpp"
#include "io/sdf_document.hpp"

namespace catena::io {

// What all parts of the reader share.
struct SdfModel {
  Reading& out;
  bool lenient = false;
};

class SdfElement {
 public:
  // `who` starts every message, e.g. "joint 'wrist': ".
  SdfElement(SdfModel& model, const SdfNode& node, std::string who)
      : model_(&model), node_(&node), who_(std::move(who)) {}

  const SdfNode& node() const { return *node_; }
  std::string tag() const;
  void error(const std::string& what) const;
  // For what changes the answer and is not understood: an error, or a warning with --lenient.
  void refuse(const std::string& what) const;
  void warning(std::string_view kind, const std::string& what) const;
  // Unknown elements are extensions, unless one is so close to a known name that a typo would silently lose data.
  void check_names(std::span<const std::string_view> children) const;

  // For `catena check`: these do not change the answer.
  void note_unused(std::span<const std::string_view> children) const;

  std::optional<SdfElement> child(std::string_view name) const;  // a second one is a warning
  std::vector<SdfElement> children(std::string_view name) const;
  std::string attribute(std::string_view name) const;  // empty: not given

  // Of this element.
  std::optional<std::vector<double>> numbers(std::size_t count) const;  // finite
  Pose<double> as_pose() const;
  // Of a child that has one value; the other value where there is no such child, or where it is wrong.
  std::string text(std::string_view name) const;
  double number(std::string_view name, double otherwise) const;  // finite
  double limit(std::string_view name, double otherwise) const;   // may be infinite
  bool truth(std::string_view name, bool otherwise) const;
  Vec3<double> vector(std::string_view name, const Vec3<double>& otherwise) const;
  Pose<double> pose() const;

 private:
  SdfModel* model_;
  const SdfNode* node_;
  std::string who_;
};

// "link 'arm': "
std::string sdf_subject(const SdfNode& node);

}  // namespace catena::io
