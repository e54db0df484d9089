#include "support/loop_robots.hpp"

#include <algorithm>
#include <cmath>

namespace catena::test {
namespace {

using V = Vec3<double>;

Pose<double> pose_of(const Vector& T) {
  return {{T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]}, {T[3], T[7], T[11]}};
}

// A displacement that a loop of this type allows.
Pose<double> allowed(Random& random, LoopType type) {
  const V z{0.0, 0.0, 1.0}, x{1.0, 0.0, 0.0};
  const double turn = random.between(-1.0, 1.0);
  switch (type) {
    case LoopType::revolute:
      return {rotation_about(z, turn), {}};
    case LoopType::prismatic:
      return {Mat3<double>::identity(), {0.0, 0.0, turn}};
    case LoopType::cylindrical:
      return {rotation_about(z, turn), {0.0, 0.0, random.between(-0.5, 0.5)}};
    case LoopType::universal:
      return {rotation_about(z, turn) * rotation_about(x, random.between(-1.0, 1.0)), {}};
    case LoopType::spherical:
      return {random.rotation(), {}};
    case LoopType::planar:
      return {rotation_about(z, turn), {random.between(-0.5, 0.5), random.between(-0.5, 0.5), 0.0}};
    default:
      return {};
  }
}

// Least squares by the normal equations, twice, for equations that agree: A x = b.
Vector least(const Vector& A, const Vector& b, std::size_t columns) {
  const Vector At = transposed(A, columns);
  const std::size_t rows = b.size();
  const Vector N = times(At, A, rows);
  Vector x = solved(N, times(At, b, rows));
  for (int again = 0; again < 2; ++again) {
    const Vector left = combined(1.0, b, -1.0, times(A, x, columns));
    x = combined(1.0, x, 1.0, solved(N, times(At, left, rows)));
  }
  return x;
}

int joints_between(const Mechanism& tree, int one, int other) {
  std::vector<char> on(tree.links.size(), 0);
  for (const int frame : {one, other})
    for (int i = tree.frames[static_cast<std::size_t>(frame)].link; i != base_link; i = tree.link(i).parent)
      on[static_cast<std::size_t>(i)] ^= 1;
  return static_cast<int>(std::count(on.begin(), on.end(), 1));
}

}  // namespace

LoopRobot random_loops(Random& random, const RobotOptions& options, const std::vector<LoopType>& types) {
  LoopRobot out;
  out.tree = random_robot(random, options);
  const Mechanism tree = make_mechanism(out.tree);
  out.q = random_state(random, tree.joints()).q;
  Call<double> call(tree, "pose");
  const auto pose = [&](int frame) {
    Vector T(16);
    call({.q = out.q, .frame = frame}, T);
    return pose_of(T);
  };
  for (std::size_t l = 0; l < types.size(); ++l) {
    int a = 0, b = 0;
    for (int longest = 0, tries = 0; tries < 30 || longest == 0; ++tries) {  // short paths cannot move
      const int one = random.below(static_cast<int>(out.tree.links.size()));
      const int other = random.below(static_cast<int>(out.tree.links.size()));
      const int length = joints_between(tree, one, other);
      if (length > longest) longest = length, a = one, b = other;
    }
    const std::string number = std::to_string(l);
    const Pose<double> first{random.rotation(), random.vector(0.3)};
    const Pose<double> second = pose(b).inverse() * (pose(a) * first) * allowed(random, types[l]);
    out.tree.add_frame("first " + number, a, first);
    out.tree.add_frame("second " + number, b, second);
    out.frames.push_back({"first " + number, "second " + number});
  }
  out.robot = out.tree;
  for (std::size_t l = 0; l < types.size(); ++l)
    out.robot.loops.push_back({"loop" + std::to_string(l), types[l], out.frames[l], 0});
  const std::vector<int> joints = out.tree.tree_joints();
  for (std::size_t j = 0; j < joints.size(); ++j)
    out.robot.start[out.tree.joints[static_cast<std::size_t>(joints[j])].name] = out.q[j];
  return out;
}

