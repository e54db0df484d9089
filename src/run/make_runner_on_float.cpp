#include "run/make_runner.hpp"

namespace catena {

// Levels have lanes of single precision, and no runners of their own for one state.
template <>
std::unique_ptr<Runner<float>> make_tree_runner_at(const Level&, std::string_view job,
                                                   std::shared_ptr<const TreeFor<float>> tree,
                                                   std::string_view formulation) {
  job_info(job).formulation(formulation);  // throws when there is none
  return make_linked_runner<float>(job, std::move(tree), formulation);
}
template <>
std::unique_ptr<Runner<float>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<float>> tree,
                                                std::string_view formulation) {
  return make_tree_runner_at<float>(level(), job, std::move(tree), formulation);
}
template std::unique_ptr<Runner<float>> make_runner(std::string_view, std::shared_ptr<const MechanismFor<float>>,
                                                    std::string_view);

}  // namespace catena
