#include "codegen/cuda_stage.hpp"

#include <algorithm>

#include "codegen/c_family.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

// Writing by warps costs instructions and saves memory traffic: measurements show that it pays for matrices, for
// gradients, and for vectors where little is computed per number moved.
bool pays(const Program& program) {
  int numbers = 0, largest = 0;
  for (const Argument& input : program.inputs) numbers += input.size();
  for (const Program::Output& output : program.outputs) {
    numbers += output.size();
    largest = std::max(largest, output.size());
  }
  return largest > 8 || program.weighted || program.cost().instructions() < 25L * numbers;
}

constexpr const char* thread_text = R"(  extern __shared__ @real @array[];
  const unsigned lane = threadIdx.x % 32u;
  const unsigned long long first = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x - lane;
  if (first >= count) return;
  const unsigned held = count - first < 32u ? (unsigned)(count - first) : 32u;
  const unsigned long long k = first + (lane < held ? lane : held - 1u);
  @real *const stage = @array + (threadIdx.x - lane)*@numbersu;
)";
constexpr const char* row_text =
    R"(  for (unsigned i = lane; i < held*@sizeu; i += 32u) @name[first*@sizeu + i] = stage[@offset@index];
)";

// A row begins anywhere, but memory is fast only where whole sectors of 32 bytes are written. The row of state s begins
// s*size numbers after a sector, modulo its length: what is written of each state is shifted back so far, and begins
// with what the tile before it left.
constexpr const char* tile_functions = R"(
/* Writes 32 numbers of each state: `entry`, or one up to @last before it where a sector begins, and those after it; zeros where nothing is stored. */
static __device__ __forceinline__ void @name_put(@real *to, const unsigned size, const int entry, const @real *tile, const unsigned lane, const unsigned long long stored, const unsigned bit, const unsigned inside, const unsigned held)
{
  unsigned i, j;
  to += entry + (int)lane;
  tile += lane + @sectoru;
  __syncwarp();
#pragma unroll 1
  for (i = 0u; i < 32u; i += 8u) {
    @real x[8];
#pragma unroll
    for (j = 0u; j < 8u; ++j) {
      const unsigned back = j*size%@sectoru;
      x[j] = ((unsigned)(stored >> (bit - back)) >> lane & 1u) != 0u ? tile[j*@pitchu - back] : (@real)0;
    }
#pragma unroll
    for (j = 0u; j < 8u; ++j) {
      const unsigned back = j*size%@sectoru;
      if (i + j < held && (inside != 0u || lane + (unsigned)entry - back < size)) to[j*size - back] = x[j];
    }
    to += 8u*size;
    tile += 8u*@pitchu;
  }
  __syncwarp();
}

/* Keeps numbers of a tile for the next one. */
static __device__ __forceinline__ void @name_keep(@real *to, const @real *from)
{
  unsigned i;
#pragma unroll
  for (i = 0u; i < @sectoru; ++i) to[i] = from[i];
}

/* Writes zeros from there on, so many of each state. */
static __device__ __forceinline__ void @name_clear(@real *to, const unsigned size, const int entry, const unsigned lane, const unsigned length, const unsigned held)
{
  unsigned s, i;
  to += entry + (int)lane;
  for (s = 0u; s < held; ++s) {
    const unsigned back = s*size%@sectoru;
#pragma unroll 4
    for (i = 0u; i < length; i += 32u)
      if (i + lane + (unsigned)entry - back < size) to[(int)(s*size + i) - (int)back] = (@real)0;
  }
}
)";
constexpr const char* put_text =
    "  @name_put(@output + first*@sizeu, @sizeu, @entry, stage + @offsetu, lane, @storedull, @bitu, @insideu, held);\n"
    "  @name_keep(stage + lane*@pitchu + @tou, stage + lane*@pitchu + @fromu);\n";
constexpr const char* clear_text = "  @name_clear(@output + first*@sizeu, @sizeu, @entry, lane, @lengthu, held);\n";

}  // namespace

CudaStage::CudaStage(const Program& program, const CodeOptions& options)
    : options_(options), real_(real_type(options)), sector_(options.single_precision ? 8 : 4) {
  plan_.steps = creation_order(program);
  if (!options.in_rows || !(options.staged ? *options.staged : pays(program))) return;
  keep_rows(program);
  const int size = options.single_precision ? 4 : 8;
  if (32 * numbers_ * size > cuda_shared_bytes) keep_tiles(program);
}

void CudaStage::keep_rows(const Program& program) {
  for (const Program::Output& output : program.outputs) {
    const int pitch = output.size() == 1 ? 0 : output.size() | 1;  // one number of each state is contiguous already
    kept_.push_back({output.name, output.size(), pitch, 32 * numbers_});
    numbers_ += pitch;
  }
}

