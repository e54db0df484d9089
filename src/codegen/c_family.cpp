#include "codegen/c_family.hpp"
#include "codegen/escape.hpp"

#include <algorithm>
#include <cctype>

#include "codegen/printers.hpp"
#include "codegen/text.hpp"

namespace catena {

std::string real_type(const CodeOptions& options) { return options.single_precision ? "float" : "double"; }

std::string entry(const std::string& name, int k) { return name + "[" + std::to_string(k) + "]"; }

std::string c_comment(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "/* " : "\n * ") + c_comment_text(line);
  return text + " */\n";
}

std::string pointer_qualifier(const CodeOptions& options) {
  return options.target == Target::cortex_m ? "" : "restrict";
}

Dialect c_dialect(const CodeOptions& options, const std::string& type) {
  const bool single = options.single_precision;
  Dialect d;
  d.literal = [single](double value) { return single ? shortest(static_cast<float>(value)) + "f" : shortest(value); };
  d.declare = [type](const std::string& name, const std::string& text) {
    return "  const " + type + " " + name + " = " + text + ";\n";
  };
  d.sine = [](int k) { return "s[" + std::to_string(k) + "]"; };
  d.cosine = [](int k) { return "c[" + std::to_string(k) + "]"; };
  d.sign = [single, type, bare = options.target == Target::cortex_m](const std::string& x) {
    const std::string zero = single ? "0.0f" : "0.0";
    if (bare) return "((" + x + " > 0.0f) ? 1.0f : ((" + x + " < 0.0f) ? -1.0f : 0.0f))";
    return "(" + type + ")((" + x + " > " + zero + ") - (" + x + " < " + zero + "))";
  };
  d.reciprocal = [single](const std::string& x) { return (single ? "1.0f/" : "1.0/") + x; };
  d.decay = [name = options.name](const std::string& x) { return name + "_decay(" + x + ")"; };
  return d;
}

// e^-x = 2^-n e^-r, |r| <= ln 2 / 2, and a Taylor series whose next term is below rounding.
std::string decay_text(const std::vector<Program>& programs, const CodeOptions& options) {
  if (std::none_of(programs.begin(), programs.end(), [](const Program& p) { return p.cost().decays > 0; })) return "";
  const bool single = options.single_precision;
  const auto literal = c_dialect(options, real_type(options)).literal;
  std::string series, closing;
  double factorial = 1.0;
  for (int k = 0; k <= (single ? 7 : 13); factorial *= -(++k)) {
    series += (k > 0 ? " + r*(" : "") + literal(1.0 / factorial);
    closing += k > 0 ? ")" : "";
  }
  return substitute(R"(/* e^-x */
static @real @name_decay(@real x)
{
  @real power = @one;
  if (x < @most) {
    const @real halvings = (x*@turns) + ((x < @zero) ? @minus : @half);
    int n = (int)halvings;
    const @real r = (x - ((@real)n*@high)) - ((@real)n*@low);
    @real step = (n < 0) ? @two : @half;
    n = (n < 0) ? -n : n;
    while (n > 0) {
      if ((n % 2) != 0) {
        power *= step;
      }
      step *= step;
      n /= 2;
    }
    power *= @series;
  } else {
    power = (x > @zero) ? @zero : x;
  }
  return power;
}

)",
                    {{"@real", real_type(options)},
                     {"@name", options.name},
                     {"@one", literal(1.0)},
                     {"@two", literal(2.0)},
                     {"@most", literal(single ? 100.0 : 740.0)},
                     {"@zero", literal(0.0)},
                     {"@turns", literal(1.4426950408889634)},
                     {"@minus", literal(-0.5)},
                     {"@half", literal(0.5)},
                     {"@high", literal(single ? 0.693145751953125 : 0.693147180369123816490)},
                     {"@low", literal(single ? 1.42860682030941723212e-6 : 1.90821492927058770002e-10)},
                     {"@series", "(" + series + closing + ")"}});
}

