// Catena's run-time path: the default formulation behind the checked call, as a program gets it that links the
// libraries.
#include "catena/catena.hpp"

#include "contender.hpp"

namespace catena::peers {
namespace {

constexpr const char* job_of(Job job) {
  constexpr const char* names[] = {"inverse", "inertia", "forward", "linearize", "response", "curvature", "curvature"};
  return names[static_cast<int>(job)];
}

class Setup {
 public:
  Setup(const Description& robot, Job job, const Table& table)
      : call_(make_mechanism(load_robot(robot.file), {.rigid = true}), job_of(job)),
        out_(call_.size()),
        table_(table) {}

  void call(std::size_t k) {
    const std::span<const double> q(table_.q_of(k), table_.positions), qd(table_.qd_of(k), table_.n),
        x(table_.x_of(k), table_.n);
    call_({.q = q, .qd = qd, .qdd = x, .tau = x, .lambda = qd}, out_);
  }
  std::vector<double> read() const { return out_; }

 private:
  Call<double> call_;
  std::vector<double> out_;
  const Table& table_;
};

class Tensors {
 public:
  Tensors(const Description& robot, const Table& table)
      : all_(make_mechanism(load_robot(robot.file), {.rigid = true})), out_(all_.size()), table_(table) {}

  void call(std::size_t k) {
    all_(
        {.q = {table_.q_of(k), table_.positions}, .qd = {table_.qd_of(k), table_.n}, .qdd = {table_.x_of(k), table_.n}},
        out_);
  }
  std::vector<double> read() const { return out_; }

 private:
  SecondDerivativeTensors<double> all_;
  std::vector<double> out_;
  const Table& table_;
};

}  // namespace

std::unique_ptr<Contender> make_catena(const Description& robot, Job job, const Table& table) {
  if (job == Job::second_derivatives) return std::make_unique<Looped<Tensors>>(robot, table);
  return std::make_unique<Looped<Setup>>(robot, job, table);
}

}  // namespace catena::peers
