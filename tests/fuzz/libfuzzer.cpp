// A target as a program of libFuzzer: CATENA_FUZZ_TARGET is its function.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::CATENA_FUZZ_TARGET({data, size});
  return 0;
}
