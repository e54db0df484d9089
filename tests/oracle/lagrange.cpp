#include "oracle/lagrange.hpp"

#include <cmath>

namespace oracle::lagrange {
namespace {

// v + a ε₁ + b ε₂ + c ε₁ε₂ with ε₁² = ε₂² = 0: c is the exact mixed second derivative.
struct Hyper {
  long double v = 0, a = 0, b = 0, c = 0;
};
Hyper operator+(const Hyper& x, const Hyper& y) { return {x.v + y.v, x.a + y.a, x.b + y.b, x.c + y.c}; }
Hyper operator-(const Hyper& x, const Hyper& y) { return {x.v - y.v, x.a - y.a, x.b - y.b, x.c - y.c}; }
Hyper operator*(const Hyper& x, const Hyper& y) {
  return {x.v * y.v, x.v * y.a + x.a * y.v, x.v * y.b + x.b * y.v, x.v * y.c + x.a * y.b + x.b * y.a + x.c * y.v};
}
Hyper operator*(long double k, const Hyper& x) { return {k * x.v, k * x.a, k * x.b, k * x.c}; }
// f(x) from f, f', f'' at x.v
Hyper apply(const Hyper& x, long double f, long double f1, long double f2) {
  return {f, f1 * x.a, f1 * x.b, f1 * x.c + f2 * x.a * x.b};
}
Hyper sine(const Hyper& x) { return apply(x, std::sin(x.v), std::cos(x.v), -std::sin(x.v)); }
Hyper cosine(const Hyper& x) { return apply(x, std::cos(x.v), -std::sin(x.v), -std::cos(x.v)); }

struct Homogeneous {
  Hyper e[4][4] = {};
};
Homogeneous operator*(const Homogeneous& x, const Homogeneous& y) {
  Homogeneous z;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) z.e[i][j] = z.e[i][j] + x.e[i][k] * y.e[k][j];
  return z;
}
Homogeneous operator+(const Homogeneous& x, const Homogeneous& y) {
  Homogeneous z;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) z.e[i][j] = x.e[i][j] + y.e[i][j];
  return z;
}

Homogeneous constant(const catena::Pose<double>& pose) {
  const double rows[4][4] = {{pose.R.xx, pose.R.xy, pose.R.xz, pose.p.x},
                             {pose.R.yx, pose.R.yy, pose.R.yz, pose.p.y},
                             {pose.R.zx, pose.R.zy, pose.R.zz, pose.p.z},
                             {0, 0, 0, 1}};
  Homogeneous h;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) h.e[i][j].v = rows[i][j];
  return h;
}

