// The matrices of the decoupled natural orthogonal complement, as Saha and Goel print them: each one in full, along the
// axes of the user's base link, numbered by joint. Equations (1)-(13): docs/equations/denoc_objects.md. For reading and
// comparison; the formulations named denoc compute without them.
#pragma once

#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "formulations/shared/links_in_base.hpp"

namespace catena {

// A matrix of any size, by rows.
template <class S>
struct DenseMatrix {
  int rows = 0, columns = 0;
  std::vector<S> entries;

  DenseMatrix() = default;
  DenseMatrix(int rows_, int columns_) : rows(rows_), columns(columns_), entries(index(rows_) * index(columns_)) {}
  S& operator()(int i, int j) { return entries[index(i) * index(columns) + index(j)]; }
  const S& operator()(int i, int j) const { return entries[index(i) * index(columns) + index(j)]; }

  static DenseMatrix identity(int n) {
    DenseMatrix out(n, n);
    for (int i = 0; i < n; ++i) out(i, i) = S(ConstantOf<S>(1));
    return out;
  }
  DenseMatrix transpose() const {
    DenseMatrix out(columns, rows);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) out(j, i) = (*this)(i, j);
    return out;
  }
  void set_block(int row, int column, const DenseMatrix& block) {
    for (int i = 0; i < block.rows; ++i)
      for (int j = 0; j < block.columns; ++j) (*this)(row + i, column + j) = block(i, j);
  }
  DenseMatrix& operator+=(const DenseMatrix& b) {
    for (std::size_t k = 0; k < entries.size(); ++k) entries[k] += b.entries[k];
    return *this;
  }
  friend DenseMatrix operator+(DenseMatrix a, const DenseMatrix& b) { return a += b; }
  friend DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
    DenseMatrix out(a.rows, b.columns);
    for (int i = 0; i < a.rows; ++i)
      for (int j = 0; j < b.columns; ++j)
        for (int k = 0; k < a.columns; ++k) out(i, j) += a(i, k) * b(k, j);
    return out;
  }
};

template <class S>
class DenocObjects {
 public:
  using Matrix = DenseMatrix<S>;

  DenocObjects(const MechanismFor<S>& robot, std::span<const S> q, std::span<const S> qd)
      : robot_(robot), links_(index(robot.joints())) {
    require_uncoupled(robot, "DeNOC's objects");
    require_fixed_base(robot, "DeNOC's objects do");
    JointTurns<S> turns(robot.joints());
    joint_turns<S>(robot, q, turns);
    place_links<S>(robot, q, qd, turns, links_);
    for (auto& link : links_) to_user(link);
    find_composites();
  }

  int joints() const { return robot_.joints(); }
  int number(int i) const { return robot_.link(i).q + 1; }  // the number of link i: that of its joint
  bool is_ancestor(int j, int i) const {                    // or the link itself
    while (i != base_link && i != j) i = robot_.link(i).parent;
    return i == j;
  }

  Vec3<S> c(int i, int j) const { return links_[index(j)].com - links_[index(i)].com; }              // (1)
  Vec3<S> c_dot(int i, int j) const { return links_[index(j)].com_dot - links_[index(i)].com_dot; }  // (1)
  Matrix B(int i, int j) const {                                                                     // (2)
    Matrix out = Matrix::identity(6);
    out.set_block(3, 0, skew(c(i, j)));
    return out;
  }
  Matrix B_dot(int i, int j) const {  // (2)
    Matrix out(6, 6);
    out.set_block(3, 0, skew(c_dot(i, j)));
    return out;
  }
  Matrix p(int i) const {  // (3)
    const auto& link = links_[index(i)];
    if (robot_.link(i).revolute) return column(link.axis, cross(link.axis, link.arm));
    return column({}, link.axis);
  }
  Matrix M(int i) const {  // (4)
    Matrix out(6, 6);
    const Mat3<S> I = links_[index(i)].inertia.full();
    out.set_block(0, 0, block(I));
    for (int k = 3; k < 6; ++k) out(k, k) = S(robot_.link(i).mass);
    return out;
  }
  const Matrix& M_tilde(int i) const { return M_tilde_[index(i)]; }                               // (5)
  Matrix H_tilde(int i, int j) const { return M_tilde_[index(i)] * B_dot(i, j) + S_[index(i)]; }  // (6)

  Matrix W(int i) const {  // (9)
    Matrix out(6, 6);
    out.set_block(0, 0, skew(links_[index(i)].omega));
    return out;
  }
  Matrix V(int i) const {  // (9)
    Matrix out = W(i);
    out.set_block(3, 3, skew(links_[index(i)].omega));
    return out;
  }
  const Matrix& M_tilde_dot(int i) const { return M_tilde_dot_[index(i)]; }  // (10)

