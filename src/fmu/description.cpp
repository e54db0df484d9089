// modelDescription.xml of FMI 2.0 and 3.0, and buildDescription.xml.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/escape.hpp"
#include "fmu/model.hpp"
#include "io/lines.hpp"
#include "io/writing.hpp"

namespace catena::fmu {
namespace {

using io::xml_string;

struct UnitPowers {
  const char *name, *powers;
};
constexpr UnitPowers known_units[] = {{"1", ""},
                                      {"s", R"( s="1")"},
                                      {"1/s", R"( s="-1")"},
                                      {"m", R"( m="1")"},
                                      {"m/s", R"( m="1" s="-1")"},
                                      {"m/s2", R"( m="1" s="-2")"},
                                      {"rad", R"( rad="1")"},
                                      {"rad/s", R"( rad="1" s="-1")"},
                                      {"rad/s2", R"( rad="1" s="-2")"},
                                      {"kg", R"( kg="1")"},
                                      {"N", R"( kg="1" m="1" s="-2")"},
                                      {"N.m", R"( kg="1" m="2" s="-2")"},
                                      {"N.s/m", R"( kg="1" s="-1")"},
                                      {"N.m.s/rad", R"( kg="1" m="2" s="-1" rad="-1")"},
                                      {"J", R"( kg="1" m="2" s="-2")"}};

struct Attributes {
  const char *causality, *variability, *initial;
};
Attributes attributes_of(Role role) {
  switch (role) {
    case Role::time:
      return {"independent", "continuous", nullptr};
    case Role::input:
      return {"input", "continuous", nullptr};
    case Role::parameter:
      return {"parameter", "tunable", "exact"};
    case Role::fixed_parameter:
      return {"parameter", "fixed", "exact"};
    case Role::state:
      return {"output", "continuous", "exact"};
    case Role::torque:
      return {"output", "discrete", "calculated"};
    default:
      return {"output", "continuous", "calculated"};
  }
}
bool has_start(Role role) {
  return role == Role::input || role == Role::parameter || role == Role::fixed_parameter || role == Role::state;
}
bool is_output(Role role) {
  return role == Role::state || role == Role::rate || role == Role::output || role == Role::torque;
}

class Description : private io::Lines {
 public:
  Description(const Model& model, const FmuOptions& options) : model_(model), options_(options) {
    for (std::size_t place = 0; place < model.variables.size(); ++place)
      if (model.variables[place].role != Role::hidden) places_.push_back(static_cast<int>(place));
  }

  std::string text(const Mechanism& robot, const std::string& token) {
    const bool two = options_.fmi == 2;
    out_ = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- {} {} -->\n", origin_mark, options_.version);
    line(
        "<fmiModelDescription fmiVersion=\"{}.0\" modelName={} {}={} generationTool=\"Catena {}\" "
        "variableNamingConvention=\"structured\"{}>",
        options_.fmi, xml_string(plain_text(shortened(robot.name))), two ? "guid" : "instantiationToken",
        xml_string(token), options_.version, two ? " numberOfEventIndicators=\"0\"" : "");
    interfaces();
    units();
    line("  <DefaultExperiment startTime=\"0\" stopTime=\"10\" tolerance=\"1e-8\"/>");
    line("  <ModelVariables>");
    for (const int place : places_) two ? variable_two(place) : variable_three(place);
    line("  </ModelVariables>");
    two ? structure_two() : structure_three();
    line("</fmiModelDescription>");
    return out_;
  }

 private:
  const Variable& at(int place) const { return model_.variables[index(place)]; }
  // FMI 2 counts variables from 1 in the order of the file.
  int number_of(int place) const {
    return static_cast<int>(std::lower_bound(places_.begin(), places_.end(), place) - places_.begin()) + 1;
  }

