#include "options/job_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

#include "catena/tables.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

bool takes(const JobSet& jobs, Input input) {
  return std::any_of(jobs.begin(), jobs.end(), [&](const JobInfo* job) { return job->takes(input); });
}
bool takes_frame(const JobSet& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const JobInfo* job) { return job->takes_frame; });
}
bool takes_wrenches(const JobSet& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const JobInfo* job) { return job->feels_wrenches(); });
}

std::string keys_text(const JobSet& jobs) {
  std::vector<std::string> keys;
  for (const JobInfo* job : jobs)
    for (const OutputInfo& output : job->outputs) keys.emplace_back(output.name);
  return fmt::format("print one JSON object: {}, method, engine", fmt::join(keys, ", "));
}

Json numbers(std::span<const double> values) { return std::vector<double>(values.begin(), values.end()); }

// The heading of a vector: "torque".
std::string title_of(const JobInfo& job, const OutputInfo& output) {
  if (job.outputs.size() > 1) return std::string(output.name);
  const std::string_view article = "the ";
  return std::string(job.result.starts_with(article) ? job.result.substr(article.size()) : job.result);
}

}  // namespace

JobSet job_set(const std::string& list) {
  JobSet chosen;
  std::vector<std::string> known;
  for (const JobInfo& job : jobs()) known.emplace_back(job.name);
  for (const std::string& name : split(list, ',')) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(fmt::format("--compute: no job '{}'{}", printable(name), suggest(name, known)));
    const JobInfo* job = &job_info(name);
    if (std::find(chosen.begin(), chosen.end(), job) != chosen.end())
      throw UsageError(fmt::format("--compute: '{}' is asked for twice", printable(name)));
    chosen.push_back(job);
  }
  return chosen;
}

std::vector<std::string> names_of(const JobSet& jobs) {
  std::vector<std::string> names;
  for (const JobInfo* job : jobs) names.emplace_back(job->name);
  return names;
}

bool weighs_links(const JobSet& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const JobInfo* job) {
    using enum Kind;
    return job->gives(potential) || job->gives(momentum) || job->gives(point) || job->gives(tensor);
  });
}

void require_no_method(const JobOptions& options, std::string_view other) {
  if (!options.formulation.empty())
    throw UsageError(fmt::format("{} has only one formulation; leave out --method", other));
}

void require_frame_used(const std::string& frame, const JobSet& jobs) {
  if (frame.empty() || takes_frame(jobs)) return;
  std::vector<std::string_view> takers;
  for (const JobInfo& job : catena::jobs())
    if (job.takes_frame) takers.push_back(job.name);
  throw UsageError(fmt::format("--frame goes with a job that takes one: --compute {}", fmt::join(takers, ", ")));
}

void JobOptions::add(CLI::App& command, const JobSet& jobs) {
  model.add_dynamics(command);
  model.tells_locked = weighs_links(jobs);
  std::vector<std::string_view> groups;
  for (const InputInfo& info : all_inputs) {
    if (!takes(jobs, info.input)) continue;
    groups.push_back(info.name);
    const char first = static_cast<char>(std::toupper(info.words.substr(info.words.find(' ') + 1)[0]));
    command
        .add_option(
            fmt::format("--{}", info.name), inputs[static_cast<std::size_t>(info.input)],
            fmt::format(
                "{}{}; or JOINT=X,...; default all 0", info.words,
                info.unit.turning.empty() ? "" : fmt::format(", {} and {}", info.unit.turning, info.unit.sliding)))
        ->type_name(fmt::format("{0}1,{0}2,...", first));
  }
  command.add_flag("--deg", deg, "revolute joints in degrees; results stay in radians");
  if (takes_frame(jobs))
    command.add_option("--frame", frame, "a link or frame; default the model's tool")->type_name("NAME");
  add_method(command, formulation);
  engine.add(command);
  if (takes_wrenches(jobs)) wrenches.add(command);
  base.add(command);
  command
      .add_option("--states", states,
                  fmt::format("table of states: CSV ({}1,…), .npy, .npz, or - for stdin", fmt::join(groups, "1,…,")))
      ->type_name("FILE");
  command.add_option("-o,--output", output, "where the table goes: CSV, .npy, .npz, or - for stdout (default)")
      ->type_name("FILE");
  command.add_flag("--json", json, keys_text(jobs));
}

