// C functions that CasADi loads (casadi.external) or links: a pointer to each argument and result, null where it is
// zero or not wanted, matrices by columns, and functions that tell names and sizes. Blocks of derivatives leave out the
// entries that are always zero.
#include <algorithm>
#include <map>

#include "codegen/c_family.hpp"
#include "codegen/printers.hpp"
#include "codegen/text.hpp"

namespace catena {
namespace {

struct Slot {
  std::string name;
  int rows = 0, columns = 1;
  bool read = true;                    // else the function is given it and needs it not
  bool dense = true;                   // else the entries below
  std::vector<int> first{}, row_of{};  // by column: where its entries start; their rows
  int size() const { return dense ? rows * columns : static_cast<int>(row_of.size()); }
};
struct Function {
  std::string name, core;
  std::vector<Slot> inputs, outputs;
};

Slot slot_of(const Argument& a) {
  if (a.columns > 1 && !a.packed && !a.by_columns)
    throw std::invalid_argument("CasADi's matrices are by columns: print by_columns(program)");
  return {a.name, a.packed ? a.size() : a.rows, a.packed ? 1 : a.columns};
}
Slot unread(Slot slot) {
  slot.name = "out_" + slot.name, slot.read = false;
  return slot;
}

// A block of derivatives: its entries by columns without those that are always zero.
Slot compress(const Graph& graph, Program::Output& block) {
  Slot slot{block.name, block.rows, block.columns, true, false, {0}, {}};
  std::vector<NodeRef> entries;
  for (int column = 0; column < block.columns; ++column) {
    for (int row = 0; row < block.rows; ++row) {
      const NodeRef entry = block.entries[index(row * block.columns + column)];
      if (graph.is_constant(entry) && graph.constant_value(entry) == 0.0) continue;
      slot.row_of.push_back(row), entries.push_back(entry);
    }
    slot.first.push_back(static_cast<int>(slot.row_of.size()));
  }
  block.entries = std::move(entries);
  block.rows = static_cast<int>(block.entries.size()), block.columns = 1, block.matrix = false;
  return slot;
}

// Derivatives with respect to what the function is given and does not need.
Slot nothing(const std::string& name, int rows, int columns) {
  return {name, rows, columns, false, false, std::vector<int>(std::size_t(columns) + 1, 0), {}};
}

// The programs as CasADi's functions. A jacobian follows what it is of.
class Functions {
 public:
  Functions(const std::vector<Program>& programs, const CodeOptions& options) {
    for (const Program& program : programs) add(program, options);
  }
  std::vector<Program> cores;
  std::vector<Function> all;

 private:
  void add(Program core, const CodeOptions& options) {
    CodeOptions inner = options;
    inner.name += "_core";
    Program plain = core;
    plain.derived.clear();
    const std::string base = function_name(plain, options);
    Function own{base, function_name(core, inner), {}, {}};
    for (const Argument& input : core.inputs) own.inputs.push_back(slot_of(input));
    if (core.derived.empty()) {
      for (const Program::Output& out : core.outputs) own.outputs.push_back(slot_of(out));
    } else if (core.derived == "_gradient") {
      own.name = "adj1_" + base;
      const Function& of = named(base);
      const auto weights = own.inputs.begin() + static_cast<std::ptrdiff_t>(of.inputs.size());
      std::vector<Slot> results;
      for (const Slot& result : of.outputs) results.push_back(unread(result));
      own.inputs.insert(weights, results.begin(), results.end());
      for (const Argument& out : core.outputs) own.outputs.push_back(slot_of(out));
    } else {
      const Function& of = named((core.derived == "_jacobian" ? "" : "adj1_") + base);
      own.name = "jac_" + of.name, own.inputs = of.inputs;
      auto block = core.outputs.begin();
      for (const Slot& result : of.outputs)
        for (const Slot& input : of.inputs) {
          const std::string name = "jac_" + result.name + "_" + input.name;
          own.outputs.push_back(input.read ? compress(core.graph, *block++)
                                           : nothing(name, result.size(), input.size()));
        }
      for (const Slot& result : of.outputs) own.inputs.push_back(unread(result));
    }
    cores.push_back(std::move(core)), all.push_back(std::move(own));
  }
  const Function& named(const std::string& name) const {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Function& f) { return f.name == name; });
    if (found == all.end()) throw std::invalid_argument("derivatives come after the function " + name);
    return *found;
  }
};

std::string joined(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += ", " + std::to_string(value);
  return text;
}

// Each pattern once: its text and its name.
using Patterns = std::map<std::string, std::string>;
std::string pattern_text(const Slot& slot) {
  const std::string size = std::to_string(slot.rows) + ", " + std::to_string(slot.columns);
  if (!slot.dense) return size + joined(slot.first) + joined(slot.row_of);
  return size + ", 1";
}

std::string lookup(const std::string& head, const std::vector<Slot>& slots, const std::string& otherwise,
                   const std::function<std::string(const Slot&)>& value) {
  std::string text = head + "\n{\n  switch (i) {\n";
  for (std::size_t k = 0; k < slots.size(); ++k)
    text += "    case " + std::to_string(k) + ": return " + value(slots[k]) + ";\n";
  return text + "    default: return " + otherwise + ";\n  }\n}\n";
}

