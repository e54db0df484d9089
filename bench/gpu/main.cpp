// Evaluations a second on a graphics processor, beside what its memory allows, with registers, occupancy and the error
// against the CPU in double. docs/gpu.md keeps what it printed.
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <span>
#include <sstream>

#include "catena/gpu.hpp"
#include "device.hpp"
#include "general_robots.hpp"
#include "jobs/derivatives.hpp"
#include "robot.hpp"

namespace catena::bench {
namespace {

struct Options {
  std::vector<std::string> robots{"ur5", "panda"}, jobs{}, scalars{"float", "double"},
      parts{"jobs", "gradient", "rollout", "host"};
  std::string formulation{};
  int device = 0, log_states = 24, repeats = 20, block = 0, registers = 0, together = 0;
  bool rows = false, search = true;
};

std::vector<std::string> words(const std::string& text, char between = ',') {
  std::vector<std::string> list;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, between);) list.push_back(word);
  return list;
}

Options parse(int count, char** arguments) {
  Options options;
  for (int k = 1; k < count; ++k) {
    const std::string name = arguments[k];
    if (name == "--rows" || name == "--usual") {
      (name == "--rows" ? options.rows : options.search) = name == "--rows";
      continue;
    }
    if (k + 1 == count) throw std::runtime_error("no value for " + name);
    const std::string value = arguments[++k];
    if (name == "--robots")
      options.robots = words(value);
    else if (name == "--jobs")
      options.jobs = words(value);
    else if (name == "--scalars")
      options.scalars = words(value);
    else if (name == "--parts")
      options.parts = words(value);
    else if (name == "--formulation")
      options.formulation = value;
    else if (name == "--device")
      options.device = std::stoi(value);
    else if (name == "--log-states")
      options.log_states = std::stoi(value);
    else if (name == "--repeats")
      options.repeats = std::stoi(value);
    else if (name == "--block")
      options.block = std::stoi(value);
    else if (name == "--together")
      options.together = std::stoi(value);
    else if (name == "--registers")
      options.registers = std::stoi(value);
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.jobs.empty())
    for (const JobInfo& job : jobs()) options.jobs.emplace_back(job.name);
  return options;
}

