// Writes equations as a LaTeX document that only needs amsmath.
#include <algorithm>

#include "catena/code.hpp"
#include "catena/job.hpp"
#include "codegen/escape.hpp"
#include "equations/notation.hpp"

namespace catena {
namespace {

constexpr std::size_t formula_width = 84;  // of formulas, as `width` counts

// \mathbf{M}(\mathbf{q})
std::string head_of(const Equation& equation) {
  const std::string whole = letter_of(equation).whole;
  if (!equation.head.empty() || equation.name == "tau") return whole;
  if (equation.is_friction()) return whole + "(\\dot{\\mathbf{q}})";
  std::string arguments = "\\mathbf{q}";
  if (equation.by_speed) arguments += ", \\dot{\\mathbf{q}}";
  if (equation.by_acceleration) arguments += ", \\ddot{\\mathbf{q}}";
  return whole + "(" + arguments + ")";
}

// What a job says of its result, with the few signs that it may use.
std::string words_in_latex(const Equation& equation) {
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {"∂", "\\partial "}, {"q̈", "\\ddot q"}, {"q̇", "\\dot q"}, {"τ", "\\tau"}, {"θ", "\\theta"}};
  std::string out;
  for (std::string_view rest = equation.words; !rest.empty();) {
    const auto* sign =
        std::find_if(std::begin(signs), std::end(signs), [&](const auto& s) { return rest.starts_with(s.first); });
    const std::size_t taken = sign != std::end(signs) ? sign->first.size() : 1;
    out += sign != std::end(signs) ? "$" + std::string(sign->second) + "$" : latex_text(rest.substr(0, 1));
    rest.remove_prefix(taken);
  }
  for (std::size_t at = 0; (at = out.find("$$")) != std::string::npos;) out.erase(at, 2);  // neighbours are one formula
  if (!equation.frame.empty()) out += "; frame " + latex_text(shortened(equation.frame));
  return out;
}

std::string without_marks(std::string formula) {
  std::replace(formula.begin(), formula.end(), line_break, ' ');
  return formula;
}

class Document {
 public:
  Document(const Equations& equations, int digits)
      : equations_(equations), notation_(equations, Notation::Style::latex, digits) {}

  std::string text() const {
    std::string out = "\\documentclass[a4paper]{article}\n% " + std::string(origin_mark) + "\n\\usepackage{amsmath}\n";
    out += "\\addtolength{\\oddsidemargin}{-2cm}\n\\addtolength{\\textwidth}{4cm}\n\\allowdisplaybreaks\n";
    if (equations_.revolute.size() > 10)
      out += "\\setcounter{MaxMatrixCols}{" + std::to_string(equations_.revolute.size()) + "}\n";
    out += "\\begin{document}\n\\section*{" + latex_text(shortened(equations_.robot_name)) + "}\n" + introduction();
    for (const Equation& equation : equations_.equations) {
      out += "\n";
      if (!equation.words.empty()) out += "$" + head_of(equation) + "$: " + words_in_latex(equation) + ".\n";
      out += display(equation);
    }
    return out + "\n" + symbols() + "\\end{document}\n";
  }

 private:
  std::string introduction() const {
    const std::size_t n = equations_.revolute.size();
    std::string out = "$\\mathbf{q} = (";
    if (equations_.of_motion()) {
      out = "Equations of motion $\\mathbf{M} \\ddot{\\mathbf{q}} + \\mathbf{C} \\dot{\\mathbf{q}} + \\mathbf{g} ";
      if (equations_.has_friction) out += "+ \\mathbf{f} ";
      out += "= \\boldsymbol{\\tau}$ with $\\mathbf{q} = (";
    }
    for (std::size_t k = 0; k < n; ++k) out += (k == 0 ? "" : ", ") + notation_.position(static_cast<int>(k));
    out += ")^T$";
    if (std::count(equations_.revolute.begin(), equations_.revolute.end(), true) > 0)
      out +=
          ";\n$c_i = \\cos\\theta_i$, $s_i = \\sin\\theta_i$, $c_{ij} = \\cos(\\theta_i + \\theta_j)$, "
          "$s_{ij} = \\sin(\\theta_i + \\theta_j)$, and so on";
    return out + ".\n" + closing();
  }
  // What makes the model of the open tree that of the robot.
  std::string closing() const {
    if (equations_.independent.empty()) return "";
    std::string v;
    for (const int joint : equations_.independent) v += (v.empty() ? "\\dot " : ", \\dot ") + notation_.position(joint);
    std::string motion =
        "\\mathbf{M} (\\mathbf{G} \\dot{\\mathbf{v}} + \\dot{\\mathbf{G}} \\mathbf{v}) + \\mathbf{C} \\mathbf{G} "
        "\\mathbf{v} + \\mathbf{g}";
    if (equations_.has_friction) motion += " + \\mathbf{f}";
    return "\nThese are the equations of the open tree; its loops are closed by $\\boldsymbol{\\varphi}(\\mathbf{q}) = "
           "\\mathbf{0}$ with\n$\\mathbf{J} = \\partial\\boldsymbol{\\varphi}/\\partial\\mathbf{q}$. The "
           "independent rates $\\mathbf{v} = (" +
           v +
           ")^T$ give $\\dot{\\mathbf{q}} = \\mathbf{G} \\mathbf{v}$, where\n$\\mathbf{J} \\mathbf{G} = "
           "\\mathbf{0}$, and with motors at these joints\n\\[\n\\mathbf{G}^T \\bigl(" +
           motion + "\\bigr) = \\boldsymbol{\\tau}.\n\\]\n";
  }

