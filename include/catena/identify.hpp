// Parameters from measurements: base parameters, least squares, physically possible bodies, sensitivities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// All of them, with links ordered from the base outward. Without drives: of the links alone, assuming no friction,
// rotors and springs; those of springs are among them where the model has a spring. τ = Σ Y_column(k) value(k), summed
// over them, for every motion. They are found from the regressor at random motions, which are the same in every call.
std::vector<BaseParameter> base_parameters(const Mechanism& robot, bool drives = true);

// The base parameters of a robot from measured motions and torques, by weighted least squares. docs/identification.md.

// One row per sample, with one number for each entry of q̇, stored row by row.
struct Measurements {
  std::vector<double> q{}, qd{}, qdd{}, tau{};
  double period = 0.0;                   // s between rows; 0: rows without a clock, taken as independent
  std::vector<std::size_t> stretches{};  // first rows of stretches without gaps; empty: one
  std::vector<std::uint8_t> used{};      // by row and joint, 1: counts; empty: all
};

// Friction of a joint with the speed v, as it is fitted.
enum class JointFriction {
  none,
  viscous,     // fv v
  coulomb,     // fv v + fc sign(v)
  tanh,        // fv v + fc tanh(v/w)
  stribeck,    // fv v + (fc + fs exp(-(v/w)²)) sign(v)
  asymmetric,  // fv and fc of their own in each direction
  best         // one of these, by cross-validation
};
std::string_view name_of(JointFriction friction);  // "coulomb"; best: "auto"
std::optional<JointFriction> friction_named(std::string_view name);