std::string c_parameters(const Program& program, const std::string& type, const std::string& qualifier) {
  std::string text;
  const auto add = [&](const char* constant, const std::string& name) {
    text += (text.empty() ? "" : ", ") + (constant + type) + " *" + (qualifier.empty() ? "" : qualifier + " ") + name;
  };
  for (const Argument& input : program.inputs) add("const ", input.name);
  for (const Argument& output : program.outputs) add("", output.name);
  return text;
}

PartsText parts_text(const Program& program, const Body& body, const CodeOptions& options, const std::string& type,
                     const std::string& before) {
  PartsText out;
  if (body.parts.empty()) return out;
  std::string parameters = before.empty() ? "" : before + ", ", handed, unused;
  const auto hand = [&](const std::string& name) {
    handed += (handed.empty() ? "" : ", ") + name;
    unused += "  (void)" + name + ";\n";
  };
  if (!before.empty()) hand(before.substr(before.rfind(' ') + 1));
  const std::string qualifier = pointer_qualifier(options), to = qualifier.empty() ? " *" : " *" + qualifier + " ";
  parameters += c_parameters(program, real_type(options), qualifier);
  for (const Argument& input : program.inputs) hand(input.name);
  for (const Argument& output : program.outputs) hand(output.name);
  if (body.angles > 0) {
    parameters += ", const " + type + to + "s, const " + type + to + "c";
    hand("s"), hand("c");
  }
  parameters += ", " + type + to + "kept";
  hand("kept");
  const std::string name = function_name(program, options) + "_part";
  const bool bare = options.target == Target::cortex_m;
  // Otherwise a compiler would inline functions that are called once into one long function.
  if (!bare)
    out.functions = "#if defined(__GNUC__)\n#define " + name +
                    " __attribute__((noinline)) static void\n#else\n#define " + name + " static void\n#endif\n\n";
  for (std::size_t k = 0; k < body.parts.size(); ++k) {
    const std::string own = name + std::to_string(k);
    out.functions +=
        (bare ? "static void" : name) + " " + own + "(" + parameters + ")\n{\n" + unused + body.parts[k] + "}\n\n";
    out.calls += "  " + own + "(" + handed + ");\n";
  }
  out.declaration = "  " + type + " kept[" + std::to_string(std::max(1, body.kept)) + "];\n";
  return out;
}

std::string unused_arguments(const Program& program, const Body& body) {
  std::string text;
  std::size_t first = 0;
  for (const Argument& input : program.inputs) {
    const auto begin = body.used_inputs.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::none_of(begin, begin + input.size(), [](bool used) { return used; }))
      text += "  (void)" + input.name + ";\n";
    first += static_cast<std::size_t>(input.size());
  }
  for (const Argument& output : program.outputs)  // forces of the loops of a robot that has none
    if (output.size() == 0) text += "  (void)" + output.name + ";\n";
  return text;
}

std::string c_header(const std::vector<Program>& programs, const CodeOptions& options,
                     const std::vector<std::string>& prototypes, const std::string& includes) {
  std::string macro = options.name;
  std::transform(macro.begin(), macro.end(), macro.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string text = c_comment(file_comment(programs, options));
  const std::string guard = macro + (options.language == Language::c_batch ? "_BATCH_H" : "_H");
  text += "#ifndef " + guard + "\n#define " + guard + "\n\n" + includes;
  text += "#define " + macro + "_JOINTS " + std::to_string(programs.front().joints) + "\n\n";
  text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (std::size_t k = 0; k < programs.size(); ++k)
    text += c_comment(function_comment(programs[k], options)) + prototypes[k] + ";\n\n";
  return text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

long stack_bytes(const Body& body, const CodeOptions& options) {
  const long size = options.single_precision ? 4 : 8;
  // The stack that one call of the sine needs where it is inlined but not optimized.
  const long sine_bytes = options.target == Target::cortex_m ? 512L : 512L * (body.angles + 1) / 2;
  return 128 + size * (body.temporaries + 2L * body.angles) + sine_bytes;
}

long stack_bound(const Program& program, const CodeOptions& options) {
  return stack_bytes(measure_body(program), options);
}

}  // namespace catena
