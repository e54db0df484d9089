// SHA-256 (FIPS 180-4): names cache entries and tells a damaged one.
#pragma once

#include <string>
#include <string_view>

namespace catena::jit {

// 64 hexadecimal digits.
std::string sha256(std::string_view data);

}  // namespace catena::jit
