// catena generate: straight-line source code for one robot.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "catena/code.hpp"
#include "catena/equations.hpp"
#include "catena/tables.hpp"
#include "codegen/escape.hpp"
#include "codegen/random_motions.hpp"
#include "command.hpp"
#include "options/abridging.hpp"
#include "options/companions.hpp"
#include "options/equations.hpp"
#include "options/fmu_code.hpp"
#include "options/frames.hpp"
#include "options/job_options.hpp"
#include "options/languages.hpp"
#include "options/law_code.hpp"
#include "options/model_options.hpp"
#include "options/near_angles.hpp"
#include "options/numbers.hpp"
#include "output/code_output.hpp"
#include "output/output.hpp"
#include "output/own_files.hpp"
#include "terminal/errors.hpp"
#include "terminal/progress.hpp"

namespace catena::cli {
namespace generate_command {

struct Options {
  ModelOptions model;
  std::string compute = "inverse", formulation, language = "c", name, output, keep, frame, sines = "built-in";
  std::string convention = "plain", target = "host";
  AbridgingOptions abridging;
  std::optional<int> derivatives;
  LawCodeOptions law;
  FmuCodeOptions fmu;
  int lanes = 0;
  long limit = usual_most_operations;
  bool packed = false, fuse = false, single = false, no_search = false, gravity_input = false, json = false;
  bool force = false;

