#include "oracle/wide_forward.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace oracle {
namespace {

#if __LDBL_MANT_DIG__ >= 113  // of aarch64, where this is how GCC calls it
using Wide = long double;
#else
__extension__ typedef __float128 Wide;
#endif
using Point = std::array<Wide, 3>;
using Turn = std::array<Point, 3>;  // rows
using Table = std::vector<std::vector<Wide>>;

Wide size_of(Wide x) { return x < 0 ? -x : x; }
Point operator*(Wide k, const Point& a) { return {k * a[0], k * a[1], k * a[2]}; }
Point operator+(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Wide inner(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point across(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point times(const Turn& R, const Point& a) { return {inner(R[0], a), inner(R[1], a), inner(R[2], a)}; }
Turn times(const Turn& A, const Turn& B) {
  Turn C{};
  for (std::size_t i = 0; i < 3; ++i) C[i] = A[i][0] * B[0] + A[i][1] * B[1] + A[i][2] * B[2];
  return C;
}

Wide root(Wide x) {
  if (!(x > 0)) return 0;
  Wide y = std::sqrt(static_cast<double>(x));
  for (int k = 0; k < 3; ++k) y = (y + x / y) / 2;
  return y;
}
// Their series, after the angle was halved until it is small and with the formulas of the double angle on the way back.
std::pair<Wide, Wide> sine_and_cosine(Wide angle) {
  int halvings = 0;
  for (; size_of(angle) > Wide(1) / 16; ++halvings) angle /= 2;
  Wide sine = 0, versine = 0, term = 1;  // versine: 1 - cos, so that nothing cancels
  for (int k = 1; k < 30; ++k) {
    term *= angle / k;
    const bool plus = k % 4 == 1 || k % 4 == 2;
    (k % 2 == 1 ? sine : versine) += plus ? term : -term;
  }
  for (; halvings > 0; --halvings) {
    const Wide cosine = 1 - versine;
    versine = 2 * sine * sine;
    sine = 2 * sine * cosine;
  }
  return {sine, 1 - versine};
}
Turn turned_about(const Point& axis, Wide angle) {
  const auto [sine, cosine] = sine_and_cosine(angle);
  Turn R{};
  for (std::size_t column = 0; column < 3; ++column) {
    Point v{};
    v[column] = 1;
    const Point along = inner(axis, v) * axis;
    const Point image = along + cosine * (v - along) + sine * across(axis, v);
    for (std::size_t row = 0; row < 3; ++row) R[row][column] = image[row];
  }
  return R;
}

template <class Vector>
Point read(const Vector& v) {
  return {v.x, v.y, v.z};
}
template <class Matrix>
Turn read_turn(const Matrix& R) {
  return {{{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}}};
}

// A link: where it is, how it moves while nothing accelerates, and the joints that move it.
struct Body {
  bool placed = false;
  Turn R{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Point origin{}, velocity{}, angular{}, acceleration{}, angular_acceleration{};
  std::vector<std::size_t> path;
};
struct Joint {
  bool revolute = true;
  Point axis{}, point{};
};
struct World {
  std::vector<Body> bodies;
  std::vector<Joint> joints;
};

// Carries the frame of a body by R and p, along with its motion.
void step(Body& body, const Turn& R, const Point& p) {
  const Point arm = times(body.R, p);
  body.origin = body.origin + arm;
  body.velocity = body.velocity + across(body.angular, arm);
  body.acceleration =
      body.acceleration + across(body.angular_acceleration, arm) + across(body.angular, across(body.angular, arm));
  body.R = times(body.R, R);
}
void move(Body& body, const Joint& joint, Wide q, Wide qd, const Point& own_axis) {
  if (joint.revolute) {
    body.angular_acceleration = body.angular_acceleration + qd * across(body.angular, joint.axis);
    body.angular = body.angular + qd * joint.axis;
    body.R = times(body.R, turned_about(own_axis, q));
  } else {
    step(body, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, q * own_axis);
    body.velocity = body.velocity + qd * joint.axis;
    body.acceleration = body.acceleration + (2 * qd) * across(body.angular, joint.axis);
  }
}

World place(const catena::Robot& robot, const std::vector<Wide>& q, const std::vector<Wide>& qd) {
  World world{std::vector<Body>(robot.links.size()), std::vector<Joint>(q.size())};
  std::vector<bool> carried(robot.links.size(), false);
  for (const auto& joint : robot.joints) carried[static_cast<std::size_t>(joint.child)] = true;
  for (std::size_t k = 0; k < carried.size(); ++k) world.bodies[k].placed = !carried[k];
  std::vector<std::size_t> entry(robot.joints.size(), 0);
  for (std::size_t k = 0, next = 0; k < robot.joints.size(); ++k)
    if (robot.joints[k].type != catena::JointType::fixed) entry[k] = next++;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < robot.joints.size(); ++k) {
      const auto& joint = robot.joints[k];
      const Body& parent = world.bodies[static_cast<std::size_t>(joint.parent)];
      Body& child = world.bodies[static_cast<std::size_t>(joint.child)];
      if (!parent.placed || child.placed) continue;
      child = parent;
      step(child, read_turn(joint.origin.R), read(joint.origin.p));
      if (joint.type != catena::JointType::fixed) {
        const Point given = read(joint.axis), axis = (1 / root(inner(given, given))) * given;
        Joint& own = world.joints[entry[k]];
        own = {joint.type == catena::JointType::revolute, times(child.R, axis), child.origin};
        child.path.push_back(entry[k]);
        move(child, own, q[entry[k]], qd[entry[k]], axis);
      }
      step(child, read_turn(joint.child_frame.R), read(joint.child_frame.p));
      changed = true;
    }
  }
  return world;
}

// Adds what a link contributes to M and to the bias.
void add_link(const World& world, const Body& body, const catena::Inertial& inertial, const Point& gravity, Table& M,
              std::vector<Wide>& bias) {
  Body centre = body;
  step(centre, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, read(inertial.com));
  const auto& I = inertial.inertia;
  const Turn own{{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}};
  const auto inertia = [&](const Point& w) {
    Point inside{};
    for (std::size_t i = 0; i < 3; ++i) inside[i] = body.R[0][i] * w[0] + body.R[1][i] * w[1] + body.R[2][i] * w[2];
    return times(body.R, times(own, inside));
  };
  const Wide mass = inertial.mass;
  const Point force = mass * (centre.acceleration - gravity);
  const Point moment = inertia(body.angular_acceleration) + across(body.angular, inertia(body.angular));
  const auto linear = [&](std::size_t j) {
    const Joint& joint = world.joints[j];
    return joint.revolute ? across(joint.axis, centre.origin - joint.point) : joint.axis;
  };
  const auto angular = [&](std::size_t j) { return world.joints[j].revolute ? world.joints[j].axis : Point{}; };
  for (const std::size_t j : body.path) {
    bias[j] += inner(linear(j), force) + inner(angular(j), moment);
    for (const std::size_t k : body.path)
      M[j][k] += mass * inner(linear(j), linear(k)) + inner(angular(j), inertia(angular(k)));
  }
}

// A X = B, B in place of X.
void solve(Table A, Table& B) {
  const std::size_t n = A.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (size_of(A[i][k]) > size_of(A[best][k])) best = i;
    std::swap(A[k], A[best]);
    std::swap(B[k], B[best]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Wide factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      for (std::size_t j = 0; j < B[i].size(); ++j) B[i][j] -= factor * B[k][j];
    }
  }
  for (std::size_t k = 0; k < n; ++k)
    for (Wide& entry : B[k]) entry /= A[k][k];
}

Wide norm(const Table& A) {
  Wide largest = 0;
  for (const auto& row : A) {
    Wide sum = 0;
    for (const Wide& entry : row) sum += size_of(entry);
    if (sum > largest) largest = sum;
  }
  return largest;
}
double condition_of(const Table& M) {
  const std::size_t n = M.size();
  Table scaled = M, inverse(n, std::vector<Wide>(n, 0));
  for (std::size_t j = 0; j < n; ++j) {
    inverse[j][j] = 1;
    for (std::size_t k = 0; k < n; ++k) scaled[j][k] /= root(M[j][j]) * root(M[k][k]);
  }
  solve(scaled, inverse);
  return static_cast<double>(norm(scaled) * norm(inverse));
}

// Row j: how moving joint j follows the coordinates, which are the joints that are not coupled.
Table chart_of(const catena::Robot& robot, std::vector<Wide>& offsets) {
  std::vector<const catena::JointDescription*> moving;
  for (const auto& joint : robot.joints)
    if (joint.type != catena::JointType::fixed) moving.push_back(&joint);
  std::vector<std::string> coordinates;
  for (const auto* joint : moving)
    if (joint->coupling.terms.empty()) coordinates.push_back(joint->name);
  Table G(moving.size(), std::vector<Wide>(coordinates.size(), 0));
  for (std::size_t j = 0; j < moving.size(); ++j)
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      if (moving[j]->name == coordinates[k]) G[j][k] = 1;
      for (const auto& term : moving[j]->coupling.terms)
        if (term.joint == coordinates[k]) G[j][k] += term.factor;
    }
  for (const auto* joint : moving) offsets.push_back(joint->coupling.offset);
  return G;
}
std::vector<Wide> times(const Table& G, std::span<const double> v) {
  std::vector<Wide> out(G.size(), 0);
  for (std::size_t j = 0; j < G.size(); ++j)
    for (std::size_t k = 0; k < v.size(); ++k) out[j] += G[j][k] * v[k];
  return out;
}
// Gᵀ A
Table pulled_back(const Table& G, const Table& A) {
  Table out(G.front().size(), std::vector<Wide>(A.front().size(), 0));
  for (std::size_t j = 0; j < G.size(); ++j)
    for (std::size_t k = 0; k < out.size(); ++k)
      for (std::size_t c = 0; c < out[k].size(); ++c) out[k][c] += G[j][k] * A[j][c];
  return out;
}
Table transposed(const Table& A) {
  Table out(A.front().size(), std::vector<Wide>(A.size()));
  for (std::size_t r = 0; r < A.size(); ++r)
    for (std::size_t c = 0; c < A[r].size(); ++c) out[c][r] = A[r][c];
  return out;
}

}  // namespace

