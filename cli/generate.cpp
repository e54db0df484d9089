// catena generate: straight-line source code for one robot.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "catena/codegen/code.hpp"
#include "catena/equations/equations.hpp"
#include "catena/io/text_file.hpp"
#include "command.hpp"
#include "support/equations.hpp"
#include "support/errors.hpp"
#include "support/frames.hpp"
#include "support/job_options.hpp"
#include "support/model_options.hpp"
#include "support/output.hpp"

namespace catena::cli {
namespace generate_command {

struct Options {
  ModelOptions model;
  std::string compute = "inverse", formulation, language = "c", name, output, keep, frame, sines = "built-in";
  int lanes = 0;
  bool packed = false, fuse = false, single = false, no_search = false, gravity_input = false, json = false;
};

std::vector<std::string> jobs_of(const std::string& list) {
  std::vector<std::string> names;
  for (const JobInfo* job : job_set(list)) names.emplace_back(job->name);
  return names;
}

Language language_of(const std::string& name) {
  if (name == "c-batch") return Language::c_batch;
  if (name == "cuda") return Language::cuda;
  return name == "python" ? Language::python : Language::c;
}

std::vector<Program> make_programs(const Options& options) {
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::vector<std::string> jobs = jobs_of(options.compute);
  ProgramRequest request;
  request.packed = options.packed;
  request.gravity_input = options.gravity_input;
  try {
    request.keep = parse_kept(options.keep, robot, mechanism);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--keep {}", error.what()));
  }
  request.frame = frame_index(mechanism, options.frame);
  if (!options.formulation.empty()) {
    if (jobs.size() > 1) throw UsageError("--method goes with a single --compute job");
    require_method(options.formulation, jobs.front());
    request.formulations = {options.formulation};
  }
  std::vector<ProgramRequest> requests;
  if (options.fuse) {
    requests.push_back(request);
    requests.back().jobs = jobs;
  } else {
    for (const std::string& job : jobs) {
      requests.push_back(request);
      requests.back().jobs = {job};
    }
  }
  std::vector<Program> programs;
  for (const ProgramRequest& r : requests)
    programs.push_back(options.no_search ? make_program(mechanism, r, usual_choices(mechanism, r))
                                         : find_cheapest(mechanism, r));
  return programs;
}

CodeOptions code_options(const Options& options, const std::string& robot_name) {
  CodeOptions code;
  code.name = options.name.empty() ? identifier(robot_name) : options.name;
  code.language = language_of(options.language);
  code.single_precision = options.single;
  code.lanes = options.lanes;
  code.version = CATENA_VERSION;
  if (options.sines == "library") code.sines = SineSource::library;
  if (options.sines == "freestanding") code.sines = SineSource::freestanding;
  return code;
}

Json summary(const Program& program, const CodeOptions& code) {
  const GraphCost cost = program.cost();
  return {{"function", function_name(program, code)},
          {"jobs", program.jobs},
          {"methods", program.choices.formulations},
          {"multiplications", cost.multiplications},
          {"additions", cost.additions},
          {"fused", cost.fused},
          {"divisions", cost.reciprocals},
          {"sincos", cost.sincos},
          {"nodes", cost.nodes},
          {"depth", cost.depth},
          {"stack_bytes", stack_bound(program, code)}};
}

// For readers instead of compilers: `catena equations` has more to say about it.
void write_equations(const Options& options) {
  const Robot robot = options.model.load();
  EquationsRequest request;
  request.jobs = jobs_of(options.compute);
  request.symbols = options.keep;
  const Equations equations = equations_of(robot, options.model.mechanism(robot), request, "--keep");
  const std::string text = options.language == "latex" ? to_latex(equations) : to_text(equations);
  options.output.empty() ? emit(text) : write_text_file(options.output, text);
}

void run(const Options& options) {
  if (options.language == "latex" || options.language == "text") return write_equations(options);
  if (options.output.empty() && options.json) throw UsageError("--json needs -o FILE: standard output has the code");
  const std::vector<Program> programs = make_programs(options);
  const CodeOptions code_of = code_options(options, programs.front().robot_name);
  const Code code = print_code(programs, code_of);
  if (options.output.empty()) return emit(code.source);
  std::vector<std::string> files{options.output};
  if (!code.header.empty()) {
    const std::string header = std::filesystem::path(options.output).replace_extension(".h").string();
    if (header == options.output) throw UsageError("-o names the source file; the header goes to the same name in .h");
    write_text_file(header, code.header);
    files.push_back(header);
  }
  write_text_file(options.output, code.source);
  Json functions = Json::array();
  TextTable table;
  table.column("function", TextTable::Align::left);
  table.column("formulation", TextTable::Align::left);
  for (const char* title : {"multiplications", "additions", "divisions", "sin/cos"}) table.column(title);
  for (const Program& program : programs) {
    const GraphCost cost = program.cost();
    functions.push_back(summary(program, code_of));
    table.row({function_name(program, code_of), fmt::format("{}", fmt::join(program.choices.formulations, ", ")),
               std::to_string(cost.multiplications), std::to_string(cost.additions), std::to_string(cost.reciprocals),
               std::to_string(cost.sincos)});
  }
  emit(options.json ? json_line({{"files", files}, {"functions", functions}})
                    : table.text() + fmt::format("wrote {}\n", fmt::join(files, ", ")));
}

}  // namespace generate_command

void add_generate(CLI::App& program) {
  using namespace generate_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "generate", "Write source code for one robot: C, C over batches, CUDA, Python, or formulas to read",
      "  catena generate ur5 --compute inverse,inertia,forward --name arm -o arm.c\n"
      "  catena generate panda --compute inverse --lang cuda --float -o panda.cu\n"
      "  catena generate ur5 --compute inverse --sincos freestanding -o controller.c\n"
      "  catena generate ur5 --compute inverse --keep mass:6,com:6 -o payload.c\n"
      "\n"
      "'catena jobs' lists the jobs. Without -o the code goes to standard output; with it the prototypes go beside it, "
      "to\n"
      "the same name in .h. docs/generated-code.md has the contract.");
  options->model.add_dynamics(*command);
  command->add_option("--compute", options->compute, "jobs, comma-separated; default inverse")->type_name("JOBS");
  command->add_option("--lang", options->language, "default c")
      ->type_name("c|c-batch|cuda|python|latex|text")
      ->check(one_of({"c", "c-batch", "cuda", "python", "latex", "text"}));
  command->add_option("--name", options->name, "functions are NAME_inverse, …; default the robot's name")
      ->type_name("NAME");
  command->add_option("-o,--output", options->output, "file to write; default standard output")->type_name("FILE");
  command->add_flag("--fuse", options->fuse, "one function for all jobs, which share their subexpressions");
  command->add_flag("--packed", options->packed, "symmetric matrices as their upper triangle by rows");
  command->add_flag("--float", options->single, "single precision");
  command->add_option("--sincos", options->sines, "sine and cosine: ours (default), math.h's, ours without any header")
      ->type_name("built-in|library|freestanding")
      ->check(one_of({"built-in", "library", "freestanding"}));
  command->add_option("--lanes", options->lanes, "c-batch: states at once, 2 to 16; default 32 bytes worth")
      ->type_name("N");
  command->add_option("--keep", options->keep, "constants that stay arguments: mass:3,com:3,inertia:3,length:a2")
      ->type_name("LIST");
  command->add_flag("--gravity-input", options->gravity_input, "gravity as an argument, along the base link's axes");
  command->add_option("--frame", options->frame, "of jobs that take one: a link or frame; default the model's tool")
      ->type_name("NAME");
  command->add_option("--method", options->formulation, "this formulation instead of the cheapest")->type_name("NAME");
  command->add_flag("--no-search", options->no_search, "take the usual choices, do not look for cheaper ones");
  command->add_flag("--json", options->json, "print one JSON object: files, functions");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