  void interface(const char* kind, const char* more) {
    const bool two = options_.fmi == 2;
    const std::string head = fmt::format(
        "  <{} modelIdentifier={} canGetAndSetFMU{}=\"true\" canSerializeFMU{}=\"true\" "
        "providesDirectionalDerivative{}=\"true\"{}",
        kind, xml_string(options_.name), two ? "state" : "State", two ? "state" : "State", two ? "" : "s", more);
    two ? line("{}><SourceFiles><File name=\"fmu.c\"/></SourceFiles></{}>", head, kind) : line("{}/>", head);
  }
  void interfaces() {
    if (options_.model_exchange) interface("ModelExchange", "");
    if (options_.co_simulation) interface("CoSimulation", " canHandleVariableCommunicationStepSize=\"true\"");
  }
  void units() {
    std::set<std::string> used;
    for (const int place : places_) used.insert(at(place).unit);
    line("  <UnitDefinitions>");
    for (const UnitPowers& unit : known_units)
      if (used.contains(unit.name)) line("    <Unit name=\"{}\"><BaseUnit{}/></Unit>", unit.name, unit.powers);
    line("  </UnitDefinitions>");
  }

  std::string common(int place) const {
    const Variable& own = at(place);
    const Attributes as = attributes_of(own.role);
    return fmt::format("name={} valueReference=\"{}\" description={} causality=\"{}\" variability=\"{}\"{}",
                       xml_string(own.name), place, xml_string(own.words), as.causality, as.variability,
                       as.initial == nullptr ? "" : fmt::format(" initial=\"{}\"", as.initial));
  }
  std::string numbers(int place, int derivative) const {
    const Variable& own = at(place);
    std::string text = own.unit.empty() ? "" : fmt::format(" unit=\"{}\"", own.unit);
    if (has_start(own.role)) text += fmt::format(" start=\"{}\"", own.start);
    if (own.derivative_of >= 0) text += fmt::format(" derivative=\"{}\"", derivative);
    return text;
  }
  void variable_two(int place) {
    const int state = at(place).derivative_of;
    line("    <ScalarVariable {}><Real{}/></ScalarVariable>", common(place),
         numbers(place, state < 0 ? 0 : number_of(state)));
  }
  void variable_three(int place) {
    line("    <Float64 {}{}/>", common(place), numbers(place, at(place).derivative_of));
  }

  template <class Takes>
  void unknowns_two(const char* list, Takes&& takes) {
    line("    <{}>", list);
    for (const int place : places_)
      if (takes(at(place).role)) line("      <Unknown index=\"{}\"/>", number_of(place));
    line("    </{}>", list);
  }
  static bool is_rate(Role role) { return role == Role::rate; }
  static bool is_initial_unknown(Role role) { return is_output(role) && role != Role::state; }
  void structure_two() {
    line("  <ModelStructure>");
    unknowns_two("Outputs", is_output);
    unknowns_two("Derivatives", is_rate);
    unknowns_two("InitialUnknowns", is_initial_unknown);
    line("  </ModelStructure>");
  }
  template <class Takes>
  void unknowns_three(const char* element, Takes&& takes) {
    for (const int place : places_)
      if (takes(at(place).role)) line("    <{} valueReference=\"{}\"/>", element, place);
  }
  void structure_three() {
    line("  <ModelStructure>");
    unknowns_three("Output", is_output);
    unknowns_three("ContinuousStateDerivative", is_rate);
    unknowns_three("InitialUnknown", is_initial_unknown);
    line("  </ModelStructure>");
  }

  const Model& model_;
  const FmuOptions& options_;
  std::vector<int> places_;
};

}  // namespace

std::string description_text(const Model& model, const Mechanism& robot, const FmuOptions& options,
                             const std::string& token) {
  return Description(model, options).text(robot, token);
}

std::string build_text(const FmuOptions& options) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier={}>\n    <SourceFileSet language=\"C99\"><SourceFile "
      "name=\"fmu.c\"/></SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
      xml_string(options.name));
}

}  // namespace catena::fmu
