// Whether a periodic motion keeps the limits that its series do not show at once: efforts, joints that follow several
// others or closed loops, and the surroundings.
#pragma once

#include <string>
#include <vector>

#include "catena/call.hpp"
#include "catena/excitation.hpp"
#include "catena/kinematics.hpp"

namespace catena::identification {

class MotionLimits {
 public:
  // Keeps references to both. Throws std::invalid_argument for a sphere on a frame that does not exist.
  MotionLimits(const Mechanism& robot, const ExcitationOptions& options, std::size_t samples);

  // By how much they are exceeded, summed: efforts, positions and speeds as a fraction of their limit, lengths in m.
  // 0: everything is kept at all times.
  double excess(const FourierMotion& motion);
  // What the latest call found to be exceeded most: "the effort of joint 'elbow', by 3.1".
  const std::string& worst() const { return worst_; }

 private:
  struct Placed {  // a sphere, with the index of its frame
    int frame = 0;
    Vec3<double> centre{};
    double radius = 0.0;
    std::string of;
  };
  bool sample(const FourierMotion& motion);  // false: loops do not close all the way
  void sample(const FourierMotion& motion, std::size_t s);
  void keep_moving_spheres();
  void add_efforts();
  void add_followers(double step);
  void add_surroundings();
  double to_walls(const Vec3<double>& point) const;
  double to_boxes(const Vec3<double>& point) const;
  double least_distance(std::size_t sphere) const;
  void add(double excess, const std::string& what);

  const Mechanism& robot_;
  const ExcitationOptions& options_;
  std::size_t n_, samples_;
  bool efforts_ = false, followers_ = false;
  Call<double> inverse_, place_;
  Kinematics<double> kinematics_;
  std::vector<Placed> spheres_;
  std::vector<double> q_, qd_, qdd_, tau_, tree_;  // rows by sample; tree: positions of the tree's joints
  std::vector<Vec3<double>> centres_;              // by sample and sphere
  double sum_ = 0.0, most_ = 0.0;
  std::string worst_;
};

}  // namespace catena::identification
