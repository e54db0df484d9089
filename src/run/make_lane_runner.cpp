#include <span>

#include "run/compiled_level.hpp"
#include "run/lane_runner_of.hpp"

namespace catena {

extern template std::unique_ptr<LaneRunner<double>> make_linked_lane_runner(
    const JobInfo&, std::shared_ptr<const BasicMechanism<double>>);
extern template std::unique_ptr<LaneRunner<float>> make_linked_lane_runner(
    const JobInfo&, std::shared_ptr<const BasicMechanism<float>>);

std::string_view formulation_in_lanes(std::string_view job) { return job_info(job).in_lanes; }

template <class T>
std::unique_ptr<LaneRunner<T>> make_lane_runner(std::string_view name, const BasicMechanism<T>& robot) {
  const JobInfo& job = job_info(name);
  if (job.in_lanes.empty() || robot.library_sincos || robot.varied) return nullptr;
  const auto shared = std::make_shared<const BasicMechanism<T>>(robot);
  const std::span<const CompiledLevel> compiled = compiled_levels();
  std::size_t count = compiled.size();
  while (count > 0 && compiled[count - 1].name != level().name) --count;
  if (count == 0) return make_linked_lane_runner<T>(job, shared);
  return compiled[count - 1].runners->template lanes_on<T>()(job, shared);
}

template std::unique_ptr<LaneRunner<double>> make_lane_runner(std::string_view, const BasicMechanism<double>&);
template std::unique_ptr<LaneRunner<float>> make_lane_runner(std::string_view, const BasicMechanism<float>&);

}  // namespace catena
