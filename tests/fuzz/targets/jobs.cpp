// A robot of any kind and a state: every job by every formulation that serves it.
#include "fuzz/support/built_robot.hpp"
#include "fuzz/support/compared_jobs.hpp"
#include "fuzz/support/violation.hpp"

#include "catena/validate.hpp"

namespace catena::fuzz {
namespace {

void run_all(Bytes& bytes) {
  const BuiltRobot built = build_robot(bytes);
  Mechanism robot = make_mechanism(built.robot);
  if (built.base_moves) robot = on_moving_base(robot);
  const int frame = bytes.below(static_cast<int>(robot.frames.size()));
  const double share = 0.2 * bytes.number(1.0);
  compare_jobs(robot, largest_inertia(built.robot), build_state(bytes, robot, share), frame);
}

}  // namespace

void fuzz_jobs(Input input) {
  Bytes bytes(input);
  or_say_why<ModelError>([&] { run_all(bytes); });
}

}  // namespace catena::fuzz
