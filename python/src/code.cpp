// Equations for reading, code for compiling, and operation counts.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "catena/code.hpp"
#include "catena/count.hpp"
#include "catena/equations.hpp"
#include "catena/fmu.hpp"
#include "catena/model/regroup.hpp"
#include "catena/program.hpp"
#include "codegen/escape.hpp"
#include "evaluate.hpp"
#include "law_core.hpp"
#include "model/asking.hpp"

namespace catena::python {
namespace {

std::vector<std::string> job_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& name : given) names.emplace_back(jobs()[job_index(name)].name);
  return names;
}

// Keyed by format: latex, text, ….
nb::dict equations(const RobotCore& core, const std::vector<std::string>& of,
                   const std::map<std::string, std::string>& methods, const std::string& symbols,
                   const std::string& frame, int digits) {
  EquationsRequest request{.symbols = symbols, .frame = frame_of(core.loaded->mechanism, frame)};
  if (!of.empty()) request.jobs = job_names(of);
  for (const auto& [job, method] : methods) {  // by job, or under "" of all
    if (method.empty()) continue;
    for (const std::string& asked : job.empty() ? request.jobs : job_names({job})) request.formulations[asked] = method;
  }
  std::vector<std::pair<std::string_view, std::string>> texts;
  {
    const nb::gil_scoped_release others_run;
    const Equations made = make_equations(core.loaded->robot, core.loaded->mechanism, request);
    for (const EquationFormat& format : equation_formats()) texts.emplace_back(format.name, format.print(made, digits));
  }
  nb::dict out;
  for (const auto& [name, text] : texts) out[nb::str(std::string(name).c_str())] = text;
  return out;
}

const LanguageInfo& language_named(const std::string& name) {
  std::string known;
  for (const LanguageInfo& language : languages()) {
    if (language.name == name) return language;
    known += (known.empty() ? "" : ", ") + std::string(language.name);
  }
  throw std::invalid_argument("there is no language '" + name + "'; there are " + known);
}

SineSource sines_named(const std::string& name) {
  if (name == "built-in") return SineSource::built_in;
  if (name == "library") return SineSource::library;
  if (name == "freestanding") return SineSource::freestanding;
  throw std::invalid_argument("sines are 'built-in', 'library' or 'freestanding', not '" + name + "'");
}

CallingConvention convention_named(const std::string& name) {
  if (name == "plain") return CallingConvention::plain;
  if (name == "casadi") return CallingConvention::casadi;
  throw std::invalid_argument("abi is 'plain' or 'casadi', not '" + name + "'");
}

struct CodeAsked {
  std::string language, name, method, frame, keep, sines, convention, target;
  bool single = false, fuse = false, packed = false, gravity_input = false, search = true;
  int lanes = 0, derivatives = 0;
  Abridging abridging;
};

CodeAsked asked_from(const nb::dict& given) {
  const auto text = [&](const char* key) { return nb::cast<std::string>(given[key]); };
  const auto yes = [&](const char* key) { return nb::cast<bool>(given[key]); };
  return {text("language"),
          text("name"),
          text("method"),
          text("frame"),
          text("keep"),
          text("sines"),
          text("abi"),
          text("target"),
          yes("float32"),
          yes("fuse"),
          yes("packed"),
          yes("gravity_input"),
          yes("search"),
          nb::cast<int>(given["lanes"]),
          nb::cast<int>(given["derivatives"]),
          {nb::cast<double>(given["significance"]), nb::cast<std::vector<double>>(given["speeds"]),
           nb::cast<std::vector<double>>(given["accelerations"])}};
}

