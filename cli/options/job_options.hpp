// The options of a command that computes jobs, and the jobs at one state: all derived from the job descriptions.
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
  std::string renamed;           // name of the result; empty: as in the description
  std::vector<Input> left_zero;  // inputs of the job for which the command has neither an option nor a column

  // Called with every state, its results and, for a table, the carried columns with their names; used for a page.
  struct Seen {
    std::span<const double> values, results;
    std::string_view carried_names, carried;
  };
  std::function<void(const JobPass& pass, const Seen& seen)> watch;

  std::vector<std::string> motions;  // options by which this command reads states in its own way

  // Adds the options that any of the jobs needs.
  void add(CLI::App& command, const JobSet& jobs);
  // Declares which of them go together, once all options of the command have been added.
  void pair(CLI::App& command) const;
  // Checks that the state is given only once.
  void require_consistent() const;
  // The robot as computed: on a moving base, where one is given.
  Mechanism mechanism(const Robot& robot) const { return base.carried(model.mechanism(robot)); }
  // In radians and metres; zeros where not given.
  std::vector<double> input(const InputInfo& info, const Robot& robot) const;
};

// The results of several jobs at one state, concatenated, and their names.
class JobPass {
 public:
  JobPass(const JobOptions& options, const JobSet& jobs, Robot robot);

  const Robot& robot() const { return robot_; }
  const Mechanism& mechanism() const { return mechanism_; }
  const std::vector<Call<double>>& calls() const { return calls_; }
  const std::vector<InputInfo>& inputs() const { return inputs_; }
  std::size_t size() const;
  std::vector<std::string> groups() const;  // inputs, in the order of a table's columns
  // results: tau1, …, M1_1, M1_2, …, kinetic_energy; with joint names: tau:elbow, …
  std::vector<std::string> columns(bool named = false) const;
  std::vector<std::string> vectors() const;  // the results with one number per joint: tau

  // Refuses numbers that would be ignored: a torque of a passive joint where no job takes one, or an input that hybrid
  // dynamics does not use for a joint. Throws std::invalid_argument that names the joint.
  void require_read(std::span<const double> values, bool typed) const;
  // values: the inputs of groups(), concatenated.
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
  std::array<double, base_motion_size> base_motion_;  // where the base moves: the same for all states
  int frame_ = tool_frame;
  std::vector<InputInfo> inputs_;
  std::vector<double> zeros_;
  std::vector<Call<double>> calls_;
  std::vector<Part> parts_;
};

std::vector<std::string> names_of(const JobSet& jobs);

// For results that have no choice of formulation: throws UsageError when --method is given together with `other`.
void require_no_method(const JobOptions& options, std::string_view other);

// Whether a result of the jobs contains the links' masses as such; links fixed to the base do not count in it.
bool weighs_links(const JobSet& jobs);

// Throws UsageError when a frame is named and none of the jobs takes one.
void require_frame_used(const std::string& frame, const JobSet& jobs);

// Throws UsageError when an option is given that none of the jobs takes.
void require_used(const JobOptions& options, const JobSet& jobs);

}  // namespace catena::cli
