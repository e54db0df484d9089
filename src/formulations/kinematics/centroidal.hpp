// Momentum of the whole robot about its centre of mass, and the matrix that maps the rates to it. Equations:
// docs/equations/centroidal.md.
#pragma once

#include <span>

#include "formulations/kinematics/frames.hpp"

namespace catena {

template <class T>
T moving_mass(const BasicTree<T>& robot) {
  T mass(0);
  for (const auto& link : robot.links) mass += link.mass;
  return mass;
}

namespace detail {
constexpr FormulationInfo centroidal_info(std::string_view name, std::string_view job) {
  return {name, job, "textbook mechanics", "docs/equations/centroidal.md", "none published"};
}
template <class S>
void put_vector(const Vec3<S>& v, std::span<S> out) {
  out[0] = v.x, out[1] = v.y, out[2] = v.z;
}
}  // namespace detail

// Linear momentum, angular momentum about the centre of mass, and the centre's position: world axes.
struct LinkMomenta {
  static constexpr FormulationInfo info = detail::centroidal_info("links", "momentum");
  template <class S>
  using Workspace = PlacedLinks<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& links,
                  std::span<S> out) {
    using T = ConstantOf<S>;
    links.place(robot, q, qd);
    Vec3<S> moment{}, linear{}, angular{};  // Σ m c, Σ m v, and about the base frame's origin
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const auto& pose = links.pose_of(i);
      const auto& motion = links.motion_of(i);
      const Vec3<S> arm = pose.R * link.com, c = pose.p + arm;
      const Vec3<S> p = link.mass * (motion.velocity + cross(motion.omega, arm));  // (1)
      const Vec3<S> spin = pose.R * (link.inertia_com * (pose.R.transpose() * motion.omega));
      moment += link.mass * c;
      linear += p;
      angular += spin + cross(c, p);  // (2)
    }
    const Vec3<S> centre = (T(1) / moving_mass(robot)) * moment;
    const auto& [R, origin] = robot.world_from_base;
    detail::put_vector<S>(R * linear, out);
    detail::put_vector<S>(R * (angular - cross(centre, linear)), out.subspan(3));  // (3)
    detail::put_vector<S>(R * centre + origin, out.subspan(6));
  }
};

// Everything beyond a joint as one body: mass, Σ m c, and the inertia about the base frame's origin, base axes.
template <class S>
struct MovedBody {
  S mass{};
  Vec3<S> moment{};
  Sym3<S> inertia{};
};

// A of h = A q̇, the inertia about the centre of mass, the centre and the mass.
struct CompositeMomenta {
  static constexpr FormulationInfo info = detail::centroidal_info("composite", "centroidal");
  template <class S>
  struct Workspace {
    PlacedLinks<S> links;
    Array<MovedBody<S>> bodies;
    explicit Workspace(const TreeFor<S>& robot) : links(robot), bodies(index(robot.joints())) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, std::span<S> out) {
    ws.links.place(robot, q);
    const MovedBody<S> all = compose(robot, ws);
    using T = ConstantOf<S>;
    const T mass = moving_mass(robot);
    const Vec3<S> centre = (T(1) / mass) * all.moment;
    const auto& [R, origin] = robot.world_from_base;
    const int n = robot.joints();
    for (int i = 0; i < n; ++i) {  // (5)
      const auto& body = ws.bodies[index(i)];
      const auto& [turn, point] = ws.links.pose_of(i);
      const Vec3<S> z = turn.column_z();
      const bool revolute = robot.link(i).revolute;
      const Vec3<S> linear = revolute ? Vec3<S>(cross(z, body.moment - body.mass * point)) : Vec3<S>(body.mass * z);
      const Vec3<S> angular =
          revolute ? Vec3<S>(body.inertia * z - cross(body.moment, cross(z, point))) : Vec3<S>(cross(body.moment, z));
      put_column(JacobianColumn<S>{R * linear, R * (angular - cross(centre, linear))}, robot.link(i).q, n, out);
    }
    const Sym3<S> about_centre = all.inertia - mass * steiner(centre);  // (6)
    const Mat3<S> turn = static_cast<Mat3<S>>(R), turned = turn * about_centre.full() * turn.transpose();
    out = out.subspan(index(6 * n));
    detail::put_vector<S>(turned.row_x(), out);
    detail::put_vector<S>(turned.row_y(), out.subspan(3));
    detail::put_vector<S>(turned.row_z(), out.subspan(6));
    detail::put_vector<S>(R * centre + origin, out.subspan(9));
    out[12] = S(mass);
  }

 private:
  // (4), tip to base; returns the body of the whole robot.
  template <class S>
  static MovedBody<S> compose(const TreeFor<S>& robot, Workspace<S>& ws) {
    const auto add = [](MovedBody<S>& to, const MovedBody<S>& own) {
      to.mass += own.mass;
      to.moment += own.moment;
      to.inertia += own.inertia;
    };
    MovedBody<S> all{};
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const Pose<S>& pose = ws.links.pose_of(i);
      const Vec3<S> c = pose.p + pose.R * link.com;
      const Sym3<S> own = congruence(pose.R, static_cast<Sym3<S>>(link.inertia_com));
      ws.bodies[index(i)] = {S(link.mass), link.mass * c, own + link.mass * steiner(c)};
    }
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const int parent = robot.link(i).parent;
      add(parent == base_link ? all : ws.bodies[index(parent)], ws.bodies[index(i)]);
    }
    return all;
  }
};

}  // namespace catena
