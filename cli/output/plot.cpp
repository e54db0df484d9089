#include "output/plot.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>

#include "catena/tables.hpp"
#include "codegen/escape.hpp"
#include "system/process.hpp"
#include "system/temporary.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace plotting {

// gnuplot writes valid XML, except that it does not escape "]]>" in text.
std::string quote(std::string_view text) {
  std::string own = shortened(text, 60);
  for (std::size_t at = own.find("]]>"); at != std::string::npos; at = own.find("]]>")) own.insert(at + 2, 1, ' ');
  return gnuplot_string(own);
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : "NaN"; }

// A datablock: it contains only numbers, so that no name can end it.
std::string datablock(const std::string& name, const PlotCurve& curve) {
  std::string out = fmt::format("${} << END\n", name);
  for (std::size_t k = 0; k < curve.y.size(); ++k)
    out += fmt::format("{} {}\n", curve.x.empty() ? fmt::format("{}", k) : number(curve.x[k]), number(curve.y[k]));
  return out + "END\n";
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value), high = std::max(high, value);
  }
  double width() const { return high - low; }
};

// Covers all curves with a margin, and the limits that are near.
Range shown_range(const PlotPanel& panel) {
  Range range;
  for (const PlotCurve& curve : panel.curves)
    for (const double y : curve.y) range.take(y);
  if (!(range.low <= range.high)) range.low = range.high = 0.0;
  const double flat = 1e-9 * std::max({1.0, std::abs(range.low), std::abs(range.high)});
  if (range.width() < flat) range.low -= 1.0, range.high += 1.0;
  const Range data = range;
  for (const PlotCurve& curve : panel.curves)
    for (const double limit : {curve.lower, curve.upper})
      if (limit > data.low - 0.5 * data.width() && limit < data.high + 0.5 * data.width()) range.take(limit);
  const double room = 0.06 * range.width();
  return {range.low - room, range.high + room};
}

std::size_t colour_of(const PlotPanel& panel, std::size_t k) {
  const int own = panel.curves[k].colour;
  return own >= 0 ? static_cast<std::size_t>(own) : k;
}

// Shades what lies beyond limits: in the colour of the curve, or in grey where curves share a limit.
std::string shades(const PlotPanel& panel, const Range& range) {
  std::map<std::pair<double, bool>, std::string> limits;  // limit, whether upper: colour
  const auto take = [&](double limit, bool upper, std::size_t k) {
    const auto [found, is_new] =
        limits.emplace(std::pair{limit, upper}, plot_colours[colour_of(panel, k) % plot_colour_count]);
    if (!is_new) found->second = "#777777";
  };
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    if (panel.curves[k].lower > range.low) take(panel.curves[k].lower, false, k);
    if (panel.curves[k].upper < range.high) take(panel.curves[k].upper, true, k);
  }
  std::string out;
  for (const auto& [limit, colour] : limits) {
    const double inside = std::clamp(limit.first, range.low, range.high);
    out += fmt::format(
        "set object rectangle from graph 0, first {} to graph 1, first {} fillcolor rgb '{}' fillstyle transparent "
        "solid 0.18 noborder behind\n",
        number(limit.second ? inside : range.low), number(limit.second ? range.high : inside), colour);
  }
  return out;
}

std::string style(const PlotPanel& panel, std::size_t k) {
  const std::size_t shade = colour_of(panel, k);
  const std::string colour = fmt::format("linecolor rgb '{}'", plot_colours[shade % plot_colour_count]);
  if (panel.kind == PlotPanel::Kind::points)
    return fmt::format("with points pointtype {} pointsize 0.7 {}", 7 + 2 * (shade % 3), colour);
  return fmt::format("with lines linewidth 1.6 dashtype {} {}", 1 + shade / plot_colour_count, colour);
}

std::string lines_script(const PlotPanel& panel, std::size_t number_of_panel) {
  const Range range = shown_range(panel);
  std::string data, commands;
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const std::string name = fmt::format("p{}c{}", number_of_panel, k);
    data += datablock(name, panel.curves[k]);
    const std::string& title = panel.curves[k].name;
    commands += fmt::format("{}${} using 1:2 {} {}", k == 0 ? "plot " : ", ", name,
                            title.empty() ? "notitle" : "title " + quote(title), style(panel, k));
  }
  return fmt::format("{}set yrange [{}:{}]\n{}{}\n", data, number(range.low), number(range.high), shades(panel, range),
                     commands);
}

