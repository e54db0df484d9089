#include "io/mjcf_element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::array<std::string_view, 5> orientations{"quat", "axisangle", "euler", "xyaxes", "zaxis"};
constexpr std::array<std::size_t, 5> orientation_sizes{4, 4, 3, 6, 3};

Mat3<double> from_columns(const Vec3<double>& x, const Vec3<double>& y, const Vec3<double>& z) {
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

Vec3<double> axis_of(char letter) {
  switch (letter) {
    case 'x':
    case 'X':
      return {1.0, 0.0, 0.0};
    case 'y':
    case 'Y':
      return {0.0, 1.0, 0.0};
    default:
      return {0.0, 0.0, 1.0};
  }
}

}  // namespace

Mat3<double> rotation_to_z(const Vec3<double>& direction) {
  const Vec3<double> across = cross(Vec3<double>{0.0, 0.0, 1.0}, direction);
  const double sine = std::hypot(across.x, across.y, across.z);
  const auto axis = normalized(across);
  if (axis) return rotation_about(*axis, std::atan2(sine, direction.z));
  return direction.z < 0.0 ? rotation_about({1.0, 0.0, 0.0}, std::numbers::pi) : Mat3<double>::identity();
}

MjcfElement::MjcfElement(MjcfModel& model, const MjcfNode& node, std::string who, const std::string& inherited)
    : model_(&model), node_(&node), who_(std::move(who)), layers_{&node} {
  const std::string* own = node.find("class");
  if (own != nullptr && !model.defaults.has(*own)) {
    error(fmt::format("{} class {} is not a class of <default>", tag(), io::quoted(*own)));
    return;
  }
  for (const MjcfNode* layer : model.defaults.of(own != nullptr ? *own : inherited, mjcf_kind(node.name)))
    layers_.push_back(layer);
}

std::string MjcfElement::tag() const { return fmt::format("<{}>", printable(node_->name)); }

void MjcfElement::error(const std::string& what) const { model_->out.error(node_->line, node_->place + who_ + what); }

void MjcfElement::refuse(const std::string& what) const {
  if (model_->lenient)
    warning(what + "; it is ignored, which changes the results");
  else
    error(what + "; it would change the results; --lenient ignores it");
}

// Each is of its own kind: none is merged with another.
void MjcfElement::warning(const std::string& what) const {
  const std::string text = node_->place + who_ + what;
  model_->out.findings.warnings.push_back(
      {node_->line, text, who_.substr(0, who_.find_last_not_of(": ") + 1), fmt::format("{} {}", node_->line, text)});
}

const std::string* MjcfElement::find(std::string_view attribute) const {
  for (const MjcfNode* layer : layers_)
    if (const std::string* value = layer->find(attribute)) return value;
  return nullptr;
}

std::optional<std::string> MjcfElement::text(std::string_view attribute) const {
  const std::string* value = find(attribute);
  if (value == nullptr) return std::nullopt;
  return *value;
}

std::optional<std::vector<double>> MjcfElement::numbers(std::string_view attribute, std::size_t least,
                                                        std::size_t most) const {
  const std::string* value = find(attribute);
  if (value == nullptr) return std::nullopt;
  const std::vector<std::string_view> words = words_of(*value);
  if (words.size() < least || words.size() > most) {
    error(fmt::format("{} {} {} must be {} number{}, not {}", tag(), attribute, io::quoted(*value),
                      least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
                      most == 1 ? "" : "s separated by blanks", words.size()));
    return std::nullopt;
  }
  std::vector<double> all;
  for (const std::string_view word : words) {
    const auto number = parse_number(word);
    if (!number || !std::isfinite(*number)) {
      error(fmt::format("{} {}: {} is not a finite number", tag(), attribute, io::quoted(word)));
      return std::nullopt;
    }
    all.push_back(*number);
  }
  return all;
}

double MjcfElement::number(std::string_view attribute, double otherwise) const {
  const auto all = numbers(attribute, 1, 1);
  return all ? all->front() : otherwise;
}

