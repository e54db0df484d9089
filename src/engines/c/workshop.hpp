// From a job of a robot to compiled code that was tested: what all kinds of it have in common.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catena/code.hpp"
#include "catena/compile.hpp"
#include "engines/c/cache.hpp"
#include "engines/c/compiler.hpp"
#include "engines/c/job_program.hpp"
#include "engines/c/library.hpp"
#include "engines/c/sha256.hpp"
#include "formulations/shared/pivots.hpp"

namespace catena::jit {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Says how far it is to whoever wants to know.
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

// Makes what Craft makes, from the cache where it is there:
//   Craft::Made                   has function, library, formulation, report
//   Craft::source(program)        C text with robot_call and robot_formulation
//   Craft::flags(instructions)    for the compiler
//   Craft::test(program, made)    throws CompileError where it gives other results than the program
template <class Craft>
class Workshop {
 public:
  using Made = typename Craft::Made;

  Workshop(const Mechanism& robot, const JobInfo& job, const CompileOptions& options)
      : robot_(robot), job_(job), options_(options) {}

  // Throws CompileError.
  Made compile() {
    if (const std::string joint = job_.inverts_inertia ? joint_in_doubt(robot_, job_.only_passive) : std::string();
        !joint.empty())
      throw CompileError("joint '" + joint +
                         "' moves no inertia of its own: only the generic engine sees where the robot is singular");
    compiler_ = find_compiler(options_.compiler);
    const Cache cache(options_.cache_folder);
    const Stopwatch generating;
    ProgramRequest request = request_of(job_, options_.formulation, options_.frame);
    request.most_operations = options_.most_operations;
    const Program usual = usual_program(robot_, request);
    const std::string source = Craft::source(usual);
    const std::vector<std::string> flags = Craft::flags(usual.cost().instructions());
    const std::string key = key_of(source, flags);
    EngineReport report;
    report.kind = EngineKind::compiled;
    report.generate_seconds = generating.seconds();
    Made code;
    report.from_cache = load_cached(cache.find(key), usual, code);
    if (!report.from_cache) {
      if (options_.only_cached) throw CompileError("not in the cache of compiled code");
      const Told told(options_, usual.cost());
      const auto searching = [&told](double share) { told.searched(share); };
      const std::string cheapest = options_.search ? Craft::source(find_cheapest(robot_, request, searching)) : source;
      report.generate_seconds = generating.seconds();
      const Stopwatch compiling;
      const std::string path = cache.add(key, cheapest, [&](const std::string& file, const std::string& output) {
        make_library(*compiler_, flags, file, output, options_.timeout, [&] { told.compiled(compiling.seconds()); });
      });
      report.compile_seconds = compiling.seconds();
      code = load(path, usual);
    }
    if constexpr (requires { code.frame; }) code.frame = options_.frame;
    code.report = report;
    return code;
  }

 private:
  static Made load(const std::string& path, const Program& usual) {
    const auto library = std::make_shared<Library>(path);
    Made code;
    code.function = reinterpret_cast<decltype(code.function)>(library->symbol("robot_call"));
    code.formulation = static_cast<const char*>(library->symbol("robot_formulation"));
    code.library = library;
    Craft::test(usual, code);
    return code;
  }

  // False when there is none, somebody has just taken it away, or it fits another system: then it is made anew.
  static bool load_cached(const std::string& path, const Program& usual, Made& code) {
    try {
      if (path.empty()) return false;
      code = load(path, usual);
      return true;
    } catch (const CompileError&) {
      return false;
    }
  }

  // The code by the usual choices stands for the robot and the job: the search starts from them and always finds the
  // same.
  std::string key_of(const std::string& source, const std::vector<std::string>& flags) const {
    std::string text = "catena " CATENA_VERSION "\n" + compiler_->identity + "\n";
    for (const std::string& flag : flags) text += flag + " ";
    text += "\n" + processor_identity() + (options_.search ? "cheapest\n" : "usual\n") + source;
    return sha256(text);
  }

  const Mechanism& robot_;
  const JobInfo& job_;
  const CompileOptions& options_;
  std::optional<Compiler> compiler_;
};

// Throws std::invalid_argument.
inline const JobInfo& required_job(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  const JobInfo& info = job_info(job);
  if (!options.formulation.empty()) info.formulation(options.formulation);
  if (options.frame != tool_frame) require_frame(robot, options.frame);
  return info;
}

}  // namespace catena::jit
