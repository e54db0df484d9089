#include "output/dh_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/math/index.hpp"
#include "codegen/escape.hpp"
#include "model/free_base.hpp"
#include "output/output.hpp"

namespace catena::cli {
namespace {

constexpr double turn = 180.0 / std::numbers::pi;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string csv_text(const std::string& text) {
  return text.find_first_of(",\"") == std::string::npos ? text : "\"" + replaced(text, "\"", "\"\"") + "\"";
}
std::string markdown_text(const std::string& text) { return replaced(replaced(text, "\\", "\\\\"), "|", "\\|"); }

// The cells of all rows. Angles are in degrees, in a CSV in radians and without the joint's variable.
class Table {
 public:
  Table(const DhForm& form, const std::string& format) : form_(form), robot_(form.robot), format_(format) {
    for (const DhRow& row : form.rows)
      for (const double length : {row.a, row.d, row.epsilon}) size_ = std::max(size_, std::abs(length));
    if (size_ == 0.0) size_ = 1.0;
    bool is_chain = true;
    int before = robot_.root(), q = robot_.floating.empty() ? 0 : 7;
    for (std::size_t k = 0; k < robot_.joints.size(); ++k) {
      if (is_free_part(robot_, k)) {
        before = robot_.joints[k].child;
        continue;
      }
      shown_.push_back(k);
      const JointDescription& joint = robot_.joints[k];
      is_chain = is_chain && joint.parent == before;
      before = joint.child;
      const DhRow row = rounded(form.rows[k]);
      branches_ = branches_ || row.gamma != 0.0 || row.epsilon != 0.0;
      const bool by_itself = joint.moves() && !joint.is_coupled() && !joint.dependent;
      variables_.push_back(by_itself ? variable(++q) : follower(joint.name));
    }
    titles_ = {"joint", "type"};
    if (!is_chain) titles_.insert(titles_.begin() + 1, "on");
    for (const char* title : {"theta", "d", "a", "alpha"}) titles_.emplace_back(title);
    if (branches_)
      for (const char* title : {"gamma", "epsilon"}) titles_.emplace_back(title);
    for (std::size_t n = 0; n < shown_.size(); ++n) cells_.push_back(row_of(n, !is_chain));
  }

  std::string text() const {
    if (format_ == "csv") return lines(titles_, "", ",", "\n") + "# " + tool() + "\n";
    if (format_ == "markdown") return caption() + "\n\n" + markdown() + "\n" + tool() + "\n";
    if (format_ == "latex") return latex();
    TextTable table;
    for (std::size_t k = 0; k < titles_.size(); ++k)
      table.column(titles_[k], is_word(k) ? TextTable::Align::left : TextTable::Align::right);
    for (const std::vector<std::string>& row : cells_) table.row(row);
    return caption() + "\n\n" + table.text() + "\n" + tool() + "\n";
  }

 private:
  bool is_word(std::size_t column) const { return column < titles_.size() - (branches_ ? 6 : 4); }

  std::string words(const std::string& name) const {
    return format_ == "latex"      ? latex_text(name)
           : format_ == "markdown" ? markdown_text(name)
           : format_ == "csv"      ? csv_text(name)
                                   : name;
  }
  std::string variable(int q) const { return format_ == "latex" ? fmt::format("q_{{{}}}", q) : fmt::format("q{}", q); }

  std::string follower(const std::string& name) const {
    return format_ == "latex" ? "q(\\mbox{" + words(name) + "})" : "q(" + words(name) + ")";
  }

  // For people without the digits that files leave of a zero: 1.57079632679 is not quite 90°.
  double rounded(double value, double unit) const { return format_ == "csv" || std::abs(value) > unit ? value : 0.0; }
  std::string length(double value) const {
    return format_ == "csv" ? fmt::format("{}", value) : fmt::format("{:.10g}", value);
  }
  std::string angle(double value) const {
    if (format_ == "csv") return fmt::format("{}", value);
    return fmt::format("{:.10g}{}", value * turn, value == 0.0 ? "" : format_ == "latex" ? "^\\circ" : "°");
  }
  // q3 + 90°
  std::string moved(bool moves, const std::string& variable, double offset,
                    std::string (Table::*print)(double) const) const {
    if (!moves || format_ == "csv") return (this->*print)(offset);
    if (offset == 0.0) return variable;
    return fmt::format("{} {} {}", variable, offset < 0.0 ? "-" : "+", (this->*print)(std::abs(offset)));
  }

  DhRow rounded(const DhRow& row) const {
    const double unit = 1e-10 * size_, part = 1e-10;
    return {.a = rounded(row.a, unit),
            .alpha = rounded(row.alpha, part),
            .d = rounded(row.d, unit),
            .theta = rounded(row.theta, part),
            .gamma = rounded(row.gamma, part),
            .epsilon = rounded(row.epsilon, unit)};
  }

