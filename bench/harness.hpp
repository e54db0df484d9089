// What every benchmark here shares: fresh states, the minimum over many repetitions, and ratios taken within one run. A
// ratio holds on any machine; nanoseconds hold on the machine whose name stands beside them.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "catena/catena.hpp"

namespace catena::bench {

inline constexpr std::size_t state_count = 4096;  // recycled states teach the branches of a library sine

// Random states of a robot with n joints, the same on every machine.
class States {
 public:
  explicit States(int n);
  std::span<const double> q(std::size_t k) const { return row(q_, k); }
  std::span<const double> qd(std::size_t k) const { return row(qd_, k); }
  std::span<const double> qdd(std::size_t k) const { return row(qdd_, k); }

 private:
  std::span<const double> row(const std::vector<double>& table, std::size_t k) const {
    return std::span<const double>(table).subspan((k % state_count) * n_, n_);
  }
  std::size_t n_;
  std::vector<double> q_, qd_, qdd_;
};

// A shipped robot, or a chain of n revolute joints with no zero parameter.
Mechanism shipped(const std::string& model);
Mechanism general_chain(int n);

// How every benchmark is repeated and summed up.
void configure(benchmark::internal::Benchmark* registered);

// Times call(k), k counting through the states.
template <class Call>
void add(const std::string& name, Call call) {
  configure(benchmark::RegisterBenchmark(name.c_str(), [call](benchmark::State& state) mutable {
    std::size_t k = 0;
    for (auto _ : state) call(k++);
  }));
}
// Times a job of a robot under a name; without a formulation the default.
void add_job(const std::string& name, const Mechanism& robot, std::string_view job, std::string_view formulation = {});
// JOB/MODEL/default and JOB/MODEL/FORMULATION for every job and formulation.
void add_all_jobs(const std::string& model);

// Prints name_a : name_b after the run, beside the bar it should stay below (0: none).
void add_ratio(const std::string& what, const std::string& name_a, const std::string& name_b, double bar = 0.0);
// Prints the straight line fitted to the times of the named benchmarks over n.
void add_slope(const std::string& what, const std::vector<std::pair<int, std::string>>& names);

// Each file of this folder registers what goes beyond that: ratios, growth with the number of joints.
void add_inverse();
void add_matrices();
void add_forward();
void add_generated();
void add_simulation();
void add_linearize();
void add_assembly();
void add_identify();
void add_batch();
void add_loops();

// Runs all that match the command line's filter, prints the tables, writes the CSV.
int run(int argc, char** argv);

}  // namespace catena::bench