  // (7): the articulated bodies, by link. They divide by pivots, so they are for numeric S only.
  struct Articulated {
    std::vector<Matrix> M_hat, psi_hat, psi;  // 6 x 6, 6 x 1, 6 x 1
    std::vector<S> m_hat;
  };
  Articulated articulated() const {
    Articulated out;
    for (int i = 0; i < joints(); ++i) out.M_hat.push_back(M(i));
    out.psi_hat.resize(index(joints()));
    out.psi = out.psi_hat;
    out.m_hat.resize(index(joints()));
    for (int i = joints() - 1; i >= 0; --i) {
      Matrix given = out.M_hat[index(i)];
      Matrix& psi_hat = out.psi_hat[index(i)] = given * p(i);
      const S& felt = out.m_hat[index(i)] = (p(i).transpose() * psi_hat)(0, 0);
      Matrix& psi = out.psi[index(i)] = psi_hat;
      for (S& entry : psi.entries) entry = entry / felt;
      if (robot_.link(i).parent == base_link) continue;
      const Matrix b = B(i, robot_.link(i).parent), away = psi_hat * psi.transpose();
      for (std::size_t k = 0; k < given.entries.size(); ++k) given.entries[k] -= away.entries[k];
      out.M_hat[index(robot_.link(i).parent)] += b.transpose() * given * b;
    }
    return out;
  }
  // (11): what the joints from k outward take away from the composite body i, k beyond i or i itself.
  Matrix Psi(const Articulated& hat, int i, int k) const {
    Matrix out(6, 6);
    for (int l = k; l < joints(); ++l) {
      if (!is_ancestor(i, l)) continue;
      const Matrix b = B(l, i).transpose();
      out += (b * hat.psi_hat[index(l)]) * (b * hat.psi[index(l)]).transpose();
    }
    return out;
  }

  // (12), (13): the factor of M = U D Uᵀ and its inverse, whose joints give way to what comes from farther out.
  Matrix U(const Articulated& hat, bool inverse = false) const {
    Matrix out = Matrix::identity(joints());
    for (int k = 0; k < joints(); ++k) {
      Matrix w = hat.psi[index(k)];
      for (int i = k; robot_.link(i).parent != base_link;) {
        w = B(i, robot_.link(i).parent).transpose() * w;
        i = robot_.link(i).parent;
        const S felt = (p(i).transpose() * w)(0, 0);
        out(place(i), place(k)) = inverse ? -felt : felt;
        for (std::size_t e = 0; inverse && e < 6; ++e) w.entries[e] -= felt * hat.psi[index(i)].entries[e];
      }
    }
    return out;
  }

  Matrix N_l() const {  // (8)
    Matrix out(6 * joints(), 6 * joints());
    for (int i = 0; i < joints(); ++i)
      for (int j = i; j != base_link; j = robot_.link(j).parent) out.set_block(6 * place(i), 6 * place(j), B(i, j));
    return out;
  }
  Matrix N_d() const {  // (8)
    Matrix out(6 * joints(), joints());
    for (int i = 0; i < joints(); ++i) out.set_block(6 * place(i), place(i), p(i));
    return out;
  }

 private:
  int place(int i) const { return robot_.link(i).q; }

  // Converts from the axes of the mechanism's base to those of the user's.
  void to_user(LinkInBase<S>& link) const {
    const Mat3<S> R = static_cast<Mat3<S>>(robot_.world_from_base.R);
    for (Vec3<S>* v : {&link.axis, &link.omega, &link.arm, &link.com, &link.com_dot}) *v = R * *v;
    link.inertia = turn_symmetric(R, link.inertia);
  }
  void find_composites() {
    for (int i = 0; i < joints(); ++i) {
      M_tilde_.push_back(M(i));
      S_.emplace_back(6, 6);
      M_tilde_dot_.push_back(W(i) * M(i));
    }
    for (int i = joints() - 1; i >= 0; --i) {
      const int parent = robot_.link(i).parent;
      if (parent == base_link) continue;
      const Matrix b = B(i, parent);
      M_tilde_[index(parent)] += b.transpose() * M_tilde_[index(i)] * b;  // (5)
      S_[index(parent)] += b.transpose() * H_tilde(i, parent);            // (6)
      M_tilde_dot_[index(parent)] += M_tilde_dot_[index(i)];              // (10)
    }
  }

  static Matrix block(const Mat3<S>& m) {
    Matrix out(3, 3);
    out.entries = {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz};
    return out;
  }
  static Matrix skew(const Vec3<S>& v) { return block({S{}, -v.z, v.y, v.z, S{}, -v.x, -v.y, v.x, S{}}); }
  static Matrix column(const Vec3<S>& angular, const Vec3<S>& linear) {
    Matrix out(6, 1);
    out.entries = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
    return out;
  }

  const MechanismFor<S>& robot_;
  Array<LinkInBase<S>> links_;
  std::vector<Matrix> M_tilde_, S_, M_tilde_dot_;  // (5), (6), (10)
};

}  // namespace catena
