// Motions along which measurements show the parameters of a robot well.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// A motion that excites all base parameters well and that a controller accepts: Fourier series, one for each joint,
// that begin and end at rest and keep every limit at all times. docs/identification.md.

// q_j(t) = centre_j + Σ_k [a_jk sin(kωt) - b_jk cos(kωt)] / (kω), k from 1 to `harmonics`, ω = 2π/period.
struct FourierMotion {
  double period = 10.0;
  int harmonics = 5;
  std::vector<double> centre;          // by joint
  std::vector<double> sines, cosines;  // a and b, speeds: by joint, then by harmonic

  void at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const;
};

// A sphere fixed to a link or frame, given by name: a part of the room that the link fills.
struct LinkSphere {
  std::string frame;
  Vec3<double> centre{};  // in that frame, m
  double radius = 0.0;
};
// Spheres of this radius along the lines from each moving link's joint to its frame, to the joints it carries and to
// the frames on it, no farther apart than the radius.
std::vector<LinkSphere> link_spheres(const Robot& robot, double radius);

// What is around the robot, along the axes of the base link, m. Spheres that no joint moves are not looked at.
struct Box {
  Vec3<double> lower{}, upper{};
};
struct Surroundings {
  std::vector<LinkSphere> spheres{};
  double floor = -std::numeric_limits<double>::infinity();  // no sphere reaches below this z
  std::vector<Box> inside{}, outside{};                     // spheres stay in each of these, and out of each of those
  bool empty() const { return std::isinf(floor) && inside.empty() && outside.empty(); }
};

// What a motion is judged by: the condition number of the base regressors along it, columns scaled to length 1; or
// log det(YᵀWY/samples) / parameters, which is large where the estimates vary little together.
enum class ExcitationCriterion { condition, determinant };

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
  ExcitationCriterion criterion = ExcitationCriterion::condition;
  std::vector<double> acceleration{};  // limits by joint, rad/s² or m/s²; empty: none
  std::vector<double> weights{};       // of each joint's squared errors, 1/σ²; empty: all 1
  Surroundings around{};
};

struct Excitation {
  FourierMotion motion;
  // Of the best random start within the limits, before the search, and of the motion that was found.
  double first_condition = 0.0, condition = 0.0;
  double first_information = 0.0, information = 0.0;  // log det(YᵀWY/samples) / parameters
};

// Searches from several random starts by a (1+1) evolution strategy with the 1/5 rule; the same options give the same
// motion. Positions, speeds, accelerations and efforts of all joints, those that follow others too, stay within their
// limits and the spheres where they may be, between samples too. Throws std::invalid_argument for invalid options, and
// std::domain_error if no motion within the limits shows all parameters, naming the limit that was kept worst.
Excitation find_excitation(const Mechanism& robot, const ExcitationOptions& options = {});

}  // namespace catena
