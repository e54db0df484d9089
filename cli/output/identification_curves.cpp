#include "output/identification_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace catena::cli {
namespace {

constexpr double no_point = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_dots = 500, most_of_spectrum = 600;

}  // namespace

void add_torque_spectra(LogCurves& log, const Measurements& data, std::size_t joints) {
  std::vector<std::size_t> begins = log.stretches;
  if (begins.empty()) begins.push_back(0);
  begins.push_back(data.tau.size() / joints);
  std::size_t first = 0, end = 0;
  for (std::size_t s = 0; s + 1 < begins.size(); ++s)
    if (begins[s + 1] - begins[s] > end - first) first = begins[s], end = begins[s + 1];
  for (std::size_t j = 0; j < joints; ++j) {
    std::vector<double> own;
    for (std::size_t i = first; i < end; ++i) own.push_back(data.tau[i * joints + j]);
    log.torques.push_back(spectrum(own, data.period));
  }
}

IdentificationCurves curves_of(const Mechanism& robot, LogCurves log, ComparedTorques torques) {
  IdentificationCurves out{coordinate_names(robot), {}, std::move(log), std::move(torques)};
  for (const Coordinate c : robot.coordinates.all())
    out.slides.push_back(!robot.links[index(robot.link_of(c))].revolute);
  return out;
}

// By row. Several logs have clocks of their own: they follow each other.
std::vector<double> IdentificationCurves::times() const {
  std::vector<double> out(rows());
  if (log.t.empty()) {
    std::iota(out.begin(), out.end(), 1.0);
    return out;
  }
  double shift = -log.t.front();
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double t = log.t[torques.samples[k]];
    if (k > 0 && t < log.t[torques.samples[k - 1]]) shift = out[k - 1] - t + 1.0;
    out[k] = t + shift;
  }
  return out;
}

FigureCurve IdentificationCurves::curve(const std::string& name, std::size_t joint, std::size_t colour,
                                        const std::vector<double>& plus, const std::vector<double>& minus,
                                        std::size_t points) const {
  FigureCurve out{name, {}, {}, colour};
  const std::vector<double> x = times();
  const auto begins = [&](std::size_t k) {
    const auto next = std::upper_bound(log.stretches.begin(), log.stretches.end(), torques.samples[k - 1]);
    return next != log.stretches.end() && *next <= torques.samples[k];
  };
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (k > 0 && begins(k)) out.x.push_back(x[k]), out.y.push_back(no_point);
    const std::size_t at = k * joints.size() + joint;
    out.x.push_back(x[k]), out.y.push_back(plus[at] - (minus.empty() ? 0.0 : minus[at]));
  }
  thin(out, points);
  return out;
}

// Where the joint's rows do not count.
void IdentificationCurves::shade(Figure& figure, std::size_t joint) const {
  const std::vector<double> x = times();
  const double small = x.empty() ? 0.0 : (x.back() - x.front()) / 4000.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (torques.used[k * joints.size() + joint]) continue;
    const double from = k > 0 ? 0.5 * (x[k - 1] + x[k]) : x[k], to = k + 1 < x.size() ? 0.5 * (x[k] + x[k + 1]) : x[k];
    if (!figure.shaded.empty() && from - figure.shaded.back().second < small)
      figure.shaded.back().second = to;
    else
      figure.shaded.emplace_back(from, to);
  }
}

Figure IdentificationCurves::torques_of(std::size_t joint, std::size_t points) const {
  Figure out{fmt::format("{}, {}", joints[joint], torque_unit(joint)), "", "", {}};
  out.curves.push_back(curve("measured", joint, 0, torques.measured, {}, points));
  if (!torques.physical.empty()) out.curves.push_back(curve("possible", joint, 2, torques.physical, {}, points));
  out.curves.push_back(curve("least squares", joint, 1, torques.least_squares, {}, points));
  out.legend = false;
  shade(out, joint);
  const std::vector<double> x = times();
  for (std::size_t k = 1; k < x.size() && !log.t.empty(); ++k)
    if (log.t[torques.samples[k]] < log.t[torques.samples[k - 1]])
      out.marks.push_back({0.5 * (x[k - 1] + x[k]), "next log"});
  return out;
}

Figure IdentificationCurves::residuals_of(std::size_t joint, std::size_t points) const {
  Figure out{"", log.t.empty() ? "row" : "time since the first row, s", "left", {}};
  double most = 0.0;
  const auto add = [&](const char* name, std::size_t colour, const std::vector<double>& predicted) {
    out.curves.push_back(curve(name, joint, colour, torques.measured, predicted, points));
    for (std::size_t at = joint; at < predicted.size(); at += joints.size())
      if (torques.used[at]) most = std::max(most, std::abs(torques.measured[at] - predicted[at]));
  };
  if (!torques.physical.empty()) add("possible", 2, torques.physical);
  add("least squares", 1, torques.least_squares);
  out.shown = {-most, most};
  out.legend = false;
  shade(out, joint);
  return out;
}

