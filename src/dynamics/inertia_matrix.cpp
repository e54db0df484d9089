#include "catena/dynamics/matrices.hpp"
#include "engine.hpp"

namespace catena {
namespace {

struct InertiaJob {
  static constexpr std::string_view name = "the inertia matrix";
  static constexpr std::string_view standard(int joints) { return default_inertia(joints); }
  using Formulations = InertiaFormulations;
  template <class Formulation, class S, class Workspace>
  static void call(const BasicMechanism<ConstantOf<S>>& robot, const Inputs<S>& in, Workspace& ws, std::span<S> M) {
    Formulation::template run<S>(robot, in.q, ws, MatrixView<S>{M, robot.n()});
  }
};

}  // namespace

template <class S>
InertiaMatrix<S>::InertiaMatrix(const Mechanism& robot, std::string_view method)
    : Call<S>(choose_engine<InertiaJob, S>(robot, method)) {}

template <class S>
void InertiaMatrix<S>::operator()(std::span<const S> q, std::span<S> M) {
  Engine<S>& engine = *this->engine_;
  const std::size_t n = engine.robot.links.size();
  require_length<S>(q, n, "q");
  require_length<S>(M, n * n, "M");
  const Inputs<S> in{q, {}, {}, {}, {}};
  engine.run(in, M);
  add_rotor_inertia<S>(engine.robot, {M, engine.robot.n()});
  if (!all_finite<S>(M)) report_not_finite(in, "the inertia matrix");
}

template class InertiaMatrix<double>;
template class InertiaMatrix<float>;

}  // namespace catena
