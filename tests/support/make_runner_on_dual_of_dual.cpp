// Second derivatives, which tests ask of two jobs: those alone are compiled on dual numbers of dual numbers.
#include "catena/dynamics/jobs/inertia.hpp"
#include "catena/dynamics/jobs/inverse.hpp"
#include "catena/dynamics/make_runner.hpp"
#include "catena/dynamics/runner_of.hpp"
#include "catena/scalar/dual.hpp"

namespace catena {

using DD = Dual<Dual<double>>;
template <>
std::unique_ptr<Runner<DD>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<DD>> tree,
                                             std::string_view formulation) {
  if (job == "inverse") return make_runner_of<InverseJob, DD>(std::move(tree), formulation);
  if (job == "inertia") return make_runner_of<InertiaJob, DD>(std::move(tree), formulation);
  throw std::invalid_argument("no second derivatives of " + std::string(job) + " in tests");
}
template std::unique_ptr<Runner<DD>> make_runner(std::string_view, std::shared_ptr<const MechanismFor<DD>>,
                                                 std::string_view);

}  // namespace catena