// What was found of a joint's friction; N m and rad/s, or N and m/s.
struct FrictionCurve {
  JointFriction kind = JointFriction::none;
  double viscous = 0.0, coulomb = 0.0;            // asymmetric: where v > 0
  double viscous_back = 0.0, coulomb_back = 0.0;  // where v < 0; the same unless asymmetric
  double excess = 0.0;                            // fs
  double width = 0.0;                             // w
  double offset = 0.0;                            // of the measured torque, at every speed
  double at(double v) const;                      // without the offset
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order in which users think of them
struct IdentificationOptions {
  bool drives = true;                     // friction, rotors and the springs of the model too; without, there are none
  std::vector<double> weights{};          // of each joint's squared errors: 1/σ², up to a common factor; empty: all 1
  bool weights_from_residuals = false;    // weights from each joint's residuals, again until they stay
  std::vector<JointFriction> friction{};  // by joint, or one for all; empty: coulomb
  bool offsets = false;                   // fit a constant in each joint's torque
  std::vector<int> only{};                // joints of the tree whose links and drives are fitted; empty: all
  bool subset = false;                    // hold what the motion does not determine at the model's values
  double cutoff = 0.0;                    // Hz: torques and regressor pass the same low-pass filter; 0: as they are
  int filter_order = 4;
  std::size_t decimate = 1;  // every so many rows
  int folds = 0;             // parts of the log, each held out once; 0: none
  int threads = 0;           // 0: as many as the processor runs
};

struct Estimate {
  BaseParameter parameter;  // without terms: an offset or a function of a joint's speed
  double value = 0.0, standard_error = 0.0;
  double lower = 0.0, upper = 0.0;  // 95 % interval
};
struct HeldParameter {
  BaseParameter parameter;
  double value = 0.0;
};
// What a model leaves of the torques, by joint.
struct FitScore {
  std::vector<double> rms;        // of what is left
  std::vector<double> explained;  // 1 - what is left / variance of the torque
};
struct FitDoubt {
  std::string kind;  // condition, correlated, motion, samples
  std::string text;
};

namespace identification {
struct Evidence;
struct Model;
}  // namespace identification

struct Identification {
  std::vector<Estimate> estimates;
  std::vector<double> covariance;  // of the values, by rows
  std::vector<double> weights;     // as used
  int reweightings = 0;            // until they stayed
  std::vector<double> residuals;   // root mean square, by joint
  std::vector<double> explained;   // share of the torque's variance, by joint
  double condition = 0.0;          // of the weighted matrix with columns scaled to length 1
  std::size_t samples = 0, equations = 0;
  std::size_t block = 0;            // rows of a block of the covariance; 0: errors are taken as independent
  std::vector<double> correlation;  // by joint: rows that say as much as one with an error of its own
  std::vector<HeldParameter> held;
  std::vector<FrictionCurve> friction;  // by joint
  std::vector<FitDoubt> doubts;
  std::vector<Estimate> gains;                               // by joint, where identify_gains() found them
  FitScore nominal;                                          // what the model itself leaves, offsets and curves 0
  std::shared_ptr<const identification::Evidence> evidence;  // what the log says, for fit_physical and validate
  std::shared_ptr<const identification::Model> model;        // what was fitted to it
};

// Rows with a clock: the covariance is a sandwich over blocks of rows, which holds for errors that are correlated in
// time and between joints and whose size changes; the length of blocks comes from the residuals' autocorrelation. Rows
// without one: errors are taken as independent and, after weighting, of the same variance. q, q̇ and q̈ are assumed
// exact. Throws std::invalid_argument that names lengths and numbers that do not fit, and std::domain_error if the data
// do not determine all parameters, naming those.
Identification identify(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options = {});

// Student's t: |T| is below this value with probability 95 %.
double student_95(std::size_t degrees_of_freedom);

// The regressor columns of the base parameters for all samples, stacked, by rows.
std::vector<double> base_regressors(const Mechanism& robot, std::span<const BaseParameter> parameters,
                                    std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);

// The physically possible parameters nearest to the measurements: masses and inertias of real mass distributions,
// friction and rotors that are not negative. docs/identification.md.

// Bounds of a link: its mass, and a ball around the prior's mass centre that holds its own.
struct BodyBounds {
  double least_mass = 0.0, most_mass = std::numeric_limits<double>::infinity();
  double centre_within = std::numeric_limits<double>::infinity();  // m
};
struct PhysicalOptions {
  double prior = 0.1;                      // standard errors that a change of a link's whole mass counts as
  std::vector<double> prior_parameters{};  // θ that is pulled to; empty: the model's
  std::vector<BodyBounds> bounds{};        // by joint of the tree; empty: none
};
struct PhysicalFit {
  std::vector<double> parameters;       // θ (model/parameters.hpp), of tanh and asymmetric friction the nearest
  std::vector<double> stribeck_speeds;  // by joint of the tree, for with_parameters
  std::vector<double> values;           // of the estimates, in their order
  std::vector<double> residuals;        // root mean square, by joint, with the curves and offsets of `values`
  std::vector<double> explained;
  FitScore written;       // what θ and those speeds leave: the same unless there are curves that a model cannot hold
  double distance = 0.0;  // from the estimates in standard errors: root mean square, with correlations
  std::vector<double> of_columns, of_columns_written;  // by column of the regression, for validate
};

// θ with the smallest weighted sum of squares among all that are physically possible and within bounds; what the data
// do not determine stays near the prior. Throws std::invalid_argument for bounds that no prior or body meets.
PhysicalFit fit_physical(const Mechanism& robot, const Identification& found, const PhysicalOptions& options = {});

// Residual torques of the least-squares fit, of the physically possible one, of its θ only, and of the model.
struct Validation {
  FitScore least_squares, physical, written, nominal;
  std::size_t samples = 0;
};
// Of another log.
Validation validate(const Mechanism& robot, const Identification& found, const PhysicalFit* fit,
                    const Measurements& other);
// The torques that a fit predicts, curves and offsets included: of least squares, or of the physically possible model.
std::vector<double> predict(const Mechanism& robot, const Identification& found, const PhysicalFit* fit,
                            std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);
// The torques of a log as a fit compares them, for pictures: measured and predicted filtered alike and decimated. What
// does not count is left out of the filter too; where hardly anything near counts, there is no number.
struct ComparedTorques {
  std::vector<std::size_t> samples;             // of the measurements, by row
  std::vector<double> measured, least_squares;  // by row and joint
  std::vector<double> physical;                 // empty: there is no such fit
  std::vector<double> friction;                 // its share in least_squares, without offsets
  std::vector<double> speed;                    // of the measurements
  std::vector<std::uint8_t> used;               // 1: counts
};
ComparedTorques compare_torques(const Mechanism& robot, const Identification& found, const PhysicalFit* fit,
                                const Measurements& data);
// Of each fold, fitted to the others: all of them together. With options.folds at identification.
Validation cross_validate(const Mechanism& robot, const Identification& found, const PhysicalOptions* physical);

// A load fixed to a frame, from torques of a robot whose own parameters are known: those of the model.

struct PayloadOptions {
  IdentificationOptions fit{};   // its offsets, weights, filter; friction is the model's
  std::optional<double> mass{};  // known: weighed
  BodyBounds bounds{};           // of the mass; the mass centre within this distance of the frame's origin
};
struct PayloadFit {
  Inertial body;                    // physically possible: mass, mass centre in the frame, inertia about it
  Estimate mass, centre[3];         // of least squares; infinite intervals where the motion does not show them
  std::vector<Estimate> estimates;  // mass, first moment, inertia about the frame's origin, offsets
  std::vector<HeldParameter> held;  // what the motion does not show, or is known
  FitScore least_squares, physical, without;
  std::vector<FitDoubt> doubts;
  double condition = 0.0;
  std::size_t samples = 0, block = 0;
  std::shared_ptr<const identification::Model> model;  // what was fitted
  std::vector<double> of_columns;                      // by column of it: the possible body
};
// `frame` is an index into robot.frames. Throws like identify().
PayloadFit identify_payload(const Mechanism& robot, const Measurements& data, int frame,
                            const PayloadOptions& options = {});
ComparedTorques compare_torques(const Mechanism& robot, const PayloadFit& fit, const Measurements& data);

// Drive gains, N m (N) for a unit of the motor's current, from two runs: without and with a load that was weighed.

// `tau` of both runs are currents; `load` is what the load adds to θ: standard_parameters() of the robot with it, less
// those without. Maximum likelihood for errors of the currents: i = (Y θ + Y load)/gain. Gains, and with them the
// parameters of a fit to both runs; intervals of each allow for errors of the other. Weights are those of the
// residuals. Throws like identify(), and std::domain_error that names joints whose currents do not show the load.
Identification identify_gains(const Mechanism& robot, const Measurements& without, const Measurements& with,
                              std::span<const double> load, const IdentificationOptions& options = {});

// Base parameters along a log: recursive least squares with forgetting, as a controller runs them. A step takes some p²
// operations for each joint and allocates nothing.
class RecursiveIdentification {
 public:
  // forgetting: what a row counts when the next one has come, 1: nothing is forgotten. start: rows of unit torque that
  // the model's own values count as.
  explicit RecursiveIdentification(const Mechanism& robot, bool drives = true, double forgetting = 1.0,
                                   std::vector<double> weights = {}, double start = 1e-6);
  ~RecursiveIdentification();
  RecursiveIdentification(RecursiveIdentification&&) noexcept;
  RecursiveIdentification& operator=(RecursiveIdentification&&) noexcept;

  const std::vector<BaseParameter>& parameters() const;
  void add(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
           std::span<const double> tau, std::span<const std::uint8_t> used = {});
  std::span<const double> values();
  // Standard errors for independent errors of the torques.
  std::span<const double> standard_errors();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The robot with these parameters. A moving link's parameters include everything fixed to it: links fixed to it no
// longer have a mass of their own. An offset beside a spring is the model's; where the spring rests says the rest.
// Speeds of Stribeck friction, by joint of the tree; empty: the robot's own.
Robot with_parameters(const Robot& robot, std::span<const double> parameters,
                      std::span<const double> stribeck_speeds = {});

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