std::string call_text(const Function& f, const std::string& zeros) {
  std::string handed;
  const auto hand = [&](const std::string& text) { handed += (handed.empty() ? "" : ",\n    ") + text; };
  for (std::size_t k = 0; k < f.inputs.size(); ++k) {
    const std::string given = entry("arg", static_cast<int>(k));
    if (f.inputs[k].read) hand(given + " ? " + given + " : " + zeros);
  }
  int spare = 0;
  for (std::size_t k = 0; k < f.outputs.size(); ++k) {
    if (!f.outputs[k].read) continue;
    const std::string wanted = entry("res", static_cast<int>(k));
    hand(wanted + " ? " + wanted + " : w + " + std::to_string(spare));
    spare += f.outputs[k].size();
  }
  return "  " + f.core + "(" + handed + ");\n";
}

std::vector<std::string> prototypes_of(const Function& f) {
  return {"int " + f.name + "(const double **arg, double **res, long long int *iw, double *w, int mem)",
          "long long int " + f.name + "_n_in(void)",
          "long long int " + f.name + "_n_out(void)",
          "const char *" + f.name + "_name_in(long long int i)",
          "const char *" + f.name + "_name_out(long long int i)",
          "const long long int *" + f.name + "_sparsity_in(long long int i)",
          "const long long int *" + f.name + "_sparsity_out(long long int i)",
          "int " + f.name +
              "_work(long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)"};
}

std::string function_text(const Function& f, const std::string& zeros, const Patterns& patterns,
                          const std::string& exported) {
  const std::vector<std::string> heads = prototypes_of(f);
  const auto name = [](const Slot& slot) { return "\"" + slot.name + "\""; };
  const auto pattern = [&](const Slot& slot) { return patterns.at(pattern_text(slot)); };
  const std::string in = std::to_string(f.inputs.size()), out = std::to_string(f.outputs.size());
  int spare = 0;
  for (const Slot& slot : f.outputs) spare += slot.size();
  std::string text =
      exported + heads[0] + "\n{\n  (void)iw;\n  (void)mem;\n" + call_text(f, zeros) + "  return 0;\n}\n";
  text += exported + heads[1] + " { return " + in + "; }\n" + exported + heads[2] + " { return " + out + "; }\n";
  text += lookup(exported + heads[3], f.inputs, "0", name) + lookup(exported + heads[4], f.outputs, "0", name);
  text += lookup(exported + heads[5], f.inputs, "0", pattern) + lookup(exported + heads[6], f.outputs, "0", pattern);
  return text + exported + heads[7] + "\n{\n  if (sz_arg) *sz_arg = " + in + ";\n  if (sz_res) *sz_res = " + out +
         ";\n  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = " + std::to_string(spare) + ";\n  return 0;\n}\n\n";
}

}  // namespace

std::string casadi_name(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_' || (!out.empty() && out.back() != '_')) out += c;
  return out;
}

Code print_c_for_casadi(const std::vector<Program>& programs, const CodeOptions& options) {
  if (options.name != casadi_name(options.name) || options.name.empty())
    throw std::invalid_argument(
        "'" + options.name +
        "' cannot be a CasADi function name: those begin with a letter and have no double underscore");
  const Functions functions(programs, options);
  CodeOptions inner = options;
  inner.name += "_core", inner.internal = true, inner.convention = CallingConvention::plain;
  Code code = print_c(functions.cores, inner);
  const std::string exported = options.name + "_exported ", zeros = options.name + "_zeros";
  Patterns patterns;
  int longest = 1;
  for (const Function& f : functions.all)
    for (const std::vector<Slot>* slots : {&f.inputs, &f.outputs})
      for (const Slot& slot : *slots) {
        longest = std::max(longest, slot.size());
        patterns.emplace(pattern_text(slot), options.name + "_pattern" + std::to_string(patterns.size()));
      }
  code.source += substitute(
      "\n/* As CasADi calls functions. */\n\n"
      "#if defined(_WIN32)\n#define @exported __declspec(dllexport)\n"
      "#elif defined(__GNUC__)\n#define @exported __attribute__((visibility(\"default\")))\n"
      "#else\n#define @exported\n#endif\n\n"
      "static const double @zeros[@longest] = {0.0};\n",
      {{"@exported", options.name + "_exported"}, {"@zeros", zeros}, {"@longest", std::to_string(longest)}});
  for (const auto& [text, name] : patterns)
    code.source += "static const long long int " + name + "[] = {" + text + "};\n";
  code.source += "\n";
  std::vector<std::string> prototypes;
  for (const Function& f : functions.all) {
    code.source += function_text(f, zeros, patterns, exported);
    std::string& own = prototypes.emplace_back();
    for (const std::string& head : prototypes_of(f)) own += (own.empty() ? "" : ";\n") + head;
  }
  code.source.pop_back();
  code.header = c_header(functions.cores, options, prototypes, "");
  return code;
}

}  // namespace catena
