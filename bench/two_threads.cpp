// One state over two threads: does it pay? The inertia matrix by generalized links, composites by one thread, rows by
// two, against the same text in one thread and against the library's own call. Prints a table, ns a state:
//
//   build/bench/bench/catena_two_threads
//
// Both threads spin while they wait, so two cores must be idle.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <thread>
#include <vector>

#include "catena/count.hpp"
#include "catena/dynamics.hpp"
#include "catena/model/regroup.hpp"
#include "formulations/inertia/generalized_links.hpp"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;

// The sweep of generalized_links.hpp, cut in two: composites, then rows, none of which needs another.
class InTwoHalves {
 public:
  explicit InTwoHalves(const Mechanism& robot)
      : robot_(robot.tree()), turns_(robot_.joints()), composites_(index(robot_.joints())) {}

  void place(std::span<const double> q) {
    joint_turns<double>(robot_, q, turns_);
    for (int i = 0; i < robot_.joints(); ++i)
      composites_[index(i)] = GeneralizedLinks::link_alone<FlatChain, double>(robot_.link(i));
    for (int i = robot_.joints() - 1; i > 0; --i)
      composites_[index(robot_.link(i).parent)] +=
          GeneralizedLinks::felt_by_parent<FlatChain>(robot_.link(i), q, turns_[i], composites_[index(i)]);
  }
  // Neighbouring rows: what two threads write meets in few cache lines.
  void rows(std::span<const double> q, int first, int end, const MatrixView<double>& M) const {
    for (int i = first; i < end; ++i) {
      const auto& link = robot_.link(i);
      Wrench<double> w = GeneralizedLinks::for_unit_acceleration<FlatChain>(link, composites_[index(i)]);
      M(link.q, link.q) = felt_by_joint(link.revolute, w);
      for (int j = i; robot_.link(j).parent != base_link; j = robot_.link(j).parent) {
        const auto& at = robot_.link(j);
        w = to_parent(FlatChain::tilt(at), turns_[j], FlatChain::offset(at, q), w);
        const auto& ancestor = robot_.link(at.parent);
        M.set_symmetric(link.q, ancestor.q, felt_by_joint(ancestor.revolute, w));
      }
    }
  }

 private:
  const Tree& robot_;
  JointTurns<double> turns_;
  Array<GeneralizedLinks::Composite<double>> composites_;
};

// A second thread that does what it is handed and spins in between.
class Second {
 public:
  template <class Work>
  explicit Second(Work work)
      : thread_([this, work] {
          for (unsigned seen = 0;;) {
            while (asked_.load(std::memory_order_acquire) == seen)
              if (over_.load(std::memory_order_relaxed)) return;
            ++seen;
            work();
            done_.store(seen, std::memory_order_release);
          }
        }) {}
  Second(const Second&) = delete;
  Second& operator=(const Second&) = delete;
  ~Second() {
    over_ = true;
    thread_.join();
  }
  void start() { asked_.store(++count_, std::memory_order_release); }
  void wait() const {
    while (done_.load(std::memory_order_acquire) != count_) {
    }
  }

 private:
  alignas(64) std::atomic<unsigned> asked_{0};
  alignas(64) std::atomic<unsigned> done_{0};
  alignas(64) std::atomic<bool> over_{false};
  unsigned count_ = 0;
  std::thread thread_;
};

// The least of many blocks of 64 calls, ns a call.
template <class Work>
double least(Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int block = 0; block < 3000; ++block) {
    const auto start = Clock::now();
    for (int k = 0; k < 64; ++k) work();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / 64);
  }
  return best;
}

void measure(int n) {
  const Mechanism robot = optimize(make_mechanism(general_arm(n)));
  std::vector<double> q(index(n), 0.3), M(index(n * n)), other(M.size());
  InTwoHalves halves(robot);
  const MatrixView<double> view{M, n};
  InertiaMatrix<double> call{robot};
  const double library = least([&] { call(q, other); });
  const double alone = least([&] {
    halves.place(q);
    halves.rows(q, 0, n, view);
  });
  double worst = 0.0;
  for (std::size_t k = 0; k < M.size(); ++k) worst = std::max(worst, std::abs(M[k] - other[k]));
  if (worst > 1e-9) std::printf("the two disagree by %g\n", worst);
  const int cut = static_cast<int>(std::lround(n / std::sqrt(2.0)));  // as much work on either side
  Second second([&] { halves.rows(q, cut, n, view); });
  const double together = least([&] {
    halves.place(q);
    second.start();
    halves.rows(q, 0, cut, view);
    second.wait();
  });
  std::printf("| %d | %.0f | %.0f | %.0f | %.2f |\n", n, library, alone, together, together / library);
}

void measure_way() {
  Second second([] {});
  const double there_and_back = least([&] {
    second.start();
    second.wait();
  });
  std::printf("there and back: %.0f ns\n", there_and_back);
}

}  // namespace
}  // namespace catena

int main() {
  catena::measure_way();
  std::puts("| n | the library's call | in two halves, one thread | two threads | two threads : call |");
  std::puts("| --- | --- | --- | --- | --- |");
  for (const int n : {6, 12, 24, 48, 96}) catena::measure(n);
}
