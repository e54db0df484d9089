// catena hash: digests of the bits that jobs give along 1000 steps of a simulation, to hold builds and machines against
// each other.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "catena/call.hpp"
#include "catena/simulation.hpp"
#include "command.hpp"
#include "engines/sha256.hpp"
#include "io/formats.hpp"
#include "options/model_options.hpp"
#include "output/output.hpp"

namespace catena::cli {
namespace hash_command {

struct Options {
  std::vector<std::string> models;
  ModelOptions model;  // shared by all of them
  int steps = 1000;
  bool by_job = false, json = false;
};

class Digest {
 public:
  void add(std::span<const double> numbers) {
    all_.add({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  }
  void add(const std::string& digest) { all_.add(digest); }
  std::string text() { return all_.digest().substr(0, 16); }

 private:
  engines::Sha256 all_;
};

// The robot in free motion from q = 0, by Runge-Kutta of fixed step: no event, no tolerance. Every step depends on all
// bits of those before it.
std::vector<Sample> motion_of(const Mechanism& robot, int steps) {
  SimulationOptions options;
  options.integrator = Integrator::runge_kutta_4;
  options.step = 0x1p-13;  // s: no step is rounded
  Simulation simulation(robot, zero_torque(), options);
  std::vector<double> q(index(robot.nq())), qd(index(robot.nv())), times;
  if (robot.coordinates.is_free()) q[6] = 1.0;
  for (std::size_t j = 0; j < qd.size(); ++j) qd[j] = j % 2 == 0 ? 0.25 : -0.125;
  for (int k = 0; k <= steps; ++k) times.push_back(k * options.step);
  SimulationResult result = simulation.run(q, qd, times);
  if (!result.complete) throw std::runtime_error(result.ended_by);
  return std::move(result.samples);
}

// Of all that the job gives at every sample. q̈, τ and the others are as large as q̇ there: any numbers serve.
std::string digest_of(const Mechanism& robot, const JobInfo& job, const std::vector<Sample>& motion) {
  Call<double> call(robot, job.name);
  std::vector<double> out(call.size());
  const std::vector<double> base(robot.coordinates.is_moving() ? base_motion_size : 0, 0.125);
  Digest digest;
  for (const Sample& at : motion) {
    try {
      call(with_others<double>({.q = at.q, .qd = at.qd, .base = base}, at.qd), out);
      digest.add(out);
    } catch (const std::domain_error& error) {  // no result there: that is the result
      digest.add(std::string(error.what()));
    }
  }
  return digest.text();
}

void run(const Options& options) {
  const std::vector<std::string> models = options.models.empty() ? shipped_models() : options.models;
  std::string text;
  Json robots = Json::array();
  Digest all;
  for (const std::string& model : models) {
    const Mechanism robot = options.model.mechanism(options.model.load(model));
    const std::vector<Sample> motion = motion_of(robot, options.steps);
    Digest steps, total;
    for (const Sample& at : motion) steps.add(at.q), steps.add(at.qd);
    std::vector<std::pair<std::string, std::string>> parts{{"motion", steps.text()}};
    for (const JobInfo& job : jobs()) parts.emplace_back(job.name, digest_of(robot, job, motion));
    Json of_jobs = Json::object();
    for (const auto& [name, digest] : parts) {
      total.add(digest);
      of_jobs[name] = digest;
      if (options.by_job) text += fmt::format("{}  {} {}\n", digest, model_label(model), name);
    }
    const std::string digest = total.text();
    all.add(digest);
    if (!options.by_job) text += fmt::format("{}  {}\n", digest, model_label(model));
    robots.push_back({{"model", model_label(model)}, {"digest", digest}, {"parts", of_jobs}});
  }
  const std::string digest = all.text();
  if (options.json) return emit(json_line({{"steps", options.steps}, {"robots", robots}, {"digest", digest}}));
  if (!options.by_job) text += fmt::format("{}  all\n", digest);
  emit(text);
}

}  // namespace hash_command

void add_hash(CLI::App& program) {
  using namespace hash_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "hash", "Print digests of all bits that every job gives: do two builds or machines compute the same?",
      "  catena hash\n"
      "  catena hash ur5 my_robot.urdf --by-job\n"
      "  CATENA_LEVEL=x86-64 catena hash --json");
  command
      ->add_option("MODEL", options->models,
                   io::endings_in_words(io::Use::reading) +
                       " files, names of shipped robots, or - for stdin; without one: all shipped robots")
      ->type_name("");
  command->add_option("--steps", options->steps, "steps of the simulation at whose states jobs are run")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--by-job", options->by_job, "print a digest for each job, and for the motion");
  options->model.add_changes(*command);
  command->add_flag("--json", options->json, "print one JSON object: steps, robots (model, digest, parts), digest");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
