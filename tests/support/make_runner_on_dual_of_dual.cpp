// Second derivatives, which tests ask of two jobs: those alone are compiled on dual numbers of dual numbers.
#include <stdexcept>
#include <string>

#include "catena/dynamics/jobs/inertia.hpp"
#include "catena/dynamics/jobs/inverse.hpp"
#include "catena/dynamics/runner_base.hpp"
#include "catena/dynamics/runner_of.hpp"
#include "catena/scalar/dual.hpp"

namespace catena {

using DD = Dual<Dual<double>>;

template class Runner<DD>;
template <>
std::unique_ptr<Runner<DD>> make_runner<DD>(std::string_view job, const MechanismFor<DD>& robot,
                                            std::string_view formulation) {
  job_info(job).formulation(formulation);
  if (job == "inverse") return make_runner_of<InverseJob, DD>(robot, formulation);
  if (job == "inertia") return make_runner_of<InertiaJob, DD>(robot, formulation);
  throw std::invalid_argument("no second derivatives of " + std::string(job) + " in tests");
}

}  // namespace catena
