#include "catena/compile.hpp"
#include "codegen/escape.hpp"

#include "engines/c/self_test.hpp"
#include "engines/c/workshop.hpp"

namespace catena {
namespace {

CodeOptions code_options() {
  CodeOptions options;
  options.name = "robot";
  options.version = CATENA_VERSION;
  return options;
}

struct FunctionCraft {
  using Made = CompiledFunction<double>;

  // The C file of a program: its function, the same behind the signature of CompiledFunction, and the name of its
  // formulation, for those who find the library in the cache.
  static std::string source(const Program& program) {
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

  static std::vector<std::string> flags(long instructions) { return jit::flags_for(instructions); }
  static void test(const Program& usual, const Made& made) { jit::require_agreement(usual, made); }
};

}  // namespace

Call<double> compile(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  const JobInfo& info = jit::required_job(robot, job, options);
  try {
    return Call<double>(robot, job, jit::Workshop<FunctionCraft>(robot, info, options).compile());
  } catch (const TooManyOperations& error) {
    throw CompileError(error.what());
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
