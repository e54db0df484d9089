#include "engines/cuda/host_run.hpp"

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstring>
#include <thread>

#include "engines/batch/at_rest.hpp"
#include "jobs/checks.hpp"

namespace catena::gpu {
namespace {

constexpr std::size_t usual_staging = std::size_t(32) << 20, fewest_states = 1024, slot_count = 4;
constexpr std::size_t piece_states = 4096;  // number that one thread copies at a time
constexpr int memory_type = 2;              // CUpointer_attribute
constexpr unsigned of_host = 1;             // CUmemorytype

int copying_threads(int asked) {
  if (asked < 0) throw std::invalid_argument("threads: " + std::to_string(asked) + " is not a number of threads");
  return asked > 0 ? asked : std::clamp(int(std::thread::hardware_concurrency()), 1, 16);
}

// Marks and counts the states with an entry that is not finite.
constexpr const char* check_text =
    R"(extern "C" __global__ void catena_check(unsigned long long count, long long by_state,
    long long by_entry, unsigned long long entries, const @real *a, unsigned char *flags, unsigned *bad)
{
  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;
  @real sum = 0;
  unsigned long long j;
  if (k >= count) return;
  for (j = 0; j < entries; ++j) sum += 0*a[(long long)k*by_state + (long long)j*by_entry];
  if (sum == 0 || flags[k]) return;
  flags[k] = 1;
  atomicAdd(bad, 1u);
}
)";

template <class S>
Kernel make_check(const SessionPointer& session, const GpuOptions& options) {
  std::string text = check_text;
  for (std::size_t at; (at = text.find("@real")) != std::string::npos;)
    text.replace(at, 5, std::same_as<S, float> ? "float" : "double");
  const KernelText check{{std::move(text), {}}, "catena_check"};
  return std::move(make_kernel(session, check, {}, options, [](const Kernel&) {}, {}).kernel);
}

}  // namespace

template <class S>
HostRun<S>::HostRun(SessionPointer session, const Mechanism& robot, Batch<S>& cpu, const GpuOptions& options,
                    Prepare prepare, Launch launch)
    : session_(std::move(session)),
      robot_(robot),
      cpu_(cpu),
      options_(options),
      prepare_(std::move(prepare)),
      launch_(std::move(launch)),
      check_(make_check<S>(session_, options_)),
      pool_(copying_threads(options_.threads)) {
  for (const Input input : cpu_.inputs()) entries_in_ += cpu_.size(input);
  for (const auto& output : cpu_.outputs()) entries_out_ += output.size();
}

template <class S>
bool HostRun<S>::is_pinned(const void* memory) const {
  unsigned type = 0;
  return session_->driver().cuPointerGetAttribute(&type, memory_type, reinterpret_cast<DevicePointer>(memory)) == 0 &&
         type == of_host;
}

template <class S>
void HostRun<S>::describe(Work& work) const {
  bool rows = true;
  const auto add = [&](std::vector<Side>& sides, Side side, const void* memory) {
    side.pinned = (side.by_state == 1 || side.in_rows()) && is_pinned(memory);
    rows &= side.entries == 0 || side.in_rows();
    sides.push_back(side);
  };
  for (const Input input : cpu_.inputs()) {
    const StateArray<const S>& a = work.in[input];
    add(work.sources, {cpu_.size(input), a.data, nullptr, a.by_state, a.by_entry}, a.data);
  }
  for (std::size_t k = 0; k < work.out.size(); ++k) {
    const StateArray<S>& a = work.out[k];
    add(work.targets, {cpu_.outputs()[k].size(), nullptr, a.data, a.by_state, a.by_entry}, a.data);
  }
  work.layout = rows ? GpuLayout::rows : GpuLayout::columns;
  for (auto* sides : {&work.sources, &work.targets})
    for (Side& side : *sides) side.pinned &= rows || side.by_state == 1;
}