bool IdentificationCurves::has_friction(std::size_t joint) const {
  if (friction.empty() || friction[joint].kind == JointFriction::none) return false;
  const FrictionCurve& own = friction[joint];
  return own.viscous != 0.0 || own.coulomb != 0.0 || own.coulomb_back != 0.0 || own.viscous_back != 0.0;
}

Figure IdentificationCurves::friction_of(std::size_t joint) const {
  const std::size_t n = joints.size();
  std::vector<std::size_t> counted;
  for (std::size_t at = joint; at < torques.used.size(); at += n)
    if (torques.used[at]) counted.push_back(at);
  FigureCurve measured{"measured", {}, {}, 0, true}, fitted{"fitted", {}, {}, 1};
  double slowest = 0.0, fastest = 0.0, least = 0.0, most = 0.0;
  const std::size_t every = std::max<std::size_t>(1, (counted.size() + most_dots - 1) / most_dots);
  for (std::size_t k = 0; k < counted.size(); ++k) {
    const std::size_t at = counted[k];
    slowest = std::min(slowest, torques.speed[at]), fastest = std::max(fastest, torques.speed[at]);
    if (k % every != 0) continue;
    measured.x.push_back(torques.speed[at]);
    measured.y.push_back(torques.measured[at] - torques.least_squares[at] + torques.friction[at]);
    least = std::min(least, measured.y.back()), most = std::max(most, measured.y.back());
  }
  const FrictionCurve& own = friction[joint];
  for (int k = -100; k <= 100; ++k)  // finer near zero
    for (const double end : {slowest, fastest}) {
      if (k != 0 && (k < 0) != (end < 0.0)) continue;
      const double u = k / 100.0, v = k == 0 ? 1e-9 * end : u * u * end;
      fitted.x.push_back(v), fitted.y.push_back(own.at(v));
    }
  Figure out{fmt::format("{}, {}", joints[joint], name_of(own.kind)),
             slides[joint] ? "speed, m/s" : "speed, rad/s",
             torque_unit(joint),
             {measured, fitted}};
  out.shown = {least - 0.15 * (most - least), most + 0.15 * (most - least)};
  out.legend = false;
  return out;
}

Figure IdentificationCurves::spectra(const std::vector<Spectrum>& of, const std::string& title, const std::string& unit,
                                     const std::string& sliding) const {
  const bool mixed = std::find(slides.begin(), slides.end(), !slides[0]) != slides.end();
  Figure out{title, "frequency, Hz", mixed ? unit + " or " + sliding : slides[0] ? sliding : unit, {}};
  out.log_x = out.log_y = true;
  double most = 0.0;
  for (std::size_t j = 0; j < of.size(); ++j) {
    FigureCurve own{joints[j], {}, {}, j};
    const std::size_t count = of[j].density.size();
    double next = 0.0;
    for (std::size_t k = 1; k < count;) {  // bins of equal width on a logarithmic scale
      next = std::max(static_cast<double>(k + 1), next * 1.02 + 1.0);
      const std::size_t end = std::min(count, static_cast<std::size_t>(next));
      double sum = 0.0;
      for (std::size_t i = k; i < end; ++i) sum += of[j].density[i];
      own.x.push_back(of[j].step * 0.5 * static_cast<double>(k + end - 1));
      own.y.push_back(sum / static_cast<double>(end - k));
      most = std::max(most, own.y.back());
      next = static_cast<double>(end), k = end;
    }
    thin(own, most_of_spectrum);
    out.curves.push_back(std::move(own));
  }
  for (FigureCurve& own : out.curves)
    for (double& y : own.y) y = y > 1e-16 * most ? y : no_point;
  out.marks.push_back({log.cutoff, fmt::format("cutoff {:.4g} Hz", log.cutoff)});
  return out;
}

Figure IdentificationCurves::spectra_of_positions() const {
  Figure out = spectra(log.positions, "Positions as measured", "rad²/Hz", "m²/Hz");
  if (log.position_cutoff > 1.05 * log.cutoff)
    out.marks.push_back({log.position_cutoff, fmt::format("{:.4g} Hz", log.position_cutoff)});
  return out;
}
Figure IdentificationCurves::spectra_of_torques() const {
  return spectra(log.torques, "Torques as measured", "(N m)²/Hz", "N²/Hz");
}

std::vector<PlotPanel> IdentificationCurves::panels() const {
  std::vector<PlotPanel> out;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    PlotPanel panel{
        log.t.empty() ? "row" : "time since the first row, s", fmt::format("{}, {}", joints[j], torque_unit(j)), {}};
    Figure own = torques_of(j, 4000), left = residuals_of(j, 4000);
    for (FigureCurve& curve : own.curves)
      panel.curves.push_back({j == 0 ? curve.name : "", curve.x, curve.y, static_cast<int>(curve.colour)});
    panel.curves.push_back({j == 0 ? "left" : "", left.curves.back().x, left.curves.back().y, 3});
    out.push_back(std::move(panel));
  }
  return out;
}

}  // namespace catena::cli
