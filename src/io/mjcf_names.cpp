#include "io/mjcf_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/text.hpp"

namespace catena::io {
namespace {

// Elements whose attributes are looked at; those of the others are passed over as a whole.
struct Names {
  std::string_view element, used, unused;
};

#define CATENA_MJCF_PLACE "pos quat axisangle euler xyaxes zaxis "
constexpr std::array<Names, 18> known_names{{
    {"compiler",
     "angle assetdir autolimits meshdir eulerseq inertiafromgeom inertiagrouprange boundmass boundinertia "
     "balanceinertia settotalmass strippath coordinate alignfree",
     "conflict discardvisual fitaabb fusestatic passthrough savecanonical savecompiled saveinertial texturedir "
     "usethread convexhull exactmeshinertia"},
    {"option", "gravity density viscosity",
     "actuatorgroupdisable ccd_iterations ccd_tolerance cone impratio integrator iterations jacobian ls_iterations "
     "ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints "
     "sdf_iterations sleep_tolerance solver timestep tolerance wind apirate mpr_iterations mpr_tolerance collision"},
    {"flag", "gravity spring damper frictionloss equality constraint passive",
     "actuation autoreset clampctrl contact diagexact energy eulerdamp filterparent fwdinv invdiscrete ipc island "
     "limit "
     "midphase multiccd nativeccd override refsafe sensor sleep speculative warmstart sensornoise"},
    {"mesh", "name class file vertex face scale refpos refquat inertia maxhullvert builtin",
     "content_type material normal params smoothnormal texcoord"},
    {"body", CATENA_MJCF_PLACE "name childclass gravcomp", "fuse mocap simple sleep user"},
    {"worldbody", "childclass", ""},
    {"frame", CATENA_MJCF_PLACE "name childclass", ""},
    {"replicate", CATENA_MJCF_PLACE "count offset sep childclass", ""},
    {"inertial", CATENA_MJCF_PLACE "mass diaginertia fullinertia", ""},
    {"joint",
     "name class type pos axis range limited ref armature damping frictionloss stiffness springref springdamper "
     "springyield actuatorfrcrange actuatorfrclimited",
     "actuatorgravcomp group margin solimpfriction solimplimit solreffriction solreflimit user"},
    {"freejoint", "name align", "group"},
    {"geom", CATENA_MJCF_PLACE "name class type size fromto mass density shellinertia mesh group hfield fitscale",
     "adhesion castshadow conaffinity condim contype fluidcoef fluidshape friction gap margin material priority rgba "
     "solimp solmix solref surfacevel user"},
    {"site", CATENA_MJCF_PLACE "name class fromto", "group material mesh rgba size type user"},
    {"equality", "name class active anchor body1 body2 site1 site2 relpose joint1 joint2 tendon1 tendon2 polycoef",
     "solimp solref torquescale"},
    {"tendon", "name class stiffness springlength springyield damping frictionloss armature",
     "actuatorfrclimited actuatorfrcrange group limited margin material range rgba solimpfriction solimplimit "
     "solreffriction solreflimit user width"},
    {"term of a tendon", "joint coef", ""},
    {"actuator",
     "name class joint jointinparent gear armature damping forcelimited forcerange ctrllimited ctrlrange tendon site "
     "body",
     "actdim actearly actlimited actrange area bias biasprm biastype cogging controller cranklength cranksite "
     "dampratio delay diameter dynprm dyntype ffrange force fpmax fvmax gain gainprm gaintype group imax inductance "
     "inheritrange input interp ki kp kv lengthrange lmax lmin lugre motorconst nominal nsample posrange range refsite "
     "resistance saturation scale slewmax slidersite tausmooth thermal timeconst user velrange vmax"},
    {"key", "name qpos", "act ctrl mpos mquat plastic qvel time"},
}};
#undef CATENA_MJCF_PLACE

constexpr std::array<std::string_view, 6> unused_sections{"size", "statistic", "visual", "contact", "sensor", "custom"};
constexpr std::array<std::string_view, 13> unused_parts{"texture", "material", "hfield",      "skin", "model",
                                                        "camera",  "light",    "lengthrange", "pair", "exclude",
                                                        "layer",   "numeric",  "text"};

bool is_one_of(std::string_view name, std::span<const std::string_view> of) {
  return std::find(of.begin(), of.end(), name) != of.end();
}

class Walk {
 public:
  explicit Walk(MjcfModel& model) : model_(model) {}

  void visit(const MjcfNode& node, std::string_view section) {
    if (is_one_of(node.name, unused_parts)) return model_.out.note(node.line, node.place, tag(node));
    if (const Names* names = names_of(node, section)) check_attributes(node, *names);
    for (const MjcfNode& child : node.children) visit(child, section);
  }

 private:
  static std::string tag(const MjcfNode& node) { return fmt::format("<{}>", printable(node.name)); }

  static const Names* names_of(const MjcfNode& node, std::string_view section) {
    std::string_view kind = mjcf_kind(node.name);
    if (section == "equality" || section == "actuator") kind = node.name == section ? "" : section;
    if (section == "tendon") kind = node.name == "joint" ? "term of a tendon" : node.name == section ? "" : section;
    if (section == "tendon" && (node.name == "site" || node.name == "geom" || node.name == "pulley")) kind = "";
    const auto found =
        std::find_if(known_names.begin(), known_names.end(), [&](const Names& n) { return n.element == kind; });
    return found == known_names.end() ? nullptr : &*found;
  }

  void check_attributes(const MjcfNode& node, const Names& names) {
    const std::vector<std::string_view> used = words_of(names.used), unused = words_of(names.unused);
    for (const auto& [name, value] : node.attributes) {
      if (is_one_of(name, used)) continue;
      if (is_one_of(name, unused)) {
        model_.out.note(node.line, node.place, tag(node), name);
        continue;
      }
      std::vector<std::string_view> all = used;
      all.insert(all.end(), unused.begin(), unused.end());
      MjcfElement(model_, node, "")
          .warning(fmt::format("{} has an attribute {} that MJCF does not know; it is left out{}", tag(node),
                               io::quoted(name), did_you_mean(name, all)));
    }
  }

  MjcfModel& model_;
};

}  // namespace

void check_mjcf_names(MjcfModel& model, const MjcfNode& root) {
  Walk walk(model);
  for (const MjcfNode& section : root.children) {
    if (is_one_of(section.name, unused_sections)) {
      model.out.note(section.line, section.place, fmt::format("<{}>", section.name));
    } else if (section.name == "keyframe" && model.out.robot.loops.empty()) {
      model.out.note(section.line, section.place, "<keyframe>");
    } else if (section.name == "default" || section.name == "compiler" || section.name == "option") {
      walk.visit(section, "");
    } else {
      walk.visit(section, section.name);
    }
  }
}

}  // namespace catena::io
