#include "codegen/cuda_tiles.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace catena {
namespace {

bool is_zero(const Program& program, const Program::Output& output, int entry) {
  const NodeRef ref = output.entries[std::size_t(entry)];
  return program.graph.is_constant(ref) && program.graph.constant_value(ref) == 0.0;
}

// All tiles of all results that are longer than one number.
std::vector<Tile> cut(const Program& program) {
  std::vector<Tile> tiles;
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const Program::Output& output = program.outputs[k];
    for (int from = 0; from < output.size() && output.size() > 1; from += tile_width) {
      Tile& tile = tiles.emplace_back(Tile{k, from / tile_width});
      for (int entry = from; entry < std::min(from + tile_width, output.size()); ++entry)
        if (!is_zero(program, output, entry)) tile.stored |= std::uint32_t(1) << unsigned(entry - from);
    }
  }
  return tiles;
}

BodyOrder steps_of(const Program& program, const std::vector<Tile>& tiles) {
  std::vector<std::vector<Step::Store>> stores;
  for (const Tile& tile : tiles) {
    stores.emplace_back();
    for (int k = 0; k < tile_width; ++k)
      if ((tile.stored >> unsigned(k) & 1U) != 0) stores.back().push_back({tile.output, tile_width * tile.number + k});
  }
  for (std::size_t k = 0; k < program.outputs.size(); ++k)  // contiguous as they are
    if (program.outputs[k].size() == 1) stores.push_back({{k, 0}});
  return demand_order(program, stores);
}

}  // namespace

TileOrder plan_tiles(const Program& program, std::size_t registers) {
  TileOrder best;
  Traffic least{std::numeric_limits<long>::max(), 0};
  for (const bool up : {true, false})
    for (const bool abreast : {false, true}) {  // results one after the other, or the same rows of all of them
      TileOrder plan{cut(program), {}, up};
      const auto key = [&](const Tile& tile) {
        const Program::Output& output = program.outputs[tile.output];
        const long row = tile_width * tile.number / std::max(1, output.columns);
        return std::tuple(abreast ? (up ? row : -row) : 0, tile.output, up ? tile.number : -tile.number);
      };
      std::stable_sort(plan.tiles.begin(), plan.tiles.end(),
                       [&](const Tile& a, const Tile& b) { return key(a) < key(b); });
      plan.steps = steps_of(program, plan.tiles);
      const Traffic own = traffic(program, plan.steps, registers);
      if (own < least) least = own, best = std::move(plan);
    }
  return best;
}

}  // namespace catena
