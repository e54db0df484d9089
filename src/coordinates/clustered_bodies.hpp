// Forward dynamics of a robot with joints tied to each other: articulated bodies over clusters of joints, each with its
// own number of coordinates, so that the cost grows linearly with the robot and not with its cube. Twists and wrenches
// are along the world's axes about the world's origin, so they pass from body to body unchanged. Equations (1)-(9):
// docs/equations/clusters.md.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "coordinates/charted_runner.hpp"
#include "coordinates/judged_pivots.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/factor/branches.hpp"
#include "formulations/forward/articulated_inertia.hpp"
#include "formulations/shared/links_in_base.hpp"
#include "model/clusters.hpp"

namespace catena {

template <class S>
class ClusteredBodies final : public Runner<S> {
 public:
  using T = ConstantOf<S>;

  ClusteredBodies(std::shared_ptr<const MechanismFor<S>> robot, const JobInfo& job, const FormulationInfo& asked,
                  TreeRunnerMaker<S>)
      : Runner<S>(asked),
        robot_(std::move(robot)),
        job_(&job),
        tree_(tree_of(robot_)),
        chart_(robot_->coordinates, *robot_),
        judge_(robot_),
        placed_(*tree_),
        bodies_(index(tree_->joints())),
        zeros_(index(robot_->nv())) {
    std::vector<int> parents;
    std::vector<std::vector<Coordinate>> moved_by;
    for (const auto& link : tree_->links) {
      parents.push_back(link.parent);
      moved_by.emplace_back();
      for (const auto& term : terms_of(robot_->coordinates, link.q)) moved_by.back().push_back(term.coordinate);
    }
    for (const Cluster& cluster : clusters_of(parents, moved_by)) parts_.emplace_back(cluster, *robot_);
  }
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ClusteredBodies>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    move(in);
    if (robot_->coordinates.is_closed()) read_G();
    Doubt<S> doubt{};
    for (std::size_t c = parts_.size(); c-- > 0;) doubt |= eliminate_cluster(in, parts_[c]);
    for (Part& part : parts_) accelerate(part, out);
    return doubt | not_finite<S>(out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>) {
      require_finite_inputs<S>(in, job_->inputs_for(*robot_));
      for (std::size_t c = parts_.size(); c-- > 0;) {
        const Part& part = parts_[c];
        for (std::size_t k = part.coordinates.size(); k-- > 0;)
          judge_.require(part.coordinates[k], part.view().D[k], part.diagonal[k], in, part.summed[k]);
      }
      if (!all_finite<S>(out)) report_not_finite<S>(in, job_->result);
    }
  }

 private:
  struct Body {
    Twist<S> screw;           // s
    Twist<S> velocity;        // V
    Twist<S> own;             // (2) V × s q̇ + s g
    Twist<S> c;               // (2) summed along the path within the cluster
    ArticulatedInertia<S> I;  // (3) I^A
    Wrench<S> p;              // (3) p^A
    Twist<S> acceleration;    // (9)
    S g{};                    // what the chart adds at its joint
  };
  struct Part {
    std::vector<int> links;
    std::vector<Coordinate> coordinates;
    int parent;
    Array<S> G;               // by links and coordinates
    std::vector<int> up;      // the index in `links` of a link's parent, -1: outside
    Array<Twist<S>> columns;  // (1) S
    Array<Wrench<S>> U;       // (4) ΣU
    Array<S> factors, diagonal, u, x;
    Array<S> summed;  // m v², of which a moment about an axis far from the world's origin is what is left
    Branches branches;

    Part(const Cluster& cluster, const MechanismFor<S>& robot)
        : links(cluster.links),
          coordinates(cluster.coordinates),
          parent(cluster.parent),
          G(links.size() * coordinates.size()),
          columns(G.size()),
          U(coordinates.size()),
          factors(coordinates.size() * (coordinates.size() + 1)),
          diagonal(coordinates.size()),
          u(coordinates.size()),
          x(coordinates.size()),
          summed(coordinates.size()),
          branches(static_cast<int>(coordinates.size())) {
      for (std::size_t j = 0; j < links.size(); ++j) {
        const auto& link = robot.link(links[j]);
        const auto above = std::find(links.begin(), links.end(), link.parent);
        up.push_back(above == links.end() ? -1 : static_cast<int>(above - links.begin()));
        for (const auto& term : terms_of(robot.coordinates, link.q))
          for (std::size_t k = 0; k < coordinates.size(); ++k)
            if (coordinates[k] == term.coordinate) G[j * coordinates.size() + k] = S(term.factor);
      }
    }
    FactorView<S> view() { return factor_view<S>(factors, static_cast<int>(coordinates.size())); }
    FactorView<const S> view() const {
      return factor_view<const S>(std::span<const S>(factors), static_cast<int>(coordinates.size()));
    }
  };

