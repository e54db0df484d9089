#include "fuzz/support/robot_text.hpp"

namespace catena::fuzz {

void fuzz_mjcf(Input input) { read_robot_file(input, ".mjcf"); }

}  // namespace catena::fuzz
