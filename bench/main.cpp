#include "harness.hpp"

int main(int argc, char** argv) {
  for (const char* model : {"ur5", "panda"}) catena::bench::add_all_jobs(model);
  catena::bench::add_inverse();
  catena::bench::add_matrices();
  catena::bench::add_forward();
  catena::bench::add_generated();
  catena::bench::add_simulation();
  catena::bench::add_linearize();
  catena::bench::add_assembly();
  catena::bench::add_identify();
  catena::bench::add_batch();
  catena::bench::add_loops();
  return catena::bench::run(argc, argv);
}
