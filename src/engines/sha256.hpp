// SHA-256 (FIPS 180-4): names cache entries, detects damaged ones, and says which files a result is of. Implemented
// here because a cache's checksums do not justify a package that every user would need; jit_cache_test.cpp has the
// published digests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace catena::engines {

// 64 hexadecimal digits.
std::string sha256(std::string_view data);

// The same for data that comes in pieces.
class Sha256 {
 public:
  void add(std::string_view data);
  std::string digest();  // of all that was added; ends it

 private:
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string rest_;  // less than a block
  std::uint64_t bytes_ = 0;
};

}  // namespace catena::engines
