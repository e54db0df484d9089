// Inverse dynamics by code that is generated and compiled for one robot, and forward dynamics to check it. Without a C
// compiler the generic engine serves the same calls.
#include <catena/catena.hpp>
#include <cstdio>
#include <vector>

void report(const catena::Call<double>& call) {
  const catena::EngineReport& engine = call.engine();
  if (engine.kind == catena::EngineKind::generic) {
    std::printf("%s: generic, because %s\n", call.job().name.data(), engine.why.c_str());
  } else {
    std::printf("%s: compiled by %s, %s\n", call.job().name.data(), call.formulation().name.data(),
                engine.from_cache ? "from the cache" : "now");
  }
}

int main() {
  const catena::Mechanism ur5 = catena::make_mechanism(catena::load_robot(catena::find_model("ur5")));
  catena::InverseDynamics<double> inverse(catena::compile_or_generic(ur5, "inverse"));
  catena::ForwardDynamics<double> forward(catena::compile_or_generic(ur5, "forward"));
  report(inverse);
  report(forward);
  const std::vector<double> q{0.1, -1.2, 0.8, 0.4, 0.5, 0.0}, qd(6, 0.2), qdd(6, 1.0);  // rad, rad/s, rad/s²
  std::vector<double> tau(6), back(6);
  inverse(q, qd, qdd, tau);
  forward(q, qd, tau, back);
  for (std::size_t j = 0; j < 6; ++j) std::printf("%10.6f N m gives %8.6f rad/s²\n", tau[j], back[j]);
}
