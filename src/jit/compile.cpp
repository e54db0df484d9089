#include "catena/jit/compile.hpp"

#include <chrono>
#include <memory>
#include <optional>

#include "cache.hpp"
#include "catena/codegen/code.hpp"
#include "catena/dynamics/pivots.hpp"
#include "compiler.hpp"
#include "library.hpp"
#include "self_test.hpp"
#include "sha256.hpp"

namespace catena {
namespace {

using jit::Cache;
using jit::Compiler;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

CodeOptions code_options() {
  CodeOptions options;
  options.name = "robot";
  options.version = CATENA_VERSION;
  return options;
}

// The C file of a program: its function, the same behind the signature of CompiledFunction, and the name of its
// formulation, for those who find the library in the cache.
std::string source_of(const Program& program) {
  std::string call;
  for (std::size_t k = 0; k < program.inputs.size(); ++k) call += "in[" + std::to_string(k) + "], ";
  int start = 0;
  for (const Program::Output& output : program.outputs) {
    call += (start == 0 ? "out" : ", out + " + std::to_string(start));
    start += output.size();
  }
  const CodeOptions options = code_options();
  return print_code({program}, options).source + "\nvoid robot_call(const double *const *in, double *out)\n{\n  " +
         function_name(program, options) + "(" + call +
         ");\n}\n\nconst char robot_formulation[] = " + c_string(program.choices.formulations.front()) + ";\n";
}

class Workshop {
 public:
  Workshop(const Mechanism& robot, const JobInfo& job, const CompileOptions& options)
      : robot_(robot), job_(job), options_(options) {}

  // Throws CompileError.
  CompiledFunction<double> compile() {
    if (const std::string joint = job_.inverts_inertia ? joint_in_doubt(robot_, job_.only_passive) : std::string();
        !joint.empty())
      throw CompileError("joint '" + joint +
                         "' moves no inertia of its own: only the generic engine sees where the robot is singular");
    compiler_ = jit::find_compiler(options_.compiler);
    const Cache cache(options_.cache_folder);
    const Stopwatch generating;
    const ProgramRequest request = make_request();
    const Program usual = usual_program(request);
    const std::string source = source_of(usual);
    const std::vector<std::string> flags = jit::flags_for(usual.cost().instructions());
    const std::string key = key_of(source, flags);
    EngineReport report;
    report.kind = EngineKind::compiled;
    report.generate_seconds = generating.seconds();
    CompiledFunction<double> code;
    report.from_cache = load_cached(cache.find(key), usual, code);
    if (!report.from_cache) {
      if (options_.only_cached) throw CompileError("not in the cache of compiled code");
      const std::string cheapest = options_.search ? source_of(find_cheapest(robot_, request)) : source;
      report.generate_seconds = generating.seconds();
      const Stopwatch compiling;
      const std::string path = cache.add(key, cheapest, [&](const std::string& file, const std::string& output) {
        jit::make_library(*compiler_, flags, file, output, options_.timeout);
      });
      report.compile_seconds = compiling.seconds();
      code = load(path, usual);
    }
    code.frame = options_.frame;
    code.report = report;
    return code;
  }

 private:
  static CompiledFunction<double> load(const std::string& path, const Program& usual) {
    const auto library = std::make_shared<jit::Library>(path);
    CompiledFunction<double> code;
    code.function = reinterpret_cast<decltype(code.function)>(library->symbol("robot_call"));
    code.formulation = static_cast<const char*>(library->symbol("robot_formulation"));
    code.library = library;
    jit::require_agreement(usual, code);
    return code;
  }

  // False when there is none, somebody has just taken it away, or it fits another system: then it is made anew.
  static bool load_cached(const std::string& path, const Program& usual, CompiledFunction<double>& code) {
    try {
      if (path.empty()) return false;
      code = load(path, usual);
      return true;
    } catch (const CompileError&) {
      return false;
    }
  }

  ProgramRequest make_request() const {
    ProgramRequest request;
    request.jobs = {std::string(job_.name)};
    if (!options_.formulation.empty()) request.formulations = {options_.formulation};
    request.frame = options_.frame;
    return request;
  }

  Program usual_program(const ProgramRequest& request) const {
    Choices choices = usual_choices(robot_, request);
    try {
      return make_program(robot_, request, choices);
    } catch (const std::domain_error&) {  // the formulation wants constants where shared frames have functions of q
      choices.frames = SharedFrames::none;
      return make_program(robot_, request, choices);
    }
  }

  // The code by the usual choices stands for the robot and the job: the search starts from them and always finds the
  // same.
  std::string key_of(const std::string& source, const std::vector<std::string>& flags) const {
    std::string text = "catena " CATENA_VERSION "\n" + compiler_->identity + "\n";
    for (const std::string& flag : flags) text += flag + " ";
    text += "\n" + jit::processor_identity() + (options_.search ? "cheapest\n" : "usual\n") + source;
    return jit::sha256(text);
  }

  const Mechanism& robot_;
  const JobInfo& job_;
  const CompileOptions& options_;
  std::optional<Compiler> compiler_;
};

// Throws std::invalid_argument.
const JobInfo& required_job(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  const JobInfo& info = job_info(job);
  if (!options.formulation.empty()) info.formulation(options.formulation);
  if (options.frame != tool_frame) require_frame(robot, options.frame);
  return info;
}

}  // namespace

Call<double> compile(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  const JobInfo& info = required_job(robot, job, options);
  try {
    return Call<double>(robot, job, Workshop(robot, info, options).compile());
  } catch (const std::domain_error& error) {  // a formulation that cannot be written as straight-line code
    throw CompileError("no code for " + std::string(job) + ": " + error.what());
  }
}

Call<double> compile_or_generic(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  EngineReport report;
  try {
    return compile(robot, job, options);
  } catch (const CompileError& error) {
    report.why = error.what();
  }
  return Call<double>(robot, job, options.formulation, report);
}

}  // namespace catena
