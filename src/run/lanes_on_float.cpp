#include "run/lane_runner_of.hpp"

namespace catena {
template std::unique_ptr<LaneRunner<float>> make_linked_lane_runner(const JobInfo&,
                                                                    std::shared_ptr<const BasicMechanism<float>>);
}
