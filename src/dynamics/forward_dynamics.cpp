#include "catena/dynamics/forward_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "catena/dynamics/factor.hpp"
#include "catena/dynamics/pivots.hpp"
#include "engine.hpp"
#include "wrenches.hpp"

namespace catena {
namespace {

struct ForwardJob {
  static constexpr std::string_view name = "forward dynamics";
  using Formulations = ForwardFormulations;
};

template <class S>
struct ForwardEngine : Engine<S> {
  using Engine<S>::Engine;
  virtual void factor(const Inputs<S>& in) = 0;
  virtual void solve(const Inputs<S>& in, std::span<S> qdd) = 0;
  virtual std::span<const S> pivots() const = 0;  // by link
};

template <class S, class Formulation>
struct ForwardEngineOf final : ForwardEngine<S> {
  typename Formulation::template Workspace<S> workspace;

  explicit ForwardEngineOf(const Mechanism& mechanism)
      : ForwardEngine<S>(mechanism, Formulation::info), workspace(this->robot) {}

  static constexpr bool keeps_factors =
      requires(const BasicMechanism<ConstantOf<S>>& robot, const Inputs<S>& in, decltype(workspace)& ws) {
    Formulation::template factor<S>(robot, in.q, in.qd, in.external, ws);
  };

  void run(const Inputs<S>& in, std::span<S> qdd) override {
    Formulation::template run<S>(this->robot, in.q, in.qd, in.tau, in.external, workspace, qdd);
  }
  void factor(const Inputs<S>& in) override {
    if constexpr (keeps_factors) {
      Formulation::template factor<S>(this->robot, in.q, in.qd, in.external, workspace);
    } else {
      std::fill(workspace.pivots.begin(), workspace.pivots.end(), std::numeric_limits<S>::max());  // not found yet
    }
  }
  void solve(const Inputs<S>& in, std::span<S> qdd) override {
    if constexpr (keeps_factors) {
      Formulation::template solve<S>(this->robot, in.q, in.tau, workspace, qdd);
    } else {
      run(in, qdd);
    }
  }
  std::span<const S> pivots() const override { return workspace.pivots; }
};

template <class S>
std::unique_ptr<ForwardEngine<S>> make_forward_engine(const Mechanism& robot, std::string_view method) {
  return make_by_name<ForwardJob, ForwardEngine<S>>(
      method, [&](auto formulation) { return std::make_unique<ForwardEngineOf<S, decltype(formulation)>>(robot); });
}

}  // namespace

template <class S>
struct ForwardDynamics<S>::Parts {
  Mechanism robot;  // as it was given
  std::unique_ptr<ForwardEngine<S>> engine;
  WrenchCollector<S> wrenches;
  std::vector<S> doubtful;
  std::optional<Factorization<S>> judge;  // made when a pivot is in doubt
  // What factor() was called with.
  std::vector<S> q, qd;
  std::vector<Wrench<S>> external;
  bool pushed = false, factored = false;

  Parts(const Mechanism& given, std::unique_ptr<ForwardEngine<S>> made)
      : robot(given),
        engine(std::move(made)),
        wrenches(engine->robot),
        doubtful(doubtful_pivots(engine->robot)),
        q(n()),
        qd(n()),
        external(n()) {}

  std::size_t n() const { return engine->robot.links.size(); }

  Inputs<S> kept(std::span<const S> tau) const {
    return {q, qd, {}, tau, pushed ? std::span<const Wrench<S>>(external) : std::span<const Wrench<S>>()};
  }

  void check(const Inputs<S>& in, std::span<const S> qdd) {
    const std::span<const S> pivots = engine->pivots();
    bool beyond_doubt = all_finite<S>(qdd);
    for (std::size_t i = 0; i < pivots.size(); ++i) beyond_doubt &= pivots[i] > doubtful[i];
    if (!beyond_doubt) [[unlikely]]
      look_closer(in, qdd);
  }

  // Throws what is wrong, if something is.
  void look_closer(const Inputs<S>& in, std::span<const S> qdd) {
    for (const std::span<const S> values : {in.q, in.qd, in.tau})
      if (!all_finite<S>(values)) report_not_finite(in, "the acceleration");
    if (!judge) judge.emplace(robot);
    judge->factor(in.q);
    if (!all_finite<S>(qdd)) report_not_finite(in, "the acceleration");
    const std::span<const S> pivots = engine->pivots();
    for (std::size_t i = 0; i < pivots.size(); ++i)
      if (!(pivots[i] > S(0)))
        throw std::domain_error(
            "joint '" + robot.joint_names[index(robot.links[i].q)] +
            "': what it moves has so little inertia beside the rest that its acceleration is lost in rounding");
  }
};

template <class S>
ForwardDynamics<S>::ForwardDynamics(const Mechanism& robot, std::string_view method)
    : parts_(std::make_unique<Parts>(robot, method.empty()
                                                ? make_forward_engine<S>(optimize(robot), default_forward(robot.n()))
                                                : make_forward_engine<S>(robot, method))) {}

template <class S>
ForwardDynamics<S>::~ForwardDynamics() = default;
template <class S>
ForwardDynamics<S>::ForwardDynamics(ForwardDynamics&&) noexcept = default;
template <class S>
ForwardDynamics<S>& ForwardDynamics<S>::operator=(ForwardDynamics&&) noexcept = default;

template <class S>
void ForwardDynamics<S>::operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> tau,
                                    std::span<S> qdd, std::span<const ExternalWrench<S>> wrenches) {
  const std::size_t n = parts_->n();
  require_length<S>(q, n, "q");
  require_length<S>(qd, n, "qd");
  require_length<S>(tau, n, "tau");
  require_length<S>(qdd, n, "qdd");
  if (n == 0) return;
  parts_->factored = false;
  const Inputs<S> in{q, qd, {}, tau, parts_->wrenches.collect(q, wrenches)};
  parts_->engine->run(in, qdd);
  parts_->check(in, qdd);
}

template <class S>
void ForwardDynamics<S>::factor(std::span<const S> q, std::span<const S> qd,
                                std::span<const ExternalWrench<S>> wrenches) {
  const std::size_t n = parts_->n();
  require_length<S>(q, n, "q");
  require_length<S>(qd, n, "qd");
  parts_->factored = false;
  const auto external = parts_->wrenches.collect(q, wrenches);
  std::copy(q.begin(), q.end(), parts_->q.begin());
  std::copy(qd.begin(), qd.end(), parts_->qd.begin());
  std::copy(external.begin(), external.end(), parts_->external.begin());
  parts_->pushed = !external.empty();
  if (n > 0) {
    parts_->engine->factor(parts_->kept({}));
    parts_->check(parts_->kept({}), {});
  }
  parts_->factored = true;
}

template <class S>
void ForwardDynamics<S>::solve(std::span<const S> tau, std::span<S> qdd) {
  require_length<S>(tau, parts_->n(), "tau");
  require_length<S>(qdd, parts_->n(), "qdd");
  if (!parts_->factored) throw std::logic_error("solve() needs a factor() before it");
  if (tau.empty()) return;
  parts_->engine->solve(parts_->kept(tau), qdd);
  parts_->check(parts_->kept(tau), qdd);
}

template <class S>
const FormulationInfo& ForwardDynamics<S>::method() const {
  return parts_->engine->info;
}

template class ForwardDynamics<double>;
template class ForwardDynamics<float>;

}  // namespace catena
