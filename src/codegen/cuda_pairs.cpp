#include "codegen/cuda_pairs.hpp"

#include "codegen/c_family.hpp"
#include "codegen/cuda_family.hpp"

namespace catena {
namespace {

constexpr std::string_view sides = "xyzw";

std::string state_function(const Program& program, const CodeOptions& options) {
  return function_name(program, options) + "_state";
}
// "((float2 *)(q + 3*stride))[k]"
std::string vector_at(const Argument& array, int k, const std::string& type) {
  return "((" + type + " *)" + (k == 0 ? array.name : "(" + array.name + " + " + std::to_string(k) + "*stride)") +
         ")[k]";
}

}  // namespace

std::string cuda_state_function(const Program& program, const Body& body, const CodeOptions& options) {
  const std::string real = real_type(options);
  std::string parameters;
  for_each_read(program, body, [&](const Argument& input, int k) {
    parameters += "const " + real + " " + read_name(input, k) + ", ";
  });
  for (const Program::Output& output : program.outputs)
    parameters += real + " *" + output.name + (&output == &program.outputs.back() ? "" : ", ");
  return "\nstatic __device__ __forceinline__ void " + state_function(program, options) + "(" + parameters + ")\n{\n" +
         body.text + "}\n";
}

std::string cuda_together(const Program& program, const Body& body, const CodeOptions& options) {
  const std::string real = real_type(options), many = std::to_string(options.together), type = real + many;
  std::string text =
      "  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;\n"
      "  if (" +
      many + "*k >= count) return;\n";
  for_each_read(program, body, [&](const Argument& input, int k) {
    text += "  const " + type + " " + read_name(input, k) + " = " + vector_at(input, k, "const " + type) + ";\n";
  });
  const auto own = [](char side, const Argument& output) { return std::string(1, side) + "_" + output.name; };
  for (const char side : sides.substr(0, std::size_t(options.together))) {
    std::string arguments;
    for_each_read(program, body,
                  [&](const Argument& input, int k) { arguments += read_name(input, k) + "." + side + ", "; });
    for (const Program::Output& output : program.outputs) {
      text += "  " + real + " " + own(side, output) + "[" + std::to_string(output.size()) + "];\n";
      arguments += own(side, output) + (&output == &program.outputs.back() ? "" : ", ");
    }
    text += "  " + state_function(program, options) + "(" + arguments + ");\n";
  }
  for (const Program::Output& output : program.outputs)
    for (int k = 0; k < output.size(); ++k) {
      std::string values;
      for (const char side : sides.substr(0, std::size_t(options.together)))
        values += (values.empty() ? "" : ", ") + entry(own(side, output), k);
      text += "  " + vector_at(output, k, type) + " = make_" + type + "(" + values + ");\n";
    }
  return text;
}

}  // namespace catena
