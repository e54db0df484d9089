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
constexpr const char* write_text =
    R"(  for (unsigned i = lane; i < held*@sizeu; i += 32u) @name[first*@sizeu + i] = stage[@offset@index];
)";

}  // namespace

CudaStage::CudaStage(const Program& program, const CodeOptions& options)
    : real_(real_type(options)), array_(options.name + "_shared") {
  if (!options.in_rows || !pays(program)) return;
  for (const Program::Output& output : program.outputs) {
    if (output.size() == 1) continue;  // contiguous already
    const int pitch = output.size() | 1;
    kept_.push_back({output.name, output.size(), pitch, 32 * numbers_});
    numbers_ += pitch;
  }
  const int size = options.single_precision ? 4 : 8;
  if (32 * numbers_ * size <= cuda_shared_bytes) return;
  kept_.clear();
  numbers_ = 0;
}

std::string CudaStage::place(const Program::Output& output, int k) const {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.name == output.name; });
  if (found == kept_.end()) return "";
  return "stage[lane*" + std::to_string(found->pitch) + "u + " + std::to_string(found->offset + k) + "u]";
}

std::string CudaStage::thread() const {
  return substitute(thread_text, {{"@real", real_}, {"@array", array_}, {"@numbers", std::to_string(numbers_)}});
}

std::string CudaStage::write() const {
  std::string text = "  __syncwarp();\n";
  for (const Kept& kept : kept_) {
    const std::string size = std::to_string(kept.size);
    text += substitute(write_text, {{"@size", size},
                                    {"@name", kept.name},
                                    {"@offset", std::to_string(kept.offset) + "u + "},
                                    {"@index", kept.pitch == kept.size ? "i" : "i + i/" + size + "u"}});
  }
  return text;
}

}  // namespace catena
