// Equations as plain text for a terminal.
#include <algorithm>

#include "catena/code.hpp"
#include "codegen/escape.hpp"
#include "equations/notation.hpp"

namespace catena {
namespace {

constexpr std::size_t line_width = 96;

std::string entry_name(const Equation& equation, const Notation& notation, int row, int column) {
  const std::string letter = letter_of(equation).text;
  if (equation.is_number()) return letter;
  const std::string indices = notation.entry_indices(equation, row, column);
  const bool letters_only = letter.find_first_of(" /*+-") == std::string::npos && equation.head.empty();
  return letters_only ? letter + indices : letter + "[" + indices + "]";
}

// K(q, qd): kinetic energy
std::string head_and_words(const Equation& equation) {
  std::string head = letter_of(equation).text;
  if (head.find('(') == std::string::npos)
    head.append("(q").append(equation.by_speed ? ", qd" : "").append(equation.by_acceleration ? ", qdd)" : ")");
  head += ": " + equation.words;
  if (!equation.frame.empty()) head += "; frame " + plain_text(shortened(equation.frame));
  return head + "\n";
}

// In plain text every character takes one column.
std::string folded(const std::string& line) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t start = 0; start < line.size();) {
    const std::size_t end = std::min(line.find(line_break, start), line.size());
    if (start > 0 && used + 1 + end - start > line_width) {
      out += "\n    ";
      used = 4;
    } else if (start > 0) {
      out += ' ';
      ++used;
    }
    out.append(line, start, end - start);
    used += end - start;
    start = end + 1;
  }
  return out;
}

bool has_turns(const Equations& equations) {
  return std::any_of(equations.alphabet.begin(), equations.alphabet.end(), [](const Atom& a) { return a.symbol < 0; });
}

// What makes the model of the open tree that of the robot.
std::string closing(const Equations& equations) {
  std::string v;
  for (const int joint : equations.independent) v += (v.empty() ? "qd" : ", qd") + std::to_string(joint + 1);
  std::string motion = "M (G vd + Gd v) + C G v + g";
  if (equations.has_friction) motion += " + f";
  return "Closed loops: these are the open tree's, with phi(q) = 0 and J = d phi/dq. The independent rates v = (" + v +
         ") give\nqd = G v, where J G = 0: G^T (" + motion + ") = tau, of motors at these joints.\n";
}

}  // namespace

std::string to_text(const Equations& equations, int digits) {
  const Notation notation(equations, Notation::Style::text, digits);
  std::string out = plain_text(shortened(equations.robot_name));
  if (equations.of_motion())
    out += ": " + std::string(motion_text) + (equations.has_friction ? " + f(qd)" : "") + " = tau\n";
  else
    out += ", " + std::string(origin_mark) + "\n";
  if (!equations.independent.empty()) out += closing(equations);
  if (has_turns(equations)) out += "c1 = cos(q1), s1 = sin(q1), c12 = cos(q1 + q2), ...\n";
  for (const Equation& equation : equations.equations) {
    out += "\n";
    if (!equation.words.empty()) out += head_and_words(equation);
    for (int i = 0; i < equation.rows; ++i)
      for (int j = equation.symmetric ? i : 0; j < equation.columns; ++j) {
        std::string line = entry_name(equation, notation, i, j) + " = ";
        if (equation.symmetric && i != j) line += entry_name(equation, notation, j, i) + " = ";
        out += folded(line + notation.formula(equation.entry(i, j))) + "\n";
      }
  }
  if (equations.notes.empty()) return out;
  out += "\n";
  std::size_t names = 0, meanings = 0;
  for (const SymbolNote& note : equations.notes) {
    names = std::max(names, equations.space.symbols[std::size_t(note.symbol)].name.size());
    meanings = std::max(meanings, note.meaning.size());
  }
  for (const SymbolNote& note : equations.notes) {
    const std::string& name = equations.space.symbols[std::size_t(note.symbol)].name;
    std::string line = name + std::string(names - name.size() + 2, ' ') + note.meaning;
    if (note.nominal) {
      line += std::string(meanings - note.meaning.size() + 2, ' ') + notation.decimal(*note.nominal);
      if (!note.unit.empty()) line += " " + note.unit;
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace catena
