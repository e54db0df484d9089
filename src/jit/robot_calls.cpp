#include "robot_calls.hpp"

#include <functional>

namespace catena {
namespace {

using jit::Job;

struct Result {
  const char *name, *words;               // in messages
  std::size_t squares, vectors, numbers;  // size: squares n² + vectors n + numbers

  constexpr std::size_t size(std::size_t n) const { return squares * n * n + vectors * n + numbers; }
};

constexpr std::array<Result, jit::job_names.size()> results = {{{"tau", "the torque", 0, 1, 0},
                                                                {"g", "the torque", 0, 1, 0},
                                                                {"M", "the inertia matrix", 1, 0, 0},
                                                                {"b", "the bias vector", 0, 1, 0},
                                                                {"C", "the Coriolis matrix", 1, 0, 0},
                                                                {"qdd", "the acceleration", 0, 1, 0},
                                                                {"T", "the pose", 0, 0, 16},
                                                                {"J", "the Jacobian", 0, 6, 0}}};

bool apart(std::span<const double> a, std::span<const double> b) {
  const std::less_equal<> before;
  return a.empty() || b.empty() || before(a.data() + a.size(), b.data()) || before(b.data() + b.size(), a.data());
}

// Entry by entry: they were stored so a moment ago, and a load of two at once would wait for both stores.
bool just_stored_finite(std::span<const double> values) {
  double even = 0.0, odd = 0.0;  // stay zero: 0 v is not, where v is infinite or no number
  std::size_t k = 0;
  for (; k + 1 < values.size(); k += 2) even += 0.0 * values[k], odd += 0.0 * values[k + 1];
  if (k < values.size()) even += 0.0 * values[k];
  return even + odd == 0.0;
}

// Inputs that a job does not have are empty.
template <Job job>
void require_shapes(const Inputs<double>& in, std::size_t n, const Result& result, std::span<double> out) {
  require_length<double>(in.q, n, "q");
  constexpr bool speeds = job == Job::inverse || job == Job::bias || job == Job::coriolis || job == Job::forward;
  if constexpr (speeds) require_length<double>(in.qd, n, "qd");
  if constexpr (job == Job::inverse) require_length<double>(in.qdd, n, "qdd");
  if constexpr (job == Job::forward) require_length<double>(in.tau, n, "tau");
  require_length<double>(out, result.size(n), result.name);
  if (!apart(in.q, out) || !apart(in.qd, out) || !apart(in.qdd, out) || !apart(in.tau, out))
    throw std::invalid_argument(std::string(result.name) + " overlaps an argument");
}

}  // namespace

template <Job job, class... Arguments>
void RobotCalls::Parts::run(const Inputs<double>& in, std::span<double> out, Arguments... arguments) const {
  const jit::Slot& slot = slots[static_cast<std::size_t>(job)];
  constexpr const Result& result = results[static_cast<std::size_t>(job)];
  require_shapes<job>(in, static_cast<std::size_t>(n), result, out);
  if (slot.function != nullptr) {
    reinterpret_cast<void (*)(Arguments..., double*)>(slot.function)(arguments..., out.data());
    // Folded code may not read an argument at all; the generic path would have found out.
    const bool finite = all_finite<double>(in.q) & all_finite<double>(in.qd) & all_finite<double>(in.qdd) &
                        all_finite<double>(in.tau) & just_stored_finite(out);
    if (!finite) report_not_finite(in, result.words);
    return;
  }
  if (!slot.generic)
    throw std::logic_error("'" + std::string(jit::job_names[static_cast<std::size_t>(job)]) +
                           "' is not among the jobs that were compiled");
  const std::lock_guard lock(*slot.turn);
  slot.generic->run(in, out);
}

RobotCalls::RobotCalls(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RobotCalls::~RobotCalls() = default;
RobotCalls::RobotCalls(RobotCalls&&) noexcept = default;
RobotCalls& RobotCalls::operator=(RobotCalls&&) noexcept = default;

void RobotCalls::inverse(In q, In qd, In qdd, Out tau) const {
  parts_->run<Job::inverse>({q, qd, qdd, {}, {}}, tau, q.data(), qd.data(), qdd.data());
}
void RobotCalls::gravity(In q, Out g) const { parts_->run<Job::gravity>({q, {}, {}, {}, {}}, g, q.data()); }
void RobotCalls::inertia(In q, Out M) const { parts_->run<Job::inertia>({q, {}, {}, {}, {}}, M, q.data()); }
void RobotCalls::bias(In q, In qd, Out b) const { parts_->run<Job::bias>({q, qd, {}, {}, {}}, b, q.data(), qd.data()); }
void RobotCalls::coriolis(In q, In qd, Out C) const {
  parts_->run<Job::coriolis>({q, qd, {}, {}, {}}, C, q.data(), qd.data());
}
void RobotCalls::forward(In q, In qd, In tau, Out qdd) const {
  parts_->run<Job::forward>({q, qd, {}, tau, {}}, qdd, q.data(), qd.data(), tau.data());
}
void RobotCalls::pose(In q, Out T) const { parts_->run<Job::pose>({q, {}, {}, {}, {}}, T, q.data()); }
void RobotCalls::jacobian(In q, Out J) const { parts_->run<Job::jacobian>({q, {}, {}, {}, {}}, J, q.data()); }

int RobotCalls::n() const { return parts_->n; }

EngineKind RobotCalls::engine() const {
  for (const JobReport& r : parts_->reports)
    if (r.engine == EngineKind::generic) return EngineKind::generic;
  return EngineKind::compiled;
}

std::string RobotCalls::why() const {
  for (const JobReport& r : parts_->reports)
    if (r.engine == EngineKind::generic) return r.why;
  return "";
}

const std::vector<JobReport>& RobotCalls::reports() const { return parts_->reports; }

const JobReport& RobotCalls::report(std::string_view job) const {
  for (const JobReport& r : parts_->reports)
    if (r.job == job) return r;
  throw std::logic_error("'" + std::string(job) + "' is not among the jobs that were asked for");
}

}  // namespace catena