template <class S>
void HostRun<S>::make_slots_of(std::size_t states) {
  slots_.clear();
  capacity_ = 0;
  for (std::size_t k = 0; k < slot_count; ++k) {
    Slot slot;
    slot.stream = OwnStream(session_);
    slot.in = DeviceMemory(session_, entries_in_ * states * sizeof(S));
    slot.out = DeviceMemory(session_, entries_out_ * states * sizeof(S));
    slot.flags = DeviceMemory(session_, states);
    slot.bad = DeviceMemory(session_, sizeof(unsigned));
    slot.host_in = PinnedMemory(session_, entries_in_ * states * sizeof(S));
    slot.host_out = PinnedMemory(session_, entries_out_ * states * sizeof(S));
    slot.host_bad = PinnedMemory(session_, sizeof(unsigned));
    slots_.push_back(std::move(slot));
  }
  capacity_ = states;
}

// As many states as asked for, or as the device has memory for.
template <class S>
void HostRun<S>::make_slots(std::size_t states) {
  const std::size_t staging = options_.staging > 0 ? options_.staging : usual_staging;
  std::size_t wanted = std::max(staging / (sizeof(S) * std::max(entries_in_, entries_out_)), fewest_states);
  wanted = std::min(wanted, std::max((states + slot_count - 1) / slot_count, fewest_states));
  if (capacity_ >= wanted) return;
  for (;; wanted /= 2) try {
      return make_slots_of(wanted);
    } catch (const GpuMemoryError&) {
      slots_.clear();
      if (wanted / 2 < fewest_states) throw;
    }
}

template <class S>
std::vector<DevicePointer> HostRun<S>::places(const Slot& slot, const std::vector<Side>& sides,
                                              DevicePointer first) const {
  std::vector<DevicePointer> all;
  for (const Side& side : sides) {
    all.push_back(first);
    first += side.entries * slot.count * sizeof(S);
  }
  return all;
}

// Copies states first to last of one array between the caller's memory and the block's.
template <class S>
void HostRun<S>::copy_piece(const Work& work, const Slot& slot, const Side& side, S* staged, std::size_t first,
                            std::size_t last) const {
  const auto move = [&](std::ptrdiff_t own, std::size_t there, std::size_t count) {
    if (side.to != nullptr)
      std::memcpy(side.to + own, staged + there, count * sizeof(S));
    else
      std::memcpy(staged + there, side.from + own, count * sizeof(S));
  };
  const auto at = [&](std::size_t state) { return std::ptrdiff_t(slot.start + state) * side.by_state; };
  if (work.layout == GpuLayout::rows) {
    move(at(first), first * side.entries, (last - first) * side.entries);
    return;
  }
  for (std::size_t j = 0; j < side.entries; ++j) {
    const std::ptrdiff_t entry = std::ptrdiff_t(j) * side.by_entry;
    if (side.by_state == 1) {
      move(at(first) + entry, j * slot.count + first, last - first);
      continue;
    }
    S* column = staged + j * slot.count;
    if (side.to != nullptr)
      for (std::size_t k = first; k < last; ++k) side.to[at(k) + entry] = column[k];
    else
      for (std::size_t k = first; k < last; ++k) column[k] = side.from[at(k) + entry];
  }
}

// Copies all arrays of a block, with several threads.
template <class S>
void HostRun<S>::stage(const Work& work, const Slot& slot, const std::vector<Side>& sides, S* staged) const {
  if (std::all_of(sides.begin(), sides.end(), [](const Side& side) { return side.pinned; })) return;
  const std::size_t pieces = (slot.count + piece_states - 1) / piece_states;
  const int workers = int(std::min<std::size_t>(pieces, std::size_t(pool_.threads())));
  std::atomic<std::size_t> next{0};
  pool_.run(workers, [&](int) {
    for (std::size_t piece; (piece = next++) < pieces;) {
      const std::size_t first = piece * piece_states, last = std::min(slot.count, first + piece_states);
      S* here = staged;
      for (const Side& side : sides) {
        if (!side.pinned && side.entries > 0) copy_piece(work, slot, side, here, first, last);
        here += side.entries * slot.count;
      }
    }
  });
}

