#include "fuzz/support/robot_text.hpp"

namespace catena::fuzz {

void fuzz_urdf(Input input) { read_robot_file(input, ".urdf"); }

}  // namespace catena::fuzz
