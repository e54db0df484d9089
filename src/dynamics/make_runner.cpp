#include "catena/dynamics/make_runner.hpp"

#include "catena/scalar/counted.hpp"
#include "compiled_level.hpp"

namespace catena {

template <class S>
std::unique_ptr<Runner<S>> make_runner_at(const Level& at, std::string_view job, const MechanismFor<S>& robot,
                                          std::string_view formulation) {
  job_info(job).formulation(formulation);  // throws when there is none
  const auto inside = [&](std::string_view inner, const MechanismFor<S>& tree, std::string_view by) {
    return make_runner_at<S>(at, inner, tree, by);
  };
  if (robot.free_base) return make_free_base_runner<S>(job, robot, formulation, inside);
  if (robot.is_coupled()) return make_projected_runner<S>(job, robot, formulation, inside);
  const std::span<const CompiledLevel> compiled = compiled_levels();
  std::size_t count = compiled.size();  // up to the level that is asked for; none for the baseline
  while (count > 0 && compiled[count - 1].name != at.name) --count;
  for (; count > 0; --count)
    if (RunnerMaker<S>* make = compiled[count - 1].runners->template on<S>())
      if (auto made = make(job, robot, formulation)) return made;
  return make_linked_runner<S>(job, robot, formulation);
}

template class Runner<double>;
template std::unique_ptr<Runner<double>> make_runner_at<double>(const Level&, std::string_view,
                                                                const MechanismFor<double>&, std::string_view);
template std::unique_ptr<Runner<double>> make_runner<double>(std::string_view, const MechanismFor<double>&,
                                                             std::string_view);
template class Runner<float>;
template std::unique_ptr<Runner<float>> make_runner_at<float>(const Level&, std::string_view,
                                                              const MechanismFor<float>&, std::string_view);
template std::unique_ptr<Runner<float>> make_runner<float>(std::string_view, const MechanismFor<float>&,
                                                           std::string_view);
template class Runner<Counted>;
template std::unique_ptr<Runner<Counted>> make_runner<Counted>(std::string_view, const MechanismFor<Counted>&,
                                                               std::string_view);

}  // namespace catena
