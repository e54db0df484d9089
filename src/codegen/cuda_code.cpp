// CUDA C: one thread a state, structure of arrays.
#include "c_family.hpp"
#include "printers.hpp"

namespace catena {
namespace {

std::string at(const std::string& name, int k) {
  return name + "[" + (k == 0 ? "" : std::to_string(k) + "*stride + ") + "k]";
}

Dialect dialect_of(const CodeOptions& options) {
  const std::string real = real_type(options), sincos = options.single_precision ? "sincosf" : "sincos";
  Dialect d = c_dialect(options, real);
  d.load = [](const Argument& input, int k) { return at(input.name, k); };
  d.store = [](const Program::Output& output, int k, const std::string& text) {
    return "  " + at(output.name, k) + " = " + text + ";\n";
  };
  d.sine = [](int k) { return "s" + std::to_string(k); };
  d.cosine = [](int k) { return "c" + std::to_string(k); };
  d.turn = [real, sincos](const std::vector<std::string>& angles) {
    std::string text;
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const std::string i = std::to_string(k);
      text +=
          "  " + real + " s" + i + ", c" + i + ";\n  " + sincos + "(" + angles[k] + ", &s" + i + ", &c" + i + ");\n";
    }
    return text;
  };
  return d;
}

}  // namespace

Code print_cuda(const std::vector<Program>& programs, const CodeOptions& options) {
  std::vector<std::string> comment = file_comment(programs, options);
  comment.emplace_back(
      "One thread a state; structure of arrays, entry j of state k at [j*stride + k], k < count <= stride.");
  Code code;
  code.source = c_comment(comment);
  for (const Program& program : programs) {
    const Body body = write_body(program, dialect_of(options));
    code.source += "\n" + c_comment(function_comment(program, options)) + "extern \"C\" __global__ void " +
                   function_name(program, options) + "(unsigned long long count, unsigned long long stride, " +
                   c_parameters(program, real_type(options), "__restrict__") + ")\n{\n" +
                   "  const unsigned long long k = (unsigned long long)blockIdx.x*blockDim.x + threadIdx.x;\n" +
                   "  if (k >= count) return;\n" + body.text + unused_arguments(program, body) + "}\n";
  }
  return code;
}

}  // namespace catena
