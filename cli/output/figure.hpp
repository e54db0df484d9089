// Figures of a page without code: SVG that is stretched to its place, with labels beside it that keep their size.
// Names come from files: they are escaped here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catena::cli {

struct FigureCurve {
  std::string name;          // in the legend
  std::vector<double> x, y;  // not a number: the curve is interrupted
  std::size_t colour = 0;    // as in --plot
  bool dots = false;
};
struct FigureMark {
  double x = 0.0;
  std::string label;
};
struct Figure {
  std::string title, x_label, y_label;
  std::vector<FigureCurve> curves;
  std::vector<FigureMark> marks{};                  // vertical lines
  std::vector<std::pair<double, double>> shaded{};  // of x
  std::pair<double, double> shown{0.0, 0.0};        // of y; empty: all of the curves
  bool log_x = false, log_y = false, legend = true;
  std::vector<int> zooms{1};  // for each, labels of x as dense as it needs them
};
std::string figure_html(const Figure& figure);

// Names with the colours of their curves.
std::string legend_html(const std::vector<std::pair<std::string, std::size_t>>& curves);

// At most so many points: the least and the largest value of each of equally many rows.
void thin(FigureCurve& curve, std::size_t most);

// Text from outside as text of a page or of an attribute: none of it is markup.
std::string html_text(std::string_view text);

}  // namespace catena::cli
