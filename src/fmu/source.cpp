// The C of an FMU: the model's sizes and tables, the generated functions, and the shell around them.
#include <fmt/format.h>

#include "codegen/escape.hpp"
#include "codegen/text.hpp"
#include "fmu/model.hpp"

namespace catena::fmu {
namespace {

// Who may set a number: nobody, anybody at any time, or only before the simulation starts.
int access_of(Role role) {
  switch (role) {
    case Role::input:
    case Role::parameter:
      return 2;
    case Role::state:
    case Role::fixed_parameter:
      return 1;
    case Role::hidden:
      return -1;
    default:
      return 0;
  }
}

template <class Value>
std::string table(const std::string& head, const Model& model, Value&& value) {
  std::string text = head + " = {";
  for (std::size_t k = 0; k < model.variables.size(); ++k)
    text += fmt::format("{}{}{}", k == 0 ? "" : ",", k % 12 == 0 ? "\n  " : " ", value(model.variables[k]));
  return text + "\n};\n";
}

std::string sizes(const Model& model, const std::string& token) {
  const int slots = static_cast<int>(model.variables.size());
  std::string text = fmt::format("#define TOKEN {}\n", c_string(token));
  const auto define = [&](const char* name, int value) { text += fmt::format("#define {} {}\n", name, value); };
  define("SLOTS", slots), define("TAU", model.tau), define("Q", model.q);
  define("STATES", model.states()), define("RESULTS", model.results), define("REST_SPEED", model.rest_speed);
  define("HAS_LAW", model.law ? 1 : 0);
  if (!model.law) return text;
  define("REFERENCE", model.reference), define("MORE", model.more), define("MEASURED_MORE", model.measured_more);
  define("PERIOD", model.period), define("LAW_STATES", model.law_states);
  return text;
}

// The arguments of a generated function, from the array `from`.
std::string arguments(const Model& model, const std::string& from) {
  std::string text;
  for (const Argument& input : model.program.inputs) {
    const int place = input.name == "q"            ? model.q
                      : input.name == "qd"         ? model.q + model.nq
                      : input.name == "tau"        ? model.tau
                      : input.name == "parameters" ? model.parameters
                                                   : model.rest_speed;
    text += fmt::format("{} + {}, ", from, place);
  }
  return text;
}

std::string calls(const Model& model, const std::string& name) {
  const std::string values = arguments(model, "v"), seeds = arguments(model, "d");
  std::string text = fmt::format(R"(
static void find_results(double *v) {{ {0}_model({1}v + RESULTS); }}
static void find_tangent(const double *v, double *d) {{ {0}_model_tangent({1}{2}d + RESULTS); }}
)",
                                 name, values, seeds);
  if (model.law)
    text += fmt::format(
        "static void reset_law(double *state) {{ {0}_law_reset(state); }}\n"
        "static void step_law(double *state, const double *measured, const double *wanted, double dt, double *torque)\n"
        "{{ {0}_law_step(state, measured, wanted, dt, torque); }}\n",
        name);
  return text;
}

}  // namespace

std::string source_text(const Model& model, const FmuOptions& options, const std::string& token) {
  CodeOptions code;
  code.name = options.name, code.sines = SineSource::freestanding, code.version = options.version;
  code.internal = true;
  std::string text = print_code({model.program, tangent_of(model.program)}, code).source;
  if (model.law) text += "\n" + model.law->source;
  text += "\n" + sizes(model, token);
  text += table("static const double start_values[SLOTS]", model, [](const Variable& own) { return own.start; });
  text += table("static const signed char access_of[SLOTS]", model,
                [](const Variable& own) { return access_of(own.role); });
  text += calls(model, options.name);
  return text + shell_text + (options.fmi == 2 ? shell_fmi2_text : shell_fmi3_text);
}

}  // namespace catena::fmu
