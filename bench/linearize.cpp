// The linearized model beside the inverse dynamics it is made of, and how it grows with the number of joints.
#include "harness.hpp"

namespace catena::bench {

void add_linearize() {
  for (const std::string model : {"ur5", "panda"}) {
    add_ratio(model + ": D, V and P to inverse dynamics", "linearize/" + model + "/default",
              "inverse/" + model + "/default", 4.5);
    add_ratio(model + ": derivatives of forward dynamics to D, V and P", "response/" + model + "/default",
              "linearize/" + model + "/default");
  }
  for (const int n : {6, 12, 24, 48}) {
    const Mechanism robot = general_chain(n);
    const std::string name = "linearize/chain/" + std::to_string(n) + "/tensor";
    add_job(name, robot, "linearize", "tensor");
    add_job("response/chain/" + std::to_string(n) + "/tensor", robot, "response", "tensor");
  }
}

}  // namespace catena::bench
