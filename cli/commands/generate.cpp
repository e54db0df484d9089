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
#include "options/companions.hpp"
#include "options/equations.hpp"
#include "options/frames.hpp"
#include "options/job_options.hpp"
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
  std::string significance, convention = "plain";
  std::optional<int> derivatives;
  std::optional<std::string> speeds, accelerations;
  LawCodeOptions law;
  int lanes = 0;
  long limit = usual_most_operations;
  bool packed = false, fuse = false, single = false, no_search = false, gravity_input = false, json = false;
  bool force = false;

  int order() const { return derivatives.value_or(convention == "casadi" && significance.empty() ? 1 : 0); }
};

// --- which options go together ---

// The languages that accept an option, as typed on the command line.
template <class Takes>
std::string languages_with(Takes&& takes) {
  std::vector<std::string_view> names;
  for (const LanguageInfo& language : languages())
    if (takes(language)) names.push_back(language.name);
  return fmt::format("--lang {}", fmt::join(names, ", "));
}

const LanguageInfo* find_language(const std::string& name) {
  for (const LanguageInfo& language : languages())
    if (language.name == name) return &language;
  return nullptr;
}

bool has_symmetric_result(const JobInfo& job) {
  return std::any_of(job.outputs.begin(), job.outputs.end(), [](const OutputInfo& o) { return o.symmetric; });
}

// Formulas for reading have no functions, no layout and no choice of operations.
constexpr const char* for_code_alone[] = {"--name",  "--fuse",          "--packed", "--float",      "--sincos",
                                          "--lanes", "--gravity-input", "--method", "--no-search",  "--limit",
                                          "--json",  "--significance",  "--abi",    "--derivatives"};

void require_formula_options(const CLI::App& command) {
  for (const char* option : for_code_alone)
    if (command.get_option(option)->count() > 0)
      throw UsageError(
          fmt::format("{} goes with {}", option, languages_with([](const LanguageInfo&) { return true; })));
}