  static Twist<S> sum(const Twist<S>& a, const Twist<S>& b) { return {a.omega + b.omega, a.v + b.v}; }
  static Twist<S> times(const S& k, const Twist<S>& a) { return {k * a.omega, k * a.v}; }
  static Wrench<S> times(const ArticulatedInertia<S>& I, const Twist<S>& a) {
    return {I.H.transpose() * a.omega + I.M * a.v, I.I * a.omega + I.H * a.v};
  }
  static S dot_of(const Twist<S>& a, const Wrench<S>& f) { return dot(a.omega, f.moment) + dot(a.v, f.force); }

  // G of closed loops changes with q; their step is next to the tree.
  void read_G() {
    const LoopStep<S>& loops = chart_.loops();
    const int first = robot_->coordinates.is_moving() ? base_joints : 0;
    for (Part& part : parts_)
      for (std::size_t j = 0; j < part.links.size(); ++j)
        for (std::size_t k = 0; k < part.coordinates.size(); ++k)
          part.G[j * part.coordinates.size() + k] =
              loops.entry(tree_->link(part.links[j]).q, part.coordinates[k] + first);
  }
  // Outward: the poses of the bodies, their motion, and the terms that follow.                                 (1), (2)
  void move(const Inputs<S>& in) {
    on_tree_ = chart_.place({.q = in.q, .qd = in.qd, .qdd = zeros_, .base = in.base});
    placed_.place(*tree_, on_tree_.q, on_tree_.qd);
    for (int i = 0; i < tree_->joints(); ++i) {
      const auto& link = tree_->link(i);
      const Pose<S>& pose = placed_.pose_of(i);
      Body& body = bodies_[index(i)];
      const Vec3<S> z = pose.R.column_z();
      body.screw = link.revolute ? Twist<S>{z, cross(pose.p, z)} : Twist<S>{{}, z};
      body.g = on_tree_.qdd[index(link.q)];
      const S& rate = on_tree_.qd[index(link.q)];
      const Twist<S> before = link.parent == base_link ? Twist<S>{} : bodies_[index(link.parent)].velocity;
      body.velocity = sum(before, times(rate, body.screw));
      const Twist<S> swept{cross(before.omega, body.screw.omega),
                           cross(before.omega, body.screw.v) + cross(before.v, body.screw.omega)};
      body.own = sum(times(rate, swept), times(body.g, body.screw));
      const Vec3<S> com = pose.p + pose.R * link.com;
      body.I = rigid(link.mass, com, turn_symmetric(pose.R, link.inertia_com));
      const Wrench<S> h = times(body.I, body.velocity);
      const auto& [w, v] = body.velocity;
      body.p = {cross(w, h.force), cross(w, h.moment) + cross(v, h.force)};
    }
  }
  // The inertia of a body about the world's origin.
  static ArticulatedInertia<S> rigid(const T& mass, const Vec3<S>& com, const Sym3<S>& about_com) {
    const Vec3<S> u = mass * com;
    const S zero{}, m(mass);
    return {about_com + mass * steiner(com),
            {zero, -u.z, u.y, u.z, zero, -u.x, -u.y, u.x, zero},
            {m, m, m, zero, zero, zero}};
  }

