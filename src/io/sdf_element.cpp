#include "io/sdf_element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "io/text.hpp"

namespace catena::io {
namespace {

std::optional<bool> truth_of(std::string_view text) {
  if (text == "true" || text == "1" || text == "True") return true;
  if (text == "false" || text == "0" || text == "False") return false;
  return std::nullopt;
}

}  // namespace

std::string sdf_subject(const SdfNode& node) {
  const std::string* name = node.find("name");
  return name == nullptr ? fmt::format("{}: ", printable(node.name))
                         : fmt::format("{} {}: ", printable(node.name), io::quoted(*name));
}

std::string SdfElement::tag() const { return fmt::format("<{}>", printable(node_->name)); }

void SdfElement::error(const std::string& what) const { model_->out.error(node_->line, node_->place + who_ + what); }

void SdfElement::refuse(const std::string& what) const {
  if (!model_->lenient) return error(what + "; it would change the results; --lenient ignores it");
  // Each is of its own kind: none is merged with another.
  warning(fmt::format("{} {}{}", node_->line, who_, what), what + "; it is ignored, which changes the results");
}

void SdfElement::warning(std::string_view kind, const std::string& what) const {
  model_->out.findings.warnings.push_back(
      {node_->line, node_->place + who_ + what, who_.substr(0, who_.find_last_not_of(": ") + 1), std::string(kind)});
}

void SdfElement::check_names(std::span<const std::string_view> children) const {
  for (const SdfNode& child : node_->children) {
    const bool known = std::find(children.begin(), children.end(), child.name) != children.end();
    if (known || child.name.find(':') != std::string::npos) continue;
    const std::string meant = did_you_mean(child.name, children);
    if (!meant.empty())
      SdfElement(*model_, child, who_).error(fmt::format("unknown element <{}>{}", printable(child.name), meant));
    else
      model_->out.note_unknown(child.line, fmt::format("<{}> in {}", printable(child.name), tag()));
  }
}

void SdfElement::note_unused(std::span<const std::string_view> children) const {
  for (const SdfNode& child : node_->children)
    if (std::find(children.begin(), children.end(), child.name) != children.end())
      model_->out.note(child.line, child.place, fmt::format("<{}> in {}", child.name, tag()));
}

std::optional<SdfElement> SdfElement::child(std::string_view name) const {
  std::optional<SdfElement> found;
  for (const SdfNode& node : node_->children) {
    if (node.name != name) continue;
    if (found) {
      SdfElement(*model_, node, who_)
          .warning("second element", fmt::format("a second <{}> in {}; the first is used", printable(name), tag()));
      break;
    }
    found.emplace(*model_, node, who_);
  }
  return found;
}

std::vector<SdfElement> SdfElement::children(std::string_view name) const {
  std::vector<SdfElement> all;
  for (const SdfNode& node : node_->children)
    if (node.name == name) all.emplace_back(*model_, node, who_);
  return all;
}

std::string SdfElement::attribute(std::string_view name) const {
  const std::string* value = node_->find(name);
  return value == nullptr ? "" : *value;
}

std::optional<std::vector<double>> SdfElement::numbers(std::size_t count) const {
  const std::vector<std::string_view> words = words_of(node_->text);
  if (words.size() != count) {
    error(fmt::format("{} {} must be {} number{}, not {}", tag(), io::quoted(node_->text), count,
                      count == 1 ? "" : "s separated by blanks", words.size()));
    return std::nullopt;
  }
  std::vector<double> all;
  for (const std::string_view word : words) {
    const auto number = parse_number(word);
    if (!number || !std::isfinite(*number)) {
      error(fmt::format("{}: {} is not a finite number", tag(), io::quoted(word)));
      return std::nullopt;
    }
    all.push_back(*number);
  }
  return all;
}

std::string SdfElement::text(std::string_view name) const {
  const auto found = child(name);
  return found ? found->node().text : "";
}

double SdfElement::number(std::string_view name, double otherwise) const {
  const auto found = child(name);
  const auto value = found ? found->numbers(1) : std::nullopt;
  return value ? value->front() : otherwise;
}

double SdfElement::limit(std::string_view name, double otherwise) const {
  const auto found = child(name);
  if (!found) return otherwise;
  const auto value = parse_number(found->node().text);
  if (value && !std::isnan(*value)) return *value;
  found->error(fmt::format("{} {} is not a number", found->tag(), io::quoted(found->node().text)));
  return otherwise;
}

bool SdfElement::truth(std::string_view name, bool otherwise) const {
  const auto found = child(name);
  if (!found) return otherwise;
  const auto value = truth_of(found->node().text);
  if (!value)
    found->error(fmt::format(R"({} {} must be "true" or "false")", found->tag(), io::quoted(found->node().text)));
  return value.value_or(otherwise);
}

Vec3<double> SdfElement::vector(std::string_view name, const Vec3<double>& otherwise) const {
  const auto found = child(name);
  const auto v = found ? found->numbers(3) : std::nullopt;
  return v ? Vec3<double>{(*v)[0], (*v)[1], (*v)[2]} : otherwise;
}

Pose<double> SdfElement::pose() const {
  const auto found = child("pose");
  return found ? found->as_pose() : Pose<double>{};
}

Pose<double> SdfElement::as_pose() const {
  const std::string format = node_->find("rotation_format") == nullptr ? "euler_rpy" : attribute("rotation_format");
  const std::string degrees = node_->find("degrees") == nullptr ? "false" : attribute("degrees");
  if (format != "euler_rpy" && format != "quat_xyzw")
    error(fmt::format(R"(<pose> rotation_format {} must be "euler_rpy" or "quat_xyzw")", io::quoted(format)));
  if (!truth_of(degrees)) error(fmt::format(R"(<pose> degrees {} must be "true" or "false")", io::quoted(degrees)));
  if (node_->text.empty()) return {};
  const bool is_quaternion = format == "quat_xyzw";
  const auto v = numbers(is_quaternion ? 7 : 6);
  if (!v) return {};
  const Vec3<double> p{(*v)[0], (*v)[1], (*v)[2]}, turn{(*v)[3], (*v)[4], (*v)[5]};
  if (is_quaternion) {
    const double sine = std::hypot(turn.x, turn.y, turn.z);
    const auto axis = normalized(turn);
    if (!axis && (*v)[6] == 0.0) error("<pose> has a quaternion of zeros");
    return {axis ? rotation_about(*axis, 2.0 * std::atan2(sine, (*v)[6])) : Mat3<double>::identity(), p};
  }
  const double unit = truth_of(degrees).value_or(false) ? std::numbers::pi / 180.0 : 1.0;
  for (const double angle : {turn.x, turn.y, turn.z})
    if (unit == 1.0 && std::abs(angle) > 4.0 * std::numbers::pi)
      warning("degrees", fmt::format("<pose>: {} rad is more than two turns; degrees instead of radians?", angle));
  return {rotation_from_rpy(unit * turn), p};
}

}  // namespace catena::io
