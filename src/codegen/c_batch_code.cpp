// C with vector types: many states at once, structure of arrays, the same body on whole vectors.
#include <algorithm>

#include "codegen/c_family.hpp"
#include "codegen/loop_text.hpp"
#include "codegen/printers.hpp"
#include "codegen/sincos_text.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

constexpr int vectors_a_block = 32;  // large angles are checked for once per block

Dialect batch_dialect(const CodeOptions& options) {
  const std::string name = options.name, lanes = name + "_lanes", sincos = name + "_sincos";
  Dialect d = c_dialect(options, lanes);
  d.in_parts = true;
  d.name = options.name;
  d.type = lanes;
  // A constant is copied to all lanes.
  d.filled = [lanes, zero = d.literal(0.0)](const std::string& text) {
    return "(" + lanes + "){" + zero + "} + " + text;
  };
  d.store_run = [name](const Program::Output& output, int first, int count, const std::string& value) {
    return substitute("  for (int i = 0; i < @count; ++i) @name_out(@out, @first + i) = @value;\n",
                      {{"@count", std::to_string(count)},
                       {"@name", name},
                       {"@out", output.name},
                       {"@first", std::to_string(first)},
                       {"@value", value}});
  };
  d.load = [name](const Argument& input, int k) { return name + "_in(" + input.name + ", " + std::to_string(k) + ")"; };
  d.store = [name, filled = d.filled](const Program::Output& output, int k, const std::string& text) {
    const bool number = text.find_first_not_of("-0123456789.ef+") == std::string::npos;
    const std::string place = "  " + name + "_out(" + output.name + ", " + std::to_string(k) + ") = ";
    return place + (number ? filled(text) : text) + ";\n";
  };
  d.sign = [lanes, zero = d.literal(0.0)](const std::string& x) {  // a comparison yields -1 where it is true
    return "__builtin_convertvector((" + x + " < " + zero + ") - (" + x + " > " + zero + "), " + lanes + ")";
  };
  d.decay = [name](const std::string& x) { return name + "_decay_lanes(" + x + ")"; };
  d.turn = [lanes, sincos](const std::vector<std::string>& angles) {
    const std::string n = std::to_string(angles.size());
    std::string text = "  " + lanes + " s[" + n + "], c[" + n + "], turns_sum = *turns;\n";
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const std::string i = std::to_string(k);
      text += "  const " + lanes + " a" + i + " = " + angles[k] + ";\n";
      text += "  " + sincos + "_vector(&a" + i + ", &s[" + i + "], &c[" + i + "], careful, &turns_sum);\n";
    }
    return text;
  };
  return d;
}

constexpr const char* decay_lanes_text = R"(static inline @name_lanes @name_decay_lanes(@name_lanes x)
{
  int k;
  for (k = 0; k < @lanes; ++k) x[k] = @name_decay(x[k]);
  return x;
}

)";

constexpr const char* types_text = R"(typedef @real @name_lanes __attribute__((vector_size(@bytes)));
typedef @integer @name_bits __attribute__((vector_size(@bytes)));
/* @lanes states anywhere in an array, entry j of them */
typedef @real @name_row __attribute__((vector_size(@bytes), aligned(@size), may_alias));
#define @name_in(a, j) (*(const @name_row *)((a) + (j)*stride))
#define @name_out(a, j) (*(@name_row *)((a) + (j)*stride))

/* Some angle may be beyond the range of the sine. */
static inline int @name_far(const @name_lanes *turns)
{
  int k, far = 0;
  for (k = 0; k < @lanes; ++k) far |= !((*turns)[k] <= @bound);
  return far;
}

)";

// All states of a batch: full vectors are computed in place, in blocks that are computed again where an angle was
// large; the remaining states in arrays of one vector.
constexpr const char* loop_text = R"({
@declared  size_t i, j, k, l, end;
  @name_lanes turns;
  for (k = 0; k + @lanes <= count; k = end) {
    int careful = 0;
    end = k + (count - k < @block ? (count - k)/@lanes*@lanes : @block);
    do {
      turns = (@name_lanes){@zero};
      for (i = k; i < end; i += @lanes) @function_lanes(stride, careful, &turns@whole);
      careful = !careful && @name_far(&turns);
    } while (careful);
  }
  if (k < count) {
@tail    turns = (@name_lanes){@zero};
    @function_lanes(@lanes, 1, &turns@rest);
@stored  }
}
)";

