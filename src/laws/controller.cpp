// A law on numbers.
#include <algorithm>
#include <stdexcept>

#include "jobs/checks.hpp"
#include "laws/law_list.hpp"

namespace catena {
namespace {

std::vector<LawPart> described(const std::vector<laws::Part>& parts) {
  std::vector<LawPart> out;
  for (const laws::Part& part : parts) {
    const laws::SignalInfo& info = laws::signals[static_cast<std::size_t>(part.signal)];
    out.push_back({std::string(info.name), std::string(info.words), part.size});
  }
  return out;
}

void require_length(std::size_t is, int should, const char* what) {
  if (is != index(should))
    throw std::invalid_argument(std::string("the ") + what + " needs " + std::to_string(should) +
                                " numbers: " + std::to_string(is) + " were given");
}

}  // namespace

struct Controller::Impl {
  laws::PreparedLaw law;
  std::unique_ptr<laws::ControlLaw<double>> text = laws::make_law<double>(law);
  std::vector<LawPart> measurement = described(law.shape.measurement), reference = described(law.shape.reference),
                       kept = described(law.shape.state);
  std::vector<double> state = law.shape.start, next = state,
                      gains = std::vector<double>(index(size_of(law.shape.schedule)));
  int measured = size_of(law.shape.measurement), wanted = size_of(law.shape.reference);

  Impl(const Mechanism& robot, const LawOptions& options) : law(laws::prepare(robot, options)) {}
  Impl(const Impl& other) : law(other.law), state(other.state) {}
  Impl& operator=(const Impl&) = delete;
  ~Impl() = default;

  // The scheduled gains at this time after the reset.
  void find_gains(double t) {
    const auto& [times, rows] = law.options.schedule;
    const auto after = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
    const std::size_t a = after == 0 ? 0 : after - 1, b = std::min(after, times.size() - 1);
    const double part = a == b ? 0.0 : (t - times[a]) / (times[b] - times[a]);
    for (std::size_t k = 0; k < gains.size(); ++k) gains[k] = rows[a][k] + part * (rows[b][k] - rows[a][k]);
  }
};

Controller::Controller(const Mechanism& robot, const LawOptions& options)
    : impl_(std::make_unique<Impl>(robot, options)) {}
Controller::~Controller() = default;
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;
Controller::Controller(const Controller& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}

const std::vector<LawPart>& Controller::measurement() const { return impl_->measurement; }
const std::vector<LawPart>& Controller::reference() const { return impl_->reference; }
const std::vector<LawPart>& Controller::state_parts() const { return impl_->kept; }
const LawOptions& Controller::options() const { return impl_->law.options; }
std::span<double> Controller::state() { return impl_->state; }
void Controller::reset() { impl_->state = impl_->law.shape.start; }

void Controller::step(std::span<const double> measurement, std::span<const double> reference, double dt,
                      std::span<double> torque) {
  Impl& own = *impl_;
  const laws::LawShape& shape = own.law.shape;
  require_length(measurement.size(), own.measured, "measurement");
  require_length(reference.size(), own.wanted, "reference");
  require_length(torque.size(), own.law.robot.nv(), "torque");
  if (!(dt > 0.0) || !std::isfinite(dt)) throw std::invalid_argument("dt must be positive and finite");
  laws::LawStep<double> x;
  laws::place(shape.measurement, measurement, x.in);
  laws::place(shape.reference, reference, x.in);
  laws::place(shape.state, std::span<const double>(own.state), x.in);
  laws::place(shape.state, std::span<double>(own.next), x.next);
  if (!own.gains.empty()) own.find_gains(x[laws::Signal::time][0]);
  laws::place(shape.schedule, std::span<const double>(own.gains), x.in);
  x.dt = dt, x.torque = torque;
  own.text->step(x);
  if (!all_finite<double>(torque) || !all_finite<double>(own.next))
    throw std::domain_error("law '" + own.law.options.law + "': a torque is not finite; the state is unchanged");
  own.state.swap(own.next);
}

}  // namespace catena
