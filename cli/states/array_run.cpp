#include "states/array_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "catena/batch.hpp"
#include "catena/gpu.hpp"
#include "catena/tables.hpp"
#include "options/frames.hpp"
#include "output/part_file.hpp"
#include "states/position_doubt.hpp"
#include "system/own_process.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"

namespace catena::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t chunk_bytes = std::size_t{1} << 23;         // size of one chunk of states, or of results
constexpr std::size_t device_chunk_bytes = std::size_t{1} << 28;  // the same for chunks sent to a device
constexpr auto kept_every = std::chrono::milliseconds(250);

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// A progress bar on a terminal, else a line now and then.
class RowProgress {
 public:
  RowProgress(std::uint64_t done, std::uint64_t total) : before_(done), total_(total) {}
  ~RowProgress() { clear(); }
  RowProgress(const RowProgress&) = delete;
  RowProgress& operator=(const RowProgress&) = delete;

  void show(std::uint64_t done) {
    const auto now = Clock::now();
    if (quiet() || now - last_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000)))
      return;
    last_ = now;
    const double rate = double(done - before_) / std::max(1e-9, seconds(now - start_));
    const double share = double(done) / double(total_), left = double(total_ - done) / std::max(rate, 1e-9);
    const std::string text =
        fmt::format("{:3.0f} %, {:.3g} million states/s, {:.0f} s left", 100.0 * share, rate / 1e6, left);
    constexpr int width = 40;
    if (terminal_)
      std::fputs(fmt::format("\r[{:<{}}] {} \x1b[K", std::string(std::size_t(share * width), '='), width, text).c_str(),
                 stderr);
    else
      std::fputs(fmt::format("catena: {}\n", text).c_str(), stderr);
    std::fflush(stderr);
    drawn_ = terminal_;
  }
  void clear() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
    drawn_ = false;
  }

 private:
  std::uint64_t before_, total_;
  bool terminal_ = system::is_terminal(2), drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

std::vector<int> devices_of(const std::string& text) try {
  return parse_devices(text);
} catch (const std::invalid_argument& error) {
  throw UsageError(std::string("--device: ") + error.what());
}

template <class S>
class ArrayRun {
 public:
  ArrayRun(const JobOptions& options, const JobSet& jobs, const ArrayRunOptions& run, const Mechanism& mechanism)
      : options_(options),
        run_(run),
        states_(options.states),
        free_base_(mechanism.coordinates.is_free()),
        batch_(make_batch(options, jobs, run, mechanism)) {
    const auto told = options.base.motion();
    std::copy(told.begin(), told.end(), base_motion_.begin());
    for (const auto& output : batch_.outputs()) columns_ += output.size();
    require_columns();
    if (!run.device.empty()) make_devices(jobs, mechanism);
    for (const BatchEngineReport& engine : batch_.engines())
      if (engine.kind == EngineKind::generic) options.engine.explain_generic(engine.why);
  }

  void run() {
    const InterruptGuard interrupt;
    PartFile file(options_.output, array_header(states_.rows(), columns_, sizeof(S) == sizeof(float)),
                  columns_ * sizeof(S), identity(), run_.restart);
    progress_ = file.done();
    if (progress_.rows > 0)
      note(fmt::format("catena: continuing after {} of {} states", progress_.rows, states_.rows()));
    compute(file);
    if (progress_.rows < states_.rows())
      throw Interrupted(fmt::format("interrupted: {} of {} states are done; the same command continues", progress_.rows,
                                    states_.rows()));
    file.finish();
    report();
  }

 private:
  Batch<S> make_batch(const JobOptions& options, const JobSet& jobs, const ArrayRunOptions& run,
                      const Mechanism& mechanism) const {
    std::vector<BatchJob> asked;
    bool takes_frame = false;
    for (const JobInfo* job : jobs) {
      require_method(options.formulation, job->name);
      asked.push_back({std::string(job->name), options.formulation});
      takes_frame = takes_frame || job->takes_frame;
    }
    BatchOptions chosen;
    chosen.engine = batch_engine(options.engine.name);
    chosen.threads = run.threads;
    chosen.compile.progress = compile_watch();
    chosen.states = static_cast<std::size_t>(states_.rows());
    chosen.wrenches = options.wrenches.parse(mechanism);
    if (takes_frame) chosen.frame = frame_index(mechanism, options.frame);
    return Batch<S>(mechanism, asked, chosen);
  }

  void make_devices(const JobSet& jobs, const Mechanism& mechanism) {
    if (options_.engine.name == "compiled") throw UsageError("--device takes the place of --engine compiled");
    std::vector<WrenchPlace> places;
    for (const auto& w : options_.wrenches.parse(mechanism)) {
      places.push_back({w.frame, w.axes});
      for (const double entry : {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z})
        pushes_.push_back(S(entry));
    }
    std::vector<BatchJob> asked;
    GpuOptions chosen;
    chosen.threads = run_.threads;
    for (const JobInfo* job : jobs) {
      asked.push_back({std::string(job->name), options_.formulation});
      if (job->takes_frame) chosen.frame = frame_index(mechanism, options_.frame);
    }
    devices_.emplace(with_wrenches(mechanism, std::move(places)), asked, devices_of(run_.device), chosen);
  }
  BatchReport run_batch(std::size_t count, const BatchInputs<S>& in, const std::vector<StateArray<S>>& out,
                        const typename Batch<S>::Progress& progress = {}) {
    if (!devices_) return batch_.run(count, in, out, progress);
    BatchInputs<S> on_device = in;
    on_device.pushes = {pushes_.data(), 0, 1};
    return devices_->run(count, on_device, out, progress);
  }

