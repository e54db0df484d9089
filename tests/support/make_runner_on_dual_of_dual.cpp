// Second derivatives, which tests ask of two jobs: those alone are compiled on dual numbers of dual numbers.
#include "catena/scalar/dual.hpp"
#include "jobs/inertia.hpp"
#include "jobs/inverse.hpp"
#include "run/make_runner.hpp"
#include "run/runner_of.hpp"

namespace catena {

using DD = Dual<Dual<double>>;
template <>
std::unique_ptr<Runner<DD>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<DD>> tree,
                                             std::string_view formulation) {
  if (job == "inverse") return RunnersOf<InverseJob, DD>::make(std::move(tree), formulation);
  if (job == "inertia") return RunnersOf<InertiaJob, DD>::make(std::move(tree), formulation);
  throw std::invalid_argument("no second derivatives of " + std::string(job) + " in tests");
}
template std::unique_ptr<Runner<DD>> make_runner(std::string_view, std::shared_ptr<const MechanismFor<DD>>,
                                                 std::string_view);

}  // namespace catena