  int order() const { return derivatives.value_or(convention == "casadi" && abridging.significance.empty() ? 1 : 0); }
};

// --- which options go together ---

bool has_symmetric_result(const JobInfo& job) {
  return std::any_of(job.outputs.begin(), job.outputs.end(), [](const OutputInfo& o) { return o.symmetric; });
}

// Formulas for reading have no functions, no layout and no choice of operations.
constexpr const char* for_code_alone[] = {"--name",  "--fuse",          "--packed", "--float",       "--sincos",
                                          "--lanes", "--gravity-input", "--method", "--no-search",   "--limit",
                                          "--json",  "--significance",  "--abi",    "--derivatives", "--target"};

void require_formula_options(const CLI::App& command) {
  for (const char* option : for_code_alone)
    if (command.get_option(option)->count() > 0)
      throw UsageError(
          fmt::format("{} goes with {}", option, languages_with([](const LanguageInfo&) { return true; })));
}

void require_target_options(const Options& options, const CLI::App& command) {
  if (options.target == "host") return;
  for (const char* option : {"--abi", "--sincos"})
    if (command.get_option(option)->count() > 0)
      throw UsageError(fmt::format("{} does not go with --target {}", option, options.target));
  if (options.output.empty())
    throw UsageError(fmt::format("--target {} needs -o FILE: the source includes its header", options.target));
}

void require_code_options(const Options& options, const LanguageInfo& language, const CLI::App& command,
                          const JobSet& jobs) {
  const auto given = [&](const char* option) { return command.get_option(option)->count() > 0; };
  if (given("--lanes") && !language.takes_lanes)
    throw UsageError("--lanes goes with " + languages_with([](const LanguageInfo& l) { return l.takes_lanes; }));
  if (given("--sincos") && !language.takes_sines)
    throw UsageError("--sincos goes with " + languages_with([](const LanguageInfo& l) { return l.takes_sines; }));
  for (const char* option : {"--abi", "--target"})
    if (given(option) && language.language != Language::c)
      throw UsageError(fmt::format("{} goes with --lang c", option));
  require_target_options(options, command);
  if (options.convention == "casadi" && options.single)
    throw UsageError("--abi casadi: CasADi computes in double precision; leave out --float");
  if (given("--significance") && options.order() > 0)
    throw UsageError("--significance does not bound the errors of derivatives; add --derivatives 0");
  if (options.fuse && jobs.size() < 2) throw UsageError("--fuse goes with several jobs of --compute");
  if (given("--significance") && (options.gravity_input || !options.keep.empty()))
    throw UsageError(
        fmt::format("--significance cannot bound errors when {} makes an argument that may have any value; leave out "
                    "one of the two",
                    options.gravity_input ? "--gravity-input" : "--keep"));
  if (options.gravity_input && given("--gravity"))
    throw UsageError("--gravity-input makes gravity an argument; leave out --gravity");
  if (options.output.empty() && options.json) throw UsageError("--json needs -o FILE: standard output has the code");
  if (!options.formulation.empty() && jobs.size() > 1) throw UsageError("--method goes with a single --compute job");
  if (!options.packed ||
      std::any_of(jobs.begin(), jobs.end(), [](const JobInfo* j) { return has_symmetric_result(*j); }))
    return;
  std::vector<std::string_view> symmetric;
  for (const JobInfo& job : catena::jobs())
    if (has_symmetric_result(job)) symmetric.push_back(job.name);
  throw UsageError(
      fmt::format("--packed goes with a job that has a symmetric matrix: --compute {}", fmt::join(symmetric, ", ")));
}

// Refuses an argument that no result depends on.
void require_used_arguments(const std::vector<Program>& programs, const Options& options) {
  const auto is_read = [&](const std::string& name) {
    return std::any_of(programs.begin(), programs.end(), [&](const Program& p) { return p.reads(name); });
  };
  const auto refuse = [&](const char* option, const char* what) {
    throw UsageError(fmt::format("{}: no result of --compute {} depends on {}", option, options.compute, what));
  };
  if (options.gravity_input && !is_read("gravity")) refuse("--gravity-input", "gravity");
  if (!options.keep.empty() && !is_read("parameters"))
    refuse(fmt::format("--keep {}", printable(options.keep)).c_str(), "these constants");
}

// --- programs ---

std::vector<ProgramRequest> requests_of(const Options& options, const JobSet& jobs, const Robot& robot,
                                        const Mechanism& mechanism) {
  ProgramRequest request;
  request.packed = options.packed;
  request.most_operations = options.limit;
  request.loops = find_language(options.language)->has_loops && options.abridging.significance.empty() &&
                  options.order() == 0 && options.convention == "plain" && options.target == "host";
  request.gravity_input = options.gravity_input;
  try {
    request.keep = parse_kept(options.keep, robot, mechanism);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--keep {}", error.what()));
  }
  request.frame = frame_index(mechanism, options.frame);
  if (!options.formulation.empty()) {
    require_method(options.formulation, jobs.front()->name);
    request.formulations = {options.formulation};
  }
  if (options.fuse) {
    request.jobs = names_of(jobs);
    return {request};
  }
  std::vector<ProgramRequest> requests;
  for (const std::string& job : names_of(jobs)) {
    requests.push_back(request);
    requests.back().jobs = {job};
  }
  return requests;
}

Program usual_or_refused(const Mechanism& mechanism, const ProgramRequest& request) {
  try {
    return usual_program(mechanism, request);
  } catch (const TooManyOperations& error) {
    throw UsageError(fmt::format("{}; --limit N allows more", error.what()));
  }
}

std::vector<Program> make_programs(const std::vector<ProgramRequest>& requests, const Mechanism& mechanism,
                                   bool search) {
  constexpr double steps = 1000.0;
  Progress progress(static_cast<std::uint64_t>(steps) * requests.size());
  std::vector<Program> programs;
  for (const ProgramRequest& r : requests) {
    const auto done = static_cast<double>(programs.size());
    const auto show = [&](double share) { progress.show(static_cast<std::uint64_t>(steps * (done + share))); };
    Program usual = usual_or_refused(mechanism, r);
    programs.push_back(search ? find_cheapest(mechanism, r, show) : std::move(usual));
  }
  return programs;
}

// Each program, then its derivatives.
std::vector<Program> with_derivatives(const std::vector<Program>& programs, const std::vector<ProgramRequest>& requests,
                                      const Mechanism& mechanism, const Options& options) {
  std::vector<Program> out;
  try {
    for (std::size_t k = 0; k < programs.size(); ++k)
      for (Program& own : catena::with_derivatives(
               mechanism, requests[k], options.convention == "casadi" ? by_columns(programs[k]) : programs[k],
               options.order(), !options.no_search))
        out.push_back(std::move(own));
  } catch (const TooManyOperations& error) {
    throw UsageError(fmt::format("{}; --limit N allows more", error.what()));
  }
  return out;
}

GraphCost total_cost(const std::vector<Program>& programs) {
  GraphCost total;
  for (const Program& program : programs) {
    const GraphCost cost = program.cost();
    total.multiplications += cost.multiplications;
    total.additions += cost.additions;
  }
  return total;
}

// Multiplications and additions of the requested code, for this robot and with its right angles taken as exact. Long
// robots are compared without a search, which would double the run time of the command.
std::string snapping_gain(const Options& options, const Mechanism& mechanism, const Mechanism& snapped,
                          const std::vector<ProgramRequest>& requests, const std::vector<Program>& programs) {
  constexpr int quickly_searched = 8;  // joints
  const bool search = mechanism.joints() <= quickly_searched && !options.no_search;
  const bool as_made = search || options.no_search;
  const GraphCost now = total_cost(as_made ? programs : make_programs(requests, mechanism, false));
  const GraphCost then = total_cost(make_programs(requests, snapped, search));
  if (then.multiplications + then.additions >= now.multiplications + now.additions) return {};
  return fmt::format("{} multiplications instead of {} and {} additions instead of {}{}", then.multiplications,
                     now.multiplications, then.additions, now.additions, as_made ? "" : " (before the search)");
}

// Right angles given with few digits: says what taking them as exact would save, and what it would change.
void note_near_angles(const Options& options, const Robot& robot, const Mechanism& mechanism,
                      const std::vector<ProgramRequest>& requests, const std::vector<Program>& programs) {
  const std::optional<NearAngles> found = find_near_angles(options.model, robot, mechanism);
  if (!found) return;
  std::string gain;
  try {
    gain = snapping_gain(options, mechanism, found->snapped, requests, programs);
  } catch (const std::domain_error&) {  // the formulation cannot be written with the default choices
    return;
  }
  if (gain.empty()) return;
  note(fmt::format(
      "catena: {}: with --snap {:g} the code would have {}, and torques would change by at most {:.2g} of the largest",
      found->who(), found->snap, gain, found->torque_change));
}

// --- printing ---

// A name that begins with a letter; a short one leaves the functions distinct in their first 31 characters.
std::string lettered(std::string name, bool brief) {
  if (name.starts_with('_')) name = "robot" + name;
  return brief ? name.substr(0, 15) : name;
}

CodeOptions code_options(const Options& options, const std::string& robot_name) {
  CodeOptions code;
  constexpr std::size_t longest_name = 48;  // of a default name: what some linkers accept and a reader can take in
  code.name = options.name.empty() ? identifier(robot_name).substr(0, longest_name) : options.name;
  code.language = find_language(options.language)->language;
  code.target = target_named(options.target);
  const bool bare = code.target == Target::cortex_m;
  if (options.name.empty() && (bare || code.language == Language::matlab)) code.name = lettered(code.name, bare);
  code.single_precision = options.single || bare;
  code.header_file = std::filesystem::path(options.output).replace_extension(".h").filename().string();
  code.lanes = options.lanes;
  if (options.convention == "casadi") {
    code.convention = CallingConvention::casadi;
    if (options.name.empty()) code.name = casadi_name(code.name);
  }
  code.version = CATENA_VERSION;
  if (options.sines == "library") code.sines = SineSource::library;
  if (options.sines == "freestanding") code.sines = SineSource::freestanding;
  return code;
}

// For readers instead of compilers: `catena equations` has more options for this.
void write_equations(const Options& options, const EquationFormat& format, const JobSet& jobs) {
  if (!options.output.empty()) require_own({options.output}, options.force);
  const Equations equations = equations_of({options.model, names_of(jobs), options.keep, "--keep", options.frame});
  const std::string text = format.print(equations, 6);
  options.output.empty() ? emit(text) : write_text_file(options.output, text);
}

void write_law(const Options& options, const CLI::App& command) {
  options.law.require_companions(command);
  require_target_options(options, command);
  const std::vector<std::string> files = files_of(options.output, *find_language("c"));
  require_own(files, options.force);
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  Options named = options;
  if (named.name.empty()) named.name = "controller";
  try {
    write_code(print_controller(mechanism, options.law.options(robot, mechanism, options.frame),
                                code_options(named, robot.name)),
               files);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--law {}: {}", options.law.law, error.what()));
  }
  if (!files.empty()) emit(fmt::format("wrote {}\n", fmt::join(files, ", ")));
}

void write_fmu(const Options& o, const CLI::App& command) {
  o.fmu.write({o.model, o.law, o.name, o.frame, o.output, o.limit, !o.no_search, o.force, o.json}, command);
}

void run(const Options& options, const CLI::App& command) {
  if (options.force && options.output.empty()) throw UsageError("--force goes with -o FILE");
  if (options.fmu.given(options.language, command)) return write_fmu(options, command);
  if (options.law.given()) return write_law(options, command);
  const JobSet jobs = job_set(options.compute);
  require_frame_used(options.frame, jobs);
  if (const EquationFormat* format = find_format(options.language)) {
    require_formula_options(command);
    return write_equations(options, *format, jobs);
  }
  const LanguageInfo& language = *find_language(options.language);
  require_code_options(options, language, command, jobs);
  std::vector<std::string> files = files_of(options.output, language);
  require_own(files, options.force);
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::vector<ProgramRequest> requests = requests_of(options, jobs, robot, mechanism);
  const Abridging abridging = options.abridging.of(robot, mechanism);
  std::vector<Program> programs = make_programs(requests, mechanism, !options.no_search);
  require_used_arguments(programs, options);
  note_near_angles(options, robot, mechanism, requests, programs);
  for (Program& program : programs) program = abridge(mechanism, program, abridging);
  programs = with_derivatives(programs, requests, mechanism, options);
  const CodeOptions code_of = code_options(options, robot.name);
  const std::string abridged = abridged_text(programs, code_of);
  if (options.output.empty() && !abridged.empty()) note("catena: " + abridged.substr(0, abridged.size() - 1));
  if (language.file_each && !options.output.empty())
    files = write_functions(programs, code_of, options.output, options.force);
  else
    write_code(print_code(programs, code_of), files);
  if (options.output.empty()) return;
  emit(options.json ? json_line(summary(programs, code_of, files))
                    : table_text(programs, code_of) + abridged + fmt::format("wrote {}\n", fmt::join(files, ", ")));
}

void add_derivatives(CLI::App& command, Options& options) {
  command
      .add_option("--abi", options.convention,
                  "calling convention of the C functions; casadi: as casadi.external loads them")
      ->type_name("plain|casadi")
      ->check(one_of({"plain", "casadi"}));
  command
      .add_option("--derivatives", options.derivatives,
                  "exact derivatives of each function: 1: NAME_inverse_jacobian; 2: also NAME_inverse_gradient of "
                  "weighted results and its Jacobian; default 0, with --abi casadi 1")
      ->type_name("0|1|2")
      ->check(CLI::Range(0, 2).description(""));
}

std::vector<std::string> all_languages() {
  std::vector<std::string> names;
  for (const LanguageInfo& language : languages()) names.emplace_back(language.name);
  for (const std::string& format : format_names()) names.push_back(format);
  names.emplace_back("fmu");
  return names;
}

void add_target(CLI::App& command, Options& options) {
  std::vector<std::string> names;
  for (const TargetInfo& target : targets()) names.emplace_back(target.name);
  command
      .add_option(
          "--target", options.target,
          "what C is for; cortex-m: microcontrollers, in single precision, with a sine of its own, by the rules "
          "of MISRA C; default host")
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->check(one_of(names));
  command
      .add_option("--sincos", options.sines,
                  "sine and cosine: built in (default), from math.h, or built in without any header")
      ->type_name("built-in|library|freestanding")
      ->check(one_of({"built-in", "library", "freestanding"}));
  command
      .add_option("--lanes", options.lanes,
                  "for c-batch: states computed at once, 2 to 32; default as many as fit in 32 bytes")
      ->type_name("N");
}

}  // namespace generate_command

void add_generate(CLI::App& program) {
  using namespace generate_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "generate",
      "Write source code for one robot: C, C for batches, CUDA, Python, CasADi, MATLAB, an FMU, or formulas to read",
      "  catena generate ur5 --compute inverse,inertia,forward --name arm -o arm.c\n"
      "  catena generate panda --compute inverse --lang cuda --float -o panda.cu\n"
      "  catena generate ur5 --compute inverse --sincos freestanding -o controller.c\n"
      "  catena generate ur5 --compute inverse --keep mass:6,com:6 -o payload.c\n"
      "  catena generate puma560 --compute inverse --significance 1% -o short.c\n"
      "  catena generate panda --compute forward --abi casadi --derivatives 2 -o panda.c\n"
      "  catena generate panda --compute inverse,pose --lang casadi -o panda.py\n"
      "  catena generate ur5 --compute inverse,forward --lang matlab --name arm -o matlab\n"
      "  catena generate ur5 --compute inverse --target cortex-m --name arm -o arm.c\n"
      "  catena generate ur5 --law pid --gain kp=800 --gain ki=200 -o controller.c\n"
      "  catena generate panda --lang fmu -o panda.fmu\n"
      "\n"
      "'catena jobs' lists the jobs. Without -o the code goes to standard output; with it, the prototypes "
      "go to a header\n"
      "of the same name, .h. docs/generated-code.md says what the code promises.");
  options->model.add_dynamics(*command);
  command->add_option("--compute", options->compute, "jobs, comma-separated; default inverse")->type_name("JOBS");
  command->add_option("--lang", options->language, "default c")
      ->type_name(fmt::format("{}", fmt::join(all_languages(), "|")))
      ->check(one_of(all_languages()));
  command->add_option("--name", options->name, "functions are NAME_inverse, …; default the robot's name")
      ->type_name("NAME");
  command->add_option("-o,--output", options->output, "file to write; default standard output")->type_name("FILE");
  command->add_flag("--force", options->force, "overwrite files that catena did not write");
  command->add_flag("--fuse", options->fuse, "one function for all jobs, which share their subexpressions");
  command->add_flag("--packed", options->packed, "give symmetric matrices as their upper triangle, by rows");
  add_derivatives(*command, *options);
  command->add_flag("--float", options->single, "single precision");
  add_target(*command, *options);
  command
      ->add_option("--keep", options->keep,
                   "constants to keep as arguments: mass:3,com:3,inertia:3,length:a2,friction:3,rotor:3,spring:3")
      ->type_name("LIST");
  options->abridging.add(*command);
  options->law.add(*command);
  options->fmu.add(*command);
  command->add_flag("--gravity-input", options->gravity_input, "gravity as an argument, along the base link's axes");
  command->add_option("--frame", options->frame, "a link or frame, for jobs that take one; default the model's tool")
      ->type_name("NAME");
  command->add_option("--method", options->formulation, "this formulation instead of the cheapest")->type_name("NAME");
  command
      ->add_option("--limit", options->limit,
                   fmt::format("the most operations that a function may have; default {}", usual_most_operations))
      ->check(CLI::Range(1L, 100'000'000L).description(""))
      ->type_name("N");
  command->add_flag("--no-search", options->no_search, "take the usual choices instead of searching for cheaper ones");
  command->add_flag("--json", options->json, "print one JSON object: files, functions");
  command->callback([options, command] { run(*options, *command); });
}

}  // namespace catena::cli
