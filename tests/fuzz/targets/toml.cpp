#include "fuzz/support/robot_text.hpp"

namespace catena::fuzz {

void fuzz_toml(Input input) { read_robot_file(input, ".toml"); }

}  // namespace catena::fuzz