  std::vector<std::string> row_of(std::size_t n, bool with_parent) const {
    const JointDescription& joint = robot_.joints[shown_[n]];
    const DhRow row = rounded(form_.rows[shown_[n]]);
    const char* types[] = {"revolute", "prismatic", "fixed"};
    std::vector<std::string> cells{words(joint.name)};
    if (with_parent) cells.push_back(words(robot_.links[index(joint.parent)].name));
    cells.emplace_back(types[static_cast<int>(joint.type)]);
    cells.push_back(moved(joint.type == JointType::revolute, variables_[n], row.theta, &Table::angle));
    cells.push_back(moved(joint.type == JointType::prismatic, variables_[n], row.d, &Table::length));
    cells.push_back(length(row.a));
    cells.push_back(angle(row.alpha));
    if (branches_) {
      cells.push_back(angle(row.gamma));
      cells.push_back(length(row.epsilon));
    }
    return cells;
  }

  std::string caption() const {
    return fmt::format("{}: {} rows, lengths in m; pose of a link in the one that carries it: {}{}", words(robot_.name),
                       name_of(form_.convention), branches_ ? "Rz(gamma) Tz(epsilon) " : "",
                       form_.convention == DhConvention::classic ? "Rz(theta) Tz(d) Tx(a) Rx(alpha)"
                                                                 : "Rx(alpha) Tx(a) Rz(theta) Tz(d)");
  }

  std::string tool() const {
    const std::string name = robot_.tool_name();
    const auto frame = std::find_if(robot_.frames.begin(), robot_.frames.end(),
                                    [&](const FrameDescription& f) { return f.name == name; });
    const std::string head = fmt::format("tool {}", words(name));
    if (frame == robot_.frames.end()) return head + ": the frame of that link";
    const std::string link = words(robot_.links[index(frame->link)].name);
    if (frame->pose == Pose<double>{}) return fmt::format("{}: the frame of link {}", head, link);
    const Vec3<double>&p = frame->pose.p, rpy = rpy_from_rotation(frame->pose.R);
    const auto degrees = [&](double angle) {
      return format_ == "csv" ? fmt::format("{}", angle + 0.0) : fmt::format("{:.10g}°", angle * turn + 0.0);
    };
    return fmt::format("{} on link {}: xyz {} {} {}, rpy {} {} {}", head, link, length(p.x), length(p.y), length(p.z),
                       degrees(rpy.x), degrees(rpy.y), degrees(rpy.z));
  }

  std::string lines(const std::vector<std::string>& titles, const char* before, const char* between,
                    const char* after) const {
    std::string out = fmt::format("{}{}{}", before, fmt::join(titles, between), after);
    for (const std::vector<std::string>& row : cells_)
      out += fmt::format("{}{}{}", before, fmt::join(row, between), after);
    return out;
  }

  std::string markdown() const {
    std::string out = lines(titles_, "| ", " | ", " |\n"), rule = "|";
    for (std::size_t k = 0; k < titles_.size(); ++k) rule += is_word(k) ? " --- |" : " ---: |";
    return out.insert(out.find('\n') + 1, rule + "\n");
  }

  std::string latex() const {
    std::string out = fmt::format("% {}\n% {}\n\\begin{{tabular}}{{", caption(), tool());
    for (std::size_t k = 0; k < titles_.size(); ++k) out += is_word(k) ? "l" : "r";
    out += "}\n\\hline\n";
    const auto line = [&](std::vector<std::string> cells) {
      for (std::size_t k = 0; k < cells.size(); ++k)
        if (!is_word(k)) cells[k] = "$" + cells[k] + "$";
      out += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
    };
    std::vector<std::string> titles = titles_;
    for (std::size_t k = 0; k < titles.size(); ++k)
      if (titles[k].size() > 3 && !is_word(k)) titles[k] = "\\" + titles[k];
    line(titles);
    out += "\\hline\n";
    for (const std::vector<std::string>& row : cells_) line(row);
    return out + "\\hline\n\\end{tabular}\n";
  }

  const DhForm& form_;
  const Robot& robot_;
  std::string format_;
  std::vector<std::size_t> shown_;  // joints
  double size_ = 0.0;               // the largest length
  bool branches_ = false;           // some row has γ or ε
  std::vector<std::string> variables_, titles_;
  std::vector<std::vector<std::string>> cells_;
};

}  // namespace

std::vector<std::string> dh_table_formats() { return {"text", "markdown", "latex", "csv"}; }

std::string dh_table(const DhForm& rows, const std::string& format) { return Table(rows, format).text(); }

}  // namespace catena::cli
