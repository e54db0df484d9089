// The order in which results in rows leave a kernel, where those of a state are too many to be collected. The row of
// each result is cut into tiles of 32 numbers, which a warp writes for its 32 states as soon as they are computed, one
// after the other, up or down. The order is the one in which fewest values wait in registers.
#pragma once

#include <vector>

#include "codegen/order.hpp"

namespace catena {

inline constexpr int tile_width = 32;  // numbers of a state: one for each lane of a warp

struct Tile {
  std::size_t output = 0;
  int number = 0;            // its entries begin at tile_width * number
  std::uint32_t stored = 0;  // which of them are computed, bit by bit; the others are zero
};
struct TileOrder {
  std::vector<Tile> tiles;
  BodyOrder steps;  // one for each tile, then those of results that are single numbers; zeros are not stored
  bool up = true;   // else every result's last tile comes first
};

// registers: values that can wait without being spilled.
TileOrder plan_tiles(const Program& program, std::size_t registers);

}  // namespace catena
