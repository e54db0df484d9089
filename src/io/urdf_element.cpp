#include "io/urdf_element.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "io/text.hpp"

namespace catena::io {

namespace {

constexpr double unlimited = 1e300;  // to_urdf writes a larger number for "no limit"
constexpr double two_turns = 4.0 * std::numbers::pi;

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

UrdfElement::UrdfElement(Reading& out, const tinyxml2::XMLElement& element, std::string who)
    : out_(&out), element_(&element), who_(std::move(who)) {}

std::string UrdfElement::tag() const { return fmt::format("<{}>", element_->Name()); }

int UrdfElement::line() const { return element_->GetLineNum(); }

void UrdfElement::error(const std::string& what) const { out_->error(line(), who_ + what); }
void UrdfElement::warning(std::string_view kind, const std::string& what) const {
  out_->warning(line(), who_, kind, what);
}

void UrdfElement::check_names(std::span<const std::string_view> children,
                              std::span<const std::string_view> attributes) const {
  for (const auto* e = element_->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const std::string near = contains(children, e->Name()) ? "" : nearest(e->Name(), children);
    if (!near.empty())
      UrdfElement(*out_, *e, who_).error(fmt::format("unknown element <{}>; did you mean <{}>?", e->Name(), near));
  }
  for (const auto* a = element_->FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string near = contains(attributes, a->Name()) ? "" : nearest(a->Name(), attributes);
    if (!near.empty())
      error(fmt::format("{} has an unknown attribute {}; did you mean {}?", tag(), quoted(a->Name()), quoted(near)));
  }
}

std::optional<UrdfElement> UrdfElement::child(const char* name) const {
  const auto* found = element_->FirstChildElement(name);
  if (found == nullptr) return std::nullopt;
  if (const auto* second = found->NextSiblingElement(name))
    UrdfElement(*out_, *second, who_).error(fmt::format("a second <{}>; {} takes one", name, tag()));
  return UrdfElement(*out_, *found, who_);
}

std::optional<UrdfElement> UrdfElement::first_child(const char* name) const {
  const auto* found = element_->FirstChildElement(name);
  if (found == nullptr) return std::nullopt;
  if (const auto* second = found->NextSiblingElement(name))
    UrdfElement(*out_, *second, who_)
        .warning("second element", fmt::format("a second <{}>; the first, on line {}, is used, as in other readers",
                                               name, found->GetLineNum()));
  return UrdfElement(*out_, *found, who_);
}

std::vector<UrdfElement> UrdfElement::children(const char* name) const {
  std::vector<UrdfElement> all;
  for (const auto* e = element_->FirstChildElement(name); e != nullptr; e = e->NextSiblingElement(name))
    all.emplace_back(*out_, *e, who_);
  return all;
}

std::optional<UrdfElement> UrdfElement::required_child(const char* name) const {
  auto found = child(name);
  if (!found) error(fmt::format("{} has no <{}>, which is required", tag(), name));
  return found;
}

std::optional<std::string> UrdfElement::text(const char* attribute) const {
  const char* value = element_->Attribute(attribute);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> UrdfElement::required_text(const char* attribute) const {
  auto value = text(attribute);
  if (!value) error(fmt::format("{} has no attribute '{}', which is required", tag(), attribute));
  return value;
}

std::optional<double> UrdfElement::checked(const std::string& what, std::string_view value,
                                           bool may_be_infinite) const {
  const auto number = parse_number(value);
  if (!number)
    error(fmt::format("{} {} is not a number", what, quoted(value)));
  else if (may_be_infinite ? std::isnan(*number) : !std::isfinite(*number))
    error(fmt::format("{} {} must be a finite number", what, quoted(value)));
  else
    return number;
  return std::nullopt;
}

std::optional<double> UrdfElement::number(const char* attribute) const {
  const char* value = element_->Attribute(attribute);
  if (value == nullptr) return std::nullopt;
  return checked(fmt::format("{} {}", tag(), attribute), value, false);
}

std::optional<double> UrdfElement::required_number(const char* attribute) const {
  if (!required_text(attribute)) return std::nullopt;
  return number(attribute);
}

std::optional<double> UrdfElement::limit(const char* attribute) const {
  const char* value = element_->Attribute(attribute);
  if (value == nullptr) return std::nullopt;
  const auto read = checked(fmt::format("{} {}", tag(), attribute), value, true);
  if (read && std::abs(*read) >= unlimited) return std::copysign(std::numeric_limits<double>::infinity(), *read);
  return read;
}

std::string UrdfElement::content_text() const {
  const char* value = element_->GetText();
  return value == nullptr ? "" : value;
}

std::optional<double> UrdfElement::content() const { return checked(tag(), content_text(), false); }

std::optional<Vec3<double>> UrdfElement::vector(const char* attribute) const {
  const char* value = element_->Attribute(attribute);
  if (value == nullptr) return std::nullopt;
  const std::vector<std::string_view> words = words_of(value);
  if (words.size() != 3) {
    error(fmt::format("{} {} {} must be 3 numbers separated by blanks, not {}", tag(), attribute, quoted(value),
                      words.size()));
    return std::nullopt;
  }
  std::array<double, 3> v{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto entry = checked(fmt::format("{} {}:", tag(), attribute), words[i], false);
    if (!entry) return std::nullopt;
    v[i] = *entry;
  }
  return Vec3<double>{v[0], v[1], v[2]};
}

Pose<double> UrdfElement::origin() const {
  const auto found = child("origin");
  if (!found) return {};
  static constexpr std::array<std::string_view, 3> attributes{"xyz", "rpy", "quat_xyzw"};
  found->check_names({}, attributes);
  return {found->orientation(), found->vector("xyz").value_or(Vec3<double>{})};
}

// rpy, or the quaternion that newer URDF allows instead.
Mat3<double> UrdfElement::orientation() const {
  const char* quaternion = element_->Attribute("quat_xyzw");
  if (quaternion == nullptr) {
    const Vec3<double> rpy = vector("rpy").value_or(Vec3<double>{});
    for (const double angle : {rpy.x, rpy.y, rpy.z})
      if (std::abs(angle) > two_turns)
        warning("degrees",
                fmt::format("{} rpy: {} rad is more than two turns; degrees instead of radians?", tag(), angle));
    return rotation_from_rpy(rpy);
  }
  const std::vector<std::string_view> words = words_of(quaternion);
  std::array<double, 4> v{};
  bool good = words.size() == 4;
  for (std::size_t i = 0; i < 4 && good; ++i) {
    const auto entry = parse_number(words[i]);
    good = entry && std::isfinite(*entry);
    if (good) v[i] = *entry;
  }
  const double sine = std::hypot(v[0], v[1], v[2]);
  const double length = std::hypot(sine, v[3]);
  if (!good || length == 0.0) {
    error(fmt::format("{} quat_xyzw {} must be 4 numbers, not all zero", tag(), quoted(quaternion)));
    return Mat3<double>::identity();
  }
  const auto axis = normalized({v[0], v[1], v[2]});
  return axis ? rotation_about(*axis, 2.0 * std::atan2(sine, v[3])) : Mat3<double>::identity();
}

}  // namespace catena::io
