// SHA-256 (FIPS 180-4): names cache entries and detects damaged ones. Implemented here because a cache's checksums do
// not justify a package that every user would need; jit_cache_test.cpp has the published digests.
#pragma once

#include <string>
#include <string_view>

namespace catena::engines {

// 64 hexadecimal digits.
std::string sha256(std::string_view data);

}  // namespace catena::engines