Multipliers::Multipliers(const LoopRobot& of)
    : tree(make_mechanism(of.tree)), n_(static_cast<std::size_t>(tree.joints())) {
  for (std::size_t l = 0; l < of.frames.size(); ++l)
    loops_.push_back({of.robot.loops[l].type, {tree.frame_index(of.frames[l][0]), tree.frame_index(of.frames[l][1])}});
}

Vector Multipliers::run(std::string_view job, const Vector& q, const Vector& qd, const Vector& qdd, int frame) {
  auto found = calls_.find(job);
  if (found == calls_.end()) found = calls_.emplace(std::string(job), Call<double>(tree, job)).first;
  Call<double>& call = found->second;
  Vector out(call.size());
  call({.q = q, .qd = qd, .qdd = qdd, .frame = frame}, out);
  return out;
}

// The relative velocity of the second frame in the first, by the directions in which the type gives way to none.
Vector Multipliers::J(const Vector& q) {
  Vector all;
  for (const Loop& loop : loops_) {
    const Pose<double> A = pose_of(run("pose", q, {}, {}, loop.frames[0]));
    const Pose<double> B = pose_of(run("pose", q, {}, {}, loop.frames[1]));
    const Vector JA = run("jacobian", q, {}, {}, loop.frames[0]), JB = run("jacobian", q, {}, {}, loop.frames[1]);
    const auto row = [&](const V& force, const V& moment) {
      for (std::size_t j = 0; j < n_; ++j) {
        const auto at = [&](const Vector& M, std::size_t r) {
          return V{M[r * n_ + j], M[(r + 1) * n_ + j], M[(r + 2) * n_ + j]};
        };
        const V w = at(JB, 3) - at(JA, 3), v = at(JB, 0) - at(JA, 0) - cross(at(JA, 3), B.p - A.p);
        all.push_back(dot(force, v) + dot(moment, w));
      }
    };
    const V x = A.R.column_x(), y = A.R.column_y(), z = A.R.column_z();
    const LoopType t = loop.type;
    if (t != LoopType::planar) row(x, {}), row(y, {});
    if (t != LoopType::prismatic && t != LoopType::cylindrical) row(z, {});
    if (t == LoopType::universal) row({}, cross(z, B.R.column_x()));
    if (t == LoopType::spherical || t == LoopType::universal) continue;
    row({}, x), row({}, y);
    if (t == LoopType::prismatic || t == LoopType::fixed) row({}, z);
  }
  return all;
}
std::size_t Multipliers::rows(const Vector& q) { return J(q).size() / n_; }

double Multipliers::gap(const Vector& q) {
  double most = 0.0;
  for (const Loop& loop : loops_) {
    const Pose<double> A = pose_of(run("pose", q, {}, {}, loop.frames[0]));
    const Pose<double> B = pose_of(run("pose", q, {}, {}, loop.frames[1]));
    const Pose<double> r = A.inverse() * B;
    const auto count = [&](double part) { most = std::max(most, std::abs(part)); };
    const LoopType t = loop.type;
    if (t != LoopType::planar) count(r.p.x), count(r.p.y);
    if (t != LoopType::prismatic && t != LoopType::cylindrical) count(r.p.z);
    if (t == LoopType::universal) count(r.R.zx);
    if (t == LoopType::spherical || t == LoopType::universal) continue;
    count(1.0 - r.R.zz), count(r.R.xz), count(r.R.yz);
    if (t == LoopType::prismatic || t == LoopType::fixed) count(1.0 - r.R.xx), count(r.R.xy);
  }
  return most;
}

