#include "catena/dynamics/matrices.hpp"
#include "catena/model/regroup.hpp"
#include "engine.hpp"

namespace catena {
namespace {

struct InertiaJob {
  static constexpr std::string_view name = "the inertia matrix";
  using Formulations = InertiaFormulations;
  template <class Formulation, class S, class Workspace>
  static void call(const BasicMechanism<ConstantOf<S>>& robot, const Inputs<S>& in, Workspace& ws, std::span<S> M) {
    Formulation::template run<S>(robot, in.q, ws, MatrixView<S>{M, robot.n()});
  }
};

}  // namespace

template <class S>
InertiaMatrix<S>::InertiaMatrix(const Mechanism& robot, std::string_view method)
    : engine_(method.empty() ? make_engine<InertiaJob, S>(optimize(robot), default_inertia)
                             : make_engine<InertiaJob, S>(robot, method)) {}

template <class S>
InertiaMatrix<S>::~InertiaMatrix() = default;
template <class S>
InertiaMatrix<S>::InertiaMatrix(InertiaMatrix&&) noexcept = default;
template <class S>
InertiaMatrix<S>& InertiaMatrix<S>::operator=(InertiaMatrix&&) noexcept = default;

template <class S>
void InertiaMatrix<S>::operator()(std::span<const S> q, std::span<S> M) {
  const std::size_t n = engine_->robot.links.size();
  require_length<S>(q, n, "q");
  require_length<S>(M, n * n, "M");
  const Inputs<S> in{q, {}, {}, {}, {}};
  engine_->run(in, M);
  add_rotor_inertia<S>(engine_->robot, {M, engine_->robot.n()});
  if (!all_finite<S>(M)) report_not_finite(in, "the inertia matrix");
}

template <class S>
const FormulationInfo& InertiaMatrix<S>::method() const {
  return engine_->info;
}

template class InertiaMatrix<double>;
template class InertiaMatrix<float>;

}  // namespace catena
