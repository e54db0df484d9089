// How long a call may take: build/bench/bench/catena_worst_case [CALLS]. Each of many calls is timed on its own, and
// the least, the median, what one in ten thousand exceeds and the largest are shown; then what a state of subnormal
// numbers takes beside a usual one. The largest is the machine's: what interrupts a call is in it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "catena/call.hpp"
#include "catena/robot_file.hpp"
#include "general_robots.hpp"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t states = 64;  // in turn

// A count for each nanosecond; nothing is allocated while it fills.
class Histogram {
 public:
  void add(std::uint64_t ns) {
    ++counts_[std::min<std::uint64_t>(ns, counts_.size() - 1)];
    largest_ = std::max(largest_, ns);
    ++all_;
  }
  // So that this share of the calls took no longer.
  std::uint64_t quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(all_));
    std::uint64_t seen = 0;
    for (std::size_t ns = 0; ns < counts_.size(); ++ns)
      if ((seen += counts_[ns]) > wanted) return ns;
    return largest_;
  }
  std::uint64_t largest() const { return largest_; }

 private:
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(std::size_t{1} << 20);
  std::uint64_t largest_ = 0, all_ = 0;
};

// Rows of numbers about a value.
struct Rows {
  Rows(std::size_t length, double first, double scale) : n(length), numbers(n * states) {
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = scale * (first + 0.01 * static_cast<double>(k % 97));
  }
  std::span<const double> operator()(std::size_t k) const { return std::span(numbers).subspan((k % states) * n, n); }

  std::size_t n;
  std::vector<double> numbers;
};

class Timed {
 public:
  Timed(const Mechanism& robot, const char* job, double scale)
      : call_(robot, job), out_(call_.size()), q_(rows(0.3, scale)), qd_(rows(0.2, scale)), u_(rows(0.1, scale)) {}

  std::uint64_t operator()(std::size_t k) {
    const Inputs<double> in{.q = q_(k), .qd = qd_(k), .qdd = u_(k), .tau = u_(k)};
    const auto start = Clock::now();
    call_(in, out_);
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
  }

 private:
  Rows rows(double first, double scale) const { return {static_cast<std::size_t>(call_.nv()), first, scale}; }

  Call<double> call_;
  std::vector<double> out_;
  Rows q_, qd_, u_;
};

Histogram measured(const Mechanism& robot, const char* job, double scale, std::size_t calls) {
  Timed timed(robot, job, scale);
  Histogram all;
  for (std::size_t k = 0; k < std::min<std::size_t>(calls, 1000); ++k) timed(k);
  for (std::size_t k = 0; k < calls; ++k) all.add(timed(k));
  return all;
}

// What the clock adds to each.
std::uint64_t clock_ns() {
  Histogram all;
  for (int k = 0; k < 1'000'000; ++k) {
    const auto start = Clock::now();
    all.add(static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count()));
  }
  return all.quantile(0.5);
}

unsigned long long shown(std::uint64_t ns) { return ns; }

void measure(std::size_t calls) {
  const std::pair<const char*, Mechanism> robots[] = {
      {"UR5", make_mechanism(load_robot(find_model("ur5")))},
      {"Panda", make_mechanism(load_robot(find_model("panda")))},
      {"tree of 32 joints", make_mechanism(bench::general_robot(bench::humanoid(3, {7, 7, 3})))}};
  constexpr const char* jobs[] = {"gravity", "inverse", "forward"};
  std::printf("%zu calls each, ns, with the clock's %llu\n", calls, shown(clock_ns()));
  std::puts("| robot | job | least | median | 99.99 % | largest |\n| --- | --- | --- | --- | --- | --- |");
  for (const auto& [name, robot] : robots)
    for (const char* job : jobs) {
      const Histogram all = measured(robot, job, 1.0, calls);
      std::printf("| %s | %s | %llu | %llu | %llu | %llu |\n", name, job, shown(all.quantile(0.0)),
                  shown(all.quantile(0.5)), shown(all.quantile(0.9999)), shown(all.largest()));
      std::fflush(stdout);
    }
  std::puts("\nmedians of states near zero");
  std::puts("| robot | job | usual | 1e-200 | 1e-155 | 1e-310 | 1e-310, flushed to zero |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- |");
  for (const auto& [name, robot] : robots)
    for (const char* job : jobs) {
      const auto median = [&](double scale) {
        return shown(measured(robot, job, scale, calls / 10 + 1).quantile(0.5));
      };
      std::printf("| %s | %s | %llu | %llu | %llu | %llu", name, job, median(1.0), median(1e-200), median(1e-155),
                  median(1e-310));
#ifdef __SSE2__
      const unsigned usual = _mm_getcsr();
      _mm_setcsr(usual | 0x8040);
      std::printf(" | %llu", median(1e-310));
      _mm_setcsr(usual);
#else
      std::printf(" |");
#endif
      std::puts(" |");
    }
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
  const double calls = argc > 1 ? std::strtod(argv[1], nullptr) : 1e7;
  if (!(calls >= 1.0 && calls <= 1e9)) return std::fputs("give a number of calls up to 1e9\n", stderr), 2;
  catena::measure(static_cast<std::size_t>(calls));
}