  // The columns must hold the first few groups of inputs; the other groups are zero.
  void require_columns() {
    std::uint64_t columns = 0;
    std::vector<std::string> widths, names;
    for (const Input input : batch_.inputs()) {
      if (!info_of(input).by_joint()) continue;
      columns += batch_.size(input);
      names.emplace_back(info_of(input).name);
      widths.push_back(fmt::format("{} ({})", columns, fmt::join(names, ", ")));
      if (columns == states_.columns()) groups_ = names.size();
    }
    if (groups_ == 0)
      throw InputError(fmt::format("{}: the array has {} columns; this robot takes {}", options_.states,
                                   states_.columns(), fmt::join(widths, " or ")));
  }

  // Everything that determines the bits of the result. The model, the engine and the machine's level show in the probe.
  PartFile::Identity identity() {
    std::vector<std::string> jobs;
    for (const auto& output : batch_.outputs())
      if (jobs.empty() || jobs.back() != output.job->name) jobs.emplace_back(output.job->name);
    return {
        {"--compute", fmt::format("{}", fmt::join(jobs, ","))},
        {"--precision", sizeof(S) == sizeof(float) ? "float" : "double"},
        {"--engine", options_.engine.name},
        {"--device", run_.device.empty() ? "the CPU" : run_.device},
        {"--method", options_.formulation.empty() ? "the fastest" : options_.formulation},
        {"file of states", fmt::format("{} bytes of {}, changed {}", states_.bytes(),
                                       std::filesystem::path(options_.states).filename().string(), states_.changed())},
        {"model, option or engine", probe()}};
  }
  std::string probe() {
    constexpr std::size_t count = 40;
    std::vector<S> in, out(count * columns_);
    for (std::size_t k = 0; k < count * states_.columns(); ++k) {
      const std::size_t column = k % states_.columns();
      const bool turn = free_base_ && column >= 3 && column <= base_joints;  // zero rotation: a quaternion of length 1
      in.push_back(turn ? S(column == base_joints) : S(std::remainder(0.37 + 1.7 * double(k), 3.0)));
    }
    run_batch(count, inputs(in.data()), outputs(out.data()));
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    const auto* bytes = reinterpret_cast<const unsigned char*>(out.data());
    for (std::size_t k = 0; k < out.size() * sizeof(S); ++k) hash = (hash ^ bytes[k]) * 1099511628211U;
    return fmt::format("results {:016x}", hash);
  }

  BatchInputs<S> inputs(const S* rows) const {
    BatchInputs<S> in;
    std::size_t k = 0, column = 0;
    for (const Input input : batch_.inputs()) {
      if (input == Input::base_motion)
        in[input] = {base_motion_.data(), 0, 1};
      else if (k++ < groups_)
        in[input] = {rows + column, static_cast<std::ptrdiff_t>(states_.columns()), 1};
      else
        in[input] = {&zero_, 0, 0};
      column += batch_.size(input);
    }
    return in;
  }
  std::vector<StateArray<S>> outputs(S* rows) const {
    std::vector<StateArray<S>> out;
    for (const auto& output : batch_.outputs()) {
      out.push_back({rows, static_cast<std::ptrdiff_t>(columns_), 1});
      rows += output.size();
    }
    return out;
  }

  void compute(PartFile& file) {
    const std::size_t row_bytes = sizeof(S) * std::max<std::size_t>({columns_, std::size_t(states_.columns()), 1});
    const std::uint64_t most = std::max<std::size_t>((devices_ ? device_chunk_bytes : chunk_bytes) / row_bytes, 1);
    RowProgress shown(progress_.rows, states_.rows());
    auto kept = Clock::now();
    while (progress_.rows < states_.rows() && !interrupted()) {
      const std::uint64_t count = std::min(most, states_.rows() - progress_.rows);
      if (!compute_chunk(file, count, shown)) break;
      if (Clock::now() - kept < kept_every && progress_.rows < states_.rows()) continue;
      file.keep(progress_);
      kept = Clock::now();
    }
    file.keep(progress_);
  }
  bool compute_chunk(PartFile& file, std::uint64_t count, RowProgress& shown) {
    const S* rows = nullptr;
    if (states_.is_double() == (sizeof(S) == sizeof(double)) && (states_.is_double() || states_.is_float())) {
      rows = static_cast<const S*>(states_.window(progress_.rows, count));
      if (reinterpret_cast<std::uintptr_t>(rows) % alignof(S) != 0) rows = nullptr;
    }
    if (rows == nullptr) {
      states_.read(progress_.rows, count, converted_);
      rows = converted_.data();
    }
    results_.resize(count * columns_);
    const BatchReport done = run_batch(count, inputs(rows), outputs(results_.data()), [&](std::size_t states) {
      shown.show(progress_.rows + states);
      return !interrupted();
    });
    if (done.failed > 0) remember(done);
    file.write(progress_.rows, results_.data(), done.states * columns_ * sizeof(S));
    progress_.rows += done.states;
    shown.show(progress_.rows);
    return !done.stopped;
  }
  void remember(const BatchReport& done) {
    if (progress_.failed == 0) progress_.first_failed = progress_.rows + done.first_failed, why_ = done.why;
    progress_.failed += done.failed;
  }

