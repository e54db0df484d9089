#include "catena/code.hpp"
#include "codegen/escape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "codegen/c_family.hpp"
#include "codegen/loop_text.hpp"
#include "codegen/printers.hpp"

namespace catena {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string shape_text(const Argument& a) {
  if (a.packed) return "upper triangle by rows, " + std::to_string(a.size());
  if (a.columns > 1)
    return std::to_string(a.rows) + " x " + std::to_string(a.columns) +
           (a.by_columns ? ", column-major" : ", row-major");
  return std::to_string(a.size());
}

// As a person would write it: without the rounding error of a sum of lengths.
std::string nominal_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", std::abs(value) < 1e-15 ? 0.0 : value);
  return text;
}

const char* frames_text(SharedFrames frames) {
  switch (frames) {
    case SharedFrames::none:
      return "own";
    case SharedFrames::before_first:
      return "shared by parallel joints, before the first";
    case SharedFrames::after_first:
      return "shared by parallel joints, after the first";
  }
  return "";
}

std::string numbers_text(const std::vector<double>& values, const char* unit = "") {
  std::string text;
  char number[32];
  for (const double value : values) {
    std::snprintf(number, sizeof number, "%.3g", value);
    text += (text.empty() ? "" : ", ") + std::string(number) + unit;
  }
  return text;
}

// What was left out, in which motions, and the largest error of each row of the results.
void add_abridgement(const Program& program, std::vector<std::string>& lines) {
  const Abridgement& found = *program.abridged;
  if (found.states == 0) {
    lines.emplace_back("abridged, but nothing is left out, because no shorter program kept within the allowed error");
    return;
  }
  lines.push_back("abridged: of " + std::to_string(found.exact.multiplications) + " multiplications and " +
                  std::to_string(found.exact.additions) + " additions, for errors of at most " +
                  numbers_text({100.0 * found.how.significance}, " %"));
  lines.emplace_back("  in motions within the model's limits of position, or pi around 0 where it has none, with");
  lines.push_back("  speeds up to " + numbers_text(found.how.speeds) + " and");
  lines.push_back("  accelerations up to " + numbers_text(found.how.accelerations));
  lines.push_back(
      "  Largest errors at " + std::to_string(found.states) +
      " fresh states (a sample, not a bound), of the largest magnitude of the entry, of matrices: of the row");
  auto next = found.errors.begin();
  for (const Program::Output& out : program.outputs) {
    if (out.size() == 0) continue;
    std::vector<double> by_row;
    for (int row = 0; row < out.rows; ++row) {
      const auto end = next + (out.packed ? out.columns - row : out.columns);
      by_row.push_back(100.0 * *std::max_element(next, end));
      next = end;
    }
    lines.push_back("    " + out.name + ": " + numbers_text(by_row, " %"));
  }
}

void require_for_cortex_m(const std::vector<Program>& programs, const CodeOptions& options) {
  if (options.language != Language::c || options.convention != CallingConvention::plain || !options.single_precision ||
      have_loops(programs))
    throw std::invalid_argument("code for cortex-m is straight-line C in single precision");
  if (options.name.starts_with('_'))
    throw std::invalid_argument("'" + options.name + "' is reserved by C: names begin with a letter");
  constexpr std::size_t significant = 31;  // characters of an external name
  std::vector<std::string> names;
  for (const Program& program : programs) names.push_back(function_name(program, options).substr(0, significant));
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end())
    throw std::invalid_argument("'" + options.name + "' is too long: functions differ within their first 31 letters");
}

}  // namespace

std::span<const LanguageInfo> languages() {
  static constexpr std::array<LanguageInfo, 6> all{{
      {Language::c, "c", "C99, one state a call", ".c", true, true, false, true},
      {Language::c_batch, "c-batch", "C with vector types, over batches", ".c", true, true, true, true},
      {Language::cuda, "cuda", "CUDA C, one thread per state", ".cu"},
      {Language::python, "python", "Python on NumPy arrays", ".py"},
      {Language::casadi, "casadi", "Python that makes CasADi functions", ".py"},
      {Language::matlab, "matlab", "MATLAB and Octave, one state a call", ".m", false, false, false, false, true},
  }};
  return all;
}

std::span<const TargetInfo> targets() {
  static constexpr std::array<TargetInfo, 2> all{{
      {Target::host, "host", "any C99 compiler"},
      {Target::cortex_m, "cortex-m", "microcontrollers: single precision, MISRA C"},
  }};
  return all;
}

