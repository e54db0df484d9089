#include "program_kernel.hpp"

#include <array>
#include <chrono>
#include <concepts>

#include "../jit/job_program.hpp"
#include "catena/codegen/code.hpp"
#include "catena/dynamics/pivots.hpp"
#include "self_test.hpp"

namespace catena::gpu {
namespace {

template <class S>
Text text_of(const Program& program, GpuLayout layout) {
  CodeOptions code;
  code.version = CATENA_VERSION;
  code.language = Language::cuda;
  code.single_precision = std::same_as<S, float>;
  code.in_rows = layout == GpuLayout::rows;
  Code printed = print_code({program}, code);
  std::string formulations;
  for (const std::string& one : program.choices.formulations) formulations += (formulations.empty() ? "" : "+") + one;
  return {std::move(printed.source), function_name(program, code), std::move(formulations),
          printed.shared_numbers * int(sizeof(S))};
}

}  // namespace

void ProgramKernel::launch(std::size_t states, std::size_t stride, std::span<const void* const> arrays,
                           Stream stream) const {
  unsigned long long count = states, step = stride;
  std::array<const void*, most_arrays> pointers;
  std::array<void*, most_arrays + 2> arguments{&count, &step};
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    pointers.at(k) = arrays[k];
    arguments[k + 2] = &pointers[k];
  }
  made.kernel.launch(states, stream, std::span(arguments).first(arrays.size() + 2));
}

GpuKernelReport ProgramKernel::report(const std::string& jobs) const {
  return {jobs,
          made.formulation,
          made.kernel.block(),
          made.kernel.registers(),
          made.kernel.local_bytes(),
          made.kernel.occupancy(),
          made.from_cache,
          generate_seconds,
          made.compile_seconds};
}

template <class S>
ProgramKernel make_program_kernel(const SessionPointer& session, const Mechanism& robot, const ProgramRequest& request,
                                  GpuLayout layout, const GpuOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ProgramKernel kernel;
  const auto generated = [&] {
    kernel.generate_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const Program usual = jit::usual_program(robot, request);
  const Text text = text_of<S>(usual, layout);
  generated();
  const auto final = [&] {
    Text cheapest = options.search ? text_of<S>(find_cheapest(robot, request), layout) : text;
    generated();
    return cheapest;
  };
  kernel.made = make_kernel(session, text, final, options,
                            [&](const Kernel& made) { require_results<S>(session, made, usual, layout); });
  return kernel;
}

void require_regular(const Mechanism& robot, const JobInfo& job) {
  if (const std::string joint = job.inverts_inertia ? joint_in_doubt(robot, job.only_passive) : std::string();
      !joint.empty())
    throw GpuError("joint '" + joint +
                   "' moves no inertia of its own: only the generic engine sees where the robot is singular");
}

template ProgramKernel make_program_kernel<double>(const SessionPointer&, const Mechanism&, const ProgramRequest&,
                                                   GpuLayout, const GpuOptions&);
template ProgramKernel make_program_kernel<float>(const SessionPointer&, const Mechanism&, const ProgramRequest&,
                                                  GpuLayout, const GpuOptions&);

}  // namespace catena::gpu