template <class S>
void HostRun<S>::check(const Work& work, Slot& slot) {
  const auto mark = [&](const std::vector<Side>& sides, DevicePointer first) {
    const std::vector<DevicePointer> all = places(slot, sides, first);
    for (std::size_t k = 0; k < sides.size(); ++k) {
      unsigned long long count = slot.count, entries = sides[k].entries;
      const bool rows = work.layout == GpuLayout::rows;
      long long by_state = rows ? (long long)entries : 1, by_entry = rows ? 1 : (long long)count;
      DevicePointer array = all[k], flags = slot.flags.get(), bad = slot.bad.get();
      void* arguments[] = {&count, &by_state, &by_entry, &entries, &array, &flags, &bad};
      if (entries > 0) check_.launch(count, slot.stream.get(), arguments);
    }
  };
  mark(work.sources, slot.in.get());
  mark(work.targets, slot.out.get());
}

template <class S>
void HostRun<S>::send(Work& work, Slot& slot, std::size_t start, std::size_t count) {
  const Driver& driver = session_->driver();
  const Stream stream = slot.stream.get();
  slot.start = start;
  slot.count = count;
  S* const staged_in = static_cast<S*>(slot.host_in.get());
  stage(work, slot, work.sources, staged_in);
  const auto each_copy = [&](const Side& side, DevicePointer there, S* staged, auto&& copy) {
    const std::ptrdiff_t own = std::ptrdiff_t(start) * side.by_state;
    if (side.entries == 0) return;
    if (!side.pinned || side.in_rows()) {
      copy(there, side.pinned ? own : -1, staged, side.entries * count * sizeof(S));
      return;
    }
    for (std::size_t j = 0; j < side.entries; ++j)
      copy(there + j * count * sizeof(S), own + std::ptrdiff_t(j) * side.by_entry, nullptr, count * sizeof(S));
  };
  const std::vector<DevicePointer> in = places(slot, work.sources, slot.in.get()),
                                   out = places(slot, work.targets, slot.out.get());
  for (std::size_t k = 0; k < in.size(); ++k) {
    const Side& side = work.sources[k];
    S* staged = staged_in + (in[k] - slot.in.get()) / sizeof(S);
    each_copy(side, in[k], staged, [&](DevicePointer to, std::ptrdiff_t own, S* from, std::size_t bytes) {
      CATENA_CUDA(driver, cuMemcpyHtoDAsync_v2, to, own >= 0 ? side.from + own : from, bytes, stream);
    });
  }
  CATENA_CUDA(driver, cuMemsetD8Async, slot.flags.get(), 0, count, stream);
  CATENA_CUDA(driver, cuMemsetD8Async, slot.bad.get(), 0, sizeof(unsigned), stream);
  std::vector<const S*> inputs;
  std::vector<S*> outputs;
  for (const DevicePointer p : in) inputs.push_back(reinterpret_cast<const S*>(p));
  for (const DevicePointer p : out) outputs.push_back(reinterpret_cast<S*>(p));
  launch_(count, count, work.layout, inputs, outputs, stream);
  check(work, slot);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Side& side = work.targets[k];
    S* staged = static_cast<S*>(slot.host_out.get()) + (out[k] - slot.out.get()) / sizeof(S);
    each_copy(side, out[k], staged, [&](DevicePointer from, std::ptrdiff_t own, S* to, std::size_t bytes) {
      CATENA_CUDA(driver, cuMemcpyDtoHAsync_v2, own >= 0 ? side.to + own : to, from, bytes, stream);
    });
  }
  CATENA_CUDA(driver, cuMemcpyDtoHAsync_v2, slot.host_bad.get(), slot.bad.get(), sizeof(unsigned), stream);
}

template <class S>
void HostRun<S>::receive(Work& work, Slot& slot) {
  const Driver& driver = session_->driver();
  driver.require(driver.cuStreamSynchronize(slot.stream.get()), "cuStreamSynchronize",
                 "the CUDA device failed on states " + std::to_string(slot.start + 1) + " to " +
                     std::to_string(slot.start + slot.count));
  stage(work, slot, work.targets, static_cast<S*>(slot.host_out.get()));
  settle(work, slot);
  work.report.states = slot.start + slot.count;
  slot.count = 0;
}