  void report() const {
    std::vector<std::string> places;
    std::size_t column = 1;
    for (const auto& output : batch_.outputs()) {
      places.push_back(fmt::format("{} {}-{}", output.name, column, column + output.size() - 1));
      column += output.size();
    }
    if (options_.json)
      emit(json_line(about()));
    else
      note(fmt::format("catena: {}: {} rows, columns {}", options_.output, states_.rows(), fmt::join(places, ", ")));
    if (progress_.failed == 0) return;
    throw FailedAt(fmt::format("{}: row {}{}; {} of {} rows have no result and are NaN in {}", options_.states,
                               progress_.first_failed + 1, why_.empty() ? "" : ": " + why_, progress_.failed,
                               states_.rows(), options_.output));
  }
  Json about() const {
    Json out{{"output", options_.output}, {"rows", states_.rows()}, {"failed", progress_.failed}};
    std::size_t k = 0;
    const JobInfo* latest = nullptr;
    const std::vector<GpuKernelReport> kernels = devices_ ? devices_->used() : std::vector<GpuKernelReport>{};
    for (const auto& output : batch_.outputs()) {
      if (output.job == latest) continue;
      latest = output.job;
      if (devices_) {
        const GpuKernelReport& kernel = kernels[k++];
        out["jobs"][std::string(latest->name)] = {{"method", kernel.formulation},
                                                  {"engine", run_.device},
                                                  {"registers", kernel.registers},
                                                  {"occupancy", kernel.occupancy}};
        continue;
      }
      const BatchEngineReport& engine = batch_.engines()[k++];
      out["jobs"][std::string(latest->name)] = {
          {"method", engine.formulation},
          {"engine", engine.kind == EngineKind::compiled ? "compiled" : "generic"},
          {"lanes", engine.lanes}};
    }
    return out;
  }

  const JobOptions& options_;
  const ArrayRunOptions& run_;
  ArrayFile states_;
  bool free_base_;
  Batch<S> batch_;
  std::optional<GpuSlices<S>> devices_;
  std::size_t columns_ = 0, groups_ = 0;
  PartFile::Progress progress_;
  std::string why_;
  S zero_ = S(0);
  std::array<S, base_motion_size> base_motion_{};  // where the base moves: the same for all states
  std::vector<S> pushes_;                          // of wrenches on devices: the same for all states
  std::vector<S> converted_, results_;
};

}  // namespace

namespace {

// Checks only the first rows, where degrees already show; checking all would cost a noticeable share of the time.
void question_states(const std::string& path, const Robot& robot, std::size_t positions) {
  constexpr std::uint64_t looked_at = 1000;
  ArrayFile states(path);
  std::vector<double> rows;
  PositionDoubt doubt(robot, false);
  if (states.columns() < positions) return;
  states.read(0, std::min(looked_at, states.rows()), rows);
  for (std::size_t k = 0; k * states.columns() < rows.size(); ++k)
    doubt.look(std::span(rows).subspan(k * states.columns(), positions),
               [&] { return fmt::format("{}: row {}", path, k + 1); });
}

}  // namespace

std::string why_no_array_run(const JobOptions& options, const Mechanism& mechanism) {
  if (!ArrayFile::is_one(options.states) || !options.output.ends_with(".npy"))
    return "--states FILE.npy and -o FILE.npy";
  if (options.deg) return "radians, not --deg";
  // Inputs for passive joints are checked row by row, which this run does not do; a free base may have a wrench.
  for (int j = mechanism.coordinates.is_free() ? base_joints : 0; j < mechanism.nv(); ++j)
    if (mechanism.is_passive(Coordinate(j))) return "a robot without passive joints";
  if (mechanism.nv() == 0) return "a robot with moving joints";
  try {
    if (!ArrayFile(options.states).in_rows()) return "an array in C order";
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
  return {};
}

void run_arrays(const JobOptions& options, const JobSet& jobs, const ArrayRunOptions& run, const Robot& robot,
                const Mechanism& mechanism) {
  try {
    question_states(options.states, robot, index(mechanism.nq()));
    if (run.precision == "float")
      ArrayRun<float>(options, jobs, run, mechanism).run();
    else
      ArrayRun<double>(options, jobs, run, mechanism).run();
  } catch (const TableError& error) {
    throw InputError(error.what());
  } catch (const GpuError& error) {
    throw std::runtime_error(fmt::format("--device {}: {}", run.device, error.what()));
  }
}

}  // namespace catena::cli
