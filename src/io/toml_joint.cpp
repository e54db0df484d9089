#include "io/toml_joint.hpp"

#include <fmt/format.h>

#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::array<std::string_view, 4> limit_keys{"lower", "upper", "velocity", "effort"};
constexpr std::array<std::string_view, 4> friction_keys{"viscous", "coulomb", "stribeck", "stribeck_speed"};
constexpr std::array<std::string_view, 2> rotor_keys{"inertia", "gear_ratio"};
constexpr std::array<std::string_view, 2> spring_keys{"stiffness", "rest"};
constexpr std::array<std::string_view, 3> elastic_keys{"stiffness", "damping", "coupling"};
constexpr std::array<std::string_view, 3> mimic_keys{"joint", "multiplier", "offset"};
constexpr std::array<std::string_view, 2> coupling_keys{"joints", "offset"};

// Radians or metres per unit of the joint's position in the file.
double unit(const JointDescription& joint, bool degrees) {
  return degrees && joint.type == JointType::revolute ? std::numbers::pi / 180.0 : 1.0;
}

void read_limits(TomlSection& section, double position_unit, JointLimits& limits) {
  auto table = section.subtable("limits", limit_keys);
  if (!table) return;
  const auto limit = [&](std::string_view key, double& value, double scale) {
    if (const auto read = table->number(key, Range::any)) value = *read * scale;
  };
  limit("lower", limits.lower, position_unit);
  limit("upper", limits.upper, position_unit);
  limit("velocity", limits.velocity, position_unit);
  limit("effort", limits.effort, 1.0);
}

void read_drive(TomlSection& section, double position_unit, JointDrive& drive) {
  if (auto friction = section.subtable("friction", friction_keys)) {
    drive.viscous = friction->number("viscous", Range::not_negative).value_or(0.0);
    drive.coulomb = friction->number("coulomb", Range::not_negative).value_or(0.0);
    drive.stribeck = friction->number("stribeck", Range::not_negative).value_or(0.0);
    drive.stribeck_speed = friction->number("stribeck_speed", Range::not_negative).value_or(0.0) * position_unit;
    if (drive.stribeck > 0.0 && !friction->has("stribeck_speed")) {
      friction->error("stribeck", "stribeck_speed is missing; give the speed at which 1/e of stribeck is left");
      drive.stribeck = 0.0;  // said once
    }
  }
  drive.offset = section.number("torque_offset").value_or(0.0);
  if (auto rotor = section.subtable("rotor", rotor_keys)) {
    drive.rotor_inertia = rotor->number("inertia", Range::not_negative).value_or(0.0);
    drive.gear_ratio = rotor->number("gear_ratio").value_or(1.0);
  }
  if (auto spring = section.subtable("spring", spring_keys)) {
    drive.spring = spring->number("stiffness", Range::not_negative).value_or(0.0);
    drive.spring_rest = spring->number("rest").value_or(0.0) * position_unit;
    if (!spring->has("stiffness")) spring->error("stiffness", "stiffness is missing; give it in N m/rad or N/m");
  }
}

// elastic = { stiffness = 8000, damping = 5, coupling = "full" }
void read_elastic(TomlSection& section, std::optional<JointElasticity>& elastic) {
  auto table = section.subtable("elastic", elastic_keys);
  if (!table) return;
  if (!table->has("stiffness")) return table->error("stiffness", "stiffness is missing; give it in N m/rad or N/m");
  const auto stiffness = table->number("stiffness", Range::positive);
  const double damping = table->number("damping", Range::not_negative).value_or(0.0);
  const std::string coupling = table->text("coupling").value_or("reduced");
  if (coupling != "reduced" && coupling != "full")
    return table->error("coupling", "coupling " + io::quoted(coupling) + " must be \"reduced\" or \"full\"");
  if (stiffness) elastic = {*stiffness, damping, coupling == "full"};
}

// Rejected here, where the line is known; validate() would report the link's line.
bool read_passive(TomlSection& section, JointType type) {
  const bool passive = section.truth("passive").value_or(false);
  if (!passive || type != JointType::fixed) return passive;
  section.error("passive", "is fixed and cannot be passive: only a joint that moves can lack a motor");
  return false;
}

// mimic = "joint", or mimic = { joint = "joint", multiplier = -1, offset = 0.1 }.
void read_mimic(TomlSection& section, double position_unit, Coupling& coupling) {
  const toml::node* node = section.find("mimic");
  if (node == nullptr) return;
  if (!node->is_table()) {
    if (const auto master = section.text("mimic")) coupling.terms = {{*master, 1.0}};
    return;
  }
  auto table = section.subtable("mimic", mimic_keys);
  const auto master = table->text("joint");
  const double multiplier = table->number("multiplier").value_or(1.0);
  const double offset = table->number("offset").value_or(0.0);
  if (!table->has("joint")) table->error("joint", "joint is missing; name the joint that this one mimics");
  if (master) coupling = {{{*master, multiplier}}, offset * position_unit};
}

// coupling = { joints = { left = 0.5, right = -0.5 }, offset = 0.1 }.
void read_coupling(TomlSection& section, double position_unit, Coupling& coupling) {
  auto table = section.subtable("coupling", coupling_keys);
  if (!table) return;
  if (section.has("mimic"))
    return section.error("coupling", "coupling and mimic both say what it follows; give only one");
  const toml::node* node = table->find("joints");
  if (node == nullptr || !node->is_table())
    return table->error(
        "joints", "joints must name the joints to follow, each with its factor: joints = { left = 0.5, right = 0.5 }");
  const std::vector<std::string> names = table->keys_of("joints");
  auto joints = table->subtable("joints", std::vector<std::string_view>(names.begin(), names.end()));
  if (names.empty()) table->error("joints", "joints is empty; name at least one joint to follow");
  for (const std::string& name : names) coupling.terms.push_back({name, joints->number(name).value_or(1.0)});
  coupling.offset = table->number("offset").value_or(0.0) * position_unit;
}

}  // namespace

void read_joint_data(TomlSection& section, bool degrees, JointDescription& joint) {
  const double position_unit = unit(joint, degrees);
  read_limits(section, position_unit, joint.limits);
  read_drive(section, position_unit, joint.drive);
  read_elastic(section, joint.elastic);
  joint.passive = read_passive(section, joint.type);
  read_mimic(section, position_unit, joint.coupling);
  read_coupling(section, position_unit, joint.coupling);
}

}  // namespace catena::io