// Bars side by side, one group per category.
std::string bars_script(const PlotPanel& panel, std::size_t number_of_panel) {
  std::string data, commands, tics;
  const auto count = static_cast<double>(panel.curves.size());
  const double width = 0.8 / count;
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const std::string name = fmt::format("p{}c{}", number_of_panel, k);
    data += datablock(name, panel.curves[k]);
    const std::string& title = panel.curves[k].name;
    commands += fmt::format("{}${} using ($1+{}):2:({}) with boxes {} fillstyle solid 0.8 noborder linecolor rgb '{}'",
                            k == 0 ? "plot " : ", ", name,
                            number((static_cast<double>(k) - 0.5 * (count - 1.0)) * width), number(0.92 * width),
                            title.empty() ? "notitle" : "title " + quote(title), plot_colours[k % plot_colour_count]);
  }
  for (std::size_t c = 0; c < panel.categories.size(); ++c)
    tics += fmt::format("{}{} {}", c == 0 ? "" : ", ", quote(panel.categories[c]), c);
  return fmt::format(
      "{}set key outside center top horizontal\nset yrange [0:*]\nset xrange [-0.6:{}]\nset xtics rotate by -35 "
      "({})\n{}\nset xrange [*:*]\n",
      data, number(static_cast<double>(panel.categories.size()) - 0.4), tics, commands);
}

bool is_svg(const std::string& file) { return file.ends_with(".svg"); }

std::string program() { return system::on_path("gnuplot"); }

// gnuplot reads the script from a file and writes the picture to its output.
system::Finished draw(const std::string& script) {
  constexpr double longest_run = 600.0;                             // s
  constexpr std::size_t largest_picture = std::size_t{256} << 20U;  // bytes
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
  const std::string script_name = (folder / "catena.gnuplot").string();
  system::remove_abandoned(script_name);
  system::Temporary file(system::temporary_stem(script_name) + ".tmp");
  system::Descriptor open = file.create(system::for_owner);
  if (!open.open() || !system::write_all(open.get(), script) || !open.close())
    throw std::runtime_error(fmt::format("--plot: {} cannot be written: {}", file.path(), std::strerror(errno)));
  try {
    return system::run_program({.words = {program(), "--default-settings", file.path()},  // without start-up files
                                .timeout = longest_run,
                                .most_output = largest_picture,
                                .errors_apart = true,
                                .ends_when_full = true});
  } catch (const system::StartError& error) {
    throw std::runtime_error(std::string("--plot: ") + error.what());
  }
}

}  // namespace plotting

void PlotOption::add(CLI::App& command, const std::string& what) {
  command.add_option("--plot", file, "draw " + what + " too, by gnuplot")->type_name("FILE.svg|FILE.png");
}

void PlotOption::require() const {
  if (!given()) return;
  if (!plotting::is_svg(file) && !file.ends_with(".png"))
    throw UsageError(fmt::format("--plot: '{}': give a file that ends in .svg or .png", printable(file)));
  if (plotting::program().empty())
    throw std::runtime_error("--plot: gnuplot is not installed; Debian's package is gnuplot-nox");
}

std::string plot_script(const std::string& title, const std::vector<PlotPanel>& panels, bool svg) {
  const auto count = static_cast<int>(panels.size());
  const int columns = count > 3 ? 2 : 1, rows = (count + columns - 1) / columns;
  std::size_t bars = 0;
  for (const PlotPanel& panel : panels) bars = std::max(bars, panel.categories.size());
  const int width = columns == 2 ? 1300 : std::max(820, 60 * static_cast<int>(std::min<std::size_t>(bars, 60))),
            height = 40 + rows * (rows == 1 ? 460 : 320);
  std::string out = fmt::format("set encoding utf8\nset terminal {} size {},{} noenhanced font ',12'\n",
                                svg ? "svg dynamic background '#ffffff'" : "pngcairo", width, height);
  out += fmt::format(
      "set multiplot layout {},{} title {}\nset grid linetype 1 linewidth 1 linecolor rgb '#e4e4e4'\nset border 3\nset "
      "tics nomirror\n"
      "set key outside right top\n",
      rows, columns, plotting::quote(title));
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const PlotPanel& panel = panels[p];
    out += fmt::format("unset object\nset xtics {} autofreq\nset xlabel {}\nset ylabel {}\n",
                       panel.kind == PlotPanel::Kind::points ? "rotate by -35" : "norotate",
                       plotting::quote(panel.x_label), plotting::quote(panel.y_label));
    out += panel.kind == PlotPanel::Kind::bars ? plotting::bars_script(panel, p) : plotting::lines_script(panel, p);
  }
  return out + "unset multiplot\n";
}

void PlotOption::write(const std::string& title, const std::vector<PlotPanel>& panels) const {
  if (!given()) return;
  require();
  const system::Finished drawn = plotting::draw(plot_script(title, panels, plotting::is_svg(file)));
  if (drawn.status != 0 && interrupted()) throw Interrupted("interrupted: nothing was drawn");
  if (drawn.status != 0 || drawn.output.empty())
    throw std::runtime_error(fmt::format("--plot: gnuplot failed: {}", printable(drawn.errors)));
  write_text_file(file, drawn.output);
}

}  // namespace catena::cli
