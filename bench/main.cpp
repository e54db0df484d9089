#include "harness.hpp"

int main(int argc, char** argv) {
  catena::bench::add_inverse();
  catena::bench::add_matrices();
  catena::bench::add_forward();
  catena::bench::add_generated();
  return catena::bench::run(argc, argv);
}
