// Inverse dynamics by code that is generated and compiled for one robot, and forward dynamics to check it. Without a C
// compiler the generic path serves the same calls.
#include <catena/catena.hpp>
#include <cstdio>
#include <vector>

int main() {
  const catena::Mechanism ur5 = catena::make_mechanism(catena::load_robot(catena::find_model("ur5")));
  const catena::RobotCalls robot = catena::compile_or_generic(ur5, {"inverse", "forward"});
  for (const catena::JobReport& job : robot.reports()) {
    if (job.engine == catena::EngineKind::generic) {
      std::printf("%s: generic, because %s\n", job.job.c_str(), job.why.c_str());
    } else {
      std::printf("%s: compiled by %s, %s\n", job.job.c_str(), job.method.c_str(),
                  job.from_cache ? "from the cache" : "now");
    }
  }
  const std::vector<double> q{0.1, -1.2, 0.8, 0.4, 0.5, 0.0}, qd(6, 0.2), qdd(6, 1.0);  // rad, rad/s, rad/s²
  std::vector<double> tau(6), back(6);
  robot.inverse(q, qd, qdd, tau);
  robot.forward(q, qd, tau, back);
  for (std::size_t j = 0; j < 6; ++j) std::printf("%10.6f N m gives %8.6f rad/s²\n", tau[j], back[j]);
}
