// Parameters from measurements: base parameters, least squares, physically possible bodies, sensitivities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/excitation.hpp"
#include "catena/mechanism.hpp"
#include "catena/robot.hpp"
#include "catena/wrenches.hpp"

namespace catena {

// Base parameters: the combinations of a robot's parameters that torques can determine. docs/identification.md.

// A term of a combination: factor times an entry of θ (model/parameters.hpp).
struct ParameterTerm {
  int parameter = 0;
  double factor = 1.0;
};

struct BaseParameter {
  std::vector<ParameterTerm> terms;  // the first has the factor 1: its column of Y is this parameter's column
  std::string text;                  // "m3 cx3 + 0.0825 m4"
  std::string unit;
  double nominal = 0.0;  // the model's value

  int column() const { return terms.front().parameter; }
};

// All of them, with links ordered from the base outward. Without drives: of the links alone, assuming no friction and
// no rotors. τ = Σ Y_column(k) value(k), summed over them, for every motion. They are found from the regressor at
// random motions, which are the same in every call.
std::vector<BaseParameter> base_parameters(const Mechanism& robot, bool drives = true);

// The base parameters of a robot from measured motions and torques, by weighted least squares. docs/identification.md.

// One row per sample, with one number for each entry of q̇, stored row by row.
struct Measurements {
  std::vector<double> q{}, qd{}, qdd{}, tau{};
  double period = 0.0;                   // s between rows; 0: rows without a clock, taken as independent
  std::vector<std::size_t> stretches{};  // first rows of stretches without gaps; empty: one
  std::vector<std::uint8_t> used{};      // by row and joint, 1: counts; empty: all
};

struct IdentificationOptions {
  bool drives = true;                   // friction and rotors too; without, the robot is assumed to have none
  std::vector<double> weights{};        // of each joint's squared errors: 1/σ², up to a common factor; empty: all 1
  bool weights_from_residuals = false;  // fit twice: the second time with weights from each joint's residuals
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
  std::vector<double> residuals;   // root mean square, by joint
  double condition = 0.0;          // of the weighted matrix with columns scaled to length 1
  std::size_t samples = 0, equations = 0;
};

// Assumes that the errors of the torques are independent with mean 0 and, after weighting, the same variance, which is
// estimated from the residuals; q, q̇ and q̈ are assumed exact. Throws std::invalid_argument that names lengths and
// numbers that do not fit, and std::domain_error if the data do not determine all base parameters, naming those.
Identification identify(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options = {});

// Student's t: |T| is below this value with probability 95 %.
double student_95(std::size_t degrees_of_freedom);

// The regressor columns of the base parameters for all samples, stacked, by rows.
std::vector<double> base_regressors(const Mechanism& robot, std::span<const BaseParameter> parameters,
                                    std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);

// The physically possible parameters nearest to the measurements: masses and inertias of real mass distributions,
// friction and rotors that are not negative. docs/identification.md.

struct PhysicalFit {
  std::vector<double> parameters;  // θ (model/parameters.hpp)
  std::vector<double> values;      // of the base parameters, in the order of the estimates
  std::vector<double> residuals;   // root mean square, by joint
  double distance = 0.0;           // from the estimates in standard errors: root mean square, with correlations
};

// θ with the smallest weighted sum of squares among all that are physically possible; what the data do not determine
// stays near the model's own values. The weights are those of `found`.
PhysicalFit fit_physical(const Mechanism& robot, const Measurements& data, const Identification& found,
                         bool drives = true);

// The robot with these parameters. A moving link's parameters include everything fixed to it: links fixed to it no
// longer have a mass of their own.
Robot with_parameters(const Robot& robot, std::span<const double> parameters);

// How a motion under given torques responds to a change in the links' parameters θ: accelerations in one state, and
// positions and speeds along a recorded run. Equations (8)-(10): docs/equations/regressor.md.

class ParameterSensitivity {
 public:
  // With respect to these parameters, given as indices into parameter_names(); empty: all of them. Throws
  // std::invalid_argument for an index that does not exist.
  explicit ParameterSensitivity(const Mechanism& robot, std::vector<int> parameters = {});
  ~ParameterSensitivity();
  ParameterSensitivity(ParameterSensitivity&&) noexcept;
  ParameterSensitivity& operator=(ParameterSensitivity&&) noexcept;

  std::size_t parameters() const;

  // ∂q̈/∂θ under given torques, n x p by rows. Throws std::domain_error if the robot cannot be accelerated.
  void accelerations(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                     std::span<double> out, std::span<const ExternalWrench<double>> wrenches = {});

  // Starts from a state that does not depend on θ.
  void start(double t, std::span<const double> q, std::span<const double> qd, std::span<const double> tau);
  // Moves on to the next sample of the run, with the torques interpolated linearly. Uses steps of at most `step`; 1 ms
  // gives errors below 1e-9 of the result for typical arm motions.
  void advance(double t, std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
               double step = 1e-3);
  // ∂q/∂θ, then ∂q̇/∂θ at the latest sample: 2n x p by rows.
  std::span<const double> values() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
