// The fuzz targets: each takes any bytes. What it finds, it throws: an exception that the library does not document, or
// a Violation of what the library promises. libFuzzer and the test of the kept inputs call the same functions.
#pragma once

#include <cstdint>
#include <span>

namespace catena::fuzz {

using Input = std::span<const std::uint8_t>;

#define FUZZ_TARGET(name, words, seeds) void fuzz_##name(Input input);
#include "fuzz/targets.def"

}  // namespace catena::fuzz