  // Inward: (3)-(8).
  Doubt<S> eliminate_cluster(const Inputs<S>& in, Part& part) {
    const std::size_t m = part.coordinates.size();
    for (S& entry : part.factors) entry = S{};
    for (Wrench<S>& wrench : part.U) wrench = {};
    for (S& sum : part.summed) sum = S{};
    for (std::size_t k = 0; k < m; ++k) part.u[k] = in.tau[index(part.coordinates[k])];
    ArticulatedInertia<S> all{};
    Wrench<S> load{};
    for (std::size_t j = 0; j < part.links.size(); ++j) add_body(part, j, all, load);
    const FactorView<S> D = part.view();
    for (std::size_t k = 0; k < m; ++k) part.diagonal[k] = D.U(static_cast<int>(k), static_cast<int>(k));
    eliminate<S>(part.branches, D);
    Doubt<S> doubt{};
    for (std::size_t k = 0; k < m; ++k)
      doubt |= judge_.doubt(part.coordinates[k], D.D[k], part.diagonal[k], part.summed[k]);
    if (part.parent != base_link) hand_on(part, all, load);
    return doubt;
  }
  void add_body(Part& part, std::size_t j, ArticulatedInertia<S>& all, Wrench<S>& load) {
    const std::size_t m = part.coordinates.size();
    const auto& link = tree_->link(part.links[j]);
    Body& body = bodies_[index(part.links[j])];
    const Twist<S>* const before = part.up[j] < 0 ? nullptr : &part.columns[index(part.up[j]) * m];
    body.c = part.up[j] < 0 ? body.own : sum(bodies_[index(part.links[index(part.up[j])])].c, body.own);  // (2)
    const Wrench<S> needed = times(body.I, body.c);
    body.p.force += needed.force, body.p.moment += needed.moment;
    all += body.I;
    load += body.p;
    const T added = added_inertia(*tree_, link);
    S resists{};  // what forces at the joint consume
    if (tree_->has_drives) resists = joint_torque<S>(*tree_, link.q, {on_tree_.q, on_tree_.qd, {}}) + added * body.g;
    const FactorView<S> D = part.view();
    for (std::size_t k = 0; k < m; ++k) {
      const S& factor = part.G[j * m + k];
      Twist<S>& column = part.columns[j * m + k];
      column = times(factor, body.screw);  // (1)
      if (before) column = sum(column, before[k]);
      const Wrench<S> U = times(body.I, column);  // (4)
      part.U[k] += U;
      if constexpr (JudgedPivots<S>::judges) part.summed[k] += body.I.M.trace() * dot(column.v, column.v);
      part.u[k] += -(dot_of(column, body.p) + factor * resists);  // (6)
      for (std::size_t l = 0; l <= k; ++l) {                      // (5)
        const S entry = dot_of(part.columns[j * m + l], U) + factor * part.G[j * m + l] * added;
        D.U(static_cast<int>(k), static_cast<int>(l)) += entry;
        if (l < k) D.U(static_cast<int>(l), static_cast<int>(k)) += entry;
      }
    }
  }
  // What is passed to the body that carries the cluster: (7), (8).
  void hand_on(Part& part, ArticulatedInertia<S> all, Wrench<S> load) {
    const std::size_t m = part.coordinates.size();
    std::copy(part.u.begin(), part.u.end(), part.x.begin());
    solve_factored<S>(part.branches, std::as_const(part).view(), part.x);
    for (std::size_t k = 0; k < m; ++k) {
      load.force += part.x[k] * part.U[k].force;
      load.moment += part.x[k] * part.U[k].moment;
    }
    for (std::size_t k = 0; k < m; ++k) {  // column k of D⁻¹
      for (std::size_t l = 0; l < m; ++l) part.x[l] = S(T(l == k ? 1 : 0));
      solve_factored<S>(part.branches, std::as_const(part).view(), part.x);
      Wrench<S> K{};
      for (std::size_t l = 0; l < m; ++l)
        K.force += part.x[l] * part.U[l].force, K.moment += part.x[l] * part.U[l].moment;
      const auto& [f, n] = part.U[k];
      all.I += symmetric(n, -K.moment);
      all.M += symmetric(f, -K.force);
      all.H +=
          Mat3<S>{-(n.x * K.force.x), -(n.x * K.force.y), -(n.x * K.force.z), -(n.y * K.force.x), -(n.y * K.force.y),
                  -(n.y * K.force.z), -(n.z * K.force.x), -(n.z * K.force.y), -(n.z * K.force.z)};
    }
    Body& carrier = bodies_[index(part.parent)];
    carrier.I += all;
    carrier.p += load;
  }
  // The symmetric part of a bᵀ; the sum over all k is symmetric anyway.
  static Sym3<S> symmetric(const Vec3<S>& a, const Vec3<S>& b) {
    const T half(0.5);
    return {a.x * b.x,
            a.y * b.y,
            a.z * b.z,
            half * (a.x * b.y + a.y * b.x),
            half * (a.x * b.z + a.z * b.x),
            half * (a.y * b.z + a.z * b.y)};
  }

  // Outward: (9).
  void accelerate(Part& part, std::span<S> out) {
    const std::size_t m = part.coordinates.size();
    const Twist<S> carried = part.parent == base_link ? Twist<S>{{}, static_cast<Vec3<S>>(-tree_->gravity)}
                                                      : bodies_[index(part.parent)].acceleration;
    for (std::size_t k = 0; k < m; ++k) part.x[k] = part.u[k] - dot_of(carried, part.U[k]);
    solve_factored<S>(part.branches, std::as_const(part).view(), part.x);
    for (std::size_t k = 0; k < m; ++k) out[index(part.coordinates[k])] = part.x[k];
    for (std::size_t j = 0; j < part.links.size(); ++j) {
      Body& body = bodies_[index(part.links[j])];
      body.acceleration = sum(carried, body.c);
      for (std::size_t k = 0; k < m; ++k)
        body.acceleration = sum(body.acceleration, times(part.x[k], part.columns[j * m + k]));
    }
  }

  std::shared_ptr<const MechanismFor<S>> robot_;
  const JobInfo* job_;
  std::shared_ptr<const TreeFor<S>> tree_;
  Chart<S> chart_;
  JudgedPivots<S> judge_;
  PlacedLinks<S> placed_;
  Array<Body> bodies_;
  std::vector<Part> parts_;
  Array<S> zeros_;
  Inputs<S> on_tree_{};
};

}  // namespace catena
