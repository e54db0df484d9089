#include "catena/dynamics/matrices.hpp"
#include "engine.hpp"

namespace catena {
namespace {

struct CoriolisJob {
  static constexpr std::string_view name = "the Coriolis matrix";
  static constexpr std::string_view standard(int) { return default_coriolis; }
  using Formulations = CoriolisFormulations;
  template <class Formulation, class S, class Workspace>
  static void call(const BasicMechanism<ConstantOf<S>>& robot, const Inputs<S>& in, Workspace& ws, std::span<S> C) {
    Formulation::template run<S>(robot, in.q, in.qd, ws, MatrixView<S>{C, robot.n()});
  }
};

}  // namespace

template <class S>
CoriolisMatrix<S>::CoriolisMatrix(const Mechanism& robot, std::string_view method)
    : Call<S>(choose_engine<CoriolisJob, S>(robot, method)) {}

template <class S>
void CoriolisMatrix<S>::operator()(std::span<const S> q, std::span<const S> qd, std::span<S> C) {
  Engine<S>& engine = *this->engine_;
  const std::size_t n = engine.robot.links.size();
  require_length<S>(q, n, "q");
  require_length<S>(qd, n, "qd");
  require_length<S>(C, n * n, "C");
  const Inputs<S> in{q, qd, {}, {}, {}};
  engine.run(in, C);
  if (!all_finite<S>(C)) report_not_finite(in, "the Coriolis matrix");
}

template class CoriolisMatrix<double>;
template class CoriolisMatrix<float>;

}  // namespace catena