// The joint's displacement and its derivative by q. Revolute: 1 + sin q K + (1 - cos q) K², K the matrix of the unit
// axis.
struct Displacement {
  Homogeneous at, slope;
};
Displacement displacement(const catena::JointDescription& joint, const Hyper& q) {
  const long double size = std::sqrt(static_cast<long double>(joint.axis.x) * joint.axis.x +
                                     static_cast<long double>(joint.axis.y) * joint.axis.y +
                                     static_cast<long double>(joint.axis.z) * joint.axis.z);
  const long double u[3] = {joint.axis.x / size, joint.axis.y / size, joint.axis.z / size};
  Displacement d;
  for (int i = 0; i < 4; ++i) d.at.e[i][i].v = 1;
  if (joint.type == catena::JointType::prismatic) {
    for (int i = 0; i < 3; ++i) {
      d.at.e[i][3] = u[i] * q;
      d.slope.e[i][3].v = u[i];
    }
    return d;
  }
  const long double k[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
  const Hyper s = sine(q), c = cosine(q), one{1, 0, 0, 0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const long double square = u[i] * u[j] - (i == j ? 1 : 0);
      d.at.e[i][j] = d.at.e[i][j] + k[i][j] * s + square * (one - c);
      d.slope.e[i][j] = k[i][j] * c + square * s;
    }
  return d;
}

struct Energies {
  Hyper kinetic, potential;
};

class Links {
 public:
  Links(const catena::Robot& robot, const std::vector<Hyper>& q, const std::vector<Hyper>& qd)
      : robot_(robot), q_(q), qd_(qd), joint_of_link_(robot.links.size(), -1), entry_(robot.joints.size(), -1) {
    int next = 0;
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      joint_of_link_[static_cast<std::size_t>(robot.joints[j].child)] = static_cast<int>(j);
      if (robot.joints[j].type != catena::JointType::fixed) entry_[j] = next++;
    }
  }

  Energies energies() {
    Energies sum;
    known_.assign(robot_.links.size(), {});
    for (std::size_t k = 0; k < robot_.links.size(); ++k) {
      const Motion& m = motion(static_cast<int>(k));
      if (m.moves) add(robot_.links[k].inertial, m, sum);
    }
    return sum;
  }

 private:
  struct Motion {
    bool known = false, moves = false;
    Homogeneous place, rate;  // world from link, and its time derivative
  };

  const Motion& motion(int link) {
    Motion& own = known_[static_cast<std::size_t>(link)];
    if (own.known) return own;
    own.known = true;
    const int j = joint_of_link_[static_cast<std::size_t>(link)];
    if (j < 0) {
      own.place = constant({});
      return own;
    }
    const catena::JointDescription& joint = robot_.joints[static_cast<std::size_t>(j)];
    const Motion& parent = motion(joint.parent);
    const Homogeneous before = constant(joint.origin), after = constant(joint.child_frame);
    const int entry = entry_[static_cast<std::size_t>(j)];
    if (entry < 0) {
      own.place = parent.place * before * after;
      own.rate = parent.rate * before * after;
      own.moves = parent.moves;
      return own;
    }
    const Displacement d = displacement(joint, q_[static_cast<std::size_t>(entry)]);
    Homogeneous sliding;  // slope times q̇
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) sliding.e[i][k] = d.slope.e[i][k] * qd_[static_cast<std::size_t>(entry)];
    own.place = parent.place * before * d.at * after;
    own.rate = parent.rate * before * d.at * after + parent.place * before * sliding * after;
    own.moves = true;
    return own;
  }

  // ½ m v·v + ½ ω·I ω with ω, in the link, from the skew matrix Rᵀ Ṙ; and - m g·x
  void add(const catena::Inertial& inertial, const Motion& m, Energies& sum) const {
    const long double centre[4] = {inertial.com.x, inertial.com.y, inertial.com.z, 1};
    const long double g[3] = {robot_.gravity.x, robot_.gravity.y, robot_.gravity.z};
    const long double mass = inertial.mass;
    for (int i = 0; i < 3; ++i) {
      Hyper x, v;
      for (int k = 0; k < 4; ++k) {
        x = x + centre[k] * m.place.e[i][k];
        v = v + centre[k] * m.rate.e[i][k];
      }
      sum.kinetic = sum.kinetic + (mass / 2) * (v * v);
      sum.potential = sum.potential - (mass * g[i]) * x;
    }
    const auto spin = [&](int i, int j) {
      Hyper entry;
      for (int k = 0; k < 3; ++k) entry = entry + m.place.e[k][i] * m.rate.e[k][j];
      return entry;
    };
    const Hyper w[3] = {spin(2, 1), spin(0, 2), spin(1, 0)};
    const auto& I = inertial.inertia;
    const long double inertia[3][3] = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum.kinetic = sum.kinetic + (inertia[i][j] / 2) * (w[i] * w[j]);
  }

  const catena::Robot& robot_;
  const std::vector<Hyper>&q_, &qd_;
  std::vector<int> joint_of_link_, entry_;
  std::vector<Motion> known_;
};

std::vector<Hyper> hyper(std::span<const double> values) {
  std::vector<Hyper> out;
  for (const double v : values) out.push_back({v, 0, 0, 0});
  return out;
}

}  // namespace

std::vector<double> inverse_dynamics(const catena::Robot& robot, std::span<const double> q, std::span<const double> qd,
                                     std::span<const double> qdd) {
  std::vector<double> tau;
  for (std::size_t j = 0; j < q.size(); ++j) {
    // ε₁ is time, ε₂ is q̇_j: the mixed coefficient of T is d/dt ∂T/∂q̇_j.
    std::vector<Hyper> position = hyper(q), velocity = hyper(qd);
    for (std::size_t k = 0; k < q.size(); ++k) position[k].a = qd[k], velocity[k].a = qdd[k];
    velocity[j].b = 1;
    const Energies moving = Links(robot, position, velocity).energies();
    // ε₂ is q_j.
    position = hyper(q), velocity = hyper(qd);
    position[j].b = 1;
    const Energies shifted = Links(robot, position, velocity).energies();
    tau.push_back(static_cast<double>(moving.kinetic.c - shifted.kinetic.b + shifted.potential.b));
  }
  return tau;
}

std::vector<std::vector<double>> inertia_matrix(const catena::Robot& robot, std::span<const double> q) {
  const std::size_t n = q.size();
  std::vector<std::vector<double>> matrix(n, std::vector<double>(n, 0.0));
  const std::vector<Hyper> position = hyper(q);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      std::vector<Hyper> velocity(n);
      velocity[i].a = 1;
      velocity[j].b = 1;
      matrix[i][j] = matrix[j][i] = static_cast<double>(Links(robot, position, velocity).energies().kinetic.c);
    }
  return matrix;
}

}  // namespace oracle::lagrange
