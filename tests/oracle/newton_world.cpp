#include "oracle/newton_world.hpp"

#include <cmath>

namespace oracle {
namespace {

using Real = long double;
using Point = std::array<Real, 3>;
using Transform = std::array<std::array<Real, 4>, 3>;  // the three upper rows of a homogeneous transform

Point times(Real k, const Point& a) { return {k * a[0], k * a[1], k * a[2]}; }
Point plus(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Real inner(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point vector_product(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Real length(const Point& a) { return std::sqrt(inner(a, a)); }
Point read(const Triple& a) { return {a[0], a[1], a[2]}; }
Triple write(const Point& a) {
  return {static_cast<double>(a[0]), static_cast<double>(a[1]), static_cast<double>(a[2])};
}

Transform identity() { return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}; }
Transform product(const Transform& a, const Transform& b) {
  Transform c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      c[i][j] = j == 3 ? a[i][3] : 0;
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  return c;
}
Point turned(const Transform& a, const Point& v) {
  Point w{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) w[i] += a[i][k] * v[k];
  return w;
}
Point origin_of(const Transform& a) { return {a[0][3], a[1][3], a[2][3]}; }
Point moved(const Transform& a, const Point& x) { return plus(turned(a, x), origin_of(a)); }

// The only place where the description is read.
template <class Pose>
Transform read_pose(const Pose& pose) {
  return {{{pose.R.xx, pose.R.xy, pose.R.xz, pose.p.x},
           {pose.R.yx, pose.R.yy, pose.R.yz, pose.p.y},
           {pose.R.zx, pose.R.zy, pose.R.zz, pose.p.z}}};
}
template <class Vec>
Point read_vector(const Vec& v) {
  return {v.x, v.y, v.z};
}

// Turn by angle about a unit axis: v goes to its part along the axis, plus the rest turned in its plane.
Transform rotation(const Point& axis, Real angle) {
  Transform r = identity();
  for (std::size_t column = 0; column < 3; ++column) {
    Point v{};
    v[column] = 1;
    const Point along = times(inner(axis, v), axis);
    const Point result =
        plus(along, plus(times(std::cos(angle), minus(v, along)), times(std::sin(angle), vector_product(axis, v))));
    for (std::size_t i = 0; i < 3; ++i) r[i][column] = result[i];
  }
  return r;
}
Transform translation(const Point& by) {
  Transform t = identity();
  for (std::size_t i = 0; i < 3; ++i) t[i][3] = by[i];
  return t;
}

struct Joint {
  bool revolute = true;
  Point axis{}, point{};  // in the world
  Real way = 0;           // length of the way from the base to the point, along the robot
};
struct Link {
  bool placed = false;
  Transform place = identity();
  std::vector<std::size_t> path;  // entries of q between the base and this link
  Real way = 0;
};

// The robot, posed.
struct World {
  std::vector<Joint> joints;  // indexed by q
  std::vector<Link> links;    // indexed like Robot::links
  Point gravity{};
};

World place(const catena::Robot& robot, std::span<const double> q) {
  World world;
  world.gravity = read_vector(robot.gravity);
  world.links.resize(robot.links.size());
  std::vector<bool> carried(robot.links.size(), false);
  for (const auto& j : robot.joints) carried[static_cast<std::size_t>(j.child)] = true;
  for (std::size_t k = 0; k < carried.size(); ++k) world.links[k].placed = !carried[k];
  std::vector<std::size_t> entry(robot.joints.size(), 0);
  for (std::size_t k = 0, next = 0; k < robot.joints.size(); ++k)
    if (robot.joints[k].type != catena::JointType::fixed) entry[k] = next++;
  world.joints.resize(q.size());
  // The file order says nothing about who carries whom: go round until every link stands.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < robot.joints.size(); ++k) {
      const auto& joint = robot.joints[k];
      const Link& parent = world.links[static_cast<std::size_t>(joint.parent)];
      Link& child = world.links[static_cast<std::size_t>(joint.child)];
      if (!parent.placed || child.placed) continue;
      child = parent;
      child.place = product(parent.place, read_pose(joint.origin));
      child.way += length(read_vector(joint.origin.p));
      if (joint.type != catena::JointType::fixed) {
        const Point axis = times(1 / length(read_vector(joint.axis)), read_vector(joint.axis));
        const bool revolute = joint.type == catena::JointType::revolute;
        const Real value = q[entry[k]];
        world.joints[entry[k]] = {revolute, turned(child.place, axis), origin_of(child.place), child.way};
        child.path.push_back(entry[k]);
        child.place = product(child.place, revolute ? rotation(axis, value) : translation(times(value, axis)));
        if (!revolute) child.way += std::abs(value);
      }
      child.place = product(child.place, read_pose(joint.child_frame));
      child.way += length(read_vector(joint.child_frame.p));
      changed = true;
    }
  }
  return world;
}

struct Particle {
  Real mass = 0;
  Point at{};  // link frame
};

// 13 particles (some masses may be negative: only the sums matter) with the link's mass, mass centre and second
// moments.
std::vector<Particle> particles(const catena::Inertial& inertial) {
  const Real mass = inertial.mass;
  const auto& I = inertial.inertia;
  const Real half_trace = (static_cast<Real>(I.xx) + I.yy + I.zz) / 2;
  const Real xx = half_trace - I.xx, yy = half_trace - I.yy, zz = half_trace - I.zz;  // ∫ x² dm, …
  const Real xy = -static_cast<Real>(I.xy), xz = -static_cast<Real>(I.xz), yz = -static_cast<Real>(I.yz);
  const Point centre = read_vector(inertial.com);
  const Real square = mass > 0 && half_trace > 0 ? half_trace / mass : 1;  // distance² at which they stand
  const Real distance = std::sqrt(square);
  std::vector<Particle> list{{mass, centre}};
  const auto pair = [&](Real second_moment, const Point& direction) {
    const Real half = second_moment / (2 * square);
    list.push_back({half, plus(centre, times(distance, direction))});
    list.push_back({half, minus(centre, times(distance, direction))});
    list.front().mass -= 2 * half;
  };
  pair(xy, {1, 1, 0});
  pair(xz, {1, 0, 1});
  pair(yz, {0, 1, 1});
  pair(xx - xy - xz, {1, 0, 0});
  pair(yy - xy - yz, {0, 1, 0});
  pair(zz - xz - yz, {0, 0, 1});
  return list;
}

Point partial(const Joint& joint, const Point& x) {
  return joint.revolute ? vector_product(joint.axis, minus(x, joint.point)) : joint.axis;
}

// visit(mass, place in the world, link, way along the robot to the particle) for the particles of every link that
// moves.
template <class Visit>
void for_each_particle(const catena::Robot& robot, const World& world, Visit visit) {
  for (std::size_t k = 0; k < world.links.size(); ++k) {
    const Link& link = world.links[k];
    if (link.path.empty()) continue;
    for (const Particle& p : particles(robot.links[k].inertial))
      visit(p.mass, moved(link.place, p.at), link, link.way + length(p.at));
  }
}

const Link& carrier(const catena::Robot& robot, const World& world, int frame, Transform& in_link) {
  const std::size_t k = static_cast<std::size_t>(frame);
  in_link = identity();
  if (k < robot.links.size()) return world.links[k];
  const auto& f = robot.frames[k - robot.links.size()];
  in_link = read_pose(f.pose);
  return world.links[static_cast<std::size_t>(f.link)];
}

void subtract_pushes(const catena::Robot& robot, const World& world, std::span<const Push> pushes,
                     std::vector<Real>& tau, std::vector<Real>& scale) {
  for (const Push& push : pushes) {
    Transform in_link;
    const Link& link = carrier(robot, world, push.frame, in_link);
    const Transform frame = product(link.place, in_link);
    const Point force = push.world_axes ? read(push.force) : turned(frame, read(push.force));
    const Point moment = push.world_axes ? read(push.moment) : turned(frame, read(push.moment));
    for (const std::size_t k : link.path) {
      const Joint& joint = world.joints[k];
      tau[k] -= inner(force, partial(joint, origin_of(frame)));
      if (joint.revolute) tau[k] -= inner(moment, joint.axis);
      const Real arm = link.way + length(origin_of(in_link)) - joint.way;
      scale[k] += joint.revolute ? length(force) * arm + length(moment) : length(force);
    }
  }
}

void add_drives(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd,
                std::span<const double> qdd, std::vector<Real>& tau, std::vector<Real>& scale) {
  std::size_t k = 0;
  for (const auto& joint : robot.joints) {
    if (joint.type == catena::JointType::fixed) continue;
    const Real rate = qd[k], gear = joint.drive.gear_ratio;
    const Real dry = joint.drive.stribeck == 0.0
                         ? Real(joint.drive.coulomb)
                         : joint.drive.coulomb +
                               joint.drive.stribeck * std::exp(-std::pow(rate / Real(joint.drive.stribeck_speed), 2));
    const Real friction = joint.drive.viscous * rate + (rate > 0 ? dry : rate < 0 ? -dry : 0);
    const Real rotor = gear * gear * joint.drive.rotor_inertia * qdd[k];
    const Real spring = static_cast<Real>(joint.drive.spring) * (static_cast<Real>(q[k]) - joint.drive.spring_rest) +
                        joint.drive.offset;
    tau[k] += friction + rotor + spring;
    scale[k] += std::abs(friction) + std::abs(rotor) + std::abs(spring);
    ++k;
  }
}

Vector to_double(const std::vector<Real>& values) {
  Vector out;
  for (const Real v : values) out.push_back(static_cast<double>(v));
  return out;
}

}  // namespace

Torques inverse_dynamics(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd,
                         std::span<const double> qdd, std::span<const Push> pushes, Drives drives) {
  const World world = place(robot, q);
  std::vector<Real> tau(q.size(), 0), scale(q.size(), 0);
  std::vector<Point> partials(q.size());
  for_each_particle(robot, world, [&](Real mass, const Point& x, const Link& link, Real way) {
    Point acceleration = times(-1, world.gravity);
    Real size = length(world.gravity), speed = 0;
    Point turning{};  // Σ_{j<k} e_j q̇_j over the revolute joints
    for (const std::size_t k : link.path) {
      const Joint& joint = world.joints[k];
      const Real rate = qd[k], arm = joint.revolute ? way - joint.way : 1;
      partials[k] = partial(joint, x);
      Point twice = plus(turning, turning);
      if (joint.revolute) {
        twice = plus(twice, times(rate, joint.axis));
        turning = plus(turning, times(rate, joint.axis));
        speed += std::abs(rate);
      }
      acceleration = plus(acceleration, times(qdd[k], partials[k]));
      acceleration = plus(acceleration, times(rate, vector_product(twice, partials[k])));
      size += arm * (std::abs(static_cast<Real>(qdd[k])) + 2 * speed * std::abs(rate));
    }
    for (const std::size_t k : link.path) {
      tau[k] += mass * inner(partials[k], acceleration);
      scale[k] += std::abs(mass) * (world.joints[k].revolute ? way - world.joints[k].way : 1) * size;
    }
  });
  subtract_pushes(robot, world, pushes, tau, scale);
  if (drives == Drives::included) add_drives(robot, q, qd, qdd, tau, scale);
  return {to_double(tau), to_double(scale)};
}

Matrix inertia_matrix(const catena::Robot& robot, std::span<const double> q, Drives drives) {
  const World world = place(robot, q);
  const std::size_t n = q.size();
  std::vector<std::vector<Real>> sum(n, std::vector<Real>(n, 0));
  for_each_particle(robot, world, [&](Real mass, const Point& x, const Link& link, Real) {
    for (const std::size_t j : link.path)
      for (const std::size_t k : link.path)
        sum[j][k] += mass * inner(partial(world.joints[j], x), partial(world.joints[k], x));
  });
  std::size_t k = 0;
  for (const auto& joint : robot.joints) {
    if (joint.type == catena::JointType::fixed) continue;
    const Real gear = joint.drive.gear_ratio;
    if (drives == Drives::included) sum[k][k] += gear * gear * joint.drive.rotor_inertia;
    ++k;
  }
  Matrix matrix;
  for (const auto& row : sum) matrix.push_back(to_double(row));
  return matrix;
}

Vector gravity(const catena::Robot& robot, std::span<const double> q) {
  const Vector zero(q.size(), 0.0);
  return inverse_dynamics(robot, q, zero, zero).tau;
}

Vector bias(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd, Drives drives) {
  return inverse_dynamics(robot, q, qd, Vector(q.size(), 0.0), {}, drives).tau;
}

Momentum momentum(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd) {
  const World world = place(robot, q);
  Point linear{}, angular{};
  for_each_particle(robot, world, [&](Real mass, const Point& x, const Link& link, Real) {
    Point velocity{};
    for (const std::size_t k : link.path) velocity = plus(velocity, times(qd[k], partial(world.joints[k], x)));
    linear = plus(linear, times(mass, velocity));
    angular = plus(angular, times(mass, vector_product(x, velocity)));
  });
  return {write(linear), write(angular)};
}

double kinetic_energy(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd) {
  const World world = place(robot, q);
  Real twice = 0;
  for_each_particle(robot, world, [&](Real mass, const Point& x, const Link& link, Real) {
    Point velocity{};
    for (const std::size_t k : link.path) velocity = plus(velocity, times(qd[k], partial(world.joints[k], x)));
    twice += mass * inner(velocity, velocity);
  });
  return static_cast<double>(twice / 2);
}

double potential_energy(const catena::Robot& robot, std::span<const double> q) {
  const World world = place(robot, q);
  Real energy = 0;
  for_each_particle(robot, world,
                    [&](Real mass, const Point& x, const Link&, Real) { energy -= mass * inner(world.gravity, x); });
  return static_cast<double>(energy);
}

FramePlace frame_place(const catena::Robot& robot, std::span<const double> q, int frame) {
  const World world = place(robot, q);
  Transform in_link;
  const Link& link = carrier(robot, world, frame, in_link);
  const Transform at = product(link.place, in_link);
  FramePlace out;
  for (std::size_t i = 0; i < 3; ++i) out.rotation[i] = write({at[i][0], at[i][1], at[i][2]});
  out.origin = write(origin_of(at));
  return out;
}

}  // namespace oracle
