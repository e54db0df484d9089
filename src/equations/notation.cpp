#include "equations/notation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace catena {
namespace {

// The pieces, concatenated.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string subscript(const std::string& text) {
  return text.size() == 1 ? joined({"_", text}) : joined({"_{", text, "}"});
}

std::string power_of(int power, bool latex) {
  if (power == 1) return {};
  const std::string digits = std::to_string(power);
  return latex && digits.size() > 1 ? joined({"^{", digits, "}"}) : joined({"^", digits});
}

struct Fraction {
  long numerator = 0, denominator = 1;
};

// The number as a fraction that a person would write.
std::optional<Fraction> small_fraction(double value) {
  for (long denominator = 1; denominator <= 24; ++denominator) {
    const double scaled = value * double(denominator), whole = std::round(scaled);
    if (whole == 0.0 || whole > 1e6 || (denominator > 1 && whole > 99.0)) continue;
    if (std::abs(scaled - whole) <= 1e-11 * scaled) return Fraction{static_cast<long>(whole), denominator};
  }
  return std::nullopt;
}

std::string plain_digits(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

bool is_greek(const std::string& word) {
  constexpr std::array letters{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "kappa", "lambda", "mu",
                               "nu",    "xi",   "pi",    "rho",   "sigma",   "tau",  "phi", "chi",   "psi",    "omega"};
  return std::find(letters.begin(), letters.end(), word) != letters.end();
}

}  // namespace

Notation::Notation(const Equations& equations, Style style, int digits)
    : equations_(equations), latex_(style == Style::latex), digits_(digits), fractions_(!equations.notes.empty()) {}

std::string Notation::name(const std::string& text) const {
  if (!latex_) return text;
  std::size_t letters = 0;
  while (letters < text.size() && std::isalpha(static_cast<unsigned char>(text[letters]))) ++letters;
  const bool greek = is_greek(text.substr(0, letters));
  const std::string head = greek ? joined({"\\", text.substr(0, letters)}) : text.substr(0, 1);
  std::string rest = text.substr(greek ? letters : 1);
  std::erase(rest, '_');
  return rest.empty() ? head : head + subscript(rest);
}

std::string Notation::position(int joint) const {
  const std::string number = std::to_string(joint + 1);
  if (!latex_) return "q" + number;
  return (equations_.revolute[std::size_t(joint)] ? "\\theta" : "q") + subscript(number);
}

std::string Notation::symbol(const Symbol& s) const {
  const std::string number = std::to_string(s.joint);
  switch (s.kind) {
    case SymbolKind::position:
      return position(s.joint - 1);
    case SymbolKind::speed:
    case SymbolKind::acceleration: {
      if (!latex_) return s.name;
      const bool turns = equations_.revolute[std::size_t(s.joint) - 1];
      return std::string(s.kind == SymbolKind::speed ? "\\dot" : "\\ddot") + (turns ? "\\theta" : " q") +
             subscript(number);
    }
    case SymbolKind::sign:
      if (!latex_) return "sgn(qd" + number + ")";
      return "\\operatorname{sgn}(" + symbol({"qd" + number, SymbolKind::speed, s.joint}) + ")";
    case SymbolKind::decay: {
      const std::string ratio = symbol({"qd" + number, SymbolKind::speed, s.joint}) + "/" +
                                decimal(equations_.stribeck_speed[std::size_t(s.joint) - 1]);
      return latex_ ? "e^{-(" + ratio + ")^2}" : "exp(-(" + ratio + ")^2)";
    }
    default:
      return name(s.name);
  }
}

std::string Notation::indices(const std::vector<int>& joints) const {
  std::string text;
  for (const int joint : joints)
    text += joined({text.empty() || equations_.revolute.size() < 10 ? "" : ",", std::to_string(joint + 1)});
  return text;
}

std::string Notation::entry_indices(const Equation& equation, int row, int column) const {
  if (equation.columns == 1) return indices({row});
  const bool wide = std::max(equation.rows, equation.columns) >= 10;  // 1,10 is not 11,0
  return wide ? std::to_string(row + 1) + "," + std::to_string(column + 1) : indices({row, column});
}

std::string Notation::turn(const Atom& atom, int power) const {
  const bool plain_sum = std::all_of(atom.multiple.begin(), atom.multiple.end(), [](int m) { return m == 1; });
  if (plain_sum) {
    const std::string which = indices(atom.joints);
    return (atom.sine ? "s" : "c") + (latex_ ? subscript(which) : which) + power_of(power, latex_);
  }
  std::string sum;
  for (std::size_t k = 0; k < atom.joints.size(); ++k) {
    const int m = atom.multiple[k];
    if (m < 0 || !sum.empty()) sum += m < 0 ? (sum.empty() ? "-" : " - ") : " + ";
    if (std::abs(m) != 1) sum += std::to_string(std::abs(m)) + (latex_ ? "" : " ");
    sum += position(atom.joints[k]);
  }
  const std::string function = atom.sine ? "sin" : "cos";
  if (latex_) return "\\" + function + power_of(power, true) + "(" + sum + ")";
  return function + "(" + sum + ")" + power_of(power, false);
}

