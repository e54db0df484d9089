// C99: one function per program, straight-line, without state between calls.
#include <algorithm>

#include "codegen/c_family.hpp"
#include "codegen/loop_text.hpp"
#include "codegen/printers.hpp"
#include "codegen/sincos_text.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

Dialect dialect_of(const CodeOptions& options) {
  const std::string real = real_type(options), sincos = options.name + "_sincos";
  Dialect d = c_dialect(options, real);
  d.in_parts = true;
  d.name = options.name;
  d.type = real;
  d.filled = [](const std::string& text) { return text; };
  d.store_run = [](const Program::Output& output, int first, int count, const std::string& value) {
    return substitute("  for (int i = 0; i < @count; ++i) @out[@first + i] = @value;\n",
                      {{"@count", std::to_string(count)},
                       {"@out", output.name},
                       {"@first", std::to_string(first)},
                       {"@value", value}});
  };
  d.load = [](const Argument& input, int k) { return entry(input.name, k); };
  d.store = [](const Program::Output& output, int k, const std::string& text) {
    return "  " + entry(output.name, k) + " = " + text + ";\n";
  };
  d.turn = [real, sincos, zero = d.literal(0.0),
            several = angles_at_once(options)](const std::vector<std::string>& angles) {
    const int count = static_cast<int>(angles.size());
    const std::string size = std::to_string((count + several - 1) / several * several);
    std::string text = "  " + real + " s[" + size + "], c[" + size + "];\n";
    for (int k = 0; k < count;) {
      const bool alone = several == 1;
      const std::string i = std::to_string(k);
      text += "  " + sincos + (alone ? "_one(" : "(");
      for (int end = k + (alone ? 1 : several); k < end; ++k)
        text += (k < count ? angles[std::size_t(k)] : zero) + ", ";
      text += "&s[" + i + "], &c[" + i + "]);\n";
    }
    return text;
  };
  return d;
}

// Makes a plain -O3 produce the same code as the compiled engine.
std::string passes_text(const std::vector<Program>& programs) {
  long most = 0;
  for (const Program& program : programs) most = std::max(most, program.written().instructions());
  std::string switches;
  for (const std::string& pass : unhelpful_passes(most)) switches += (switches.empty() ? "\"" : ", \"") + pass + "\"";
  return "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(" + switches + ")\n#endif\n\n";
}

}  // namespace

Code print_c(const std::vector<Program>& programs, const CodeOptions& options) {
  const std::string real = real_type(options);
  const Dialect dialect = dialect_of(options);
  std::string functions;
  std::vector<std::string> prototypes;
  bool turns = false;
  for (const Program& program : programs) {
    const Body body = write_body(program, dialect);
    turns = turns || body.angles > 0;
    const std::string head = (options.internal ? "static void " : "void ") + function_name(program, options) + "(";
    prototypes.push_back(head + c_parameters(program, real, "") + ")");
    const PartsText parts = parts_text(program, body, options, real, "");
    functions += parts.functions + c_comment(function_comment(program, options)) + head +
                 c_parameters(program, real, pointer_qualifier(options)) + ")\n{\n" + parts.declaration + body.text +
                 parts.calls + unused_arguments(program, body) + "}\n\n";
  }
  functions.pop_back();
  Code code;
  code.source = c_comment(file_comment(programs, options)) + "\n";
  const bool bare = options.target == Target::cortex_m;
  if (bare) {
    code.source += "#include \"" + (options.header_file.empty() ? options.name + ".h" : options.header_file) + "\"\n\n";
    if (turns) code.source += "#include <stdint.h>\n\n";
  } else {
    if (turns && options.sines != SineSource::freestanding) code.source += "#include <math.h>\n\n";
    code.source += passes_text(programs);
  }
  if (turns) code.source += scalar_sincos_text(options.name + "_sincos", options);
  code.source += decay_text(programs, options);
  if (have_loops(programs)) code.source += loop_types(options);
  code.source += functions;
  code.header = c_header(programs, options, prototypes, "");
  return code;
}

}  // namespace catena
