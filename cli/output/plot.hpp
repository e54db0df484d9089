// --plot FILE.svg|.png: panels of curves or bars, drawn by gnuplot. Names come from robot files and may contain
// anything: they reach gnuplot only as quoted text.
#pragma once

#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "options/app.hpp"

namespace catena::cli {

// Colours that most people can tell apart, those of the page (page/src/theme.ts); further curves are distinguished by
// dashes.
constexpr const char* plot_colours[] = {"#0072B2", "#CB7900", "#008F68", "#B8578F", "#3A9BD9", "#C8500A", "#8A7A00"};
constexpr std::size_t plot_colour_count = std::size(plot_colours);

struct PlotCurve {
  std::string name;  // in the legend; empty: not listed there
  std::vector<double> x, y;
  int colour = -1;  // index of the colour; -1: the curve's own index
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();  // the area beyond is shaded
};

struct PlotPanel {
  enum class Kind { lines, points, bars };  // bars: y of each curve over `categories`
  std::string x_label, y_label;
  std::vector<PlotCurve> curves;
  Kind kind = Kind::lines;
  std::vector<std::string> categories{};
};

struct PlotOption {
  std::string file;

  void add(CLI::App& command, const std::string& what);
  bool given() const { return !file.empty(); }
  // Called before the work: throws UsageError on any other kind of file, std::runtime_error where gnuplot is missing.
  void require() const;
  // Throws std::runtime_error with gnuplot's message.
  void write(const std::string& title, const std::vector<PlotPanel>& panels) const;
};

// The script for gnuplot; for tests and for reading.
std::string plot_script(const std::string& title, const std::vector<PlotPanel>& panels, bool svg);

}  // namespace catena::cli