  std::string display(const Equation& equation) const {
    const std::string matrix = as_matrix(equation);
    return matrix.empty() ? as_list(equation) : matrix;
  }

  // Empty where it is too wide.
  std::string as_matrix(const Equation& equation) const {
    const Product& common = equation.common;
    const bool plain = common.factors.empty();
    const std::string factor = plain ? "" : notation_.product(common) + " ";
    std::vector<std::size_t> widths(std::size_t(equation.columns), 0);
    std::string rows;
    for (int i = 0; i < equation.rows; ++i) {
      rows += "  ";
      for (int j = 0; j < equation.columns; ++j) {
        const Formula& entry = equation.inside[std::size_t(i) * std::size_t(equation.columns) + std::size_t(j)];
        const std::string cell = without_marks(notation_.formula(entry));
        widths[std::size_t(j)] = std::max(widths[std::size_t(j)], width(cell));
        rows += (j == 0 ? "" : " & ") + cell;
      }
      rows += i + 1 < equation.rows ? " \\\\\n" : "\n";
    }
    std::size_t total = 8 + width(factor);
    for (const std::size_t w : widths) total += w + 2;
    if (total > formula_width) return {};
    if (equation.is_number())
      return "\\[\n" + head_of(equation) + " = " + without_marks(notation_.formula(equation.entry(0, 0))) + "\n\\]\n";
    return "\\[\n" + head_of(equation) + " = " + factor + "\\begin{bmatrix}\n" + rows + "\\end{bmatrix}\n\\]\n";
  }

  std::string as_list(const Equation& equation) const {
    const std::string letter = letter_of(equation).entry;
    const auto entry_name = [&](int i, int j) {
      if (equation.is_number()) return head_of(equation);
      const std::string which = notation_.entry_indices(equation, i, j);
      return letter + "_{" + which + "}";
    };
    std::string lines;
    for (int i = 0; i < equation.rows; ++i)
      for (int j = equation.symmetric ? i : 0; j < equation.columns; ++j) {
        if (!lines.empty()) lines += " \\\\\n";
        lines += entry_name(i, j);
        if (equation.symmetric && i != j) lines += " = " + entry_name(j, i);
        lines += " &= ";
        lines +=
            fold(notation_.formula(equation.entry(i, j)), formula_width - 10, formula_width - 12, " \\\\\n  &\\quad ");
      }
    return "\\begin{align*}\n" + lines + "\n\\end{align*}\n";
  }

  std::string symbols() const {
    if (equations_.notes.empty()) return {};
    std::string out = "\\begin{tabular}{lll}\n";
    for (const SymbolNote& note : equations_.notes) {
      out.append("$").append(notation_.symbol(equations_.space.symbols[std::size_t(note.symbol)]));
      out.append("$ & ").append(latex_text(note.meaning));
      if (note.nominal)
        out.append(" & $").append(notation_.decimal(*note.nominal)).append("$ ").append(unit(note.unit));
      out += " \\\\\n";
    }
    return out + "\\end{tabular}\n";
  }

  static std::string unit(const std::string& text) {
    const std::size_t power = text.find('^');
    return power == std::string::npos ? text : text.substr(0, power) + "$" + text.substr(power) + "$";
  }

  const Equations& equations_;
  Notation notation_;
};

}  // namespace

std::string to_latex(const Equations& equations, int digits) { return Document(equations, digits).text(); }

}  // namespace catena