// J̇ q̇ by the rows of J: their directions turn with the frames, whose own J̇ q̇ the tree gives.
Vector Multipliers::drift(const Vector& q, const Vector& qd) {
  Vector all;
  for (const Loop& loop : loops_) {
    std::array<Pose<double>, 2> at;
    std::array<V, 2> v, w, a, alpha;
    for (std::size_t k = 0; k < 2; ++k) {
      at[k] = pose_of(run("pose", q, {}, {}, loop.frames[k]));
      const Vector rate = times(run("jacobian", q, {}, {}, loop.frames[k]), qd, n_);
      const Vector second = run("drift", q, qd, {}, loop.frames[k]);
      v[k] = {rate[0], rate[1], rate[2]}, w[k] = {rate[3], rate[4], rate[5]};
      a[k] = {second[0], second[1], second[2]}, alpha[k] = {second[3], second[4], second[5]};
    }
    const V r = at[1].p - at[0].p, r_dot = v[1] - v[0], relative = r_dot - cross(w[0], r), turning = w[1] - w[0];
    const V relative_dot = a[1] - a[0] - cross(alpha[0], r) - cross(w[0], r_dot);
    const auto along = [&](const V& f) { all.push_back(dot(cross(w[0], f), relative) + dot(f, relative_dot)); };
    const auto about = [&](const V& m, const V& m_dot) {
      all.push_back(dot(m_dot, turning) + dot(m, alpha[1] - alpha[0]));
    };
    const V x = at[0].R.column_x(), y = at[0].R.column_y(), z = at[0].R.column_z(), x_of_second = at[1].R.column_x();
    const LoopType t = loop.type;
    if (t != LoopType::planar) along(x), along(y);
    if (t != LoopType::prismatic && t != LoopType::cylindrical) along(z);
    if (t == LoopType::universal)
      about(cross(z, x_of_second), cross(cross(w[0], z), x_of_second) + cross(z, cross(w[1], x_of_second)));
    if (t == LoopType::spherical || t == LoopType::universal) continue;
    about(x, cross(w[0], x)), about(y, cross(w[0], y));
    if (t == LoopType::prismatic || t == LoopType::fixed) about(z, cross(w[0], z));
  }
  return all;
}

Vector Multipliers::accelerations(const Vector& q, const Vector& qd, const std::vector<int>& independent,
                                  const Vector& vd) {
  Vector A = J(q), b = drift(q, qd);
  for (double& part : b) part = -part;
  for (std::size_t i = 0; i < independent.size(); ++i) {
    Vector row(n_);
    row[static_cast<std::size_t>(independent[i])] = 1.0;
    A.insert(A.end(), row.begin(), row.end());
    b.push_back(vd[i]);
  }
  return least(A, b, n_);
}
Vector Multipliers::G(const Vector& q, const std::vector<int>& independent) {
  Vector A = J(q);
  const std::size_t rows = A.size() / n_;
  for (const int j : independent) {
    Vector row(n_);
    row[static_cast<std::size_t>(j)] = 1.0;
    A.insert(A.end(), row.begin(), row.end());
  }
  Vector out(n_ * independent.size());
  for (std::size_t i = 0; i < independent.size(); ++i) {
    Vector one(rows + independent.size());
    one[rows + i] = 1.0;
    const Vector column = least(A, one, n_);
    for (std::size_t j = 0; j < n_; ++j) out[j * independent.size() + i] = column[j];
  }
  return out;
}

Vector Multipliers::forward(const Vector& q, const Vector& qd, const Vector& tau, Vector* lambda) {
  const Vector M = run("inertia", q), b = run("bias", q, qd), rows = J(q), c = drift(q, qd);
  const std::size_t m = c.size(), all = n_ + m;
  Vector K(all * all), right(all);
  for (std::size_t r = 0; r < n_; ++r) {
    right[r] = tau[r] - b[r];
    for (std::size_t j = 0; j < n_; ++j) K[r * all + j] = M[r * n_ + j];
    for (std::size_t k = 0; k < m; ++k) K[r * all + n_ + k] = K[(n_ + k) * all + r] = rows[k * n_ + r];
  }
  for (std::size_t k = 0; k < m; ++k) right[n_ + k] = -c[k];
  const Vector x = solved(K, right);
  if (lambda) lambda->assign(x.begin() + static_cast<std::ptrdiff_t>(n_), x.end());
  return {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n_)};
}

}  // namespace catena::test
