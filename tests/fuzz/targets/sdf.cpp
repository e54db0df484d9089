#include "fuzz/support/robot_text.hpp"

namespace catena::fuzz {

void fuzz_sdf(Input input) { read_robot_file(input, ".sdf"); }

}  // namespace catena::fuzz
