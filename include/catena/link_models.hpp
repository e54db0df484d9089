// The model of a robot as Laus, Simoni and Martins write it: a sum of models of single links. Link i is moved by some
// joints, its index set, and adds M_i, C_i and g_i to their rows and columns; no link's contribution depends on another
// link's mass. docs/progressive-models.md; equations: docs/equations/progressive_inertia.md,
// docs/equations/progressive_coriolis.md.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// What one link of the Robot adds. A link that is fixed to another is moved by the same joints; a link that no joint
// moves has an empty index set.
template <class S>
struct LinkModel {
  int link = 0;             // index into Robot::links
  std::vector<int> joints;  // the index set: k indices into q, from the base to the link
  std::vector<S> M, C;      // k x k by rows; C is given by Christoffel symbols, from M alone
  std::vector<S> g;         // k
};

// All links of a robot. Friction, rotors and springs belong to joints and are not included. S is double or Counted.
// Calls allocate nothing.
template <class S>
class LinkModels {
 public:
  // Throws ModelError if the robot is not a tree of valid links.
  explicit LinkModels(const Robot& robot, const MechanismOptions& options = {});
  ~LinkModels();
  LinkModels(LinkModels&&) noexcept;
  LinkModels& operator=(LinkModels&&) noexcept;

  // In the order of Robot::links; the result is valid until the next call. Both throw std::invalid_argument on a wrong
  // length.
  std::span<const LinkModel<S>> operator()(std::span<const S> q, std::span<const S> qd);
  // One link, if all links between it and the base have been computed in this state: the cost of adding it to a model.
  // Throws std::invalid_argument for a link that does not exist.
  const LinkModel<S>& extend(int link, std::span<const S> q, std::span<const S> qd);

  int joints() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class LinkModels<double>;

// Adds a link's contribution to the model of the whole robot: M and C are n x n by rows, g has n entries. Throws
// std::invalid_argument if the lengths do not fit each other or the link.
template <class S>
void scatter_add(const LinkModel<S>& link, std::span<S> M, std::span<S> C, std::span<S> g);

}  // namespace catena
