#include "output/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "codegen/escape.hpp"
#include "output/plot.hpp"

namespace catena::cli {
namespace figures {

constexpr double width = 20000.0, height = 1000.0;  // of the drawing, in its own units

// One axis: from values to shares of its length.
struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  bool log = false;

  double of(double value) const { return log ? std::log10(value) : value; }
  void take(double value) {
    const double own = of(value);
    if (std::isfinite(own)) low = std::min(low, own), high = std::max(high, own);
  }
  void settle(double room) {
    if (!(low <= high)) low = 0.0, high = 1.0;
    const double flat = 1e-9 * std::max({1e-12, std::abs(low), std::abs(high)});
    if (high - low < flat) low -= 0.5 * std::max(std::abs(low), 1e-6), high += 0.5 * std::max(std::abs(high), 1e-6);
    const double more = room * (high - low);
    low -= more, high += more;
  }
  double share(double value) const { return (of(value) - low) / (high - low); }
};

// 1, 2 or 5 times a power of ten, such that about `count` of them fit.
double step_of(double range, double count) {
  const double rough = range / count, power = std::pow(10.0, std::floor(std::log10(rough))), digit = rough / power;
  return (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0) * power;
}

// Where labels stand, as values.
std::vector<double> ticks(const Axis& axis, double count) {
  std::vector<double> out;
  if (!axis.log) {
    const double step = step_of(axis.high - axis.low, count);
    for (double k = std::ceil(axis.low / step); k * step <= axis.high; ++k) out.push_back(k == 0.0 ? 0.0 : k * step);
    return out;
  }
  const double decades = axis.high - axis.low, every = std::max(1.0, std::ceil(decades / count));
  for (double k = std::ceil(axis.low / every) * every - every; k <= axis.high; k += every)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = k + std::log10(digit);
      if ((digit == 1.0 || decades < 2.0) && at >= axis.low && at <= axis.high) out.push_back(std::pow(10.0, at));
    }
  return out;
}

std::string words(double value) { return fmt::format("{:.6g}", value); }

struct Drawing {
  Axis x, y;

  explicit Drawing(const Figure& figure) {
    x.log = figure.log_x, y.log = figure.log_y;
    const bool given = figure.shown.first < figure.shown.second;
    if (given) y.take(figure.shown.first), y.take(figure.shown.second);
    for (const FigureCurve& curve : figure.curves)
      for (std::size_t k = 0; k < curve.x.size(); ++k) {
        x.take(curve.x[k]);
        if (!given) y.take(curve.y[k]);
      }
    x.settle(std::any_of(figure.curves.begin(), figure.curves.end(), [](const auto& c) { return c.dots; }) ? 0.03
                                                                                                           : 0.0);
    y.settle(0.05);
  }

  // Relative steps between whole numbers: a few characters for a point.
  std::string path(const FigureCurve& curve) const {
    std::string out;
    long at_x = 0, at_y = 0;
    bool open = false;
    const auto number = [&](long value) {
      if (value >= 0 && !out.empty() && out.back() >= '0' && out.back() <= '9') out += ' ';
      out += std::to_string(value);
    };
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      const double px = width * x.share(curve.x[k]), py = height * (1.0 - y.share(curve.y[k]));
      if (!std::isfinite(px) || !std::isfinite(py)) {
        open = false;
        continue;
      }
      const long to_x = std::lround(std::clamp(px, -width, 2.0 * width)),
                 to_y = std::lround(std::clamp(py, -height, 2.0 * height));
      if (open && !curve.dots && to_x == at_x && to_y == at_y) continue;
      if (!open || curve.dots)
        out += 'M', number(to_x), number(to_y), out += curve.dots ? "h0" : "l";
      else
        number(to_x - at_x), number(to_y - at_y);
      if (!open && !curve.dots) number(0), number(0);
      at_x = to_x, at_y = to_y, open = true;
    }
    return out;
  }

  std::string area(const Figure& figure) const {
    std::string out = fmt::format(
        "<div class=\"area\"><svg viewBox=\"0 0 {:.0f} {:.0f}\" preserveAspectRatio=\"none\">", width, height);
    std::string grid, bands;
    for (const double v : ticks(y, 4.0)) grid += fmt::format("M0 {:.0f}H{:.0f}", height * (1.0 - y.share(v)), width);
    for (const double v : ticks(x, 5.0)) grid += fmt::format("M{:.0f} 0V{:.0f}", width * x.share(v), height);
    for (const auto& [from, to] : figure.shaded) {
      const double begin = std::clamp(x.share(from), 0.0, 1.0), end = std::clamp(x.share(to), 0.0, 1.0);
      bands += fmt::format("M{:.0f} 0H{:.0f}V{:.0f}H{:.0f}z", width * begin, width * end, height, width * begin);
    }
    if (!bands.empty()) out += fmt::format("<path class=\"band\" d=\"{}\"/>", bands);
    out += fmt::format("<path class=\"grid\" d=\"{}\"/>", grid);
    for (const FigureCurve& curve : figure.curves)
      out +=
          fmt::format("<path class=\"{} c{}{}\" d=\"{}\"/>", curve.dots ? "dots" : "line",
                      curve.colour % plot_colour_count, curve.colour < plot_colour_count ? "" : " dash", path(curve));
    std::string labels;
    for (const FigureMark& mark : figure.marks) {
      const double at = x.share(mark.x);
      if (!(at >= 0.0 && at <= 1.0)) continue;
      out += fmt::format("<path class=\"mark\" d=\"M{:.0f} 0V{:.0f}\"/>", width * at, height);
      const bool room = &mark == &figure.marks.back() || x.share((&mark + 1)->x) > at + 0.2;
      labels += fmt::format("<span class=\"{}\" style=\"left:{:.2f}%\">{}</span>",
                            at < 0.6 && room ? "note" : "note left", 100.0 * at, html_text(mark.label));
    }
    return out + "</svg>" + labels + "</div>";
  }
};

