// What identification compares, as curves: for `identify --report` and `--plot`.
#pragma once

#include <string>
#include <vector>

#include "catena/identify.hpp"
#include "catena/signals.hpp"
#include "output/figure.hpp"
#include "output/plot.hpp"

namespace catena::cli {

// What is known of a log beside its rows.
struct LogCurves {
  std::vector<double> t;  // s, by row of the measurements; empty: there is no clock
  std::vector<std::size_t> stretches{};
  std::vector<Spectrum> positions{}, torques{};  // by joint; empty: there is no clock
  double cutoff = 0.0, position_cutoff = 0.0;    // Hz
};
// The torques' spectra too, from the longest stretch.
void add_torque_spectra(LogCurves& log, const Measurements& data, std::size_t joints);

struct IdentificationCurves {
  std::vector<std::string> joints;
  std::vector<bool> slides;
  LogCurves log;
  ComparedTorques torques;
  std::vector<FrictionCurve> friction{};  // by joint; empty: not fitted

  std::string torque_unit(std::size_t joint) const { return slides[joint] ? "N" : "N m"; }
  // Of a joint, one above the other: torques, and what is left of them.
  Figure torques_of(std::size_t joint, std::size_t points) const;
  Figure residuals_of(std::size_t joint, std::size_t points) const;
  // Measured torques less the rigid part and the offset, and the curve.
  bool has_friction(std::size_t joint) const;
  Figure friction_of(std::size_t joint) const;
  Figure spectra_of_positions() const;
  Figure spectra_of_torques() const;
  std::vector<PlotPanel> panels() const;
  std::size_t rows() const { return torques.samples.size(); }

 private:
  std::vector<double> times() const;
  FigureCurve curve(const std::string& name, std::size_t joint, std::size_t colour, const std::vector<double>& plus,
                    const std::vector<double>& minus, std::size_t points) const;
  void shade(Figure& figure, std::size_t joint) const;
  Figure spectra(const std::vector<Spectrum>& of, const std::string& title, const std::string& unit,
                 const std::string& sliding) const;
};
IdentificationCurves curves_of(const Mechanism& robot, LogCurves log, ComparedTorques torques);

}  // namespace catena::cli
