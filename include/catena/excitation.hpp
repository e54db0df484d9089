// Motions along which measurements show the parameters of a robot well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// A periodic motion that excites all base parameters well: Fourier series within the joints' limits with a small
// condition number. docs/identification.md.

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
  bool drives = true;       // friction, rotors and springs will be identified too
  std::size_t samples = 0;  // per period, during the search; 0: enough for all parameters
  int starts = 4, steps = 300;
  double share = 0.95;  // fraction of each limit that may be used
  // If the model has no limits: positions around 0 and speeds within these (rad or m, rad/s or m/s).
  double free_range = 3.141592653589793, free_speed = 2.0;
  std::uint64_t seed = 1;
};

struct Excitation {
  FourierMotion motion;
  double condition = 0.0;        // of the base regressors along it, with columns scaled to length 1
  double first_condition = 0.0;  // of the best random start, before the search
};

// Searches from several random starts by a (1+1) evolution strategy with the 1/5 rule; the same options give the same
// motion. Positions and speeds stay within their limits at all times. Throws std::invalid_argument for invalid options,
// and std::domain_error if no motion within the limits shows all parameters.
Excitation find_excitation(const Mechanism& robot, const ExcitationOptions& options = {});

}  // namespace catena
