// Runs a job over a block of states: one engine of Batch. Every thread has its own copy.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "catena/batch.hpp"

namespace catena::batch {

// The verdict on a state: its results are valid, it must be checked by the generic engine, or it has no results.
enum class Verdict : unsigned char { good, doubtful, failed };

inline constexpr std::size_t block_states = 256;  // a multiple of every supported number of lanes

template <class S>
class BlockRunner {
 public:
  BlockRunner() = default;
  virtual ~BlockRunner() = default;
  virtual std::unique_ptr<BlockRunner> clone() const = 0;

  // At most block_states states. True: all are good. Else `verdicts`, initially all good, marks the others.
  virtual bool run(std::size_t states, const BatchInputs<S>& in, const StateArray<S>* out,
                   std::span<Verdict> verdicts) = 0;

 protected:
  BlockRunner(const BlockRunner&) = default;
  BlockRunner& operator=(const BlockRunner&) = default;
};

// What a block runner is created for.
struct Task {
  const Mechanism& robot;
  const JobInfo& job;
  const std::string& formulation;  // empty: the fastest
  const BatchOptions& options;

  int frame() const { return job.takes_frame ? options.frame : tool_frame; }
};

template <class S>
struct MadeBlockRunner {
  std::unique_ptr<BlockRunner<S>> runner;
  BatchEngineReport report;
};

// The fastest block runner that the options allow.
template <class S>
MadeBlockRunner<S> make_block_runner(const Task& task);

// One state after the other, each by a call. An exception becomes a verdict.
template <class S>
class CallBlockRunner final : public BlockRunner<S> {
 public:
  CallBlockRunner(const Mechanism& robot, const JobInfo& job, const std::string& formulation, int frame);
  std::unique_ptr<BlockRunner<S>> clone() const override { return std::make_unique<CallBlockRunner>(*this); }
  bool run(std::size_t states, const BatchInputs<S>& in, const StateArray<S>* out,
           std::span<Verdict> verdicts) override;

  // One state; throws std::domain_error where there is no result.
  void run_one(const BatchInputs<S>& in, const StateArray<S>* out);
  const Call<S>& call() const { return call_; }

 private:
  Call<S> call_;
  std::vector<Input> inputs_;
  int frame_;
  std::vector<std::size_t> sizes_;  // of each output
  std::array<std::vector<S>, std::size(all_inputs)> rows_;
  std::vector<S> results_;
};

}  // namespace catena::batch
