#include "run/compiled_level.hpp"
#include "run/make_runner.hpp"

namespace catena {

Arena* open_arena_of_program() { return detail::open_arena; }

template <>
std::unique_ptr<Runner<double>> make_tree_runner_at(const Level& at, std::string_view job,
                                                    std::shared_ptr<const TreeFor<double>> tree,
                                                    std::string_view formulation) {
  job_info(job).formulation(formulation);  // throws when there is none
  const std::span<const CompiledLevel> compiled = compiled_levels();
  std::size_t count = compiled.size();  // up to the level that is asked for; none for the baseline
  while (count > 0 && compiled[count - 1].name != at.name) --count;
  for (; count > 0; --count)
    if (auto made = compiled[count - 1].runners->on_double(job, tree, formulation)) return made;
  return make_linked_runner<double>(job, std::move(tree), formulation);
}
template <>
std::unique_ptr<Runner<double>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<double>> tree,
                                                 std::string_view formulation) {
  return make_tree_runner_at<double>(level(), job, std::move(tree), formulation);
}
template std::unique_ptr<Runner<double>> make_runner(std::string_view, std::shared_ptr<const MechanismFor<double>>,
                                                     std::string_view);

}  // namespace catena
