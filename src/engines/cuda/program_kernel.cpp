#include "engines/cuda/program_kernel.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>

#include "catena/code.hpp"
#include "engines/cuda/kernel_trial.hpp"
#include "engines/job_program.hpp"

namespace catena::gpu {
namespace {

// Measured on an H200 (docs/gpu.md): 32 threads should write 256 contiguous bytes or more; four states per thread are
// better than two where the registers suffice.
template <class S>
constexpr int most_together = std::same_as<S, float> ? 4 : 1;
constexpr int registers_of_four = 112;
constexpr std::size_t many_results = 256;  // more of several states never fit into registers
// Threads wait for the instructions of a long kernel, which no cache holds: more of them, with fewer registers each,
// are faster even if some values no longer fit.
constexpr long long_kernel = 4000;  // instructions
constexpr int many_registers = 168, fewer_registers = 128;

template <class S>
CodeOptions code_options(KernelLayout kernel_layout) {
  CodeOptions code;
  code.version = CATENA_VERSION;
  code.language = Language::cuda;
  code.single_precision = std::same_as<S, float>;
  code.in_rows = kernel_layout.layout == GpuLayout::rows;
  code.together = kernel_layout.states_per_thread;
  return code;
}

// A robot with many joints: formulations that the CPU prefers may need more registers than a thread has. Names the one
// that costs a kernel least.
constexpr int many_joints = 12;
template <class S>
ProgramRequest with_formulation(const Mechanism& robot, ProgramRequest request, GpuLayout layout) {
  if (robot.nv() < many_joints || request.jobs.size() != 1 || !request.formulations.empty()) return request;
  const JobInfo& job = job_info(request.jobs.front());
  const CodeOptions code = code_options<S>({layout, 1});
  double least = std::numeric_limits<double>::infinity();
  std::string best;
  for (const std::string_view formulation : job.candidates(robot)) try {
      request.formulations = {std::string(formulation)};
      const double cost = kernel_cost(usual_program(robot, request), code);
      if (cost < least) least = cost, best = formulation;
    } catch (const std::domain_error&) {  // this one cannot be written as straight-line code
    }
  request.formulations.clear();
  if (!best.empty()) request.formulations = {best};
  return request;
}

template <class S>
KernelText text_of(const Program& program, KernelLayout kernel_layout, std::optional<bool> staged = {}) {
  CodeOptions code = code_options<S>(kernel_layout);
  code.staged = staged;
  Code printed = print_code({program}, code);
  return {{std::move(printed.source), program.choices.formulations},
          function_name(program, code),
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
  made.kernel.launch(states / std::size_t(kernel_layout.states_per_thread), stream,
                     std::span(arguments).first(arrays.size() + 2));
}

template <class S>
ProgramKernel make_program_kernel(const SessionPointer& session, const Mechanism& robot, const ProgramRequest& asked,
                                  KernelLayout kernel_layout, const GpuOptions& options) {
  const engines::Stopwatch generating;
  const ProgramRequest request = with_formulation<S>(robot, asked, kernel_layout.layout);
  const Program usual = usual_program(robot, request);
  if (options.together == 0 && usual.results().size() > many_results) kernel_layout.states_per_thread = 1;
  std::optional<Program> cheapest;  // searched for once, for any number of states per thread
  for (ProgramKernel kernel;; kernel_layout.states_per_thread /= 2) {
    kernel.kernel_layout = kernel_layout;
    const KernelText first = text_of<S>(usual, kernel_layout);
    std::function<engines::SourceText()> search;
    if (options.search)
      search = [&] {
        if (!cheapest) cheapest = find_cheapest(robot, request);
        return text_of<S>(*cheapest, kernel_layout, first.shared_bytes > 0).text;  // launched in the same way
      };
    const auto test = [&](const Kernel& made) { require_results<S>(session, made, usual, kernel_layout); };
    kernel.made = make_kernel(session, first, search, options, test, generating);
    const bool too_many =
        kernel_layout.states_per_thread == 4 ? kernel.made.kernel.registers() > registers_of_four : kernel.spills();
    if (kernel_layout.states_per_thread > 1 && options.together == 0 && too_many) continue;
    const bool is_long = std::same_as<S, float> && usual.cost().instructions() >= long_kernel;
    if (!is_long || options.registers > 0 || kernel.spills() || kernel.made.kernel.registers() <= many_registers)
      return kernel;
    GpuOptions fewer = options;
    fewer.registers = fewer_registers;
    kernel.made = make_kernel(session, first, search, fewer, test, generating);
    return kernel;
  }
}

template <class S>
KernelLayout kernel_layout_for(GpuLayout layout, std::size_t states, std::size_t stride, std::span<const S* const> in,
                               std::span<S* const> out, const GpuOptions& options) {
  if (const int asked = options.together; asked != 0 && asked != 1 && asked != 2 && asked != 4)
    throw std::invalid_argument("a thread has 1, 2 or 4 states, not " + std::to_string(asked));
  KernelLayout kernel_layout{layout, 1};
  if (layout == GpuLayout::rows) return kernel_layout;
  const auto fits = [&](std::size_t many) {
    const auto starts = [&](const S* array) {
      return reinterpret_cast<std::uintptr_t>(array) % (many * sizeof(S)) == 0;
    };
    return states % many == 0 && stride % many == 0 && std::all_of(in.begin(), in.end(), starts) &&
           std::all_of(out.begin(), out.end(), starts);
  };
  kernel_layout.states_per_thread = options.together > 0 ? options.together : most_together<S>;
  while (!fits(std::size_t(kernel_layout.states_per_thread))) kernel_layout.states_per_thread /= 2;
  return kernel_layout;
}

void require_arrays(ArrayCounts given, ArrayCounts needed, GpuLayout layout, std::size_t states, std::size_t stride) {
  if (given.in != needed.in || given.out != needed.out)
    throw std::invalid_argument(std::to_string(given.in) + " arrays are given and " + std::to_string(given.out) +
                                " for results, " + std::to_string(needed.in) + " and " + std::to_string(needed.out) +
                                " are needed");
  if (layout == GpuLayout::columns && states > stride)
    throw std::invalid_argument(std::to_string(states) + " states do not fit a stride of " + std::to_string(stride));
}

void require_tree(const Mechanism& robot) {
  if (robot.coordinates.is_closed() && !robot.coordinates.closure.placed)
    throw GpuError("robot '" + robot.name + "' has closed loops, which a GPU cannot solve");
}

void require_regular(const Mechanism& robot, const JobInfo& job) {
  require_tree(robot);
  if (const std::string why = engines::why_only_generic(robot, job); !why.empty()) throw GpuError(why);
  if (robot.coordinates.is_closed() && !robot.coordinates.closure.placed)
    throw GpuError("kernels take q of every joint of closed loops: with_all_positions(robot)");
}

template KernelLayout kernel_layout_for<double>(GpuLayout, std::size_t, std::size_t, std::span<const double* const>,
                                                std::span<double* const>, const GpuOptions&);
template KernelLayout kernel_layout_for<float>(GpuLayout, std::size_t, std::size_t, std::span<const float* const>,
                                               std::span<float* const>, const GpuOptions&);
template ProgramKernel make_program_kernel<double>(const SessionPointer&, const Mechanism&, const ProgramRequest&,
                                                   KernelLayout, const GpuOptions&);
template ProgramKernel make_program_kernel<float>(const SessionPointer&, const Mechanism&, const ProgramRequest&,
                                                  KernelLayout, const GpuOptions&);

}  // namespace catena::gpu
