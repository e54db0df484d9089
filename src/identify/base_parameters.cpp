#include "catena/identify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "identify/matrices.hpp"

namespace catena {
namespace {

using namespace identification;

constexpr double dependent = 1e-8;   // what is left of a column of length 1 that the others make up: rounding, 1e-13
constexpr double negligible = 1e-9;  // of a factor, columns of length 1

// In which order a link's parameters are taken: what comes late is put into the combinations of what came before.
// Masses come last, so that they go into first moments and inertias of links nearer to the base.
constexpr std::array<int, parameters_per_joint> preference{1, 2, 4, 7, 8, 9, 6, 3, 5, 0, 10, 11, 12};

std::vector<int> columns_by_preference(const Mechanism& robot, bool drives) {
  std::vector<int> columns;
  for (const auto& link : robot.links)
    for (const int k : preference)
      if (drives || k < link_parameters) columns.push_back(link.q * parameters_per_joint + k);
  return columns;
}

// Regressors of random motions, one below the other.
Matrix stacked(const Mechanism& robot) {
  const std::size_t n = index(robot.nv());
  const Index width = robot.joints() * parameters_per_joint;
  // 80 rows a joint of the tree at least, which has 13 columns; a sample has a row a coordinate.
  const Index samples = 80 * ((robot.joints() + robot.nv() - 1) / robot.nv());
  Call<double> regressor(robot, "regressor");
  std::mt19937_64 engine(1);
  const auto between = [&](double size) { return size * (0x1.0p-52 * static_cast<double>(engine() >> 11) - 1.0); };
  std::vector<double> q(n), qd(n), qdd(n), Y(regressor.size());
  std::vector<std::pair<int, std::size_t>> order;  // link by link, base to tip: those that coordinates move themselves
  for (const Coordinate c : robot.coordinates.all()) order.emplace_back(robot.link_of(c), index(c));
  std::sort(order.begin(), order.end());
  Matrix all(samples * robot.nv(), width);
  for (Index k = 0; k < samples; ++k) {
    for (const auto& [i, j] : order) {
      q[j] = between(robot.link(i).revolute ? std::numbers::pi : 1.0);
      qd[j] = between(2.0);
      qdd[j] = between(4.0);
    }
    regressor({.q = q, .qd = qd, .qdd = qdd}, Y);
    all.middleRows(k * robot.nv(), robot.nv()) = Eigen::Map<const RowMajor>(Y.data(), robot.nv(), width);
  }
  return all;
}

// Columns of length 1 in the order of preference. The torque of a joint feels the links that it moves alone: its rows
// begin with zeros, and stand by where these end.
struct Staircase {
  Matrix columns;
  std::vector<Index> rows_in;  // by column: rows that begin there or before
};
Staircase staircase(const Matrix& all, Index torques, const std::vector<int>& order,
                    const std::vector<double>& lengths) {
  const Index samples = all.rows() / torques, width = static_cast<Index>(order.size());
  std::vector<std::pair<Index, Index>> groups;  // where the rows of a torque begin, and which it is
  for (Index j = 0; j < torques; ++j) {
    Index begin = 0;
    const auto is_zero = [&](Index column) {
      for (Index k = 0; k < samples; ++k)
        if (all(k * torques + j, order[static_cast<std::size_t>(column)]) != 0.0) return false;
      return true;
    };
    while (begin < width && is_zero(begin)) ++begin;
    groups.emplace_back(begin, j);
  }
  std::sort(groups.begin(), groups.end());
  Staircase out{Matrix(all.rows(), width), std::vector<Index>(order.size(), 0)};
  for (Index k = 0; k < width; ++k) {
    const auto own = static_cast<std::size_t>(k);
    Index row = 0;
    for (const auto& [begin, j] : groups) {
      for (Index sample = 0; sample < samples; ++sample, ++row)
        out.columns(row, k) = all(sample * torques + j, order[own]) / lengths[own];
      if (begin <= k) out.rows_in[own] += samples;
    }
  }
  return out;
}

// Which columns are independent of all before, and the factors of all in an orthogonal basis of these: the matrix in
// echelon form. Householder's reflections, some columns at a time and then on all that follow (compact WY form, Golub
// and Van Loan, Matrix Computations, 5.2.3); what is left of a column below the steps so far begins a step, or is
// rounding.
struct Independent {
  std::vector<std::size_t> chosen, others;  // positions in the order of preference
  Matrix R;                                 // chosen.size() x all
};
Independent orthogonalize(Staircase given) {
  constexpr Index panel = 26;
  Independent out;
  Matrix& A = given.columns;
  for (Index first = 0, width = 0; first < A.cols(); first += width) {
    width = std::min(panel, A.cols() - first);
    const auto top = static_cast<Index>(out.chosen.size());
    const Index rows = given.rows_in[static_cast<std::size_t>(first + width - 1)] - top;
    Matrix V = Matrix::Zero(rows, width), T = Matrix::Zero(width, width);
    Index steps = 0;  // reflections so far: A <- A - V Tᵀ Vᵀ A
    const auto reflect = [&](auto&& part) {
      const auto done = V.leftCols(steps);
      part -= done * (T.topLeftCorner(steps, steps).transpose() * (done.transpose() * part)).eval();
    };
    for (Index k = 0; k < width; ++k) {
      auto column = A.col(first + k).segment(top, rows);
      if (steps > 0) reflect(column);
      auto left = column.tail(rows - steps);
      const double length = left.norm();
      if (length < dependent) {
        left.setZero();
        out.others.push_back(static_cast<std::size_t>(first + k));
        continue;
      }
      const double step = -std::copysign(length, left(0));
      auto v = V.col(steps).tail(rows - steps);
      v = left;
      v(0) -= step;
      v.normalize();
      T.col(steps).head(steps) =
          -2.0 * (T.topLeftCorner(steps, steps) * (V.leftCols(steps).transpose() * V.col(steps)));
      T(steps, steps) = 2.0;
      left(0) = step;
      ++steps;
      out.chosen.push_back(static_cast<std::size_t>(first + k));
    }
    const Index after = first + width;
    if (steps > 0) reflect(A.block(top, after, rows, A.cols() - after));
  }
  out.R = A.topRows(static_cast<Index>(out.chosen.size()));
  return out;
}

// Without the last digits that rounding made of a short number.
double tidy(double factor) {
  const double shorter = std::round(factor * 1e9) * 1e-9;
  return std::abs(shorter - factor) < 1e-11 * std::max(1.0, std::abs(factor)) ? shorter : factor;
}

// A factor is left out where it is the number 1; of another unit it is a length, 1 m, or its square.
std::string text_of(const std::vector<ParameterTerm>& terms, const std::vector<std::string>& names,
                    const std::vector<std::string>& units) {
  std::string text;
  for (const auto& [parameter, factor] : terms) {
    const double size = std::abs(factor);
    if (!text.empty() || factor < 0.0) text += text.empty() ? "-" : factor < 0.0 ? " - " : " + ";
    char digits[32] = "";
    if (size != 1.0 || units[index(parameter)] != units[index(terms.front().parameter)])
      std::snprintf(digits, sizeof digits, "%.6g ", size);
    text += digits + names[index(parameter)];
  }
  return text;
}

}  // namespace

std::vector<BaseParameter> base_parameters(const Mechanism& robot, bool drives) {
  require_fixed_base(robot, "identification does");
  if (robot.nv() == 0) return {};
  const Matrix all = stacked(robot);
  std::vector<int> order;
  std::vector<double> lengths;
  for (const int column : columns_by_preference(robot, drives)) {
    const double length = all.col(column).norm();
    if (length <= dependent) continue;  // never shows
    order.push_back(column);
    lengths.push_back(length);
  }
  const Independent found = orthogonalize(staircase(all, robot.nv(), order, lengths));
  const auto rank = static_cast<Index>(found.chosen.size());
  Matrix R(rank, rank), rest(rank, static_cast<Index>(found.others.size()));
  for (Index k = 0; k < rank; ++k)
    R.col(k) = found.R.col(static_cast<Index>(found.chosen[static_cast<std::size_t>(k)]));
  for (Index k = 0; k < rest.cols(); ++k)
    rest.col(k) = found.R.col(static_cast<Index>(found.others[static_cast<std::size_t>(k)]));
  R.triangularView<Eigen::Upper>().solveInPlace(rest);

  const std::vector<std::string> names = parameter_names(parameter_joints(robot)), units = parameter_units(robot);
  const std::vector<double> theta = standard_parameters(robot);
  std::vector<BaseParameter> list;
  for (Index b = 0; b < rank; ++b) {
    const std::size_t own = found.chosen[static_cast<std::size_t>(b)];
    BaseParameter combined{{{order[own], 1.0}}, {}, units[index(order[own])], theta[index(order[own])]};
    double parts = std::abs(combined.nominal);
    for (Index d = 0; d < rest.cols(); ++d) {
      const std::size_t other = found.others[static_cast<std::size_t>(d)];
      if (std::abs(rest(b, d)) < negligible) continue;
      const double factor = tidy(rest(b, d) * lengths[other] / lengths[own]);
      combined.terms.push_back({order[other], factor});
      combined.nominal += factor * theta[index(order[other])];
      parts += std::abs(factor * theta[index(order[other])]);
    }
    if (std::abs(combined.nominal) < 1e-15 * parts) combined.nominal = 0.0;
    combined.text = text_of(combined.terms, names, units);
    list.push_back(std::move(combined));
  }
  return list;
}

}  // namespace catena