WideAccelerations wide_forward_dynamics(const catena::Robot& robot, std::span<const double> q,
                                        std::span<const double> qd, std::span<const double> tau) {
  std::vector<Wide> offsets;
  const Table G = chart_of(robot, offsets);
  const std::size_t n = G.size();
  std::vector<Wide> joint_q = times(G, q);
  const std::vector<Wide> joint_qd = times(G, qd);
  for (std::size_t j = 0; j < n; ++j) joint_q[j] += offsets[j];
  const World world = place(robot, joint_q, joint_qd);
  Table M(n, std::vector<Wide>(n, 0));
  std::vector<Wide> bias(n, 0);
  for (std::size_t k = 0; k < world.bodies.size(); ++k)
    add_link(world, world.bodies[k], robot.links[k].inertial, read(robot.gravity), M, bias);
  std::size_t next = 0;
  for (const auto& joint : robot.joints) {
    if (joint.type == catena::JointType::fixed) continue;
    const auto& drive = joint.drive;
    M[next][next] += Wide(drive.gear_ratio) * drive.gear_ratio * drive.rotor_inertia;
    bias[next] += drive.viscous * joint_qd[next] + drive.spring * (joint_q[next] - drive.spring_rest) + drive.offset;
    ++next;
  }
  M = pulled_back(G, transposed(pulled_back(G, M)));
  Table x = pulled_back(G, transposed({bias}));
  for (std::size_t j = 0; j < x.size(); ++j) x[j][0] = tau[j] - x[j][0];
  solve(M, x);
  WideAccelerations out;
  for (const auto& row : x) out.qdd.push_back(static_cast<double>(row[0]));
  out.condition = condition_of(M);
  return out;
}

}  // namespace oracle
