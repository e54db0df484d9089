// Least squares among parameters that real bodies can have.
#pragma once

#include <vector>

#include "catena/identify.hpp"
#include "catena/math/vec3.hpp"
#include "identify/matrices.hpp"

namespace catena::identification {

// A x is to be y, as nearly as squares go, among the x that are possible: ten entries of x are a body's mass, first
// moment and inertia about the origin, within bounds; some others are not negative.
struct PossibleProblem {
  struct Body {
    std::size_t first = 0;
    BodyBounds bounds{};
    Vec3<double> centre{};  // around which the mass centre is bounded
  };
  Matrix A;
  Vector y, scale;  // scale: sizes of the entries of x
  std::vector<Body> bodies;
  std::vector<std::size_t> positive;
  std::vector<std::size_t> fixed{};  // entries that stay as they are
};
// From an x that is possible and not at a bound.
Vector least_possible(const PossibleProblem& problem, Vector x);

// A body near the ten parameters that is possible, within bounds and not at one, of a mass and a size of about these.
void put_possible(std::span<double> body, const BodyBounds& bounds, double mass, double length);
// Throws std::invalid_argument where nothing lies between them.
void require_room(const BodyBounds& bounds);

}  // namespace catena::identification
