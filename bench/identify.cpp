// Base parameters of long chains: the orthogonal decomposition of their regressors.
#include "catena/identify.hpp"
#include "harness.hpp"

namespace catena::bench {

void add_identify() {
  for (const int n : {7, 24, 48})
    add("base parameters/" + std::to_string(n),
        [robot = general_chain(n)](std::size_t) { benchmark::DoNotOptimize(base_parameters(robot)); });
}

}  // namespace catena::bench
