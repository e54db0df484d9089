// --plot FILE.svg|.png: panels of curves or bars, drawn by gnuplot. Names come from robot files and may be anything:
// they reach gnuplot as quoted text and nothing else.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "options/app.hpp"

namespace catena::cli {

struct PlotCurve {
  std::string name;  // in the legend; none: empty
  std::vector<double> x, y;
  int colour = -1;  // which; the place among the curves unless given
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();  // what is beyond is shaded
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
  // Before the work: throws UsageError on another kind of file, std::runtime_error where there is no gnuplot.
  void require() const;
  // Throws std::runtime_error with what gnuplot said.
  void write(const std::string& title, const std::vector<PlotPanel>& panels) const;
};

// The text for gnuplot; for tests and the curious.
std::string plot_script(const std::string& title, const std::vector<PlotPanel>& panels, bool svg);

}  // namespace catena::cli
