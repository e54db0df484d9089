// Links, joints and rows are counted in int, where -1 can stand for the base; containers want std::size_t.
#pragma once

#include <cstddef>

namespace catena {

constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace catena
