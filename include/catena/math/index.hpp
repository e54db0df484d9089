// Links, joints and rows are numbered by int, in which -1 can mean the base; containers need std::size_t.
#pragma once

#include <cstddef>

namespace catena {

constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace catena
