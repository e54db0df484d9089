// C with vector types: many states at once, structure of arrays, the same body on whole vectors.
#include "c_family.hpp"
#include "printers.hpp"
#include "sincos_text.hpp"
#include "text.hpp"

namespace catena {
namespace {

Dialect dialect_of(const CodeOptions& options) {
  const std::string lanes = options.name + "_lanes", sincos = options.name + "_sincos";
  Dialect d = c_dialect(options, lanes);
  d.load = [](const Argument& input, int k) { return entry(input.name, k); };
  // A constant result is spread over the lanes.
  d.store = [lanes, zero = d.literal(0.0)](const Program::Output& output, int k, const std::string& text) {
    const bool number = text.find_first_not_of("-0123456789.ef+") == std::string::npos;
    return "  " + entry(output.name, k) + " = " + (number ? "(" + lanes + "){" + zero + "} + " + text : text) + ";\n";
  };
  d.sign = [lanes, zero = d.literal(0.0)](const std::string& x) {  // a comparison gives -1 where it holds
    return "__builtin_convertvector((" + x + " < " + zero + ") - (" + x + " > " + zero + "), " + lanes + ")";
  };
  d.turn = [lanes, sincos](const std::vector<std::string>& angles) {
    const std::string n = std::to_string(angles.size());
    std::string text = "  " + lanes + " s[" + n + "], c[" + n + "];\n";
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const std::string i = std::to_string(k);
      // An input is an array entry already; a sum is a variable: both have an address.
      text += "  " + sincos + "_vector(&" + angles[k] + ", &s[" + i + "], &c[" + i + "]);\n";
    }
    return text;
  };
  return d;
}

constexpr const char* types_text = R"(typedef @real @name_lanes __attribute__((vector_size(@bytes)));
typedef @integer @name_bits __attribute__((vector_size(@bytes)));

)";

std::string loop(const Program& program, const CodeOptions& options) {
  const std::string lanes_type = options.name + "_lanes";
  const std::string lanes = std::to_string(lanes_of(options)), real = real_type(options);
  std::string declared, loaded, tail, stored, tail_stored, arguments;
  const auto declare = [&](const Argument& a) {
    declared += "  " + lanes_type + " " + a.name + "_k[" + std::to_string(a.size()) + "];\n";
    arguments += (arguments.empty() ? "" : ", ") + a.name + "_k";
  };
  // Vectors are copied by bytes: rows need not be aligned.
  const auto each = [](const Argument& a, const std::string& statement) {
    return "    for (j = 0; j < " + std::to_string(a.size()) + "; ++j) " + substitute(statement, {{"@a", a.name}}) +
           "\n";
  };
  for (const Argument& a : program.inputs) {
    declare(a);
    loaded += each(a, "__builtin_memcpy(&@a_k[j], @a + j*stride + k, sizeof @a_k[j]);");
    tail +=
        each(a, "for (l = 0; l < " + lanes + "; ++l) @a_k[j][l] = @a[j*stride + (k + l < count ? k + l : count - 1)];");
  }
  for (const Argument& a : program.outputs) {
    declare(a);
    stored += each(a, "__builtin_memcpy(@a + j*stride + k, &@a_k[j], sizeof @a_k[j]);");
    tail_stored += each(a, "for (l = 0; k + l < count; ++l) @a[j*stride + k + l] = @a_k[j][l];");
  }
  const std::string call = "    " + function_name(program, options) + "_lanes(" + arguments + ");\n";
  return "{\n" + declared + "  size_t j, k, l;\n  for (k = 0; k + " + lanes + " <= count; k += " + lanes + ") {\n" +
         loaded + call + stored + "  }\n  if (k < count) {\n" + tail + call + tail_stored + "  }\n}\n";
}

}  // namespace

Code print_c_batch(const std::vector<Program>& programs, const CodeOptions& options) {
  const std::string real = real_type(options), lanes_type = options.name + "_lanes";
  const Dialect dialect = dialect_of(options);
  std::string functions;
  std::vector<std::string> prototypes;
  bool turns = false;
  for (const Program& program : programs) {
    const Body body = write_body(program, dialect);
    turns = turns || body.angles > 0;
    const std::string name = function_name(program, options);
    const std::string head = "void " + name + "_batch(size_t count, size_t stride, ";
    prototypes.push_back(head + c_parameters(program, real, "") + ")");
    functions += "static void " + name + "_lanes(" + c_parameters(program, lanes_type, "restrict") + ")\n{\n" +
                 body.text + unused_arguments(program, body) + "}\n\n";
    functions += c_comment(function_comment(program, options)) + head + c_parameters(program, real, "restrict") +
                 ")\n" + loop(program, options) + "\n";
  }
  functions.pop_back();
  const int bytes = lanes_of(options) * (options.single_precision ? 4 : 8);
  const auto filled = [&](const char* text) {
    return substitute(text, {{"@name", options.name},
                             {"@real", real},
                             {"@integer", options.single_precision ? "int" : "long long"},
                             {"@bytes", std::to_string(bytes)},
                             {"@lanes", std::to_string(lanes_of(options))}});
  };
  std::vector<std::string> comment = file_comment(programs, options);
  comment.emplace_back("Batches: structure of arrays, entry j of state k at [j*stride + k], k < count <= stride.");
  comment.emplace_back("For GCC and Clang (vector types); " + std::to_string(lanes_of(options)) + " states at once.");
  Code code;
  code.source = c_comment(comment) + "\n#include <stddef.h>\n";
  if (turns && options.sines != SineSource::freestanding) code.source += "#include <math.h>\n";
  code.source += "\n" + filled(types_text);
  if (turns) code.source += vector_sincos_text(options.name + "_sincos", options);
  code.source += functions;
  code.header = c_header(programs, options, prototypes, "#include <stddef.h>\n\n");
  return code;
}

}  // namespace catena