bool MjcfElement::truth(std::string_view attribute, bool otherwise) const {
  const std::string* value = find(attribute);
  if (value == nullptr) return otherwise;
  if (*value == "true" || *value == "false") return *value == "true";
  error(fmt::format(R"({} {} {} must be "true" or "false")", tag(), attribute, io::quoted(*value)));
  return otherwise;
}

Vec3<double> MjcfElement::vector(std::string_view attribute, const Vec3<double>& otherwise) const {
  const auto v = numbers(attribute, 3, 3);
  return v ? Vec3<double>{(*v)[0], (*v)[1], (*v)[2]} : otherwise;
}

Vec3<double> MjcfElement::direction(std::string_view attribute, const Vec3<double>& otherwise) const {
  const Vec3<double> given = vector(attribute, otherwise);
  if (const auto unit = normalized(given)) return *unit;
  error(fmt::format("{} {} [{}] has zero length; give a direction", tag(), attribute, listed(given, " ")));
  return otherwise;
}

bool MjcfElement::limited(std::string_view attribute, std::string_view range) const {
  const std::string value = text(attribute).value_or("auto");
  if (value == "auto") return model_->compiler.autolimits && has(range);
  return truth(attribute, false);
}

double MjcfElement::effort(std::string_view range) const {
  const auto force = numbers(range, 2, 2);
  if (!force) return std::numeric_limits<double>::infinity();
  const double low = std::abs((*force)[0]), high = std::abs((*force)[1]);
  if (low != high)
    warning(fmt::format("{} [{}, {}] has two sides that differ; effort is limited to {} in both directions", range,
                        (*force)[0], (*force)[1], std::max(low, high)));
  return std::max(low, high);
}

Pose<double> MjcfElement::pose() const { return {orientation(), vector("pos", {})}; }

// The nearest layer that gives one; that layer may give one only.
Mat3<double> MjcfElement::orientation() const {
  for (const MjcfNode* layer : layers_) {
    std::size_t form = orientations.size(), count = 0;
    for (std::size_t k = 0; k < orientations.size(); ++k)
      if (layer->find(orientations[k]) != nullptr) form = k, ++count;
    if (count == 0) continue;
    if (count > 1) {
      error(fmt::format("{} has {} orientations; give one of quat, axisangle, euler, xyaxes, zaxis", tag(), count));
      return Mat3<double>::identity();
    }
    const auto v = numbers(orientations[form], orientation_sizes[form], orientation_sizes[form]);
    return v ? orientation_of(orientations[form], *v) : Mat3<double>::identity();
  }
  return Mat3<double>::identity();
}

Mat3<double> MjcfElement::orientation_of(std::string_view form, const std::vector<double>& v) const {
  const auto unusable = [&] {
    error(fmt::format("{} {} is not a direction: it has zero length, or its axes are parallel", tag(), form));
    return Mat3<double>::identity();
  };
  if (form == "euler") {
    Mat3<double> R = Mat3<double>::identity();
    for (std::size_t k = 0; k < 3; ++k) {
      const char letter = model_->compiler.eulerseq[k];
      const Mat3<double> turn = rotation_about(axis_of(letter), v[k] * model_->compiler.angle);
      R = letter >= 'x' ? R * turn : turn * R;  // lower case: about the axes as turned so far
    }
    return R;
  }
  if (form == "quat") {
    const auto axis = normalized({v[1], v[2], v[3]});
    const double sine = std::hypot(v[1], v[2], v[3]);
    if (!axis) return v[0] == 0.0 ? unusable() : Mat3<double>::identity();
    return rotation_about(*axis, 2.0 * std::atan2(sine, v[0]));
  }
  const auto first = normalized({v[0], v[1], v[2]});
  if (!first) return unusable();
  if (form == "axisangle") return rotation_about(*first, v[3] * model_->compiler.angle);
  if (form == "zaxis") return rotation_to_z(*first);
  const Vec3<double> y{v[3], v[4], v[5]};
  const auto across = normalized(y - dot(*first, y) * *first);
  if (!across) return unusable();
  return from_columns(*first, *across, cross(*first, *across));
}

}  // namespace catena::io
