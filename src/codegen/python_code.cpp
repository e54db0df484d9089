// Python: functions on NumPy arrays, one state or any number of them (the last axis, or the last two, hold a state).
#include "codegen/body.hpp"
#include "codegen/escape.hpp"
#include "codegen/printers.hpp"

namespace catena {

Dialect python_dialect(const std::string& module) {
  Dialect d;
  d.literal = [](double value) { return shortest(value); };
  d.load = [](const Argument& input, int k) { return input.name + "[" + std::to_string(k) + "]"; };
  d.declare = [](const std::string& name, const std::string& text) { return "    " + name + " = " + text + "\n"; };
  d.store = [](const Program::Output& output, int k, const std::string& text) {
    return "    " + output.name + "[" + std::to_string(k) + "] = " + text + "\n";
  };
  d.sine = [](int k) { return "s" + std::to_string(k); };
  d.cosine = [](int k) { return "c" + std::to_string(k); };
  d.sign = [module](const std::string& x) { return module + ".sign(" + x + ")"; };
  d.reciprocal = [](const std::string& x) { return "1.0/" + x; };
  d.decay = [module](const std::string& x) { return module + ".exp(-" + x + ")"; };
  d.turn = [module](const std::vector<std::string>& angles) {
    std::string text;
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const std::string i = std::to_string(k);
      text +=
          "    s" + i + ", c" + i + " = " + module + ".sin(" + angles[k] + "), " + module + ".cos(" + angles[k] + ")\n";
    }
    return text;
  };
  return d;
}

std::string python_docstring(const std::vector<std::string>& lines, const std::string& indent) {
  std::string text = indent + "\"\"\"";
  for (const std::string& line : lines) text += python_text(line) + "\n" + indent;
  return text + "\"\"\"\n";
}

namespace {

constexpr const char* helpers = R"(import numpy as np


def _columns(values, size, name):
    values = np.asarray(values, dtype=@type)
    if values.shape[-1:] != (size,):
        raise ValueError(f"{name} has shape {values.shape}; its last axis must have length {size}")
    return np.moveaxis(values, -1, 0)


def _result(entries, shape, states):
    if len(entries) == 0:
        return np.zeros(np.shape(states) + shape)
    # An entry that depends on no argument still has the shape of the states.
    stacked = np.stack(np.broadcast_arrays(states, *entries)[1:], axis=-1)
    return stacked.reshape(stacked.shape[:-1] + shape)
)";

}  // namespace

Code print_python(const std::vector<Program>& programs, const CodeOptions& options) {
  Code code;
  code.source = python_docstring(file_comment(programs, options), "");
  std::string types = helpers;
  types.replace(types.find("@type"), 5, options.single_precision ? "np.float32" : "np.float64");
  code.source += "\n" + types;
  for (const Program& program : programs) {
    const Body body = write_body(program, python_dialect("np"));
    std::string arguments, prepared, results;
    for (const Argument& a : program.inputs) {
      arguments += (arguments.empty() ? "" : ", ") + a.name;
      prepared +=
          "    " + a.name + " = _columns(" + a.name + ", " + std::to_string(a.size()) + ", \"" + a.name + "\")\n";
    }
    for (const auto& out : program.outputs) {
      const std::string size = std::to_string(out.size());
      prepared += "    " + out.name + " = [0.0]*" + size + "\n";
      const std::string shape = as_matrix(out)
                                    ? "(" + std::to_string(out.rows) + ", " + std::to_string(out.columns) + ")"
                                    : "(" + size + ",)";
      results += (results.empty() ? "" : ", ") +
                 ("_result(" + out.name + ", " + shape + ", " + program.inputs.front().name + "[0])");
    }
    code.source += "\n\ndef " + function_name(program, options) + "(" + arguments + "):\n" +
                   python_docstring(function_comment(program, options), "    ") + prepared + body.text + "    return " +
                   results + "\n";
  }
  return code;
}

}  // namespace catena
