#include "jobs/all_jobs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "jobs/checks.hpp"

namespace catena {
namespace {

template <class Job>
JobInfo described() {
  JobInfo info = Job::describe();
  info.standard = [](int joints) { return std::string_view(Job::standard(joints)); };
  info.standard_wide = info.standard;
  if constexpr (requires { Job::standard_wide(1); })
    info.standard_wide = [](int joints) { return std::string_view(Job::standard_wide(joints)); };
  info.in_lanes = Job::template in_lanes<Job>();
  Job::Formulations::for_each([&](auto formulation) {
    info.formulations.push_back(formulation.info);
    if (Job::template interchangeable<decltype(formulation)>) info.interchangeable.push_back(formulation.info.name);
  });
  return info;
}

template <class Items, class Name>
std::string names_of(const Items& items, Name name) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ", ") + std::string(name(item));
  return list;
}

}  // namespace

bool JobInfo::takes(Input input) const { return std::find(inputs.begin(), inputs.end(), input) != inputs.end(); }

bool JobInfo::gives(Kind kind) const {
  return std::any_of(outputs.begin(), outputs.end(), [&](const OutputInfo& output) { return output.kind == kind; });
}
bool JobInfo::is_interchangeable(std::string_view formulation_name) const {
  return std::find(interchangeable.begin(), interchangeable.end(), formulation_name) != interchangeable.end();
}
std::vector<std::string_view> JobInfo::candidates(const Mechanism& robot) const {
  if (inverts_inertia && forming_loses_digits(robot.tree())) return {standard_for(robot)};
  std::vector<std::string_view> list;
  for (const std::string_view formulation_name : interchangeable)
    if (serves(robot, formulation_name)) list.push_back(formulation_name);
  return list;
}
bool JobInfo::feels_wrenches() const {
  const auto feels = [&](Kind kind) { return gives(kind); };
  constexpr Kind felt[] = {
      Kind::torque,       Kind::bias,          Kind::weight,     Kind::stiffness,     Kind::acceleration,
      Kind::found_torque, Kind::response_to_q, Kind::loop_force, Kind::curvature_q_q, Kind::response_curvature};
  return std::any_of(std::begin(felt), std::end(felt), feels);
}

// A chart that is not square solves with M in the user's coordinates; one with accelerations of its own computes
// torques at rest by inverse dynamics.
bool JobInfo::serves(bool square, bool accelerates, std::string_view formulation_name) const {
  if (inverts_inertia && !square)
    return formulation_name == by_matrix || (!by_clusters.empty() && formulation_name == by_clusters);
  if (!accelerates || !(gives(Kind::bias) || gives(Kind::weight))) return true;
  const auto& inverse = job_of(Kind::torque).formulations;
  return std::any_of(inverse.begin(), inverse.end(), [&](const auto& f) { return f.name == formulation_name; });
}

int JobInfo::size(const Sizes& robot) const {
  int total = 0;
  for (const OutputInfo& output : outputs) total += output.size(robot);
  return total;
}

const FormulationInfo& JobInfo::formulation(std::string_view formulation_name) const {
  for (const FormulationInfo& f : formulations)
    if (f.name == formulation_name) return f;
  throw std::invalid_argument("no formulation '" + std::string(formulation_name) + "' of " + std::string(name) +
                              "; known: " + names_of(formulations, [](const auto& f) { return f.name; }));
}

std::string output_name(const OutputInfo& output, const JobInfo& job, std::span<const JobInfo* const> together) {
  const auto clashes = [&](const JobInfo* other) {
    const auto taken = [&](const InputInfo& input) { return input.name == output.name && other->takes(input.input); };
    const auto given = [&](const OutputInfo& theirs) { return other->name != job.name && theirs.name == output.name; };
    return std::any_of(std::begin(all_inputs), std::end(all_inputs), taken) ||
           std::any_of(other->outputs.begin(), other->outputs.end(), given);
  };
  const bool alone = std::none_of(together.begin(), together.end(), clashes);
  return std::string(output.name) + (alone ? "" : "_" + std::string(job.name));
}

const std::vector<JobInfo>& jobs() {
  static const std::vector<JobInfo> list = [] {
    std::vector<JobInfo> all;
    AllJobs::for_each([&](auto job) { all.push_back(described<decltype(job)>()); });
    return all;
  }();
  return list;
}

const JobInfo& job_info(std::string_view name) {
  for (const JobInfo& job : jobs())
    if (job.name == name) return job;
  throw std::invalid_argument("no job '" + std::string(name) +
                              "'; known: " + names_of(jobs(), [](const JobInfo& job) { return job.name; }));
}

const JobInfo& job_of(Kind kind) {
  for (const JobInfo& job : jobs())
    if (job.outputs.size() == 1 && job.outputs.front().kind == kind) return job;
  throw std::logic_error("no single job gives that kind of result");
}

std::vector<FormulationInfo> formulations(std::string_view job) {
  std::vector<FormulationInfo> list;
  for (const JobInfo& info : jobs())
    if (job.empty() || info.name == job) list.insert(list.end(), info.formulations.begin(), info.formulations.end());
  return list;
}

void require_length(std::size_t given, std::size_t needed, std::string_view name) {
  if (given != needed)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(given) + " values, " +
                                std::to_string(needed) + " are needed");
}

}  // namespace catena
