// What is raced: one job of one robot by one library. Only plain numbers pass through here, since every library is
// compiled with flags of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace catena::peers {

inline constexpr std::size_t state_count = 4096;

enum class Job { inverse, inertia, forward, inverse_derivatives, forward_derivatives, curvature, second_derivatives };
inline constexpr Job jobs[] = {
    Job::inverse,   Job::inertia,           Job::forward, Job::inverse_derivatives, Job::forward_derivatives,
    Job::curvature, Job::second_derivatives};
inline constexpr const char* name_of(Job job) {
  constexpr const char* names[] = {
      "inverse", "inertia", "forward", "inverse derivatives", "forward derivatives", "curvature", "second derivatives"};
  return names[static_cast<int>(job)];
}

inline constexpr bool is_derivative(Job job) { return job >= Job::inverse_derivatives; }
inline constexpr bool is_second_derivative(Job job) { return job >= Job::curvature; }

// A moving link: its joint turns about or slides along z of a frame that stands at (R, p) in the parent's.
struct Body {
  int parent = -1;  // -1: the base
  bool revolute = true;
  double R[9]{};  // by rows
  double p[3]{};
  double mass = 0, com[3]{};
  double inertia[6]{};  // xx, yy, zz, xy, xz, yz about the mass centre
};

// Bodies are depth-first and in the order of q. The base may be free: q then starts with its position and quaternion
// (x, y, z, w), q̇ with its twist along its own axes, linear before angular.
struct Description {
  std::string name;
  std::vector<Body> bodies;
  double gravity[3]{};
  std::string file;  // the same robot as a file that `catena generate` reads
  bool free = false;
  Body base{};  // its mass, if it is free

  std::size_t n() const { return bodies.size() + (free ? 6 : 0); }
  std::size_t positions() const { return n() + (free ? 1 : 0); }
  bool is_chain() const {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].parent != static_cast<int>(i) - 1) return false;
    return !free;
  }
};

// 4096 states, one after the other. `x` is the acceleration of inverse dynamics and the torque of forward dynamics.
struct Table {
  std::size_t n = 0, positions = 0;
  std::vector<double> q, qd, x;
  const double* q_of(std::size_t k) const { return q.data() + (k % state_count) * positions; }
  const double* qd_of(std::size_t k) const { return qd.data() + (k % state_count) * n; }
  const double* x_of(std::size_t k) const { return x.data() + (k % state_count) * n; }
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void run(std::size_t first, std::size_t count) = 0;  // what is timed: states first, first + 1, …
  // τ; M; q̈; D, V, P; ∂q̈/∂q, ∂q̈/∂q̇, ∂q̈/∂τ: at state k, matrices by rows and full. λᵀ∂²τ by q and q, q and q̇, q and
  // q̈, q̇ and q̇, with q̇ for λ; and the same four of every τ_i in turn.
  virtual std::vector<double> result(std::size_t k) = 0;
};

// Null: the library does not have the job for this robot. The table outlives the contender.
using Make = std::unique_ptr<Contender> (*)(const Description& robot, Job job, const Table& table);
std::unique_ptr<Contender> make_catena(const Description& robot, Job job, const Table& table);
std::unique_ptr<Contender> make_generated(const Description& robot, Job job, const Table& table);
std::unique_ptr<Contender> make_generated_batch(const Description& robot, Job job, const Table& table);
std::unique_ptr<Contender> make_mujoco(const Description& robot, Job job, const Table& table);
std::unique_ptr<Contender> make_kdl(const Description& robot, Job job, const Table& table);
extern "C" Contender* make_pinocchio_wheel(const Description& robot, Job job, const Table& table);
extern "C" Contender* make_pinocchio_native(const Description& robot, Job job, const Table& table);

// A contender whose job is call(k), and whose result is read after it.
template <class Setup>
class Looped final : public Contender {
 public:
  template <class... Arguments>
  explicit Looped(Arguments&&... arguments) : setup_(static_cast<Arguments&&>(arguments)...) {}
  void run(std::size_t first, std::size_t count) override {
    for (std::size_t k = first; k < first + count; ++k) setup_.call(k);
  }
  std::vector<double> result(std::size_t k) override {
    setup_.call(k);
    return setup_.read();
  }

 private:
  Setup setup_;
};

}  // namespace catena::peers
