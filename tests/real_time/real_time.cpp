// What a call does beside computing, after set-up: nothing. No memory is asked for or given back, no lock is taken, no
// system call is made, not even by the first call, for every job and formulation and every kind of robot; the stack
// that it uses is bounded, and numbers near zero are numbers.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "catena/call.hpp"
#include "catena/robot_file.hpp"
#include "real_time/calls.hpp"
#include "real_time/painted_stack.hpp"

namespace catena::test {
namespace {

// --- the watch itself ---

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int number_of(int value) {
  static const int made = std::abs(value) + 1;
  return made;
}

TEST(Watch, FindsWhatIsPlanted) {
  void* volatile block = nullptr;
  volatile double x = 2.0;
  volatile int number = 0;
  const std::vector<WatchedCall> calls = {
      {"nothing", [&] { x = std::sin(x); }},
      {"malloc", [&] { block = std::malloc(100), std::free(block); }},
      {"new", [&] { delete new std::string(100, 'x'); }},
      {"mutex", [] { ::pthread_mutex_lock(&mutex), ::pthread_mutex_unlock(&mutex); }},
      {"getpid", [&] { number = ::getpid(); }},
      {"a large block", [&] { block = std::malloc(std::size_t{1} << 28), std::free(block); }},
      {"a static", [&] { number = number_of(3); }},
      {"a throw", [] { throw 1; }},
      {"nothing again", [&] { x = std::cos(x); }},
  };
  const std::vector<Seen> seen = watched(calls, 1);
  EXPECT_TRUE(seen[0].nothing() && seen[8].nothing()) << seen[0].words() << seen[8].words();
  EXPECT_EQ(seen[1].counts.heap, 2);
  EXPECT_EQ(seen[1].counts.locks, 0);
  EXPECT_EQ(seen[2].counts.heap, 4);  // the object and its text
  EXPECT_EQ(seen[3].counts.locks, 1);
  EXPECT_EQ(seen[3].counts.heap, 0);
  EXPECT_EQ(seen[4].system_call, SYS_getpid);
  EXPECT_GE(seen[5].system_call, 0);  // memory from the system
  EXPECT_EQ(seen[6].counts.made_late, 1);
  EXPECT_TRUE(seen[7].threw || seen[7].system_call >= 0);
  EXPECT_EQ(number, 0) << "a child ran them";
}

__attribute__((noinline)) double deep(int depth) {
  volatile char page[4096];
  page[0] = static_cast<char>(depth);
  return depth == 0 ? 0.0 : page[0] + deep(depth - 1);
}
TEST(Watch, MeasuresTheStack) {
  EXPECT_LT(stack_used([] {}), 1000U);
  volatile double sum = 0.0;
  const std::size_t used = stack_used([&] { sum = deep(9); });
  EXPECT_GT(used, 9U * 4096U);
  EXPECT_LT(used, 12U * 4096U);
  EXPECT_THROW(stack_used([] { throw std::runtime_error("x"); }), std::runtime_error);
}

// --- calls ---

// A state may have no result in a formulation that is only there to be compared with: the call then throws, which
// allocates. Nothing else may.
void expect_nothing(const std::vector<WatchedCall>& calls, std::size_t at_least) {
  const std::vector<Seen> seen = watched(calls);
  std::size_t good = 0;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (seen[k].nothing()) {
      ++good;
      continue;
    }
    try {
      calls[k].run();
      ADD_FAILURE() << calls[k].name << ": " << seen[k].words();
    } catch (const std::domain_error& error) {
      std::printf("%s: %s\n", calls[k].name.c_str(), error.what());
    }
  }
  EXPECT_GE(good, at_least) << "of " << calls.size();
}

// Bytes, generous: docs/reliability.md has what was measured.
constexpr std::size_t most_stack = 32 * 1024;
void expect_within_stack(const std::string& what, const std::vector<WatchedCall>& calls) {
  std::size_t most = 0;
  std::string where = "none";
  for (const WatchedCall& call : calls) try {
      const std::size_t used = stack_used(call.run);
      EXPECT_LT(used, most_stack) << call.name;
      if (used > most) most = used, where = call.name;
    } catch (const std::domain_error&) {  // no result in that state
    }
  if (!calls.empty()) std::printf("| %s | %zu | %s |\n", what.c_str(), most, where.c_str());
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = all_kinds();
  return all;
}

TEST(RealTime, CallsAskNothingOfTheSystem) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const std::vector<WatchedCall> all = calls_in_double(kind);
    expect_nothing(all, all.size() * 9 / 10);
  }
}
TEST(RealTime, CallsInFloatAskNothing) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const std::vector<WatchedCall> all = calls_in_float(kind);
    expect_nothing(all, all.size() / 2);  // its loops do not always close
  }
}
TEST(RealTime, CallsFromCAskNothing) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const std::vector<WatchedCall> all = calls_from_c(kind);
    expect_nothing(all, all.size() * 9 / 10);
  }
}
TEST(RealTime, StepsOfLawsAskNothing) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const std::vector<WatchedCall> all = steps_of_laws(kind);
    expect_nothing(all, all.size() / 2);
  }
}
TEST(RealTime, CompiledCodeAsksNothing) {
  const std::vector<WatchedCall> all = calls_of_compiled_code();
  expect_nothing(all, all.size());
  expect_within_stack("compiled", all);
}
TEST(RealTime, OtherCallsAskNothing) {
  const std::vector<WatchedCall> all = other_calls();
  expect_nothing(all, all.size());
}

