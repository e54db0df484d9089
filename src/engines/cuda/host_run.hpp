// Runs arrays of the host through a device: blocks of states are copied to page-locked memory, to the device, through
// the kernels and back, several blocks in flight at once. Arrays that are page-locked already are copied directly from
// where they are.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "catena/gpu.hpp"
#include "engines/batch/pool.hpp"
#include "engines/cuda/made_kernel.hpp"

namespace catena::gpu {

template <class S>
class HostRun {
 public:
  using Progress = typename Batch<S>::Progress;
  using Prepare = std::function<void(GpuLayout)>;
  using Launch = std::function<void(std::size_t states, std::size_t stride, GpuLayout, std::span<const S* const> in,
                                    std::span<S* const> out, Stream)>;

  HostRun(SessionPointer session, const Mechanism& robot, Batch<S>& cpu, const GpuOptions& options, Prepare prepare,
          Launch launch);
  BatchReport run(std::size_t states, const BatchInputs<S>& given, std::span<const StateArray<S>> out,
                  const Progress& progress);

 private:
  // One block in flight.
  struct Slot {
    OwnStream stream;
    PinnedMemory host_in, host_out, host_bad;
    DeviceMemory in, out, flags, bad;
    std::size_t start = 0, count = 0;  // count 0: free
  };
  // The location of one array on the host.
  struct Side {
    std::size_t entries = 0;
    const S* from = nullptr;  // an input
    S* to = nullptr;          // an output
    std::ptrdiff_t by_state = 0, by_entry = 0;
    bool pinned = false;

    bool in_rows() const { return by_entry == 1 && by_state == std::ptrdiff_t(entries); }
  };
  struct Work {
    std::size_t states;
    const BatchInputs<S>& in;
    std::span<const StateArray<S>> out;
    std::vector<Side> sources, targets;
    GpuLayout layout = GpuLayout::columns;
    BatchReport report{};
  };

  void describe(Work& work) const;
  bool is_pinned(const void* memory) const;
  void make_slots(std::size_t states);
  void make_slots_of(std::size_t states);
  void send(Work& work, Slot& slot, std::size_t start, std::size_t count);
  void check(const Work& work, Slot& slot);
  void receive(Work& work, Slot& slot);
  void settle(Work& work, Slot& slot);
  void judge(Work& work, std::size_t state);
  void stage(const Work& work, const Slot& slot, const std::vector<Side>& sides, S* staged) const;
  void copy_piece(const Work& work, const Slot& slot, const Side& side, S* staged, std::size_t first,
                  std::size_t last) const;
  // The addresses of all arrays of a block on the device.
  std::vector<DevicePointer> places(const Slot& slot, const std::vector<Side>& sides, DevicePointer first) const;

  SessionPointer session_;
  const Mechanism& robot_;
  Batch<S>& cpu_;
  GpuOptions options_;
  Prepare prepare_;
  Launch launch_;
  Kernel check_;
  std::vector<Slot> slots_;
  std::size_t capacity_ = 0;  // states per slot
  std::size_t entries_in_ = 0, entries_out_ = 0;
  mutable batch::Pool pool_;
};

}  // namespace catena::gpu
