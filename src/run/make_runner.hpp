// make_runner on a scalar: instantiated once per scalar, together with RunnersOf every job.
#pragma once

#include <stdexcept>
#include <string>

#include "coordinates/charted_solver.hpp"
#include "coordinates/clustered_bodies.hpp"
#include "jobs/job_list.hpp"
#include "run/around_wrenches.hpp"
#include "run/charted_curvature.hpp"
#include "run/charted_observer.hpp"
#include "run/level.hpp"

namespace catena {

namespace detail {
template <class S>
struct MakerOn {
  template <class Job>
  struct Of {
    static constexpr auto value = &RunnersOf<Job, S>::make;
  };
};
}  // namespace detail

// From the instances that are linked in. Null if there is none.
template <class S>
std::unique_ptr<Runner<S>> make_linked_runner(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                              std::string_view formulation) {
  static constexpr auto makers = AllJobs::each<detail::MakerOn<S>::template Of>();
  const std::size_t k = std::size_t(&job_info(job) - jobs().data());
  return k < makers.size() ? makers[k](std::move(tree), formulation) : nullptr;
}

// Adds the robot's chart around the tree; a robot without a chart runs on the tree directly.
template <class S>
std::unique_ptr<Runner<S>> make_runner_around(std::string_view name, std::shared_ptr<const MechanismFor<S>> robot,
                                              std::string_view formulation, TreeRunnerMaker<S> make) {
  const JobInfo& job = job_info(name);
  const FormulationInfo& asked = job.formulation(formulation);  // throws if there is none
  const auto& coordinates = robot->coordinates;
  if (!robot->wrenches.empty() && job.feels_wrenches()) {
    auto alone = std::make_shared<MechanismFor<S>>(*robot);
    alone->wrenches.clear();
    return std::make_unique<PushedRunner<S>>(std::move(robot), job,
                                             make_runner_around<S>(name, std::move(alone), formulation, make));
  }
  if (coordinates.is_plain()) return make(name, std::move(robot), formulation);
  for (const auto& [step, constants] : coordinates.more)
    if (!AllSteps::know<S>(step)) throw std::invalid_argument("no step of a chart is called '" + step + "'");
  const bool by_ties = job.inverts_inertia && coordinates.is_coupled();
  const char* what = coordinates.is_closed() ? "closed loops"
                     : by_ties               ? "coupled joints"
                     : coordinates.is_free() ? "a free base"
                                             : "a moving base";
  if (!job.serves(*robot, formulation))
    throw std::invalid_argument("'" + std::string(formulation) + "' of " + std::string(name) + " does not take " +
                                what + "; '" + std::string(job.standard_for(*robot)) + "' does");
  const bool square = coordinates.is_square();
  if (job.gives(Kind::response_curvature))
    return std::make_unique<ChartedResponseCurvature<S>>(std::move(robot), job, asked, make, make_runner_around<S>);
  if (job.gives(Kind::momenta))
    return std::make_unique<ChartedObserver<S>>(std::move(robot), job, asked, make, make_runner_around<S>);
  if (job.gives(Kind::curvature_q_q) && coordinates.is_closed()) return make_loop_curvature<S>(std::move(robot), asked);
  if (!square && formulation == job.by_clusters)
    return std::make_unique<ClusteredBodies<S>>(std::move(robot), job, asked, make);
  if (!square && job.inverts_inertia) return std::make_unique<ChartedSolver<S>>(std::move(robot), job, asked, make);
  return std::make_unique<ChartedRunner<S>>(std::move(robot), job, asked, make);
}

template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, std::shared_ptr<const MechanismFor<S>> robot,
                                       std::string_view formulation) {
  return make_runner_around<S>(job, std::move(robot), formulation, make_tree_runner<S>);
}

}  // namespace catena