// Far from the ends of the axis, where half a label would stick out.
const char* side(double share) { return share < 0.04 ? " first" : share > 0.96 ? " last" : ""; }

}  // namespace figures

void thin(FigureCurve& curve, std::size_t most) {
  const std::size_t count = curve.x.size();
  if (count <= most || most < 2) return;
  const std::size_t rows = (count + most / 2 - 1) / (most / 2);
  FigureCurve out{curve.name, {}, {}, curve.colour, curve.dots};
  const auto keep = [&](std::size_t k) { out.x.push_back(curve.x[k]), out.y.push_back(curve.y[k]); };
  for (std::size_t from = 0; from < count; from += rows) {
    std::size_t least = count, largest = count, gap = count;
    for (std::size_t k = from; k < std::min(from + rows, count); ++k) {
      if (!std::isfinite(curve.y[k])) {
        gap = k;
        continue;
      }
      if (least == count || curve.y[k] < curve.y[least]) least = k;
      if (largest == count || curve.y[k] > curve.y[largest]) largest = k;
    }
    std::vector<std::size_t> kept{least, largest, gap};
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::size_t k : kept)
      if (k < count) keep(k);
  }
  curve = std::move(out);
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : plain_text(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string legend_html(const std::vector<std::pair<std::string, std::size_t>>& curves) {
  std::string out = "<span class=\"legend\">";
  for (const auto& [name, colour] : curves)
    out += fmt::format("<span class=\"k{}{}\">{}</span> ", colour % plot_colour_count,
                       colour < plot_colour_count ? "" : " dash", html_text(name));
  return out + "</span>";
}

std::string figure_html(const Figure& figure) {
  const figures::Drawing drawing(figure);
  std::string out = "<figure><figcaption>" + html_text(figure.title);
  if (figure.legend) {
    std::vector<std::pair<std::string, std::size_t>> names;
    for (const FigureCurve& curve : figure.curves) names.emplace_back(curve.name, curve.colour);
    out += (figure.title.empty() ? "" : " ") + legend_html(names);
  }
  out += "</figcaption><div class=\"frame\"><div class=\"ys\">";
  for (const double v : figures::ticks(drawing.y, 4.0))
    if (const double at = drawing.y.share(v); at > 0.04 && at < 0.96)
      out += fmt::format("<span style=\"bottom:{:.2f}%\">{}</span>", 100.0 * at, figures::words(v));
  out += fmt::format("<b>{}</b></div>{}<div class=\"xs\">", html_text(figure.y_label), drawing.area(figure));
  if (!figure.x_label.empty()) {
    for (const int zoom : figure.zooms)
      for (const double v : figures::ticks(drawing.x, 5.0 * zoom)) {
        const double at = drawing.x.share(v);
        out += fmt::format("<span class=\"t{}{}\" style=\"left:{:.2f}%\">{}</span>", zoom, figures::side(at),
                           100.0 * at, figures::words(v));
      }
    out += fmt::format("<b>{}</b>", html_text(figure.x_label));
  }
  return out + "</div></div></figure>\n";
}

}  // namespace catena::cli
