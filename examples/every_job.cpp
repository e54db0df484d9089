// Every job of a robot at one state, by its description: no line here knows which jobs there are.
#include <catena/catena.hpp>
#include <cstdio>
#include <vector>

int main() {
  const catena::Mechanism ur5 = catena::make_mechanism(catena::load_robot(catena::find_model("ur5")));
  const std::vector<double> q{0.1, -1.2, 0.8, 0.4, 0.5, 0.0}, qd(6, 0.2), qdd(6, 1.0), tau(6, 5.0);
  for (const catena::JobInfo& job : catena::jobs()) {
    catena::Call<double> call(ur5, job.name);
    if (call.size() == 0) continue;  // forces of closed loops, of which this robot has none
    std::vector<double> results(call.size());
    call(catena::with_others<double>({.q = q, .qd = qd, .qdd = qdd, .tau = tau}, qdd), results);
    std::printf("%s by %s\n", job.name.data(), call.formulation().name.data());
    const double* next = results.data();  // the outputs stand in a row
    for (const catena::OutputInfo& output : job.outputs) {
      const int rows = output.rows(catena::sizes_of(ur5)), columns = output.columns(catena::sizes_of(ur5));
      std::printf("  %s, %d x %d, starts with %.6g\n", output.name.data(), rows, columns, *next);
      next += rows * columns;
    }
  }
}