void JobOptions::pair(CLI::App& command) const {
  std::vector<std::string> tables{"--states"}, angles;
  tables.insert(tables.end(), motions.begin(), motions.end());
  for (const InputInfo& info : all_inputs)
    if (const std::string name = fmt::format("--{}", info.name);
        info.is_angle() && command.get_option_no_throw(name) != nullptr)
      angles.push_back(name);
  angles.insert(angles.end(), tables.begin(), tables.end());
  angles.emplace_back("--lock");
  goes_with(command, "-o", tables);
  goes_with(command, "--deg", angles);
}

void JobOptions::require_consistent() const {
  if (states.empty()) return;
  if (states == "-") claim_standard_input("--states");
  for (const InputInfo& info : all_inputs)
    if (inputs[static_cast<std::size_t>(info.input)])
      throw UsageError(fmt::format("--states already gives the states; leave out --{}", info.name));
}

std::vector<double> JobOptions::input(const InputInfo& info, const Robot& robot) const {
  const auto& text = inputs[static_cast<std::size_t>(info.input)];
  const std::string option = fmt::format("--{}", info.name);
  return info.input == Input::q ? position_vector(text, option, robot, deg)
                                : joint_vector(text, option, robot, deg && info.is_angle());
}

void require_used(const JobOptions& options, const JobSet& jobs) {
  const auto refuse = [&](const std::string& option) {
    throw UsageError(fmt::format("{}: no job of --compute takes it", option));
  };
  for (const InputInfo& info : all_inputs)
    if (options.inputs[static_cast<std::size_t>(info.input)] && !takes(jobs, info.input))
      refuse(fmt::format("--{}", info.name));
  if (!options.frame.empty() && !takes_frame(jobs)) refuse("--frame");
  if (!options.wrenches.texts.empty() && !takes_wrenches(jobs)) refuse("--wrench");
}

JobPass::JobPass(const JobOptions& options, const JobSet& jobs, Robot robot)
    : robot_(std::move(robot)), mechanism_(options.mechanism(robot_)), singular_(robot_) {
  for (const JobInfo* job : jobs) require_method(options.formulation, job->name);
  wrenches_ = options.wrenches.parse(mechanism_);
  base_motion_ = options.base.motion();
  if (takes_frame(jobs)) frame_ = frame_index(mechanism_, options.frame);
  for (const InputInfo& info : all_inputs)
    if (takes(jobs, info.input) &&
        std::find(options.left_zero.begin(), options.left_zero.end(), info.input) == options.left_zero.end())
      inputs_.push_back(info);
  zeros_.resize(index(mechanism_.nv()));
  const Sizes sizes = sizes_of(mechanism_);
  const auto name_of = [&](const OutputInfo& output, const JobInfo& job) {  // inputs are not listed among the results
    if (!options.renamed.empty()) return options.renamed;
    return jobs.size() == 1 ? std::string(output.name) : output_name(output, job, jobs);
  };
  for (const JobInfo* job : jobs) {
    calls_.push_back(
        options.engine.make(mechanism_, {std::string(job->name), options.formulation, options.states, frame_}));
    for (const OutputInfo& output : job->outputs)
      parts_.push_back({&output, job, name_of(output, *job), index(output.rows(sizes)), index(output.columns(sizes))});
  }
}

std::size_t JobPass::size() const {
  std::size_t total = 0;
  for (const Call<double>& call : calls_) total += call.size();
  return total;
}

