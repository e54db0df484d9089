// The linearized model in state space, x = (δq, δq̇): ẋ = A x + B δτ about a state and the torques that act in it, its
// sampled form, its poles. Passive joints have no column in B. Equations: docs/equations/linear_control.md.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "catena/dynamics/call.hpp"

namespace catena {

struct StateSpace {
  int joints = 0;
  std::vector<double> A;  // 2n x 2n, row-major
  std::vector<double> B;  // 2n x m: a column for each joint that has a motor, in the order of q

  std::size_t states() const { return 2 * static_cast<std::size_t>(joints); }
  std::size_t inputs() const { return joints > 0 ? B.size() / states() : 0; }
};

// Linearizes one robot anywhere; the workspace is made once.
class Linearization {
 public:
  explicit Linearization(const Mechanism& robot);

  // About a state under torques: (16) of docs/equations/tensor_linearized.md. Friction, rotors and wrenches included.
  // Throws std::domain_error where the robot cannot be accelerated.
  StateSpace under(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                   std::span<const ExternalWrench<double>> wrenches = {});
  // About a motion: under the torques that bring it, which torques() then has. Passive joints have none, and the
  // acceleration that follows instead of the one that is given.
  StateSpace along(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                   std::span<const ExternalWrench<double>> wrenches = {});
  std::span<const double> torques() const { return tau_; }
  std::span<const double> accelerations() const { return qdd_; }  // of along()

 private:
  Mechanism robot_;
  Call<double> response_, motion_;
  std::vector<double> out_, motion_out_, zeros_, qdd_, tau_;
  std::vector<std::size_t> driven_;  // joints with a motor
};

// The same between samples dt apart with the torques held, (1): x_{k+1} = A x_k + B δτ_k.
StateSpace discretize(const StateSpace& model, double dt);

// Eigenvalues of an m x m matrix, by real part, largest first.
std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix);
inline std::vector<std::complex<double>> poles(const StateSpace& model) { return eigenvalues(model.A); }

}  // namespace catena