std::string loop(const Program& program, const CodeOptions& options) {
  const int count = lanes_of(options);
  const std::string lanes = std::to_string(count), real = real_type(options);
  std::string declared, tail, stored, whole, rest;
  const auto add = [&](const Argument& a) {
    declared += "  " + real + " " + a.name + "_k[" + std::to_string(std::max(1, a.size()) * count) + "];\n";
    whole += ", " + a.name + " + i";
    rest += ", " + a.name + "_k";
  };
  const auto each = [](const Argument& a, const std::string& statement) -> std::string {
    if (a.size() == 0) return "";
    return "    for (j = 0; j < " + std::to_string(a.size()) + "; ++j) " + substitute(statement, {{"@a", a.name}}) +
           "\n";
  };
  for (const Argument& a : program.inputs) {
    add(a);
    tail += each(a, "for (l = 0; l < " + lanes + "; ++l) @a_k[j*" + lanes +
                        " + l] = @a[j*stride + (k + l < count ? k + l : count - 1)];");
  }
  for (const Argument& a : program.outputs) {
    add(a);
    stored += each(a, "for (l = 0; k + l < count; ++l) @a[j*stride + k + l] = @a_k[j*" + lanes + " + l];");
  }
  return substitute(loop_text, {{"@declared", declared},
                                {"@whole", whole},
                                {"@rest", rest},
                                {"@tail", tail},
                                {"@stored", stored},
                                {"@function", function_name(program, options)},
                                {"@name", options.name},
                                {"@zero", options.single_precision ? "0.0f" : "0.0"},
                                {"@block", std::to_string(count * vectors_a_block)},
                                {"@lanes", lanes}});
}

// The function for one vector of states; entry j of an array is at [j*stride].
std::string lanes_function(const Program& program, const CodeOptions& options, const Body& body) {
  const std::string type = options.name + "_lanes";
  const bool turns = body.angles > 0;
  const PartsText parts = parts_text(program, body, options, type, "size_t stride");
  std::string text = parts.functions + "static void " + function_name(program, options) +
                     "_lanes(size_t stride, int careful, " + type + " *restrict turns, " +
                     c_parameters(program, real_type(options), "restrict") + ")\n{\n";
  text += parts.declaration + body.text + parts.calls;
  text += turns ? "  *turns = turns_sum;\n" : "  (void)careful;\n  (void)turns;\n";
  if (program.results().empty()) text += "  (void)stride;\n";
  return text + unused_arguments(program, body) + "}\n\n";
}

}  // namespace

Code print_c_batch(const std::vector<Program>& programs, const CodeOptions& options) {
  const std::string real = real_type(options);
  const Dialect dialect = batch_dialect(options);
  std::string functions;
  std::vector<std::string> prototypes;
  bool turns = false;
  for (const Program& program : programs) {
    const Body body = write_body(program, dialect);
    turns = turns || body.angles > 0;
    const std::string name = function_name(program, options);
    const std::string head = "void " + name + "_batch(size_t count, size_t stride, ";
    prototypes.push_back(head + c_parameters(program, real, "") + ")");
    functions += lanes_function(program, options, body);
    functions += c_comment(function_comment(program, options)) + head + c_parameters(program, real, "restrict") +
                 ")\n" + loop(program, options) + "\n";
  }
  functions.pop_back();
  const int size = options.single_precision ? 4 : 8, bytes = lanes_of(options) * size;
  const auto filled = [&](const char* text) {
    return substitute(text, {{"@name", options.name},
                             {"@real", real},
                             {"@integer", options.single_precision ? "int" : "long long"},
                             {"@bytes", std::to_string(bytes)},
                             {"@size", std::to_string(size)},
                             {"@bound", sincos_turns(options)},
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
  if (const std::string decay = decay_text(programs, options); !decay.empty())
    code.source += decay + filled(decay_lanes_text);
  if (have_loops(programs)) code.source += loop_types(options);
  code.source += functions;
  code.header = c_header(programs, options, prototypes, "#include <stddef.h>\n\n");
  return code;
}

}  // namespace catena
