// Inverse dynamics: the default against the vector recursion, our sine against the library's, and growth with the
// number of joints.
#include "harness.hpp"

namespace catena::bench {

void add_inverse() {
  for (const std::string model : {"ur5", "panda"}) {
    const std::string prefix = "inverse/" + model + "/";
    Mechanism library = shipped(model);
    library.library_sincos = true;
    add_job(prefix + "default with the library's sincos", library, "inverse");
    add_ratio(model + ": default to luh-walker-paul", prefix + "default", prefix + "luh-walker-paul", 0.75);
    add_ratio(model + ": our sincos to the library's", prefix + "default",
              prefix + "default with the library's sincos");
  }
  std::vector<std::pair<int, std::string>> names;
  for (const int n : {2, 4, 6, 7, 9, 12, 24, 48, 96}) {
    names.emplace_back(n, "inverse/chain/" + std::to_string(n) + "/default");
    add_job(names.back().second, general_chain(n), "inverse");
  }
  add_slope("inverse dynamics of a chain", names);
}

}  // namespace catena::bench
