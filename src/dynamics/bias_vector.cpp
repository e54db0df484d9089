#include "catena/dynamics/forward/drives.hpp"
#include "catena/dynamics/matrices.hpp"
#include "engine.hpp"

namespace catena {
namespace {

struct BiasJob {
  static constexpr std::string_view name = "the bias vector";
  static constexpr std::string_view standard(int) { return default_bias; }
  using Formulations = BiasFormulations;
  template <class Formulation, class S, class Workspace>
  static void call(const BasicMechanism<ConstantOf<S>>& robot, const Inputs<S>& in, Workspace& ws, std::span<S> b) {
    Formulation::template run<S>(robot, in.q, in.qd, ws, b);
  }
};

}  // namespace

template <class S>
BiasVector<S>::BiasVector(const Mechanism& robot, std::string_view method)
    : Call<S>(choose_engine<BiasJob, S>(robot, method)) {}

template <class S>
void BiasVector<S>::operator()(std::span<const S> q, std::span<const S> qd, std::span<S> b) {
  Engine<S>& engine = *this->engine_;
  const std::size_t n = engine.robot.links.size();
  require_length<S>(q, n, "q");
  require_length<S>(qd, n, "qd");
  require_length<S>(b, n, "b");
  const Inputs<S> in{q, qd, {}, {}, {}};
  engine.run(in, b);
  add_friction<S>(engine.robot, qd, b);
  if (!all_finite<S>(b)) report_not_finite(in, "the bias vector");
}

template class BiasVector<double>;
template class BiasVector<float>;

}  // namespace catena