void require_code_options(const Options& options, const LanguageInfo& language, const CLI::App& command,
                          const JobSet& jobs) {
  const auto given = [&](const char* option) { return command.get_option(option)->count() > 0; };
  if (given("--lanes") && !language.takes_lanes)
    throw UsageError("--lanes goes with " + languages_with([](const LanguageInfo& l) { return l.takes_lanes; }));
  if (given("--sincos") && !language.takes_sines)
    throw UsageError("--sincos goes with " + languages_with([](const LanguageInfo& l) { return l.takes_sines; }));
  if (given("--abi") && language.language != Language::c) throw UsageError("--abi goes with --lang c");
  if (options.convention == "casadi" && options.single)
    throw UsageError("--abi casadi: CasADi computes in double precision; leave out --float");
  if (given("--significance") && options.order() > 0)
    throw UsageError(
        "--significance leaves out summands, and not for the sake of derivatives; --derivatives 0 has none");
  if (options.fuse && jobs.size() < 2) throw UsageError("--fuse goes with several jobs of --compute");
  if (given("--significance") && (options.gravity_input || !options.keep.empty()))
    throw UsageError(fmt::format("--significance: {} makes arguments that may have any value; leave one of the two out",
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

// "1%" or "0.01".
double parse_significance(const std::string& text) {
  const bool percent = text.ends_with('%');
  const std::vector<double> numbers = parse_numbers(percent ? text.substr(0, text.size() - 1) : text, "--significance");
  if (numbers.size() == 1)
    if (const double share = numbers[0] / (percent ? 100.0 : 1.0); share >= 0.0 && share < 1.0) return share;
  throw UsageError(
      fmt::format("--significance {}: give a share, as 1% or 0.01, at least 0 and below 1", printable(text)));
}

Abridging abridging_of(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  Abridging how;
  how.significance = options.significance.empty() ? 0.0 : parse_significance(options.significance);
  const auto ranges = [&](const std::optional<std::string>& text, const char* option, std::vector<double> others) {
    if (!text) return std::vector<double>{};
    std::vector<double> values = one_or_all(*text, option, robot, false, std::move(others));
    if (std::any_of(values.begin(), values.end(), [](double v) { return v < 0.0; }))
      throw UsageError(fmt::format("{} {}: none may be negative", option, printable(*text)));
    return values;
  };
  how.speeds = ranges(options.speeds, "--speeds", with_ranges(mechanism, how).speeds);
  how.accelerations = ranges(options.accelerations, "--accelerations", with_ranges(mechanism, how).accelerations);
  return how;
}

std::vector<ProgramRequest> requests_of(const Options& options, const JobSet& jobs, const Robot& robot,
                                        const Mechanism& mechanism) {
  ProgramRequest request;
  request.packed = options.packed;
  request.most_operations = options.limit;
  request.loops = find_language(options.language)->has_loops && options.significance.empty() && options.order() == 0 &&
                  options.convention == "plain";
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
  return fmt::format("make {} multiplications and {} additions of {} and {}{}", then.multiplications, then.additions,
                     now.multiplications, now.additions, as_made ? "" : " (before the search)");
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
  note(fmt::format("catena: {}: --snap {:g} would {}, and change torques by at most {:.2g} of the largest",
                   found->who(), found->snap, gain, found->torque_change));
}

// --- printing ---

CodeOptions code_options(const Options& options, const std::string& robot_name) {
  CodeOptions code;
  constexpr std::size_t longest_name = 48;  // of a default name: what some linkers accept and a reader can take in
  code.name = options.name.empty() ? identifier(robot_name).substr(0, longest_name) : options.name;
  code.language = find_language(options.language)->language;
  code.single_precision = options.single;
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

// The source, then the files that go with it; empty: standard output.
std::vector<std::string> files_of(const Options& options, const LanguageInfo& language) {
  if (options.output.empty()) return {};
  std::vector<std::string> files{options.output};
  if (!language.has_header) return files;
  files.push_back(std::filesystem::path(options.output).replace_extension(".h").string());
  if (files[1] == files[0]) throw UsageError("-o names the source file; the header goes to the same name in .h");
  return files;
}

// The source and what goes with it, to files or to standard output.
void write_code(const Code& code, const std::vector<std::string>& files) {
  if (files.empty()) return emit(code.source);
  std::vector<TextFile> texts{{files[0], code.source}};
  if (files.size() > 1) texts.push_back({files[1], code.header});
  write_text_files(texts);
}

void write_law(const Options& options, const CLI::App& command) {
  options.law.require_companions(command);
  const std::vector<std::string> files = files_of(options, *find_language("c"));
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

void run(const Options& options, const CLI::App& command) {
  if (options.force && options.output.empty()) throw UsageError("--force goes with -o FILE");
  if (options.law.given()) return write_law(options, command);
  const JobSet jobs = job_set(options.compute);
  require_frame_used(options.frame, jobs);
  if (const EquationFormat* format = find_format(options.language)) {
    require_formula_options(command);
    return write_equations(options, *format, jobs);
  }
  const LanguageInfo& language = *find_language(options.language);
  require_code_options(options, language, command, jobs);
  const std::vector<std::string> files = files_of(options, language);
  require_own(files, options.force);
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::vector<ProgramRequest> requests = requests_of(options, jobs, robot, mechanism);
  const Abridging abridging = abridging_of(options, robot, mechanism);
  std::vector<Program> programs = make_programs(requests, mechanism, !options.no_search);
  require_used_arguments(programs, options);
  note_near_angles(options, robot, mechanism, requests, programs);
  for (Program& program : programs) program = abridge(mechanism, program, abridging);
  programs = with_derivatives(programs, requests, mechanism, options);
  const CodeOptions code_of = code_options(options, robot.name);
  const Code code = print_code(programs, code_of);
  const std::string abridged = abridged_text(programs, code_of);
  if (files.empty() && !abridged.empty()) note("catena: " + abridged.substr(0, abridged.size() - 1));
  write_code(code, files);
  if (files.empty()) return;
  emit(options.json ? json_line(summary(programs, code_of, files))
                    : table_text(programs, code_of) + abridged + fmt::format("wrote {}\n", fmt::join(files, ", ")));
}

void add_abridging(CLI::App& command, Options& options) {
  command
      .add_option("--significance", options.significance,
                  "leave out summands, for errors of at most this share of the largest result in the motions below")
      ->type_name("P%");
  command.add_option("--speeds", options.speeds, "top speeds, one a joint or one for all; default the model's, else 2")
      ->type_name("V1,...");
  command
      .add_option("--accelerations", options.accelerations,
                  "top accelerations, one a joint or one for all; default the top speeds in 0.2 s")
      ->type_name("A1,...");
  goes_with(command, "--speeds", {"--significance"});
  goes_with(command, "--accelerations", {"--significance"});
}

void add_derivatives(CLI::App& command, Options& options) {
  command
      .add_option("--abi", options.convention, "how functions of C are called; casadi: as casadi.external loads them")
      ->type_name("plain|casadi")
      ->check(one_of({"plain", "casadi"}));
  command
      .add_option("--derivatives", options.derivatives,
                  "exact derivatives beside each function: 1: NAME_inverse_jacobian; 2: NAME_inverse_gradient of "
                  "weighted results and its jacobian too; default 0, with --abi casadi 1")
      ->type_name("0|1|2")
      ->check(CLI::Range(0, 2).description(""));
}

}  // namespace generate_command

void add_generate(CLI::App& program) {
  using namespace generate_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "generate",
      "Write source code for one robot: C, C over batches, CUDA, Python, CasADi, or formulas to read",
      "  catena generate ur5 --compute inverse,inertia,forward --name arm -o arm.c\n"
      "  catena generate panda --compute inverse --lang cuda --float -o panda.cu\n"
      "  catena generate ur5 --compute inverse --sincos freestanding -o controller.c\n"
      "  catena generate ur5 --compute inverse --keep mass:6,com:6 -o payload.c\n"
      "  catena generate puma560 --compute inverse --significance 1% -o short.c\n"
      "  catena generate panda --compute forward --abi casadi --derivatives 2 -o panda.c\n"
      "  catena generate panda --compute inverse,pose --lang casadi -o panda.py\n"
      "  catena generate ur5 --law pid --gain kp=800 --gain ki=200 -o controller.c\n"
      "\n"
      "'catena jobs' lists the jobs. Without -o the code goes to standard output; with it the prototypes go beside it, "
      "to\n"
      "the same name in .h. docs/generated-code.md has the contract.");
  options->model.add_dynamics(*command);
  command->add_option("--compute", options->compute, "jobs, comma-separated; default inverse")->type_name("JOBS");
  std::vector<std::string> targets;
  for (const LanguageInfo& language : languages()) targets.emplace_back(language.name);
  for (const std::string& format : format_names()) targets.push_back(format);
  command->add_option("--lang", options->language, "default c")
      ->type_name(fmt::format("{}", fmt::join(targets, "|")))
      ->check(one_of(targets));
  command->add_option("--name", options->name, "functions are NAME_inverse, …; default the robot's name")
      ->type_name("NAME");
  command->add_option("-o,--output", options->output, "file to write; default standard output")->type_name("FILE");
  command->add_flag("--force", options->force, "overwrite files that catena did not write");
  command->add_flag("--fuse", options->fuse, "one function for all jobs, which share their subexpressions");
  command->add_flag("--packed", options->packed, "symmetric matrices as their upper triangle by rows");
  add_derivatives(*command, *options);
  command->add_flag("--float", options->single, "single precision");
  command->add_option("--sincos", options->sines, "sine and cosine: ours (default), math.h's, ours without any header")
      ->type_name("built-in|library|freestanding")
      ->check(one_of({"built-in", "library", "freestanding"}));
  command->add_option("--lanes", options->lanes, "c-batch: states at once, 2 to 32; default 32 bytes worth")
      ->type_name("N");
  command
      ->add_option("--keep", options->keep,
                   "constants that stay arguments: mass:3,com:3,inertia:3,length:a2,friction:3,rotor:3,spring:3")
      ->type_name("LIST");
  add_abridging(*command, *options);
  options->law.add(*command);
  command->add_flag("--gravity-input", options->gravity_input, "gravity as an argument, along the base link's axes");
  command->add_option("--frame", options->frame, "of jobs that take one: a link or frame; default the model's tool")
      ->type_name("NAME");
  command->add_option("--method", options->formulation, "this formulation instead of the cheapest")->type_name("NAME");
  command
      ->add_option("--limit", options->limit,
                   fmt::format("most operations of a function; default {}", usual_most_operations))
      ->check(CLI::Range(1L, 100'000'000L).description(""))
      ->type_name("N");
  command->add_flag("--no-search", options->no_search, "take the usual choices, do not look for cheaper ones");
  command->add_flag("--json", options->json, "print one JSON object: files, functions");
  command->callback([options, command] { run(*options, *command); });
}

}  // namespace catena::cli
