// One element of a URDF file: its checked attributes and children; every problem is reported with its line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/math/pose.hpp"
#include "io/reading.hpp"

namespace tinyxml2 {
class XMLElement;
}

namespace catena::io {

class UrdfElement {
 public:
  // `who` starts every message, e.g. "joint 'wrist': ".
  UrdfElement(Reading& out, const tinyxml2::XMLElement& element, std::string who);

  void rename(std::string who) { who_ = std::move(who); }
  std::string tag() const;  // "<limit>"
  int line() const;
  void error(const std::string& what) const;
  void warning(std::string_view kind, const std::string& what) const;

  // URDF has many extensions, so unknown names are ignored, unless one is so close to a known name that a typo would
  // silently lose data.
  void check_names(std::span<const std::string_view> children, std::span<const std::string_view> attributes) const;

  // None when absent, or when the value is wrong and has been reported.
  std::optional<UrdfElement> child(const char* name) const;        // a second one is an error
  std::optional<UrdfElement> first_child(const char* name) const;  // a second one is a warning
  std::vector<UrdfElement> children(const char* name) const;       // any number
  std::optional<std::string> text(const char* attribute) const;
  std::optional<double> number(const char* attribute) const;  // finite
  std::optional<double> limit(const char* attribute) const;   // ±1e300 and beyond: infinite
  std::optional<Vec3<double>> vector(const char* attribute) const;
  std::optional<double> content() const;  // the text of the element as a finite number
  std::string content_text() const;       // as written

  // The same, and absence is an error.
  std::optional<UrdfElement> required_child(const char* name) const;
  std::optional<std::string> required_text(const char* attribute) const;
  std::optional<double> required_number(const char* attribute) const;

  Pose<double> origin() const;  // the <origin> child, identity when there is none

 private:
  std::optional<double> checked(const std::string& what, std::string_view value, bool may_be_infinite) const;
  Mat3<double> orientation() const;

  Reading* out_;
  const tinyxml2::XMLElement* element_;
  std::string who_;
};

}  // namespace catena::io
