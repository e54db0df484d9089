#include "harness.hpp"

int main(int argc, char** argv) {
  catena::bench::add_inverse();
  return catena::bench::run(argc, argv);
}