nb::tuple generate(const RobotCore& core, const std::vector<std::string>& of, const nb::dict& given) {
  const CodeAsked asked = asked_from(given);
  const Mechanism& robot = core.loaded->mechanism;
  const LanguageInfo& language = language_named(asked.language);
  if (asked.lanes != 0 && !language.takes_lanes)
    throw std::invalid_argument("lanes do not go with the language '" + asked.language + "'");
  const std::vector<std::string> names = job_names(of);
  if (!asked.method.empty() && names.size() != 1) throw std::invalid_argument("method goes with a single job");
  ProgramRequest request{.packed = asked.packed,
                         .gravity_input = asked.gravity_input,
                         .keep = parse_kept(asked.keep, core.loaded->robot, robot),
                         .frame = frame_of(robot, asked.frame)};
  if (!asked.method.empty()) {
    job_info(names.front()).formulation(asked.method);  // throws
    request.formulations = {asked.method};
  }
  CodeOptions options{.name = asked.name.empty() ? identifier(core.loaded->robot.name) : asked.name,
                      .language = language.language,
                      .single_precision = asked.single,
                      .sines = sines_named(asked.sines),
                      .lanes = asked.lanes,
                      .version = CATENA_VERSION,
                      .convention = convention_named(asked.convention),
                      .target = target_named(asked.target)};
  if (options.target == Target::cortex_m) options.single_precision = true;
  const bool for_casadi = options.convention == CallingConvention::casadi;
  if (for_casadi && asked.name.empty()) options.name = casadi_name(options.name);
  if (asked.derivatives < 0 || asked.derivatives > 2) throw std::invalid_argument("derivatives are 0, 1 or 2");
  if (asked.derivatives > 0 && asked.abridging.significance > 0.0)
    throw std::invalid_argument("significance does not go with derivatives");
  Code code;
  std::vector<std::pair<std::string, std::string>> files;  // where each function has one
  {
    const nb::gil_scoped_release others_run;
    std::vector<Program> programs;
    for (std::size_t k = 0; k < (asked.fuse ? 1 : names.size()); ++k) {
      ask(double(k) / double(names.size()));
      request.jobs = asked.fuse ? names : std::vector<std::string>{names[k]};
      const Program exact =
          asked.search
              ? find_cheapest(robot, request, [&](double share) { ask((double(k) + share) / double(names.size())); })
              : make_program(robot, request, usual_choices(robot, request));
      const Program own = abridge(robot, exact, asked.abridging);
      for (Program& one :
           with_derivatives(robot, request, for_casadi ? by_columns(own) : own, asked.derivatives, asked.search))
        programs.push_back(std::move(one));
    }
    code = print_code(programs, options);
    for (std::size_t k = 0; language.file_each && k < programs.size(); ++k)
      files.emplace_back(function_name(programs[k], options) + std::string(language.extension),
                         print_code({programs[k]}, options).source);
  }
  nb::dict by_name;
  for (const auto& [file, text] : files) by_name[nb::str(file.c_str())] = text;
  return nb::make_tuple(code.source, code.header, std::string(language.extension), by_name);
}

// The bytes of the archive, and why it has no binary.
nb::tuple fmu(const RobotCore& core, const std::string& kind, int version, const LawCore* law, const std::string& name,
              const std::string& frame, bool search) {
  FmuOptions options;
  options.name = name.empty() ? identifier(core.loaded->robot.name) : name;
  options.fmi = version;
  if (!kind.empty() && kind != "me" && kind != "cs")
    throw std::invalid_argument("kind is 'me', 'cs' or empty for both, not '" + kind + "'");
  options.model_exchange = kind != "cs", options.co_simulation = kind != "me";
  if (law != nullptr) options.law = law->controller->options();
  options.frame = frame_of(core.loaded->mechanism, frame);
  options.search = search, options.version = CATENA_VERSION;
  std::string archive, no_binary;
  {
    const nb::gil_scoped_release others_run;
    Fmu made = make_fmu(core.loaded->mechanism, options);
    add_binary(made, options);
    archive = archive_of(made), no_binary = made.no_binary;
  }
  return nb::make_tuple(nb::bytes(archive.data(), archive.size()), no_binary);
}

nb::tuple operations(const OperationCount& count) {
  return nb::make_tuple(count.multiplications, count.additions, count.divisions, count.sincos);
}

// Keyed by formulation: the cost per call, and once per robot. Empty method: all formulations that support the robot.
nb::dict count(const RobotCore& core, const std::string& job, const std::string& method, bool optimized,
               const std::string& constants) {
  const JobInfo& info = jobs()[job_index(job)];
  if (!method.empty()) info.formulation(method);  // throws
  const std::pair<const char*, Constants> known[] = {
      {"any", Constants::any}, {"twists", Constants::twists}, {"known", Constants::known}};
  const auto* found =
      std::find_if(std::begin(known), std::end(known), [&](const auto& own) { return own.first == constants; });
  if (found == std::end(known))
    throw std::invalid_argument("constants is 'any', 'twists' or 'known', not '" + constants + "'");
  const Constants kept = found->second;
  const Mechanism robot = optimized ? optimize(core.loaded->mechanism) : core.loaded->mechanism;
  nb::dict out;
  for (const FormulationInfo& f : info.formulations) {
    if (method.empty() ? !info.serves(robot, f.name) : f.name != method) continue;
    const FormulationCount counted = count_operations(robot, info.name, f.name, kept);
    out[nb::str(std::string(f.name).c_str())] = nb::make_tuple(operations(counted.online), operations(counted.offline));
  }
  return out;
}

}  // namespace

void bind_code(nb::module_& module) {
  module.def("equations", &equations);
  module.def("generate", &generate);
  module.def("fmu", &fmu, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  module.def("count", &count);
  module.def("general_arm", [](int joints, bool right) {
    if (joints < 1) throw std::invalid_argument("an arm has at least one joint");
    return RobotCore{std::make_shared<Loaded>(general_arm(joints, right ? AxisAngles::right : AxisAngles::general))};
  });
  module.def("sources", [](const std::string& job) {
    nb::list out;
    for (const FormulationInfo& f : formulations(job.empty() ? job : std::string(jobs()[job_index(job)].name)))
      out.append(nb::make_tuple(std::string(f.name), std::string(f.job), std::string(f.source),
                                std::string(f.equations), std::string(f.cost)));
    return out;
  });
  module.def("languages", [] {
    nb::list names;
    for (const LanguageInfo& language : languages()) names.append(std::string(language.name));
    return names;
  });
}

}  // namespace catena::python
