// Inverse dynamics as a call: the formulation is picked by name, its workspace is made once, and calls allocate
// nothing.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "catena/dynamics/formulation.hpp"

namespace catena {

// A force and a moment that the environment exerts on a frame, at the frame's origin.
enum class Axes { frame, world };
template <class S>
struct ExternalWrench {
  int frame = 0;  // index into Mechanism::frames
  Vec3<S> force{};
  Vec3<S> moment{};         // about the frame's origin
  Axes axes = Axes::frame;  // resolved along the frame's own axes or the user's base axes
};

// The formulations that compute `job` ("inverse", …; empty: all), as registered.
std::vector<FormulationInfo> formulations(std::string_view job = {});

inline constexpr std::string_view default_inverse = "tensor-augmented";

template <class S>
class InverseDynamics {
 public:
  // Without a method: the fastest, `default_inverse` on the optimized mechanism (model/regroup.hpp). With one: that
  // formulation on the mechanism as it is. Throws std::invalid_argument when the method is not registered.
  explicit InverseDynamics(const Mechanism& robot, std::string_view method = {});
  ~InverseDynamics();
  InverseDynamics(InverseDynamics&&) noexcept;
  InverseDynamics& operator=(InverseDynamics&&) noexcept;

  // τ for the motion (q, q̇, q̈), friction and rotors included where the model has them. All spans have n entries.
  // Throws std::invalid_argument on a wrong length and std::domain_error when a result is not finite.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> qdd, std::span<S> tau,
                  std::span<const ExternalWrench<S>> wrenches = {});
  // τ that holds the robot still against gravity, and against wrenches.
  void gravity(std::span<const S> q, std::span<S> tau);
  void statics(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches, std::span<S> tau);

  const FormulationInfo& method() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class InverseDynamics<double>;
extern template class InverseDynamics<float>;

}  // namespace catena
