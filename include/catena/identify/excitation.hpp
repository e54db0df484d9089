// A periodic motion that shows all base parameters well: Fourier series within the joints' limits whose condition
// number is small. docs/identification.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "catena/model/mechanism.hpp"

namespace catena {

// q_j(t) = centre_j + Σ_k [a_jk sin(kωt) - b_jk cos(kωt)] / (kω), k from 1 to `harmonics`, ω = 2π/period.
struct FourierMotion {
  double period = 10.0;
  int harmonics = 5;
  std::vector<double> centre;          // by joint
  std::vector<double> sines, cosines;  // a and b, speeds: by joint, then by harmonic

  void at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const;
};

struct ExcitationOptions {
  double period = 10.0;
  int harmonics = 5;
  bool drives = true;       // friction and rotors are to be identified too
  std::size_t samples = 0;  // of the period in the search; 0: enough for all parameters
  int starts = 4, steps = 300;
  double share = 0.95;  // of each limit that may be used
  // Where the model has no limits: positions about 0 and speeds within these (rad or m, rad/s or m/s).
  double free_range = 3.141592653589793, free_speed = 2.0;
  std::uint64_t seed = 1;
};

struct Excitation {
  FourierMotion motion;
  double condition = 0.0;        // of the base regressors along it, columns brought to length 1
  double first_condition = 0.0;  // of the best of the random starts, before the search
};

// Searches from several random starts by an evolution strategy of one parent and one child with the 1/5 rule; the same
// options give the same motion. Positions and speeds stay within their limits at all times. Throws
// std::invalid_argument on options that make no sense, std::domain_error where no motion within the limits shows all.
Excitation find_excitation(const Mechanism& robot, const ExcitationOptions& options = {});

}  // namespace catena
