// Python that makes CasADi functions of SX, which CasADi differentiates, maps and writes as code.
#include "codegen/body.hpp"
#include "codegen/escape.hpp"
#include "codegen/printers.hpp"

namespace catena {
namespace {

Dialect dialect_of() {
  Dialect d = python_dialect("casadi");
  d.store = [](const Program::Output& output, int k, const std::string& text) {
    if (text == "0.0" || text == "-0.0") return std::string();  // stays out of the sparsity
    const std::string at = as_matrix(output)
                               ? std::to_string(k / output.columns) + ", " + std::to_string(k % output.columns)
                               : std::to_string(k);
    return "    " + output.name + "[" + at + "] = " + text + "\n";
  };
  return d;
}

}  // namespace

Code print_casadi(const std::vector<Program>& programs, const CodeOptions& options) {
  Code code;
  code.source = python_docstring(file_comment(programs, options), "") + "\nimport casadi\n";
  for (const Program& program : programs) {
    std::string symbols, given, named, results, result_names;
    const auto list = [](std::string& text, const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
    for (const Argument& a : program.inputs) {
      symbols += "    " + a.name + " = casadi.SX.sym(\"" + a.name + "\", " + std::to_string(a.size()) + ")\n";
      list(given, a.name), list(named, "\"" + a.name + "\"");
    }
    for (const Program::Output& out : program.outputs) {
      const std::string columns = std::to_string(as_matrix(out) ? out.columns : 1);
      const std::string rows = std::to_string(as_matrix(out) ? out.rows : out.size());
      symbols += "    " + out.name + " = casadi.SX(" + rows + ", " + columns + ")\n";
      list(results, out.name), list(result_names, "\"" + out.name + "\"");
    }
    const std::string name = function_name(program, options);
    code.source += "\n\ndef " + name + "():\n" + python_docstring(function_comment(program, options), "    ") +
                   symbols + write_body(program, dialect_of()).text +
                   "    return casadi.Function(casadi.Function.fix_name(\"" + name + "\"), [" + given + "], [" +
                   results + "], [" + named + "], [" + result_names + "])\n";
  }
  return code;
}

}  // namespace catena
