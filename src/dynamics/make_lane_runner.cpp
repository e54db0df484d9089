#include <span>

#include "catena/dynamics/lane_runner_of.hpp"
#include "compiled_level.hpp"

namespace catena {

extern template std::unique_ptr<LaneRunner<double>> make_linked_lane_runner(std::string_view,
                                                                            const BasicMechanism<double>&);
extern template std::unique_ptr<LaneRunner<float>> make_linked_lane_runner(std::string_view,
                                                                           const BasicMechanism<float>&);

std::string_view formulation_in_lanes(std::string_view job) {
  std::string_view name;
  AllJobs::for_each([&](auto described) {
    if (described.describe().name == job) name = in_lanes<decltype(described)>;
  });
  return name;
}

template <class T>
std::unique_ptr<LaneRunner<T>> make_lane_runner(std::string_view job, const BasicMechanism<T>& robot) {
  if (robot.is_coupled() || robot.free_base || robot.library_sincos) return nullptr;
  const std::span<const CompiledLevel> compiled = compiled_levels();
  std::size_t count = compiled.size();
  while (count > 0 && compiled[count - 1].name != level().name) --count;
  if (count == 0) return make_linked_lane_runner<T>(job, robot);
  return compiled[count - 1].runners->template lanes_on<T>()(job, robot);
}

template std::unique_ptr<LaneRunner<double>> make_lane_runner(std::string_view, const BasicMechanism<double>&);
template std::unique_ptr<LaneRunner<float>> make_lane_runner(std::string_view, const BasicMechanism<float>&);

}  // namespace catena
