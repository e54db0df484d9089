#include "engines/c/compiled_code.hpp"

#include <algorithm>
#include <stdexcept>

#include "catena/code.hpp"
#include "engines/c/compiler.hpp"
#include "engines/job_program.hpp"
#include "engines/made_code.hpp"
#include "engines/shared_object.hpp"

namespace catena::jit {
namespace {

// Reports progress to the caller's function, if any.
class Told {
 public:
  Told(const CompileOptions& options, const GraphCost& cost)
      : options_(options), operations_(cost.operations()), seconds_(compile_seconds(cost)) {}
  void searched(double share) const { say(false, share); }
  void compiled(double seconds) const { say(true, std::min(0.99, seconds / seconds_)); }

 private:
  void say(bool compiling, double share) const {
    if (options_.progress) options_.progress({operations_, seconds_, compiling, share});
  }
  const CompileOptions& options_;
  long operations_;
  double seconds_;
};

CompiledCode load(const engines::Cache::Entry& entry, const Program& usual, const CodeKind& kind) {
  std::string why;
  const auto library = engines::SharedObject::open({entry.path}, why);
  if (!library) throw CompileError("cannot load compiled code: " + why);
  void* const function = library->find("robot_call");
  if (function == nullptr) throw CompileError("cannot load compiled code: " + entry.path + " has no robot_call");
  if (const std::string wrong = kind.test(usual, function); !wrong.empty())
    throw CompileError("compiled code for " + usual.jobs.front() + " " + wrong);
  return {function, library, entry.formulations.at(0)};
}

std::string target_of(const Compiler& compiler, const std::vector<std::string>& flags) {
  std::string text = compiler.identity + "\n";
  for (const std::string& flag : flags) text += flag + " ";
  return text + "\n" + processor_identity();
}

CompiledCode compile_straight(const Mechanism& robot, const JobInfo& job, const CompileOptions& options,
                              const CodeKind& kind) {
  if (const std::string why = engines::why_only_generic(robot, job); !why.empty()) throw CompileError(why);
  const Compiler compiler = find_compiler(options.compiler);
  const engines::Cache cache(options.cache_folder, ".so");
  const double seconds = seconds_allowed(options.timeout);
  const engines::Stopwatch generating;
  ProgramRequest request = engines::request_of(job, options.formulation, options.frame);
  request.most_operations = options.most_operations;
  request.loops = true;
  const Program usual = usual_program(robot, request);
  std::vector<std::string> flags = flags_for(usual.written().instructions());
  flags.insert(flags.end(), kind.flags.begin(), kind.flags.end());
  const Told told(options, usual.written());
  const auto text_of = [&](const Program& program) {
    return engines::SourceText{kind.source(program), program.choices.formulations};
  };
  CompiledCode code;
  engines::CodeMaker maker{target_of(compiler, flags), text_of(usual)};
  maker.only_cached = options.only_cached;
  if (options.search)
    maker.search = [&] { return text_of(find_cheapest(robot, request, [&](double share) { told.searched(share); })); };
  maker.compile = [&](const engines::SourceText&, const std::string& file, const std::string& output) {
    const engines::Stopwatch compiling;
    make_library(compiler, flags, file, output, seconds, [&] { told.compiled(compiling.seconds()); });
  };
  maker.load = [&](const engines::Cache::Entry& entry) { code = load(entry, usual, kind); };
  const EngineReport report = engines::make_code(cache, maker, generating);
  code.report = report;
  return code;
}

}  // namespace

const JobInfo& required_job(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  const JobInfo& info = job_info(job);
  if (!options.formulation.empty()) info.formulation(options.formulation);
  if (options.frame != tool_frame) require_frame(robot, options.frame);
  return info;
}

CompiledCode compile_code(const Mechanism& robot, const JobInfo& job, const CompileOptions& options,
                          const CodeKind& kind) {
  try {
    return compile_straight(robot, job, options, kind);
  } catch (const engines::MakeError& error) {
    throw CompileError(error.what());
  } catch (const TooManyOperations& error) {
    throw CompileError(error.what());
  } catch (const std::domain_error& error) {  // a formulation that cannot be written as straight-line code
    throw CompileError("no code for " + std::string(job.name) + ": " + error.what());
  }
}

}  // namespace catena::jit
