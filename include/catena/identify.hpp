// Parameters from measurements: base parameters, least squares, bodies that can exist, sensitivities, motions that
// excite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot.hpp"
#include "catena/wrenches.hpp"

namespace catena {

// Base parameters: the combinations of a robot's parameters that show in torques, each alone. docs/identification.md.

// A part of a combination: factor times an entry of θ (model/parameters.hpp).
struct ParameterTerm {
  int parameter = 0;
  double factor = 1.0;
};

struct BaseParameter {
  std::vector<ParameterTerm> terms;  // the first has the factor 1: its column of Y is this one's
  std::string text;                  // "m3 cx3 + 0.0825 m4"
  std::string unit;
  double nominal = 0.0;  // as the model has it

  int column() const { return terms.front().parameter; }
};

// All of them, links from the base outward. Without drives: of the links alone, friction and rotors known to be absent.
// τ = Σ Y_column(k) value(k), the sum over them, for every motion. They are found from the regressor at random motions,
// the same ones at every call.
std::vector<BaseParameter> base_parameters(const Mechanism& robot, bool drives = true);

// The base parameters of a robot from measured motions and torques, by weighted least squares. docs/identification.md.

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

// Parameters that a real robot can have, nearest to what was measured: masses and inertias of real mass distributions,
// friction and rotors that are not negative. docs/identification.md.

struct PhysicalFit {
  std::vector<double> parameters;  // θ (model/parameters.hpp)
  std::vector<double> values;      // of the base parameters, in the order of the estimates
  std::vector<double> residuals;   // of each joint, root mean square
  double distance = 0.0;  // from the estimates, in standard errors: root of the mean square, correlations regarded
};

// θ with the least weighted sum of squares among all that are physically possible; what the data leave open stays near
// the model's own. The weights are those of `found`.
PhysicalFit fit_physical(const Mechanism& robot, const Measurements& data, const Identification& found,
                         bool drives = true);

// The robot with these parameters. What is fixed to a moving link is in that link's parameters: it has no mass of its
// own any more.
Robot with_parameters(const Robot& robot, std::span<const double> parameters);

// How a motion under given torques answers a change of the links' parameters θ: accelerations at one state, and
// positions and speeds along a recorded run. Equations (8)-(10): docs/equations/regressor.md.

class ParameterSensitivity {
 public:
  // Of these parameters, by their places in parameter_names(); none: all of them. Throws std::invalid_argument for a
  // place that does not exist.
  explicit ParameterSensitivity(const Mechanism& robot, std::vector<int> parameters = {});
  ~ParameterSensitivity();
  ParameterSensitivity(ParameterSensitivity&&) noexcept;
  ParameterSensitivity& operator=(ParameterSensitivity&&) noexcept;

  std::size_t parameters() const;

  // ∂q̈/∂θ under torques, n x p by rows. Throws std::domain_error where the robot cannot be accelerated.
  void accelerations(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                     std::span<double> out, std::span<const ExternalWrench<double>> wrenches = {});

  // Starts with a state that does not depend on θ.
  void start(double t, std::span<const double> q, std::span<const double> qd, std::span<const double> tau);
  // On to the next sample of the run, the torques on a straight line between. Steps of `step` at most; 1 ms is below
  // 1e-9 of the result for an arm that moves as arms do.
  void advance(double t, std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
               double step = 1e-3);
  // ∂q/∂θ, then ∂q̇/∂θ at the sample last given: 2n x p by rows.
  std::span<const double> values() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A periodic motion that shows all base parameters well: Fourier series within the joints' limits whose condition
// number is small. docs/identification.md.

// q_j(t) = centre_j + Σ_k [a_jk sin(kωt) - b_jk cos(kωt)] / (kω), k from 1 to `harmonics`, ω = 2π/period.
struct FourierMotion {
  double period = 10.0;
  int harmonics = 5;
  std::vector<double> centre;          // by joint
  std::vector<double> sines, cosines;  // a and b, speeds: by joint, then by harmonic

  void at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const;
};

struct ExcitationOptions {
  double period = 10.0;
  int harmonics = 5;
  bool drives = true;       // friction and rotors are to be identified too
  std::size_t samples = 0;  // of the period in the search; 0: enough for all parameters
  int starts = 4, steps = 300;
  double share = 0.95;  // of each limit that may be used
  // Where the model has no limits: positions about 0 and speeds within these (rad or m, rad/s or m/s).
  double free_range = 3.141592653589793, free_speed = 2.0;
  std::uint64_t seed = 1;
};

struct Excitation {
  FourierMotion motion;
  double condition = 0.0;        // of the base regressors along it, columns brought to length 1
  double first_condition = 0.0;  // of the best of the random starts, before the search
};

// Searches from several random starts by an evolution strategy of one parent and one child with the 1/5 rule; the same
// options give the same motion. Positions and speeds stay within their limits at all times. Throws
// std::invalid_argument on options that make no sense, std::domain_error where no motion within the limits shows all.
Excitation find_excitation(const Mechanism& robot, const ExcitationOptions& options = {});

}  // namespace catena
