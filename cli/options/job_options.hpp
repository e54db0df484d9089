// The options of a command that computes jobs, and the jobs at one state: all of it follows from the descriptions.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/call.hpp"
#include "options/app.hpp"
#include "options/base_options.hpp"
#include "options/efforts.hpp"
#include "options/engine.hpp"
#include "options/model_options.hpp"
#include "options/singular_poses.hpp"
#include "output/output.hpp"

namespace catena::cli {

using JobSet = std::vector<const JobInfo*>;
// "inverse,inertia" as typed after --compute. Throws UsageError.
JobSet job_set(const std::string& list);

class JobPass;

struct JobOptions {
  ModelOptions model;
  std::array<std::optional<std::string>, std::size(all_inputs)> inputs;  // by Input
  std::string formulation;                                               // empty: the fastest
  std::string frame, states, output;
  EngineOption engine;
  WrenchOptions wrenches;
  BaseOptions base;
  bool deg = false, json = false;
  std::string renamed;           // the result is called so; empty: as described
  std::vector<Input> left_zero;  // inputs of the job that the command has no option and no column for

  // Sees every state and its results, and of a table what is carried along, under its names; for a page.
  struct Seen {
    std::span<const double> values, results;
    std::string_view carried_names, carried;
  };
  std::function<void(const JobPass& pass, const Seen& seen)> watch;

  std::vector<std::string> motions;  // options that bring states in a command's own way

  // Adds those that one of the jobs needs.
  void add(CLI::App& command, const JobSet& jobs);
  // Says which of them go together, once all of the command's options are there.
  void pair(CLI::App& command) const;
  // A state is given once.
  void require_consistent() const;
  // The robot as computed: on a base that moves, where one is given.
  Mechanism mechanism(const Robot& robot) const { return base.carried(model.mechanism(robot)); }
  // In radians and metres; zeros for what was not given.
  std::vector<double> input(const InputInfo& info, const Robot& robot) const;
};

// The results of several jobs at one state, in a row, and their names.
class JobPass {
 public:
  JobPass(const JobOptions& options, const JobSet& jobs, Robot robot);

  const Robot& robot() const { return robot_; }
  const Mechanism& mechanism() const { return mechanism_; }
  const std::vector<Call<double>>& calls() const { return calls_; }
  const std::vector<InputInfo>& inputs() const { return inputs_; }
  std::size_t size() const;
  std::vector<std::string> groups() const;  // inputs, in the order of a table's columns
  // results: tau1, …, M1_1, M1_2, …, kinetic_energy; with names of the joints tau:elbow, …
  std::vector<std::string> columns(bool named = false) const;
  std::vector<std::string> vectors() const;  // those that are one number a joint: tau

  // Numbers that nothing would come of: a torque of a passive joint where no job takes one, or what hybrid dynamics
  // does not ask of a joint. Throws std::invalid_argument that names the joint.
  void require_read(std::span<const double> values, bool typed) const;
  // values: the inputs of groups() one after the other.
  void run(std::span<const double> values, std::span<double> results);

  Json to_json(std::span<const double> results) const;
  std::string to_text(std::span<const double> results) const;
  Json about() const;  // method, engine, compile_seconds

 private:
  struct Part {
    const OutputInfo* info;
    const JobInfo* job;
    std::string name;
    std::size_t rows, columns;
  };
  std::vector<std::string> columns_of(const Part& part, bool named) const;
  std::string text_of(const Part& part, std::span<const double> entries) const;

  Robot robot_;
  Mechanism mechanism_;
  SingularPoses singular_;
  std::vector<ExternalWrench<double>> wrenches_;
  std::array<double, base_motion_size> base_motion_;  // where it moves: the same for all states
  int frame_ = tool_frame;
  std::vector<InputInfo> inputs_;
  std::vector<double> zeros_;
  std::vector<Call<double>> calls_;
  std::vector<Part> parts_;
};

std::vector<std::string> names_of(const JobSet& jobs);

// An option that only a formulation's own result listens to. Throws UsageError when one was named beside `other`.
void require_no_method(const JobOptions& options, std::string_view other);

// Whether a job speaks of masses as such: what is fixed to the base is not among them.
bool weighs_links(const JobSet& jobs);

// Throws UsageError when a frame is named and none of the jobs takes one.
void require_frame_used(const std::string& frame, const JobSet& jobs);

// Throws UsageError when an option was given that none of the jobs takes.
void require_used(const JobOptions& options, const JobSet& jobs);

}  // namespace catena::cli
