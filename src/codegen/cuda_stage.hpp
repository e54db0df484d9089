// Staging of results in rows before they are written. Where a state has many, each thread would write its own in small
// pieces, far from those of its neighbours; instead a warp collects them in shared memory and writes those of its 32
// states together: whole rows, which are contiguous, at the end, or where these are too long, tile by tile while the
// kernel runs (cuda_tiles.hpp).
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"
#include "codegen/cuda_tiles.hpp"

namespace catena {

// Values that can wait in registers beside addresses and what is being computed.
inline std::size_t cuda_values(const CodeOptions& options) { return options.single_precision ? 215 : 105; }

class CudaStage {
 public:
  CudaStage(const Program& program, const CodeOptions& options);

  bool used() const { return numbers_ > 0; }
  int numbers() const { return numbers_; }  // numbers of shared memory per thread
  // "stage[lane*49 + 3]", or nothing where the output is written directly.
  std::string place(const Program::Output& output, int k) const;
  // Replaces cuda_thread: whole warps stay together, threads beyond the last state repeat that state.
  std::string thread() const;
  // The order of the body, and the statements after a step of it.
  const BodyOrder& steps() const { return plan_.steps; }
  std::string after_step(std::size_t step) const;
  // The last statements of the kernel.
  std::string write() const;
  // Functions that the statements call.
  std::string functions() const;

 private:
  struct Kept {
    std::string name;
    int size, pitch, offset;  // an odd pitch, so that 32 threads use 32 banks; 0: written directly
  };
  bool in_tiles() const { return !plan_.tiles.empty(); }
  void keep_rows(const Program& program);
  void keep_tiles(const Program& program);
  std::uint32_t stored(std::size_t output, int number) const;
  std::string with_names(const char* text, std::size_t output, int number, int length) const;
  int tile_pitch() const { return (tile_width + sector_) | 1; }  // a tile, and what the one before it left

  CodeOptions options_;
  std::string real_;
  int sector_;  // numbers of 32 bytes, which memory takes at once
  std::vector<Kept> kept_;
  TileOrder plan_;  // no tiles: whole rows
  int numbers_ = 0;
};

}  // namespace catena