Target target_named(std::string_view name) {
  std::string known;
  for (const TargetInfo& target : targets()) {
    if (target.name == name) return target.target;
    known += (known.empty() ? "'" : "', '") + std::string(target.name);
  }
  throw std::invalid_argument("there is no target '" + std::string(name) + "'; there are " + known + "'");
}

const LanguageInfo& language_info(Language language) {
  const auto all = languages();
  return *std::find_if(all.begin(), all.end(), [&](const LanguageInfo& l) { return l.language == language; });
}

std::string function_name(const Program& program, const CodeOptions& options) {
  return options.name + "_" + joined(program.jobs, "_") + (program.weighted ? "_weighted" : "") + program.derived;
}

std::vector<std::string> file_comment(const std::vector<Program>& programs, const CodeOptions& options) {
  std::vector<std::string> lines;
  lines.push_back("Dynamics of the robot '" + shortened(programs.front().robot_name) + "', " +
                  std::string(origin_mark) + " " + options.version + ". Do not edit.");
  lines.emplace_back("SI units and radians. Results must not overlap arguments.");
  return lines;
}

std::vector<std::string> function_comment(const Program& program, const CodeOptions& options) {
  const GraphCost cost = program.cost();
  const Body body = measure_body(program);
  std::vector<std::string> lines;
  lines.push_back(function_name(program, options) + ": " + joined(program.jobs, ", ") + " by " +
                  joined(program.choices.formulations, ", ") + "; frames: " + frames_text(program.choices.frames) +
                  (program.choices.regrouped ? "; base parameters" : ""));
  lines.push_back(std::to_string(cost.multiplications) + " multiplications, " + std::to_string(cost.additions) +
                  " additions (" + std::to_string(cost.fused) + " can fuse), " + std::to_string(cost.reciprocals) +
                  " divisions, " + std::to_string(cost.sincos) + " sine and cosine pairs" +
                  (cost.decays > 0 ? ", " + std::to_string(cost.decays) + " exponentials" : ""));
  lines.push_back("local variables: at most " + std::to_string(stack_bytes(body, options)) + " bytes, " +
                  std::to_string(body.most_alive) + " values needed at once");
  if (program.abridged) add_abridgement(program, lines);
  for (const Argument& a : program.inputs) {
    lines.push_back("  " + a.name + "[" + shape_text(a) + "]  in: " + a.meaning);
    for (std::size_t k = 0; k < a.parameters.size(); ++k)
      lines.push_back("    " + entry(a.name, int(k)) + " is " + a.parameters[k].name + ", in the model " +
                      nominal_text(a.parameters[k].nominal));
  }
  for (const Argument& a : program.outputs)
    lines.push_back("  " + a.name + "[" + shape_text(a) + "]  out: " + a.meaning);
  return lines;
}

Code print_code(const std::vector<Program>& programs, const CodeOptions& options) {
  if (programs.empty()) throw std::invalid_argument("no program to print");
  if (!language_info(options.language).has_loops && have_loops(programs))
    throw std::invalid_argument("code in this language must be straight-line");
  if (options.convention != CallingConvention::plain &&
      (options.language != Language::c || options.single_precision || have_loops(programs)))
    throw std::invalid_argument("CasADi calls straight-line C in double precision");
  if (options.target == Target::cortex_m) require_for_cortex_m(programs, options);
  if (options.name != identifier(options.name))
    throw std::invalid_argument("'" + options.name + "' cannot be a function name: use letters, digits and _");
  const int lanes = options.lanes;
  const bool power = lanes == 0 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16 || lanes == 32;
  if (options.language == Language::c_batch && !power)
    throw std::invalid_argument("lanes must be 2, 4, 8, 16 or 32, not " + std::to_string(lanes));
  switch (options.language) {
    case Language::c:
      return options.convention == CallingConvention::casadi ? print_c_for_casadi(programs, options)
                                                             : print_c(programs, options);
    case Language::c_batch:
      return print_c_batch(programs, options);
    case Language::cuda:
      return print_cuda(programs, options);
    case Language::python:
      return print_python(programs, options);
    case Language::casadi:
      return print_casadi(programs, options);
    case Language::matlab:
      return print_matlab(programs, options);
  }
  throw std::invalid_argument("no such language");
}

std::vector<std::string> unhelpful_passes(long instructions) {
  constexpr long large = 1000;
  std::vector<std::string> passes{"no-tree-slp-vectorize"};
  if (instructions > large) passes.emplace_back("no-schedule-insns");
  return passes;
}

}  // namespace catena