void CudaStage::keep_tiles(const Program& program) {
  plan_ = plan_tiles(program, cuda_values(options_));
  numbers_ = 0;
  for (Kept& kept : kept_) {
    if (kept.pitch == 0) continue;
    kept.pitch = tile_pitch();
    kept.offset = 32 * numbers_;
    numbers_ += kept.pitch;
  }
}

std::string CudaStage::place(const Program::Output& output, int k) const {
  const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.name == output.name; });
  if (kept == kept_.end() || kept->pitch == 0) return "";
  const int in_tile = k % tile_width + (plan_.up ? sector_ : 0);  // beside what the tile before left
  return "stage[lane*" + std::to_string(kept->pitch) + "u + " +
         std::to_string(kept->offset + (in_tiles() ? in_tile : k)) + "u]";
}

std::string CudaStage::thread() const {
  return substitute(thread_text,
                    {{"@real", real_}, {"@array", options_.name + "_shared"}, {"@numbers", std::to_string(numbers_)}});
}

std::string CudaStage::with_names(const char* text, std::size_t output, int number, int length) const {
  const Kept& kept = kept_[output];
  const int entry = tile_width * number + (plan_.up ? 0 : sector_);
  const std::uint64_t own = stored(output, number), before = stored(output, number - (plan_.up ? 1 : -1));
  const bool inside = entry - (sector_ - 1) >= 0 && entry + tile_width <= kept.size;
  return substitute(text, {{"@name", options_.name},
                           {"@output", kept.name},
                           {"@size", std::to_string(kept.size)},
                           {"@entry", std::to_string(entry)},
                           {"@offset", std::to_string(kept.offset)},
                           {"@stored", std::to_string(plan_.up ? own << 32U | before : before << 32U | own)},
                           {"@bit", std::to_string(plan_.up ? 32 : sector_)},
                           {"@inside", inside ? "1" : "0"},
                           {"@length", std::to_string(length)},
                           {"@pitch", std::to_string(kept.pitch)},
                           {"@to", std::to_string(kept.offset + (plan_.up ? 0 : tile_width))},
                           {"@from", std::to_string(kept.offset + (plan_.up ? tile_width : 0))}});
}

// Tiles beyond the ends are empty.
std::uint32_t CudaStage::stored(std::size_t output, int number) const {
  const auto tile = std::find_if(plan_.tiles.begin(), plan_.tiles.end(),
                                 [&](const Tile& one) { return one.output == output && one.number == number; });
  return tile == plan_.tiles.end() ? 0 : tile->stored;
}

// What is written with a tile: its numbers, and those that the tile before left. After the last tile, only these.
std::string CudaStage::after_step(std::size_t step) const {
  if (step >= plan_.tiles.size()) return "";
  const auto& [output, number, own] = plan_.tiles[step];
  const int next = plan_.up ? 1 : -1, tiles = (kept_[output].size + tile_width - 1) / tile_width;
  const bool rest = !plan_.up || kept_[output].size > tile_width * tiles - sector_;
  const int end = plan_.up ? tiles + int(rest) : -1 - int(rest);  // beyond the last to write
  const bool is_last = number == (plan_.up ? tiles - 1 : 0);
  const auto empty = [&, of = output](int n) { return (stored(of, n) | stored(of, n - next)) == 0; };
  std::string text;
  for (int n = number; n != (is_last ? end : number + next); n += next) {
    if (!empty(n)) {
      text += with_names(put_text, output, n, 0);
    } else if (n == number && n != (plan_.up ? 0 : tiles - 1) && empty(n - next)) {
      return text;  // written already, as all that follow
    } else {
      int length = 1;
      while (n + length * next != end && empty(n + length * next)) ++length;
      const int lowest = plan_.up ? n : n - length + 1;
      text += with_names(clear_text, output, lowest, tile_width * length);
      if (is_last) break;
    }
  }
  return text;
}

std::string CudaStage::write() const {
  if (in_tiles()) return "";
  std::string text = "  __syncwarp();\n";
  for (const Kept& kept : kept_) {
    if (kept.pitch == 0) continue;
    const std::string size = std::to_string(kept.size);
    text += substitute(row_text, {{"@size", size},
                                  {"@name", kept.name},
                                  {"@offset", std::to_string(kept.offset) + "u + "},
                                  {"@index", kept.pitch == kept.size ? "i" : "i + i/" + size + "u"}});
  }
  return text;
}

std::string CudaStage::functions() const {
  if (!in_tiles()) return "";
  return substitute(tile_functions, {{"@name", options_.name},
                                     {"@real", real_},
                                     {"@last", std::to_string(sector_ - 1)},
                                     {"@sector", std::to_string(sector_)},
                                     {"@pitch", std::to_string(tile_pitch())}});
}

}  // namespace catena
