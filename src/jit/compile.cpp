#include "catena/jit/compile.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "cache.hpp"
#include "catena/codegen/code.hpp"
#include "catena/dynamics/pivots.hpp"
#include "compiler.hpp"
#include "robot_calls.hpp"
#include "self_test.hpp"
#include "sha256.hpp"

namespace catena {
namespace {

using jit::Cache;
using jit::Compiler;
using jit::Slot;

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

// The C file of a program. It carries the name of its formulation, for those who find the library in the cache.
std::string source_of(const Program& program) {
  return print_code({program}, code_options()).source + "\nconst char robot_method[] = \"" +
         program.choices.methods.front() + "\";\n";
}

// Compiles one job after the other with the same compiler and cache, which are looked for when the first needs them.
class Workshop {
 public:
  Workshop(const Mechanism& robot, const CompileOptions& options) : robot_(robot), options_(options) {}

  // Throws CompileError.
  void compile(const std::string& job, Slot& slot, JobReport& report) {
    if (const int q = job == "forward" ? joint_in_doubt(robot_) : -1; q >= 0)
      throw CompileError("joint '" + robot_.joint_names[static_cast<std::size_t>(q)] +
                         "' moves no inertia of its own: only the generic engine sees where the robot is singular");
    if (!compiler_) compiler_ = jit::find_compiler(options_.compiler);
    if (!cache_) cache_.emplace(options_.cache_folder);
    const Stopwatch generating;
    const ProgramRequest request = request_for(job);
    const Program usual = usual_program(request);
    const std::string source = source_of(usual);
    const std::vector<std::string> flags = jit::flags_for(usual.cost().instructions());
    const std::string key = key_of(source, flags);
    report.generate_seconds = generating.seconds();
    report.from_cache = load_cached(cache_->find(key), usual, slot);
    if (!report.from_cache) {
      if (options_.only_cached) throw CompileError("not in the cache of compiled code");
      const std::string cheapest = options_.search ? source_of(find_cheapest(robot_, request)) : source;
      report.generate_seconds = generating.seconds();
      const Stopwatch compiling;
      const std::string path = cache_->add(key, cheapest, [&](const std::string& file, const std::string& output) {
        jit::make_library(*compiler_, flags, file, output, options_.timeout);
      });
      report.compile_seconds = compiling.seconds();
      load(path, usual, slot);
    }
    report.method = static_cast<const char*>(slot.library.symbol("robot_method"));
    report.engine = EngineKind::compiled;
  }

 private:
  static void load(const std::string& path, const Program& usual, Slot& slot) {
    slot.library = jit::Library(path);
    slot.function = slot.library.symbol("robot_" + usual.jobs.front());
    if (!jit::agrees_with(usual, slot.function))
      throw CompileError("compiled code for " + usual.jobs.front() + " gives other results than it should");
  }

  // False when there is none, somebody has just taken it away, or it fits another system: then it is made anew.
  static bool load_cached(const std::string& path, const Program& usual, Slot& slot) {
    try {
      if (path.empty()) return false;
      load(path, usual, slot);
      return true;
    } catch (const CompileError&) {
      slot = {};
      return false;
    }
  }

  ProgramRequest request_for(const std::string& job) const {
    ProgramRequest request;
    request.jobs = {job};
    if (!options_.method.empty() && job != "pose" && job != "jacobian") request.methods = {options_.method};
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
  const CompileOptions& options_;
  std::optional<Compiler> compiler_;
  std::optional<Cache> cache_;
};

void use_generic(const Mechanism& robot, const CompileOptions& options, Slot& slot, JobReport& report) {
  slot.library = {};
  slot.function = nullptr;
  slot.generic = jit::make_generic_job(report.job, robot, options.method, options.frame);
  slot.turn = std::make_unique<std::mutex>();
  report.method = slot.generic->method();
  report.engine = EngineKind::generic;
}

Slot& slot_of(RobotCalls::Parts& parts, const std::string& job) {
  const auto name = std::find(jit::job_names.begin(), jit::job_names.end(), job);
  if (name == jit::job_names.end())
    throw std::invalid_argument("no call for '" + job +
                                "'; known: inverse, gravity, inertia, bias, coriolis, forward, pose, jacobian");
  for (const JobReport& r : parts.reports)
    if (r.job == job) throw std::invalid_argument("'" + job + "' is asked for twice");
  parts.reports.push_back({});
  parts.reports.back().job = job;
  return parts.slots[static_cast<std::size_t>(name - jit::job_names.begin())];
}

template <class Make>
RobotCalls make_calls(const Mechanism& robot, const std::vector<std::string>& jobs, const CompileOptions& options,
                      Make make) {
  if (!options.method.empty() && jobs.size() > 1) throw std::invalid_argument("a method goes with a single job");
  if (options.frame >= static_cast<int>(robot.frames.size()))
    throw std::invalid_argument("no frame " + std::to_string(options.frame));
  auto parts = std::make_unique<RobotCalls::Parts>();
  parts->n = robot.n();
  for (const std::string& job : jobs) {
    Slot& slot = slot_of(*parts, job);
    make(slot, parts->reports.back());
  }
  return RobotCalls(std::move(parts));
}

}  // namespace

RobotCalls compile(const Mechanism& robot, const std::vector<std::string>& jobs, const CompileOptions& options) {
  Workshop workshop(robot, options);
  return make_calls(robot, jobs, options, [&](Slot& slot, JobReport& report) {
    try {
      workshop.compile(report.job, slot, report);
    } catch (const std::domain_error& error) {  // a formulation that cannot be written as straight-line code
      throw CompileError("no code for " + report.job + ": " + error.what());
    }
  });
}

RobotCalls compile_or_generic(const Mechanism& robot, const std::vector<std::string>& jobs,
                              const CompileOptions& options) {
  Workshop workshop(robot, options);
  return make_calls(robot, jobs, options, [&](Slot& slot, JobReport& report) {
    try {
      workshop.compile(report.job, slot, report);
      return;
    } catch (const CompileError& error) {
      report.why = error.what();
    } catch (const std::domain_error& error) {
      report.why = "no code for " + report.job + ": " + error.what();
    }
    use_generic(robot, options, slot, report);
  });
}

RobotCalls generic_calls(const Mechanism& robot, const std::vector<std::string>& jobs, const CompileOptions& options,
                         const std::string& why) {
  return make_calls(robot, jobs, options, [&](Slot& slot, JobReport& report) {
    report.why = why;
    use_generic(robot, options, slot, report);
  });
}

}  // namespace catena
