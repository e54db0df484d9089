// Sampled signals: a low-pass filter without phase shift, derivatives, spectra, an even clock. docs/identification.md.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace catena {

// Butterworth, run forward and backward: no phase shift, the gain is 1/(1 + (f/cutoff)^(2 order)), one half at the
// cutoff.
struct LowPass {
  double cutoff = 0.0;  // Hz
  int order = 4;        // of one pass
};

// Filters stretches that have no gaps and an even clock. It is linear, edges included: each edge is continued by its
// point reflection, so that constants and straight lines pass unchanged.
class ZeroPhase {
 public:
  // `period` is the time between samples, s. Throws std::invalid_argument unless the cutoff is below half the rate.
  ZeroPhase(const LowPass& filter, double period);

  // One stretch in place: column[0], column[stride], …
  void apply(std::span<double> column, std::size_t stride = 1) const;
  // All columns of a table by rows, in one pass over it.
  void apply_rows(std::span<double> table, std::size_t columns) const;
  // Samples beyond which an impulse has less than 1e-10 of its largest effect.
  std::size_t reach() const { return reach_; }

 private:
  struct Section {  // gain (1 + z⁻¹)² / (1 + a1 z⁻¹ + a2 z⁻²); of first order if `single`
    double gain, a1, a2;
    bool single;
  };
  class Pass;
  std::vector<Section> sections_;
  std::size_t reach_ = 0;
};

// Derivatives of the polynomial that fits a window of samples best, at the window's middle; at the edges, of the first
// and the last window's polynomials. Exact on polynomials up to the degree. Window 7 with degree 6 is differences of
// sixth order.
class SavitzkyGolay {
 public:
  // The window is odd and longer than the degree. Throws std::invalid_argument otherwise.
  SavitzkyGolay(std::size_t window, int degree, double period);

  std::size_t window() const { return window_; }
  // The derivative of this order (0: smoothing) of one stretch, at least as long as the window.
  std::vector<double> derivative(std::span<const double> column, int order) const;

 private:
  std::vector<double> weights(double at, int order) const;

  std::size_t window_;
  int degree_;
  double period_;
};

// Power spectral density, one-sided: its sum times `step` is the variance. By Welch's method: squared Hann
// windows, so that slow motion does not hide noise, over half-overlapping segments whose straight line is taken out.
struct Spectrum {
  double step = 0.0;            // Hz between entries; the first is at 0
  std::vector<double> density;  // unit²/Hz
};
Spectrum spectrum(std::span<const double> column, double period, std::size_t longest_segment = 16384);

// The frequency up to which positions are motion. The density of the accelerations, f⁴ times that of the positions, is
// a hill where there is motion, and rises again where noise or vibration takes over: motion ends where the valley
// between begins, or where the density is down to 1e-4 of the hill's.
struct CutoffChoice {
  double cutoff = 0.0;               // Hz: that of the column whose motion reaches highest; 0: no column moves
  std::vector<double> motion_up_to;  // Hz, by column; 0: it does not move
  std::vector<double> noise;  // by column: standard deviation of white noise, from the upper half of its spectrum
  std::vector<double> error;  // by column: of accelerations up to the cutoff by this noise, as a share of them
};
CutoffChoice choose_cutoff(std::span<const Spectrum> positions);

// Values at other times by cubic interpolation between the four samples around; times must increase. Outside, the
// nearest value.
std::vector<double> resampled(std::span<const double> times, std::span<const double> column,
                              std::span<const double> at);

}  // namespace catena
