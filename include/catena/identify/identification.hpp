// The base parameters of a robot from measured motions and torques, by weighted least squares. docs/identification.md.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "catena/identify/base_parameters.hpp"

namespace catena {

// One row a sample, a number for each entry of q̇, rows one behind the other.
struct Measurements {
  std::vector<double> q, qd, qdd, tau;
};

struct IdentificationOptions {
  bool drives = true;                   // friction and rotors too; without them the robot is taken to have none
  std::vector<double> weights{};        // of each joint's squared errors: 1/σ², up to a common factor; none: all 1
  bool weights_from_residuals = false;  // twice: the second time with what the first left of each joint
};

struct Estimate {
  BaseParameter parameter;
  double value = 0.0, standard_error = 0.0;
  double lower = 0.0, upper = 0.0;  // 95 % interval
};

struct Identification {
  std::vector<Estimate> estimates;
  std::vector<double> covariance;  // of the values, by rows
  std::vector<double> weights;     // as used
  std::vector<double> residuals;   // of each joint, root mean square
  double condition = 0.0;          // of the weighted matrix, columns brought to length 1
  std::size_t samples = 0, equations = 0;
};

// Errors of the torques are taken to be independent, with mean 0 and, weighted, the same variance, which is estimated
// from what is left: q, q̇ and q̈ are taken to be exact. Throws std::invalid_argument that names lengths and numbers
// that do not fit, and std::domain_error where the data do not determine all base parameters: it names those.
Identification identify(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options = {});

// Student's t: |T| stays below this with probability 95 %.
double student_95(std::size_t degrees_of_freedom);

// The columns of the base parameters in the regressor of each sample, one below the other, by rows.
std::vector<double> base_regressors(const Mechanism& robot, std::span<const BaseParameter> parameters,
                                    std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);

}  // namespace catena