std::string Notation::atom(const Atom& a, int power) const {
  if (a.symbol < 0) return turn(a, power);
  return symbol(equations_.space.symbols[std::size_t(a.symbol)]) + power_of(power, latex_);
}

std::string Notation::number(double value) const {
  const auto fraction = small_fraction(value);
  if (fraction && fraction->denominator == 1) return std::to_string(fraction->numerator);
  const std::string digits = decimal(value);
  const bool exact = std::abs(std::strtod(plain_digits(value, digits_).c_str(), nullptr) - value) <= 1e-12 * value;
  if (!fraction || (exact && !fractions_)) return digits;
  const std::string up = std::to_string(fraction->numerator), down = std::to_string(fraction->denominator);
  return latex_ ? "\\tfrac{" + up + "}{" + down + "}" : up + "/" + down;
}

std::string Notation::decimal(double value) const {
  const std::string digits = plain_digits(value, digits_);
  const std::size_t e = digits.find('e');
  if (!latex_ || e == std::string::npos) return digits;
  return digits.substr(0, e) + "\\cdot 10^{" + std::to_string(std::atoi(digits.c_str() + e + 1)) + "}";
}

std::string Notation::product(const Product& p) const {
  std::string text;
  const auto append = [&](const std::string& factor) { text += joined({text.empty() ? "" : " ", factor}); };
  const double size = std::abs(p.coefficient);
  if (std::abs(size - 1.0) > 1e-12 || (p.factors.empty() && p.sum.empty())) append(number(size));
  for (const auto& [which, power] : p.factors) append(atom(equations_.alphabet[std::size_t(which)], power));
  if (!p.other_sum.empty()) append(joined({"(", formula(p.other_sum), ")"}));
  if (!p.sum.empty()) append(joined({"(", formula(p.sum), ")", power_of(p.power, latex_)}));
  return text;
}

std::string Notation::formula(const Formula& terms) const {
  if (terms.empty()) return "0";
  std::string text;
  for (const Product& term : terms) {
    const bool negative = term.coefficient < 0.0;
    if (text.empty()) {
      if (negative) text += '-';
    } else {
      text += line_break;
      text += negative ? "- " : "+ ";
    }
    text += product(term);
  }
  return text;
}

Letter letter_of(const Equation& equation) {
  if (!equation.head.empty()) return {equation.head, "(" + equation.head + ")", equation.name};
  struct Named {
    std::string_view output, whole, entry, text;
  };
  static constexpr Named named[] = {
      {"tau", "\\boldsymbol{\\tau}", "\\tau", "tau"},
      {"beta", "\\boldsymbol{\\beta}", "\\beta", "beta"},
      {"kinetic_energy", "\\mathcal{K}", "\\mathcal{K}", "K"},
      {"potential_energy", "\\mathcal{U}", "\\mathcal{U}", "U"},
      {"Jdot_qd", "\\dot{\\mathbf{J}} \\dot{\\mathbf{q}}", "(\\dot{\\mathbf{J}} \\dot{\\mathbf{q}})", "(Jd qd)"},
      {"q_tree", "\\mathbf{q}_{\\mathrm{tree}}", "(\\mathbf{q}_{\\mathrm{tree}})", "q_tree"},
      {"com", "\\mathbf{c}", "c", "c"},
      {"I_com", "\\mathbf{I}", "I", "I"},
      {"mass", "m", "m", "m"},
  };
  for (const Named& n : named)
    if (n.output == equation.name) return {std::string(n.whole), std::string(n.entry), std::string(n.text)};
  return {joined({"\\mathbf{", equation.name, "}"}), equation.name, equation.name};
}

std::size_t width(const std::string& formula) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < formula.size(); ++k) {
    const char c = formula[k];
    if (c == '\\') {  // a command such as \dot or \tfrac counts as one character, or none
      const std::size_t start = k + 1;
      while (k + 1 < formula.size() && std::isalpha(static_cast<unsigned char>(formula[k + 1]))) ++k;
      const std::string command = formula.substr(start, k + 1 - start);
      count += command == "cos" || command == "sin" || command == "operatorname" ? 3 : command == "theta" ? 1 : 0;
    } else if (c != '{' && c != '}' && c != '_' && c != '^' && c != ' ') {
      count += c == line_break || c == '+' || c == '-' ? 2 : 1;
    }
  }
  return count;
}

std::string fold(const std::string& formula, std::size_t first, std::size_t others, const std::string& between) {
  std::string out;
  std::size_t room = first, used = 0;
  for (std::size_t start = 0; start < formula.size();) {
    const std::size_t end = std::min(formula.find(line_break, start), formula.size());
    const std::string piece = formula.substr(start, end - start);
    const std::size_t size = width(piece);
    if (start > 0 && used + size > room) {
      out += between;
      room = others;
      used = 0;
    } else if (start > 0) {
      out += ' ';
    }
    out += piece;
    used += size;
    start = end + 1;
  }
  return out;
}

}  // namespace catena