// Decides about the states in doubt.
template <class S>
void HostRun<S>::settle(Work& work, Slot& slot) {
  std::vector<unsigned char> flags(slot.count);
  if (*static_cast<const unsigned*>(slot.host_bad.get()) != 0) {
    const Driver& driver = session_->driver();
    CATENA_CUDA(driver, cuMemcpyDtoHAsync_v2, flags.data(), slot.flags.get(), slot.count, slot.stream.get());
    CATENA_CUDA(driver, cuStreamSynchronize, slot.stream.get());
  } else if (!robot_.coordinates.is_free()) {
    return;
  }
  for (std::size_t k = 0; k < slot.count; ++k) {
    bool doubtful = flags[k] != 0;
    if (robot_.coordinates.is_free() && !doubtful) {  // compiled code does not check quaternions
      std::array<S, 7> at{};
      for (std::size_t j = 3; j < at.size(); ++j) at[j] = work.in.q(slot.start + k, j);
      doubtful = !has_unit_quaternion<S>(at);
    }
    if (doubtful) judge(work, slot.start + k);
  }
}

template <class S>
void HostRun<S>::judge(Work& work, std::size_t state) {
  BatchInputs<S> in;
  for (const Input input : cpu_.inputs()) in[input] = work.in[input].from(state);
  std::vector<StateArray<S>> out;
  for (const StateArray<S>& array : work.out) out.push_back(array.from(state));
  const BatchReport one = cpu_.run(1, in, out);
  if (one.failed == 0) return;
  if (work.report.failed++ == 0) {
    work.report.first_failed = state;
    work.report.why = one.why;
  }
}

template <class S>
BatchReport HostRun<S>::run(std::size_t states, const BatchInputs<S>& given, std::span<const StateArray<S>> out,
                            const Progress& progress) {
  const BatchInputs<S> in = batch::or_at_rest(given);
  Work work{states, in, out, {}, {}};
  cpu_.run(0, in, out);  // reports what is wrong with missing arrays
  for (const Input input : cpu_.inputs())
    if (states > 0 && in[input].data == nullptr && cpu_.size(input) > 0)
      throw std::invalid_argument(std::string(info_of(input).name) + " is not given");
  for (std::size_t k = 0; k < out.size(); ++k)
    if (states > 0 && cpu_.outputs()[k].size() > 0) {
      if (out[k].data == nullptr) throw std::invalid_argument("no array for " + cpu_.outputs()[k].name);
      if ((states > 1 && out[k].by_state == 0) || (cpu_.outputs()[k].size() > 1 && out[k].by_entry == 0))
        throw std::invalid_argument("the array for " + cpu_.outputs()[k].name + " has a stride of 0");
    }
  if (states == 0) return work.report;
  const Session::Current current(*session_);
  describe(work);
  prepare_(work.layout);
  make_slots(states);
  // In any case, no copy may still be under way into memory that is being freed.
  const std::shared_ptr<void> at_the_end(nullptr, [&](void*) {
    for (Slot& slot : slots_) {
      if (slot.count > 0) session_->driver().cuStreamSynchronize(slot.stream.get());
      slot.count = 0;
    }
  });
  std::size_t next = 0, block = 0;
  for (; next < states && !work.report.stopped; ++block) {
    Slot& slot = slots_[block % slots_.size()];
    if (slot.count > 0) {
      receive(work, slot);
      work.report.stopped = progress && !progress(work.report.states);
    }
    if (work.report.stopped) break;
    const std::size_t count = std::min(capacity_, states - next);
    send(work, slot, next, count);
    next += count;
  }
  for (std::size_t k = 0; k < slots_.size(); ++k)
    if (Slot& slot = slots_[(block + k) % slots_.size()]; slot.count > 0) {
      receive(work, slot);
      if (progress && !work.report.stopped) work.report.stopped = !progress(work.report.states) && next < states;
    }
  return work.report;
}

template class HostRun<double>;
template class HostRun<float>;

}  // namespace catena::gpu
