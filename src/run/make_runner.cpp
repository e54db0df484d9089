// Runners on a scalar; for machine numbers, at the processor's instruction level.
#include "run/make_runner.hpp"

#include <concepts>

#include "jobs/instance_scalar.hpp"
#include "run/compiled_level.hpp"
#include "run/varied_runner.hpp"

namespace catena {

using On = InstanceScalar;

namespace {
// From a level that was compiled for this scalar, or null.
template <class S>
std::unique_ptr<Runner<S>> make_at(const Level& at, std::string_view job, const std::shared_ptr<const TreeFor<S>>& tree,
                                   std::string_view formulation) {
  if constexpr (std::same_as<S, double>) {
    const std::span<const CompiledLevel> compiled = compiled_levels();
    std::size_t count = compiled.size();  // up to the requested level; none for the baseline
    while (count > 0 && compiled[count - 1].name != at.name) --count;
    for (; count > 0; --count)
      if (auto made = compiled[count - 1].runners->on_double(job, tree, formulation)) return made;
  }
  return nullptr;
}
}  // namespace

template <>
std::unique_ptr<Runner<On>> make_tree_runner_at(const Level& at, std::string_view job,
                                                std::shared_ptr<const TreeFor<On>> tree, std::string_view formulation) {
  job_info(job).formulation(formulation);  // throws if there is none
  if (auto made = make_at<On>(at, job, tree, formulation)) return made;
  return make_linked_runner<On>(job, std::move(tree), formulation);
}
template <>
std::unique_ptr<Runner<On>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<On>> tree,
                                             std::string_view formulation) {
  static const Level baseline{"baseline", true};
  return make_tree_runner_at<On>(std::floating_point<On> ? level() : baseline, job, std::move(tree), formulation);
}
// The chart runs at the same level as the formulations that it stands around.
namespace {
template <class S>
std::unique_ptr<Runner<S>> make_charted(std::string_view job, std::shared_ptr<const MechanismFor<S>> robot,
                                        std::string_view formulation) {
  if constexpr (std::same_as<S, double>)
    for (const CompiledLevel& compiled : compiled_levels())
      if (compiled.name == level().name)
        return compiled.runners->charted_on_double(job, std::move(robot), formulation, make_tree_runner<S>);
  return make_runner_around<S>(job, std::move(robot), formulation, make_tree_runner<S>);
}
}  // namespace

template <>
std::unique_ptr<Runner<On>> make_runner(std::string_view job, std::shared_ptr<const MechanismFor<On>> robot,
                                        std::string_view formulation) {
  if (robot->varied) return make_varied_runner<On>(job, std::move(robot), formulation);
  return make_charted<On>(job, std::move(robot), formulation);
}

}  // namespace catena