std::vector<std::string> JobPass::groups() const {
  std::vector<std::string> names;
  for (const InputInfo& info : inputs_) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> JobPass::vectors() const {
  std::vector<std::string> names;
  for (const Part& part : parts_)
    if (part.info->rows.by_joint() && !part.info->is_matrix()) names.push_back(part.name);
  return names;
}

std::vector<std::string> JobPass::columns_of(const Part& part, bool named) const {
  if (part.info->is_number()) return {part.name};
  std::vector<std::string> names;
  if (named && part.info->rows.by_joint() && !part.info->is_matrix()) {
    const std::vector<std::string> joints =
        part.info->rows.of == Extent::Of::joints ? tree_joint_names(mechanism_) : coordinate_names(mechanism_);
    for (std::size_t j = 0; j < part.rows; ++j) names.push_back(joint_column(part.name, j, joints));
    return names;
  }
  for (std::size_t row = 1; row <= part.rows; ++row)
    for (std::size_t column = 1; column <= part.columns; ++column)
      names.push_back(part.info->is_matrix() ? fmt::format("{}{}_{}", part.name, row, column)
                                             : fmt::format("{}{}", part.name, row));
  return names;
}

std::vector<std::string> JobPass::columns(bool named) const {
  std::vector<std::string> names;
  for (const Part& part : parts_)
    for (std::string& name : columns_of(part, named)) names.push_back(std::move(name));
  return names;
}

void JobPass::require_read(std::span<const double> values, bool typed) const {
  if (!mechanism_.has_passive) return;
  const auto any = [&](auto&& is) { return std::any_of(calls_.begin(), calls_.end(), is); };
  const bool hybrid = any([](const Call<double>& call) { return call.job().only_passive; });
  const bool other = any([](const Call<double>& call) { return !call.job().only_passive; });
  if (hybrid && (other || !typed)) return;  // a row may have all entries: the unused ones are not read
  const Sizes sizes = sizes_of(mechanism_);
  for (const InputInfo& info : inputs_) {
    const std::span<const double> own = values.first(index(info.size(sizes)));
    values = values.subspan(own.size());
    if (info.input != Input::tau && !(hybrid && info.input == Input::qdd)) continue;
    for (std::size_t j = 0; j < own.size(); ++j) {
      const bool passive = mechanism_.is_passive(Coordinate(j));
      const bool read = hybrid ? passive == (info.input == Input::tau) : !passive;
      const bool on_base = mechanism_.coordinates.is_free() && j < base_joints && info.input == Input::tau;  // a wrench
      if (read || on_base || own[j] == 0.0) continue;
      const std::string who = fmt::format("{}joint '{}' is {}passive: ", typed ? fmt::format("--{}: ", info.name) : "",
                                          printable(mechanism_.name_of(Coordinate(j))), passive ? "" : "not ");
      const char* why = !passive                   ? "its torque is a result and must be 0 here"
                        : info.input == Input::tau ? "it has no motor, so its torque must be 0"
                                                   : "its acceleration is a result and must be 0 here";
      throw std::invalid_argument(fmt::format("{}{}, not {:g}", who, why, own[j]));
    }
  }
}

void JobPass::run(std::span<const double> values, std::span<double> results) {
  Inputs<double> in;
  in.tau = zeros_;
  const Sizes sizes = sizes_of(mechanism_);
  for (const InputInfo& info : inputs_) {
    const std::size_t size = index(info.size(sizes));
    in[info.input] = values.first(size);
    values = values.subspan(size);
  }
  if (mechanism_.coordinates.is_moving()) in.base = base_motion_;
  in.frame = frame_;
  singular_.look(in.q);
  for (Call<double>& call : calls_) {
    in.wrenches = call.job().feels_wrenches() ? wrenches_ : std::span<const ExternalWrench<double>>();
    call(in, results.first(call.size()));
    results = results.subspan(call.size());
  }
}

Json JobPass::to_json(std::span<const double> results) const {
  Json out;
  for (const Part& part : parts_) {
    const std::span<const double> entries = results.first(part.rows * part.columns);
    results = results.subspan(entries.size());
    if (part.info->is_matrix()) {
      out[part.name] = rows_of(entries, std::max<std::size_t>(part.columns, 1));
    } else if (part.info->is_number()) {
      out[part.name] = entries.front();
    } else {
      out[part.name] = numbers(entries);
    }
  }
  return out;
}

std::string JobPass::text_of(const Part& part, std::span<const double> entries) const {
  const OutputInfo& info = *part.info;
  if (info.rows.of == Extent::Of::joints) return tree_text(mechanism_, entries, title_of(*part.job, info), info.unit);
  if (info.rows.by_joint() && !info.is_matrix())
    return joint_text(robot_, entries, title_of(*part.job, info), info.unit);
  if (info.is_number()) return fmt::format("{}  {:.10g} {}\n", part.name, entries.front(), info.unit.turning);
  std::vector<std::string> labels(info.row_names.begin(), info.row_names.end());
  if (info.rows.of == Extent::Of::loops) {
    for (const ClosedLoop& loop : mechanism_.coordinates.closure.loops) labels.push_back(loop.name);
  } else if (info.rows.by_joint()) {
    labels = coordinate_names(mechanism_);
  }
  return matrix_text(rows_of(entries, std::max<std::size_t>(part.columns, 1)), labels);
}

std::string JobPass::to_text(std::span<const double> results) const {
  std::string out;
  for (const Part& part : parts_) {
    const std::span<const double> entries = results.first(part.rows * part.columns);
    results = results.subspan(entries.size());
    if (parts_.size() > 1 && !part.info->is_number()) out += fmt::format("{}{}\n", out.empty() ? "" : "\n", part.name);
    out += text_of(part, entries);
  }
  return out;
}

Json JobPass::about() const {
  if (calls_.size() == 1) return engine_json(calls_.front());
  Json all;
  for (const Call<double>& call : calls_) all[std::string(call.job().name)] = engine_json(call);
  return {{"jobs", all}};
}

}  // namespace catena::cli
