#include "harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "catena/model/regroup.hpp"
#include "general_robots.hpp"
#include "jobs/runner.hpp"
#include "run/level.hpp"

namespace catena::bench {
namespace {

struct Ratio {
  std::string what, name_a, name_b;
  double bar;
};
struct Slope {
  std::string what;
  std::vector<std::pair<int, std::string>> names;
};

std::vector<Ratio> ratios;
std::vector<Slope> slopes;
constexpr int repetitions = 25;
constexpr double seconds_each = 0.02;

// Keeps the minimum of each benchmark while the console shows it.
class Minimum : public benchmark::ConsoleReporter {
 public:
  std::map<std::string, double> nanoseconds;

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "min")
        nanoseconds[run.run_name.function_name] = run.GetAdjustedCPUTime();
    ConsoleReporter::ReportRuns(runs);
  }
};

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string how_compiled() { return CATENA_COMPILER ", formulations at the level " + std::string(level().name); }

void print_ratios(const std::map<std::string, double>& ns) {
  bool first = true;
  for (const Ratio& r : ratios) {
    const auto a = ns.find(r.name_a), b = ns.find(r.name_b);
    if (a == ns.end() || b == ns.end()) continue;
    if (std::exchange(first, false))
      std::printf("\n%-44s %10s %10s %8s %8s\n", "ratio", "ns", "of ns", "ratio", "at most");
    std::printf("%-44s %10.1f %10.1f %8.3f", r.what.c_str(), a->second, b->second, a->second / b->second);
    std::printf(r.bar > 0.0 ? " %8.3f\n" : "\n", r.bar);
  }
}

void print_slopes(const std::map<std::string, double>& ns) {
  for (const Slope& s : slopes) {
    double count = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (const auto& [n, name] : s.names) {
      const auto t = ns.find(name);
      if (t == ns.end()) continue;
      count += 1.0, x += n, y += t->second, xx += static_cast<double>(n) * n, xy += n * t->second;
    }
    if (count < 2.0) continue;
    const double slope = (count * xy - x * y) / (count * xx - x * x);
    std::printf("\n%s: %.1f ns a joint, %.1f ns at the start\n", s.what.c_str(), slope, (y - slope * x) / count);
  }
}

void write_csv(const std::map<std::string, double>& ns, const std::string& path) {
  std::ofstream out(path);
  out << "# minimum of " << repetitions << " repetitions, " << state_count << " states; " << processor() << "; "
      << how_compiled() << "\nname,ns\n";
  for (const auto& [name, value] : ns) out << name << ',' << value << '\n';
  out.close();
  if (out) {
    std::printf("\nwritten: %s\n", path.c_str());
  } else {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
  }
}

}  // namespace

States::States(int n) : n_(static_cast<std::size_t>(n)), q_(n_ * state_count), qd_(q_.size()), qdd_(q_.size()) {
  std::mt19937_64 random(4096);
  for (auto* table : {&q_, &qd_, &qdd_})
    for (double& value : *table) value = 3.0 * uniform(random);
}

Mechanism shipped(const std::string& model) { return make_mechanism(load_robot(find_model(model)), {.rigid = true}); }

Mechanism general_chain(int n) { return make_mechanism(general_robot(chain(n))); }

void configure(benchmark::internal::Benchmark* registered) {
  registered->Repetitions(repetitions)->MinTime(seconds_each)->ReportAggregatesOnly(true);
  registered->ComputeStatistics("min",
                                [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); });
}

void add_job(const std::string& name, const Mechanism& robot, std::string_view job, std::string_view formulation) {
  struct Setup {
    Call<double> call;
    States states;
    std::vector<double> out;
  };
  Call<double> call(robot, job, formulation);
  const std::size_t size = call.size();
  const auto setup = std::make_shared<Setup>(Setup{std::move(call), States(robot.nv()), std::vector<double>(size)});
  add(name, [setup](std::size_t k) {
    const std::span<const double> qdd = setup->states.qdd(k);
    setup->call({.q = setup->states.q(k), .qd = setup->states.qd(k), .qdd = qdd, .tau = qdd}, setup->out);
    benchmark::DoNotOptimize(setup->out.data());
  });
}

// The default without the call around it: neither lengths nor results are looked at.
static void add_bare(const std::string& name, const Mechanism& robot, const JobInfo& job) {
  struct Setup {
    std::unique_ptr<Runner<double>> runner;
    States states;
    std::vector<double> out;
  };
  const auto setup =
      std::make_shared<Setup>(Setup{make_runner<double>(job.name, optimize(robot), job.standard_for(robot)),
                                    States(robot.nv()), std::vector<double>(index(job.size(sizes_of(robot))))});
  add(name, [setup](std::size_t k) {
    const std::span<const double> qdd = setup->states.qdd(k);
    setup->runner->run({.q = setup->states.q(k), .qd = setup->states.qd(k), .qdd = qdd, .tau = qdd}, setup->out);
    benchmark::DoNotOptimize(setup->out.data());
  });
}

void add_all_jobs(const std::string& model) {
  const Mechanism robot = shipped(model);
  for (const JobInfo& job : jobs()) {
    const std::string prefix = std::string(job.name) + "/" + model + "/";
    add_job(prefix + "default", robot, job.name);
    add_bare(prefix + "default, without the call", robot, job);
    for (const FormulationInfo& f : job.formulations) add_job(prefix + std::string(f.name), robot, job.name, f.name);
  }
}

void add_ratio(const std::string& what, const std::string& name_a, const std::string& name_b, double bar) {
  ratios.push_back({what, name_a, name_b, bar});
}

void add_slope(const std::string& what, const std::vector<std::pair<int, std::string>>& names) {
  slopes.push_back({what, names});
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string csv = argc > 1 ? argv[1] : "";
  std::printf("%s; %s (CATENA_LEVEL chooses another)\n", processor().c_str(), how_compiled().c_str());
  Minimum reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  print_ratios(reporter.nanoseconds);
  print_slopes(reporter.nanoseconds);
  if (!csv.empty()) write_csv(reporter.nanoseconds, csv);
  return 0;
}

}  // namespace catena::bench
