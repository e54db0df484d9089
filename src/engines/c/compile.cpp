#include "catena/compile.hpp"

#include <cmath>

#include "catena/code.hpp"
#include "engines/c/compiled_code.hpp"
#include "engines/self_test.hpp"

namespace catena {
namespace {

using Function = decltype(CompiledFunction<double>::function);

// The C file of a program: its function, and a wrapper with the signature of CompiledFunction.
std::string call_source(const Program& program) {
  std::string call;
  for (std::size_t k = 0; k < program.inputs.size(); ++k) call += "in[" + std::to_string(k) + "], ";
  int start = 0;
  for (const Program::Output& output : program.outputs) {
    call += (start == 0 ? "out" : ", out + " + std::to_string(start));
    start += output.size();
  }
  CodeOptions options;
  options.name = "robot";
  options.version = CATENA_VERSION;
  return print_code({program}, options).source + "\nvoid robot_call(const double *const *in, double *out)\n{\n  " +
         function_name(program, options) + "(" + call + ");\n}\n";
}

std::string test_call(const Program& program, void* function) {
  constexpr std::size_t most_states = 16;
  std::size_t size = 0;
  for (const Argument& output : program.outputs) size += index(output.size());
  const engines::StateRows states = engines::test_states<double>(program, most_states);
  engines::StateRows results;
  for (const std::vector<double>& state : states) {
    std::vector<const double*> arrays;
    const double* next = state.data();
    for (const Argument& input : program.inputs) {
      arrays.push_back(next);
      next += input.size();
    }
    results.emplace_back(size, std::nan(""));
    reinterpret_cast<Function>(function)(arrays.data(), results.back().data());
  }
  return engines::disagreement<double>(program, states, results, 1);
}

}  // namespace

Call<double> compile(const Mechanism& robot, std::string_view job, const CompileOptions& options) {
  const jit::CompiledCode code =
      jit::compile_code(robot, jit::required_job(robot, job, options), options, {call_source, {}, test_call});
  return Call<double>(robot, job,
                      CompiledFunction<double>{reinterpret_cast<Function>(code.function), code.library,
                                               code.formulation, options.frame, code.report});
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