bool has(const std::vector<std::string>& list, const char* word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

GpuOptions gpu_options(const Options& options) {
  GpuOptions chosen;
  chosen.device = options.device;
  chosen.block = options.block;
  chosen.together = options.together;
  chosen.registers = options.registers;
  chosen.search = options.search;
  return chosen;
}

constexpr std::size_t most_bytes = std::size_t(16) << 30;  // of a batch; large results have fewer states

Robot robot_named(const std::string& name) {
  for (const BranchedRobot& branched : branched_robots())
    if (branched.name == name) return branched.robot();
  if (name.starts_with("chain")) return general_robot(chain(std::stoi(name.substr(5))));
  return FramesFile(std::string(CATENA_MODELS) + "/" + name + ".toml").robot();
}

// All arrays of a batch on the device, one behind the other, by columns or rows.
template <class S>
struct Arrays {
  static constexpr bool single = std::same_as<S, float>;
  const Device& device;
  std::size_t states;
  int in = 0, out = 0;  // numbers of a state
  gpu::DeviceMemory from, to;
  std::vector<const S*> inputs;
  std::vector<S*> outputs;

  Arrays(const Device& where, const GpuBatch<S>& batch, std::size_t count) : device(where), states(count) {
    for (const Input input : batch.inputs()) in += int(batch.size(input));
    for (const auto& output : batch.outputs()) out += int(output.size());
    from = device.memory(std::size_t(in) * states * sizeof(S));
    to = device.memory(std::size_t(out) * states * sizeof(S));
    std::size_t at = 0;
    for (const Input input : batch.inputs()) {
      inputs.push_back(reinterpret_cast<const S*>(from.get()) + at);
      at += batch.size(input) * states;
    }
    at = 0;
    for (const auto& output : batch.outputs()) {
      outputs.push_back(reinterpret_cast<S*>(to.get()) + at);
      at += output.size() * states;
    }
  }
  void fill(double angles, const Mechanism& robot, bool takes_q, GpuLayout layout) const {
    device.fill(from.get(), std::size_t(in) * states, single, 3.0, 1);
    if (!takes_q) return;
    device.fill(from.get(), std::size_t(robot.nq()) * states, single, angles, 2);
    if (robot.coordinates.is_free())
      device.normalize(from.get(), states, layout == GpuLayout::rows ? robot.nq() : 1,
                       layout == GpuLayout::rows ? 1 : states, single);
  }
  std::size_t bytes() const { return std::size_t(in + out) * states * sizeof(S); }
};

// The first of the states as they are on the device, each array by itself.
template <class S>
std::vector<std::vector<S>> first_states(const Device& device, std::span<S* const> arrays,
                                         std::span<const std::size_t> entries, std::size_t states,
                                         std::size_t looked_at, GpuLayout layout) {
  std::vector<std::vector<S>> host;
  for (std::size_t a = 0; a < entries.size(); ++a) {
    std::vector<S>& own = host.emplace_back(entries[a] * looked_at);
    const bool rows = layout == GpuLayout::rows;
    const std::size_t pieces = rows ? 1 : entries[a], length = own.size() / pieces;
    for (std::size_t k = 0; k < pieces; ++k)
      device.to_host(own.data() + k * length, reinterpret_cast<gpu::DevicePointer>(arrays[a] + k * states),
                     length * sizeof(S));
  }
  return host;
}

// The largest difference to the CPU in double over some of the states, as a share of the largest result.
template <class S>
double error(const Mechanism& robot, GpuBatch<S>& batch, const std::vector<std::string>& jobs, const Arrays<S>& arrays,
             GpuLayout layout) {
  const std::size_t looked_at = std::min(20000 / (1 + std::size_t(arrays.out) / 256), arrays.states);
  std::vector<std::size_t> in_sizes, out_sizes;
  for (const Input input : batch.inputs()) in_sizes.push_back(batch.size(input));
  for (const auto& output : batch.outputs()) out_sizes.push_back(output.size());
  std::vector<S*> from;
  for (const S* input : arrays.inputs) from.push_back(const_cast<S*>(input));
  const auto in = first_states<S>(arrays.device, from, in_sizes, arrays.states, looked_at, layout);
  const auto out = first_states<S>(arrays.device, arrays.outputs, out_sizes, arrays.states, looked_at, layout);
  const auto number = [&](const std::vector<S>& array, std::size_t entries, std::size_t state, std::size_t j) {
    return double(array[layout == GpuLayout::rows ? state * entries + j : j * looked_at + state]);
  };
  std::vector<Call<double>> calls;
  for (const std::string& job : jobs) calls.emplace_back(robot, job);
  std::vector<double> expected(std::size_t(arrays.out));
  double scale = 0.0, worst = 0.0;
  for (std::size_t k = 0; k < looked_at; ++k) {
    std::vector<std::vector<double>> values(in.size());
    Inputs<double> state;
    for (std::size_t a = 0; a < in.size(); ++a) {
      for (std::size_t j = 0; j < in_sizes[a]; ++j) values[a].push_back(number(in[a], in_sizes[a], k, j));
      state[batch.inputs()[a]] = values[a];
    }
    std::size_t entry = 0;
    for (Call<double>& call : calls) {
      call(state, std::span(expected).subspan(entry, call.size()));
      entry += call.size();
    }
    entry = 0;
    for (std::size_t a = 0; a < out.size(); ++a)
      for (std::size_t j = 0; j < out_sizes[a]; ++j, ++entry) {
        scale = std::max(scale, std::abs(expected[entry]));
        const double difference = std::abs(number(out[a], out_sizes[a], k, j) - expected[entry]);
        worst = std::isfinite(difference) ? std::max(worst, difference) : HUGE_VAL;
      }
  }
  return worst / scale;
}

// Of a copy that reads and writes so many bytes together.
double copy_time(const Device& device, std::size_t bytes, const Options& options) {
  const gpu::DeviceMemory to = device.memory(bytes / 2), from = device.memory(bytes / 2);
  device.poison(from.get(), bytes / 2);
  return device.milliseconds(options.repeats, [&] { device.copy(to.get(), from.get(), bytes / 2); });
}

template <class S>
void job_row(const Device& device, const std::string& name, const Mechanism& robot, const std::string& job,
             const Options& options) {
  const std::vector<std::string> jobs = words(job, '+');
  std::vector<BatchJob> asked;
  for (const std::string& name_of_job : jobs) asked.push_back({name_of_job, options.formulation});
  GpuBatch<S> batch(robot, asked, gpu_options(options));
  const GpuLayout layout = options.rows ? GpuLayout::rows : GpuLayout::columns;
  const GpuKernelReport kernel = batch.kernels(layout).front();
  std::size_t numbers = 0, states = std::size_t(1) << options.log_states;
  for (const Input input : batch.inputs()) numbers += batch.size(input);
  for (const auto& output : batch.outputs()) numbers += output.size();
  while (numbers * states * sizeof(S) > most_bytes) states /= 2;
  const double copied = copy_time(device, numbers * states * sizeof(S), options);
  const Arrays<S> arrays(device, batch, states);
  const auto launch = [&] { batch.launch(states, states, layout, arrays.inputs, arrays.outputs, device.stream()); };
  const bool takes_q = batch.inputs().front() == Input::q;
  double errors[2]{};
  std::size_t unwritten = 0;
  for (const bool far : {true, false}) {  // the times are taken on usual angles
    arrays.fill(far ? 1e5 : 3.14159, robot, takes_q, layout);
    device.poison(arrays.to.get(), std::size_t(arrays.out) * states * sizeof(S));
    launch();
    unwritten += device.not_finite(arrays.to.get(), std::size_t(arrays.out) * states, arrays.single);
    errors[far] = error<S>(robot, batch, jobs, arrays, layout);
  }
  const double time = device.milliseconds(options.repeats, launch);
  const double moved = device.milliseconds(options.repeats, [&] {
    device.move(states, arrays.in, arrays.out, arrays.from.get(), arrays.to.get(), arrays.single);
  });
  std::printf("%-6s %-10s %-6s %8.3f %7.0f %7.1f %% %7.1f %% %5d %5d %5.0f %% %6d %9.1e %9.1e %6zu  %s\n", name.c_str(),
              job.c_str(), arrays.single ? "float" : "double", double(states) / time * 1e-6,
              double(arrays.bytes()) / time * 1e-6, 100.0 * copied / time, 100.0 * moved / time, kernel.registers,
              kernel.block, 100.0 * kernel.occupancy, kernel.local_bytes, errors[0], errors[1], unwritten,
              kernel.formulation.c_str());
  std::fflush(stdout);
}

// wᵀ ∂r/∂x for every input x, beside a copy of as many bytes.
template <class S>
void gradient_row(const Device& device, const std::string& name, const Mechanism& robot, std::string_view job,
                  const Options& options) {
  GpuGradient<S> gradient(robot, job, gpu_options(options));
  const GpuLayout layout = options.rows ? GpuLayout::rows : GpuLayout::columns;
  const GpuKernelReport kernel = gradient.kernel(layout);
  const std::size_t states = std::size_t(1) << options.log_states, array = gradient.size() * states;
  const std::size_t bytes = 7 * array * sizeof(S);
  const double copied = copy_time(device, bytes, options);
  const gpu::DeviceMemory memory = device.memory(bytes);
  constexpr bool single = std::same_as<S, float>;
  device.fill(memory.get(), 4 * array, single, 3.0, 1);
  S* const first = reinterpret_cast<S*>(memory.get());
  const std::vector<const S*> in{first, first + array, first + 2 * array, first + 3 * array};
  const std::vector<S*> out{first + 4 * array, first + 5 * array, first + 6 * array};
  const double time =
      device.milliseconds(options.repeats, [&] { gradient.launch(states, states, layout, in, out, device.stream()); });
  const std::size_t bad = device.not_finite(memory.get() + 4 * array * sizeof(S), 3 * array, single);
  std::printf("%-6s %-10s %-6s %8.3f %7.0f %7.1f %% %5d %5d %5.0f %% %6d %6zu  %s\n", name.c_str(),
              std::string(job).c_str(), single ? "float" : "double", double(states) / time * 1e-6,
              double(bytes) / time * 1e-6, 100.0 * copied / time, kernel.registers, kernel.block,
              100.0 * kernel.occupancy, kernel.local_bytes, bad, kernel.formulation.c_str());
  std::fflush(stdout);
}

template <class S>
void rollout_row(const Device& device, const std::string& name, const Mechanism& robot, RolloutLaw law,
                 RolloutScheme scheme, const Options& options) {
  RolloutOptions rollout;
  rollout.law = law;
  rollout.scheme = scheme;
  const std::size_t n = std::size_t(robot.nv()), arms = std::size_t(1) << std::min(options.log_states, 20),
                    steps = 1000;
  if (rollout_law_info(law).has_gains) {
    rollout.kp.assign(n, 20.0);
    rollout.kd.assign(n, 5.0);
  }
  const GpuRollout<S> kernel(robot, rollout, gpu_options(options));
  const gpu::DeviceMemory target = device.memory(std::max(arms, steps) * n * sizeof(S)),
                          q = device.memory(arms * n * sizeof(S)), qd = device.memory(arms * n * sizeof(S));
  constexpr bool single = std::same_as<S, float>;
  device.fill(target.get(), std::max(arms, steps) * n, single, 1.0, 1);
  const auto start = [&] {
    device.fill(q.get(), arms * n, single, 1.0, 2);
    device.fill(qd.get(), arms * n, single, 0.1, 3);
  };
  start();
  const double time = device.milliseconds(3, [&] {
    kernel.launch(arms, arms, steps, 1e-4, reinterpret_cast<const S*>(target.get()), reinterpret_cast<S*>(q.get()),
                  reinterpret_cast<S*>(qd.get()), device.stream());
  });
  start();
  kernel.launch(arms, arms, steps, 1e-4, reinterpret_cast<const S*>(target.get()), reinterpret_cast<S*>(q.get()),
                reinterpret_cast<S*>(qd.get()), device.stream());
  const std::size_t bad = device.not_finite(q.get(), arms * n, single);
  const GpuKernelReport report = kernel.kernel();
  std::printf("%-6s %-16s %-6s %-6s %8.2f %5d %5d %5.0f %% %6d %6zu\n", name.c_str(),
              std::string(rollout_law_info(law).name).c_str(), scheme == RolloutScheme::rk4 ? "rk4" : "euler",
              single ? "float" : "double", double(arms) * double(steps) / time * 1e-6, report.registers, report.block,
              100.0 * report.occupancy, report.local_bytes, bad);
  std::fflush(stdout);
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Arrays of the host, in page-locked memory and not, beside what the bus moves at best.
template <class S>
void host_row(const Device& device, const std::string& name, const Mechanism& robot, const Options& options) {
  const std::size_t states = std::size_t(1) << std::min(options.log_states, 24), n = std::size_t(robot.nv());
  GpuBatch<S> batch(robot, {{"inverse"}}, gpu_options(options));
  const gpu::PinnedMemory locked(device.session(), 4 * n * states * sizeof(S));
  const gpu::DeviceMemory there = device.memory(4 * n * states * sizeof(S));
  std::vector<S> plain(4 * n * states);
  for (std::size_t k = 0; k < plain.size(); ++k) plain[k] = S(std::remainder(0.37 * double(k % 100003), 3.0));
  std::memcpy(locked.get(), plain.data(), plain.size() * sizeof(S));
  const double up = double(3 * n * states * sizeof(S));
  const double bus = device.milliseconds(3, [&] {
    CATENA_CUDA(device.session()->driver(), cuMemcpyHtoDAsync_v2, there.get(), locked.get(), std::size_t(up),
                device.stream());
  });
  for (const bool in_rows : {false, true})
    for (const bool is_locked : {true, false}) {
      S* const data = is_locked ? static_cast<S*>(locked.get()) : plain.data();
      const auto laid = [&](auto* array) {
        return in_rows ? states_in_rows(array, n) : states_in_columns(array, states);
      };
      BatchInputs<S> in;
      std::size_t at = 0;
      for (const Input input : batch.inputs()) in[input] = laid(static_cast<const S*>(data) + n * states * at++);
      const std::vector<StateArray<S>> out{laid(data + 3 * n * states)};
      batch.run(states, in, out);
      double best = HUGE_VAL;
      for (int k = 0; k < 5; ++k) best = std::min(best, seconds_of([&] { batch.run(states, in, out); }));
      std::printf("%-6s inverse %-6s %-8s %-12s %8.3f  up %6.1f GB/s of %6.1f, %5.1f %%\n", name.c_str(),
                  std::same_as<S, float> ? "float" : "double", in_rows ? "rows" : "columns",
                  is_locked ? "page-locked" : "pageable", double(states) / best * 1e-9, up / best * 1e-9,
                  up / bus * 1e-6, 100.0 * bus * 1e-3 / best);
      std::fflush(stdout);
    }
}

template <class S>
void all_rows(const Device& device, const Options& options, const std::string& part) {
  for (const std::string& name : options.robots) {
    const Mechanism robot = make_mechanism(robot_named(name));
    if (part == "jobs")
      for (const std::string& job : options.jobs) try {
          job_row<S>(device, name, robot, job, options);
        } catch (const GpuError& error) {
          std::printf("%-6s %-10s %s\n", name.c_str(), job.c_str(), error.what());
        }
    if (part == "gradient")
      for (const DerivativesInfo& known : all_derivatives) gradient_row<S>(device, name, robot, known.job, options);
    if (part == "rollout")
      for (const RolloutScheme scheme : {RolloutScheme::semi_implicit_euler, RolloutScheme::rk4})
        for (const RolloutLawInfo& law : rollout_laws()) rollout_row<S>(device, name, robot, law.law, scheme, options);
    if (part == "host") host_row<S>(device, name, robot, options);
  }
}

void print_heading(const std::string& part) {
  if (part == "jobs")
    std::printf(
        "\nrobot  job        scalar  1e9/s    GB/s  of copy   of move   regs block  occ.    local  error pi  error 1e5 "
        " unwritten  formulation\n");
  if (part == "gradient")
    std::printf(
        "\nrobot  gradient   scalar  1e9/s    GB/s  of copy   regs block  occ.    local not-finite  formulation\n");
  if (part == "rollout")
    std::printf("\nrobot  law              scheme scalar  1e9 steps/s  regs block occ. local not-finite\n");
  if (part == "host")
    std::printf("\nrobot  host arrays: 1e9 states/s, bytes to the device a second beside a plain copy\n");
}

}  // namespace
}  // namespace catena::bench

int main(int count, char** arguments) try {
  using namespace catena;
  using namespace catena::bench;
  const Options options = parse(count, arguments);
  const GpuSurvey survey = survey_gpus();
  if (!survey.usable()) throw GpuError(survey.no_driver);
  const GpuDevice& used = survey.devices.at(std::size_t(options.device));
  std::printf("%s, sm_%s, %d multiprocessors; driver for CUDA %s, NVRTC %s; 2^%d states\n", used.name.c_str(),
              used.architecture().c_str(), used.multiprocessors, survey.driver_version.c_str(),
              survey.compiler_version.c_str(), options.log_states);
  const Device device(options.device);
  for (const std::string& part : options.parts) {
    print_heading(part);
    if (has(options.scalars, "float")) all_rows<float>(device, options, part);
    if (has(options.scalars, "double")) all_rows<double>(device, options, part);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "catena_gpu_bench: %s\n", error.what());
  return 1;
}
