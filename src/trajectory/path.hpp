// A path through points: the natural cubic spline over the lengths of the chords, or straight.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/trajectory.hpp"

namespace catena::trajectory {

class Path {
 public:
  explicit Path(const std::vector<JointPoint>& points) : points_(points), s_{0.0} {
    for (std::size_t k = 1; k < points.size(); ++k) {
      double square = 0.0;
      for (std::size_t j = 0; j < joints(); ++j)
        square += (points[k][j] - points[k - 1][j]) * (points[k][j] - points[k - 1][j]);
      s_.push_back(s_.back() + std::sqrt(square));
    }
    bend();
  }
  std::size_t joints() const { return points_.front().size(); }
  double length() const { return s_.back(); }

  // Where the path bends otherwise, and where a joint turns back: from 0 to length(), in order.
  std::vector<double> marks() const {
    std::vector<double> out(s_);
    for (std::size_t k = 0; k + 1 < s_.size(); ++k)
      for (std::size_t j = 0; j < joints(); ++j) {
        const double h = s_[k + 1] - s_[k], m = bends_[k][j], n = bends_[k + 1][j];
        const double a = (n - m) / (2.0 * h), c = (points_[k + 1][j] - points_[k][j]) / h - h * (n / 6.0 + m / 3.0);
        const double root = std::sqrt(m * m - 4.0 * a * c), p = -0.5 * (m + std::copysign(root, m));
        for (const double at : {p / a, c / p})  // q' = a t² + m t + c; what is not a number is not between
          if (at > 1e-9 * h && at < (1.0 - 1e-9) * h) out.push_back(s_[k] + at);
      }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end(), [&](double x, double y) { return y - x < 1e-9 * length(); }),
              out.end());
    out.back() = length();
    return out;
  }

  // q, dq/ds, d²q/ds², d³q/ds³
  void at(double s, std::vector<double>& q, std::vector<double>& q1, std::vector<double>& q2,
          std::vector<double>& q3) const {
    std::size_t k = 0;
    while (k + 2 < s_.size() && s >= s_[k + 1]) ++k;
    const double h = s_[k + 1] - s_[k], a = s - s_[k], b = s_[k + 1] - s;
    for (std::size_t j = 0; j < joints(); ++j) {
      const double from = points_[k][j], to = points_[k + 1][j], m = bends_[k][j], n = bends_[k + 1][j];
      q[j] = (b * from + a * to) / h - a * b / 6.0 * ((1.0 + b / h) * m + (1.0 + a / h) * n);
      q1[j] = (to - from) / h + (3.0 * a * a / h - h) / 6.0 * n - (3.0 * b * b / h - h) / 6.0 * m;
      q2[j] = (b * m + a * n) / h;
      q3[j] = (n - m) / h;
    }
  }

 private:
  // Second derivatives at the points, zero at both ends:
  //   h₋ m₋ + 2 (h₋ + h₊) m + h₊ m₊ = 6 (Δ₊/h₊ - Δ₋/h₋)
  void bend() {
    const std::size_t last = s_.size() - 1;
    bends_.assign(s_.size(), JointPoint(joints(), 0.0));
    std::vector<double> upper(s_.size(), 0.0);
    for (std::size_t k = 1; k < last; ++k) {
      const double before = s_[k] - s_[k - 1], after = s_[k + 1] - s_[k];
      const double pivot = 2.0 * (before + after) - before * upper[k - 1];
      upper[k] = after / pivot;
      for (std::size_t j = 0; j < joints(); ++j)
        bends_[k][j] =
            (6.0 * ((points_[k + 1][j] - points_[k][j]) / after - (points_[k][j] - points_[k - 1][j]) / before) -
             before * bends_[k - 1][j]) /
            pivot;
    }
    for (std::size_t k = last; k-- > 1;)
      for (std::size_t j = 0; j < joints(); ++j) bends_[k][j] -= upper[k] * bends_[k + 1][j];
  }

  std::vector<JointPoint> points_, bends_;
  std::vector<double> s_;
};

}  // namespace catena::trajectory
