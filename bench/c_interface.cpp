// What the C interface costs beside the C++ call that it makes: build/bench/bench/catena_c_interface. Both are timed in
// turns, in one run, and the least of many blocks counts.
#include <catena.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "catena/call.hpp"
#include "catena/robot_file.hpp"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t states = 64;  // in turn, as a caller has them: spans of one state could be made once

template <class Work>
double nanoseconds(const Work& work) {
  constexpr std::size_t calls = 256;
  const auto start = Clock::now();
  for (std::size_t k = 0; k < calls; ++k) work(k % states);
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls;
}

void require(catena_status status) {
  if (status == CATENA_OK) return;
  std::fprintf(stderr, "%s\n", catena_last_error());
  std::exit(1);
}

// cpp(call) and c(call) compute the same. Where a call's memory lies changes its time: many are made.
template <class Cpp, class C>
double compare(const std::string& model, const char* job, const Cpp& cpp, const C& c) {
  const Mechanism mechanism = make_mechanism(load_robot(find_model(model)));
  catena_robot* robot = nullptr;
  require(catena_robot_load(model.c_str(), nullptr, &robot));
  double least[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int made = 0; made < 40; ++made) {
    Call<double> call(mechanism, job);
    catena_call* same = nullptr;
    require(catena_call_new(robot, job, nullptr, &same));
    for (int block = 0; block < 200; ++block) {
      least[0] = std::min(least[0], nanoseconds([&](std::size_t k) { cpp(call, k); }));
      least[1] = std::min(least[1], nanoseconds([&](std::size_t k) { c(same, k); }));
    }
    catena_call_free(same);
  }
  std::printf("| %s | %s | %.1f | %.1f | %+.1f |\n", model.c_str(), job, least[0], least[1], least[1] - least[0]);
  catena_robot_free(robot);
  return least[1] - least[0];
}

struct Rows {
  Rows(std::size_t length, double first) : n(length), numbers(n * states) {
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = first + 0.01 * static_cast<double>(k % 97);
  }
  std::span<const double> operator()(std::size_t k) const { return std::span(numbers).subspan(k * n, n); }
  const double* at(std::size_t k) const { return numbers.data() + k * n; }

  std::size_t n;
  std::vector<double> numbers;
};

// The sum of what the four take more.
double measure(const std::string& model, std::size_t n) {
  const Rows q(n, 0.3), qd(n, 0.2), u(n, 0.1);
  std::vector<double> out(16), tau(n);
  using Cpp = Call<double>;
  using C = catena_call;
  double more = compare(
      model, "gravity", [&](Cpp& call, std::size_t k) { call({.q = q(k)}, tau); },
      [&](C* call, std::size_t k) { catena_gravity(call, q.at(k), tau.data()); });
  more += compare(
      model, "inverse", [&](Cpp& call, std::size_t k) { call({.q = q(k), .qd = qd(k), .qdd = u(k)}, tau); },
      [&](C* call, std::size_t k) { catena_inverse(call, q.at(k), qd.at(k), u.at(k), tau.data()); });
  more += compare(
      model, "forward", [&](Cpp& call, std::size_t k) { call({.q = q(k), .qd = qd(k), .tau = u(k)}, tau); },
      [&](C* call, std::size_t k) { catena_forward(call, q.at(k), qd.at(k), u.at(k), tau.data()); });
  more += compare(
      model, "pose", [&](Cpp& call, std::size_t k) { call({.q = q(k)}, out); },
      [&](C* call, std::size_t k) { catena_pose(call, q.at(k), out.data()); });
  return more;
}

}  // namespace
}  // namespace catena

int main() {
  std::puts("| robot | job | C++, ns | C, ns | more |");
  std::puts("| --- | --- | --- | --- | --- |");
  const double more = catena::measure("planar2r", 2) + catena::measure("ur5", 6) + catena::measure("panda", 7);
  std::printf("on average %+.1f ns\n", more / 12);
}
