// MATLAB and Octave: one function file per program, one state a call, without toolboxes.
#include "codegen/body.hpp"
#include "codegen/escape.hpp"
#include "codegen/printers.hpp"

namespace catena {
namespace {

// Entry k of an argument: name(row, column) of a matrix, name(k) of a vector.
std::string entry_of(const Argument& a, int k) {
  if (!as_matrix(a)) return a.name + "(" + std::to_string(k + 1) + ")";
  const int row = a.by_columns ? k % a.rows : k / a.columns, column = a.by_columns ? k / a.rows : k % a.columns;
  return a.name + "(" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + ")";
}

std::string shape_of(const Argument& a) {
  return as_matrix(a) ? std::to_string(a.rows) + ", " + std::to_string(a.columns) : std::to_string(a.size()) + ", 1";
}

Dialect matlab_dialect() {
  Dialect d = python_dialect("");
  d.load = entry_of;
  d.declare = [](const std::string& name, const std::string& text) { return "  " + name + " = " + text + ";\n"; };
  d.store = [](const Program::Output& output, int k, const std::string& text) {
    return "  " + entry_of(output, k) + " = " + text + ";\n";
  };
  d.sign = [](const std::string& x) { return "sign(" + x + ")"; };
  d.decay = [](const std::string& x) { return "exp(-" + x + ")"; };
  d.turn = [](const std::vector<std::string>& angles) {
    std::string text;
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const std::string i = std::to_string(k);
      text += "  s" + i + " = sin(" + angles[k] + ");\n  c" + i + " = cos(" + angles[k] + ");\n";
    }
    return text;
  };
  return d;
}

std::string matlab_comment(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "% " + matlab_comment_text(line) + "\n";
  return text;
}

// What a caller hands over: a vector may be a row or a column.
std::string taken(const Argument& a, bool single) {
  const std::string wrong = as_matrix(a) ? "~isequal(size(" + a.name + "), [" + shape_of(a) + "])"
                                         : "numel(" + a.name + ") ~= " + std::to_string(a.size());
  const std::string wanted = as_matrix(a) ? std::to_string(a.rows) + " x " + std::to_string(a.columns)
                                          : std::to_string(a.size()) + (a.size() == 1 ? " entry" : " entries");
  return "  if " + wrong + "\n    error('" + a.name + " must have " + wanted + ", not %s', mat2str(size(" + a.name +
         ")));\n  end\n" + (single ? "  " + a.name + " = single(" + a.name + ");\n" : "");
}

}  // namespace

Code print_matlab(const std::vector<Program>& programs, const CodeOptions& options) {
  if (options.name.front() == '_')
    throw std::invalid_argument("'" + options.name + "' cannot name functions of MATLAB: they begin with a letter");
  const bool single = options.single_precision;
  Code code;
  for (const Program& program : programs) {
    std::string arguments, results, prepared;
    const auto list = [](std::string& text, const std::string& item) { text += (text.empty() ? "" : ", ") + item; };
    for (const Argument& a : program.inputs) {
      list(arguments, a.name);
      prepared += taken(a, single);
    }
    for (const Program::Output& out : program.outputs) {
      list(results, out.name);
      prepared += "  " + out.name + " = zeros(" + shape_of(out) + (single ? ", 'single'" : "") + ");\n";
    }
    code.source += (code.source.empty() ? matlab_comment(file_comment(programs, options)) : "\n") + "function [" +
                   results + "] = " + function_name(program, options) + "(" + arguments + ")\n" +
                   matlab_comment(function_comment(program, options)) + prepared +
                   write_body(program, matlab_dialect()).text + "end\n";
  }
  return code;
}

}  // namespace catena
