// A law on symbols: its step as a program, and C around that.
#include <algorithm>

#include "codegen/c_family.hpp"
#include "codegen/escape.hpp"
#include "codegen/printers.hpp"
#include "codegen/text.hpp"
#include "laws/law_list.hpp"

namespace catena {
namespace {

using laws::Part;

std::string words_of(const std::vector<Part>& parts) {
  std::string text;
  int at = 0;
  for (const Part& part : parts) {
    const laws::SignalInfo& info = laws::signals[static_cast<std::size_t>(part.signal)];
    text += (text.empty() ? "" : "; ") + std::to_string(at) + ": " + std::string(info.name) + ", " +
            std::string(info.words);
    at += part.size;
  }
  return text;
}

// Symbols for an argument; none if it has no entries.
std::vector<Expr> add_input(Program& program, const std::string& name, int size, const std::string& meaning) {
  std::vector<Expr> symbols;
  for (int k = 0; k < size; ++k) symbols.push_back(Expr::input(program.graph, name + "[" + std::to_string(k) + "]"));
  if (size > 0) program.inputs.push_back({name, size, 1, false, meaning});
  return symbols;
}

void add_output(Program& program, const std::string& name, const std::vector<Expr>& entries,
                const std::string& meaning) {
  if (entries.empty()) return;
  Program::Output out;
  out.name = name;
  out.rows = static_cast<int>(entries.size());
  out.meaning = meaning;
  for (const Expr& entry : entries) out.entries.push_back(entry.in(program.graph));
  program.outputs.push_back(std::move(out));
}

Program program_of(const laws::PreparedLaw& law) {
  const laws::LawShape& shape = law.shape;
  Program program;
  program.robot_name = law.robot.name;
  program.joints = law.robot.nv();
  program.jobs = {"law"};
  program.choices.formulations = {std::string(law.info->name)};
  const auto input = [&](const char* name, const std::vector<Part>& parts) {
    return add_input(program, name, size_of(parts), words_of(parts));
  };
  const std::vector<Expr> state = input("state", shape.state), measurement = input("measurement", shape.measurement),
                          reference = input("reference", shape.reference), gains = input("gains", shape.schedule),
                          dt = add_input(program, "dt", 1, "period (s)");
  std::vector<Expr> next(state.size()), torque(index(law.robot.nv()));
  laws::LawStep<Expr> x;
  laws::place(shape.state, std::span<const Expr>(state), x.in);
  laws::place(shape.measurement, std::span<const Expr>(measurement), x.in);
  laws::place(shape.reference, std::span<const Expr>(reference), x.in);
  laws::place(shape.schedule, std::span<const Expr>(gains), x.in);
  laws::place(shape.state, std::span<Expr>(next), x.next);
  x.dt = dt[0], x.torque = torque;
  laws::make_law<Expr>(law)->step(x);
  add_output(program, "torque", torque, "torques and forces of the drives (N m, N)");
  add_output(program, "next", next, "the state afterwards");
  return program;
}

// A table as C: rows of numbers with all their digits.
std::string table_text(const std::string& head, const std::vector<double>& values, const Dialect& dialect) {
  std::string text = head + " = {";
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k == 0 ? "" : ",") + std::string(k % 6 == 0 ? "\n  " : " ") + dialect.literal(values[k]);
  return text + "\n};\n";
}

// The gains of a schedule, and the function that finds those of a time.
std::string schedule_text(const GainSchedule& schedule, const std::string& name, const std::string& real,
                          const Dialect& dialect) {
  const std::string rows = std::to_string(schedule.times.size()), size = std::to_string(schedule.gains.front().size());
  std::vector<double> all;
  for (const auto& row : schedule.gains) all.insert(all.end(), row.begin(), row.end());
  const auto fill = [&](const std::string& text) {
    return substitute(
        text, {{"@name", name}, {"@real", real}, {"@rows", rows}, {"@size", size}, {"@zero", dialect.literal(0.0)}});
  };
  return table_text(fill("static const @real @name_times[@rows]"), schedule.times, dialect) +
         table_text(fill("static const @real @name_table[@rows * @size]"), all, dialect) + fill(R"(
static void @name_gains_at(@real t, @real *gains)
{
  int after = 0, a, b;
  @real part = @zero;
  while ((after < @rows) && (@name_times[after] <= t)) {
    ++after;
  }
  a = (after == 0) ? 0 : (after - 1);
  b = (after < @rows) ? after : (@rows - 1);
  if (a != b) {
    part = (t - @name_times[a]) / (@name_times[b] - @name_times[a]);
  }
  for (int k = 0; k < @size; ++k) {
    const @real from = @name_table[(a * @size) + k];
    gains[k] = from + (part * (@name_table[(b * @size) + k] - from));
  }
}

)");
}

std::string sizes_text(const laws::PreparedLaw& law, const std::string& name) {
  std::string macro = name;
  std::transform(macro.begin(), macro.end(), macro.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto define = [&](const char* what, int size) {
    return "#define " + macro + "_" + what + " " + std::to_string(size) + "\n";
  };
  return define("JOINTS", law.robot.nv()) + define("STATES", size_of(law.shape.state)) +
         define("MEASUREMENTS", size_of(law.shape.measurement)) + define("REFERENCES", size_of(law.shape.reference));
}

std::vector<std::string> comment_of(const laws::PreparedLaw& law, const CodeOptions& code) {
  std::vector<std::string> lines{
      "Law '" + std::string(law.info->name) + "': " + std::string(law.info->words) + ".",
      "Call " + code.name + "_reset once, then " + code.name + "_step once per period of dt seconds."};
  const auto list = [&](const char* array, const std::vector<Part>& parts) {
    int at = 0;
    for (const Part& part : parts) {
      const laws::SignalInfo& info = laws::signals[static_cast<std::size_t>(part.signal)];
      lines.push_back(std::string("  ") + array + "[" + std::to_string(at) + ".." + std::to_string(at + part.size - 1) +
                      "]  " + std::string(info.name) + ": " + std::string(info.words));
      at += part.size;
    }
  };
  list("measurement", law.shape.measurement);
  list("reference", law.shape.reference);
  list("state", law.shape.state);
  for (const LawParameter& p : law.info->parameters) {
    std::string line = "  " + std::string(p.name) + " =";
    for (const double v : law.setup().values(p.name)) line += " " + shortest(v);
    lines.push_back(line + " (" + std::string(p.words) + ")");
  }
  return lines;
}

}  // namespace

Program law_program(const Mechanism& robot, const LawOptions& options) {
  return program_of(laws::prepare(robot, options));
}

Code print_controller(const Mechanism& robot, const LawOptions& options, const CodeOptions& code) {
  if (code.language != Language::c) throw std::invalid_argument("laws are written as C");
  const laws::PreparedLaw law = laws::prepare(robot, options);
  const Program program = program_of(law);
  CodeOptions inner = code;
  inner.internal = true;
  const std::string real = real_type(code), name = code.name;
  const Dialect dialect = c_dialect(code, real);
  const std::string states = std::to_string(size_of(law.shape.state));
  const bool keeps = !law.shape.state.empty(), scheduled = !law.shape.schedule.empty();
  const std::string step = "void " + name + "_step(" + real + " *state, const " + real + " *measurement, const " +
                           real + " *reference, " + real + " dt, " + real + " *torque)";
  const std::string reset = "void " + name + "_reset(" + real + " *state)";
  Code text = print_code({program}, inner);
  const std::string comment = c_comment(comment_of(law, code));
  text.source += "\n" + comment;
  if (scheduled) text.source += schedule_text(law.options.schedule, name, real, dialect);
  if (keeps)
    text.source += table_text("static const " + real + " " + name + "_start[" + states + "]", law.shape.start, dialect);
  text.source += reset + "\n{\n" +
                 (keeps ? "  for (int k = 0; k < " + states + "; ++k) {\n    state[k] = " + name + "_start[k];\n  }\n"
                        : "  (void)state;\n") +
                 "}\n\n" + step + "\n{\n";
  if (keeps) text.source += "  " + real + " next[" + states + "];\n";
  if (scheduled)
    text.source += "  " + real + " gains[" + std::to_string(size_of(law.shape.schedule)) + "];\n  " + name +
                   "_gains_at(state[" + std::to_string(size_of(law.shape.state) - 1) + "], gains);\n";
  text.source += "  " + name + "_law(" + (keeps ? "state, " : "") + "measurement, reference, " +
                 (scheduled ? "gains, " : "") + "&dt, torque" + (keeps ? ", next" : "") + ");\n";
  text.source +=
      keeps ? "  for (int k = 0; k < " + states + "; ++k) {\n    state[k] = next[k];\n  }\n}\n" : "  (void)state;\n}\n";
  const std::string guard = identifier(name) + "_CONTROLLER_H";
  text.header = c_comment(file_comment({program}, code)) + comment + "#ifndef " + guard + "\n#define " + guard +
                "\n\n" + sizes_text(law, name) + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + reset + ";\n" +
                step + ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

}  // namespace catena