TEST(RealTime, CallsStayWithinTheirStack) {
  for (const Kind& kind : kinds()) {
    expect_within_stack(kind.name, calls_in_double(kind));
    expect_within_stack(kind.name + ", float", calls_in_float(kind));
    expect_within_stack(kind.name + ", from C", calls_from_c(kind));
    expect_within_stack(kind.name + ", laws", steps_of_laws(kind));
  }
  expect_within_stack("others", other_calls());
}

// --- numbers near zero ---

// States that are subnormal, and whose products vanish: the results are those of a motion that is small and normal.
std::vector<double> near_zero(const Kind& kind, const JobInfo& job, double value) {
  Call<double> call(kind.robot, job.name);
  std::vector<double> q = kind.x.q, out(call.size());
  if (kind.robot.coordinates.base == BaseKind::fixed && !kind.robot.coordinates.is_closed())
    std::fill(q.begin(), q.end(), value);
  std::vector<double> other(index(kind.robot.nv())), base(kind.base.size(), value);
  for (std::size_t j = 0; j < other.size(); ++j) other[j] = (1.0 + 0.1 * static_cast<double>(j % 7)) * value;
  call(with_others<double>({.q = q, .qd = other, .qdd = other, .tau = other, .base = base}, other), out);
  return out;
}
void expect_same_near_zero() {
  constexpr double tiny = 1e-310, normal = 1e-40;
  static_assert(tiny < std::numeric_limits<double>::min());
  int compared = 0;
  for (const Kind& kind : kinds())
    for (const JobInfo& job : jobs()) {
      SCOPED_TRACE(kind.name + ", " + std::string(job.name));
      std::vector<double> expected;
      try {
        expected = near_zero(kind, job, normal);
      } catch (const std::domain_error&) {
        EXPECT_THROW(near_zero(kind, job, tiny), std::domain_error);
        continue;
      }
      const std::vector<double> found = near_zero(kind, job, tiny);
      double scale = 0.0;
      for (const double value : expected) scale = std::max(scale, std::abs(value));
      for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], 1e-12 * scale + 1e-30) << k;
      ++compared;
    }
  EXPECT_GT(compared, 500);
}
TEST(RealTime, NumbersNearZeroAreNumbers) { expect_same_near_zero(); }

// As a thread sets its processor that must not slow down there; only friction may tell a joint at 1e-310 from one at
// rest.
#ifdef __SSE2__
TEST(RealTime, AThreadMayFlushThemToZero) {
  const unsigned usual = _mm_getcsr();
  _mm_setcsr(usual | 0x8040);  // results that are subnormal are zero, and so are inputs
  for (const char* name : {"ur5", "panda"}) {
    Kind kind{name, load_robot(find_model(name)), {}, {}, {}};
    for (auto& joint : kind.described.joints) joint.drive = {};
    kind.robot = make_mechanism(kind.described);
    kind.x.q.resize(index(kind.robot.nv()));
    for (const JobInfo& job : jobs()) {
      const std::vector<double> expected = near_zero(kind, job, 0.0), found = near_zero(kind, job, 1e-310);
      EXPECT_EQ(found, expected) << name << " " << job.name;
    }
  }
  _mm_setcsr(usual);
}
#endif

}  // namespace
}  // namespace catena::test
