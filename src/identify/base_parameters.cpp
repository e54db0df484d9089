#include "catena/identify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "identify/base_columns.hpp"
#include "identify/matrices.hpp"
#include "identify/random_positions.hpp"

namespace catena {
namespace {

using namespace identification;

constexpr double dependent = 1e-8;   // what is left of a column of length 1 that the others make up: rounding, 1e-13
constexpr double negligible = 1e-9;  // of a factor, columns of length 1

// In which order a link's parameters are taken: what comes late is put into the combinations of what came before.
// Masses come last, so that they go into first moments and inertias of links nearer to the base.
constexpr std::array<int, link_parameters> preference{1, 2, 4, 7, 8, 9, 6, 3, 5, 0};

// Regressors of random motions, one below the other, and transposed: a row is what one parameter does.
Matrix stacked(const Mechanism& robot) {
  const std::size_t n = index(robot.nv()), width = index(robot.joints()) * parameters_per_joint;
  // 80 rows per joint of the tree at least, which has 16 columns; a sample has a row per coordinate.
  const std::size_t samples = 80 * ((index(robot.joints()) + n - 1) / n);
  Call<double> regressor(robot, "regressor");
  std::mt19937_64 engine(1);
  const auto between = [&](double size) { return size * (0x1.0p-52 * static_cast<double>(engine() >> 11) - 1.0); };
  std::vector<double> q(n), qd(n), qdd(n), Y(regressor.size());
  RandomPositions positions(robot);
  std::vector<std::pair<int, std::size_t>> order;  // link by link, base to tip: those that coordinates move themselves
  for (const Coordinate c : robot.coordinates.all()) order.emplace_back(robot.link_of(c), index(c));
  std::sort(order.begin(), order.end());
  Matrix all(width, samples * n);
  for (std::size_t k = 0; k < samples; ++k) {
    for (const auto& [i, j] : order) {
      q[j] = between(1.0);
      qd[j] = between(2.0);
      qdd[j] = between(4.0);
    }
    positions(q);
    regressor({.q = q, .qd = qd, .qdd = qdd}, Y);
    all.put(0, k * n, transposed(Matrix(n, width, Y)));
  }
  return all;
}

// Columns of length 1 in the order of preference. The torque of a joint feels the links that it moves alone: its rows
// begin with zeros, and stand by where these end.
struct Staircase {
  Matrix columns;                    // transposed: a column is a row here
  std::vector<std::size_t> rows_in;  // by column: rows that begin there or before
};
Staircase staircase(const Matrix& all, std::size_t torques, const std::vector<int>& order,
                    const std::vector<double>& lengths) {
  const std::size_t samples = all.columns() / torques, width = order.size();
  std::vector<std::pair<std::size_t, std::size_t>> groups;  // where the rows of a torque begin, and which it is
  for (std::size_t j = 0; j < torques; ++j) {
    std::size_t begin = 0;
    const auto is_zero = [&](std::size_t column) {
      for (std::size_t k = 0; k < samples; ++k)
        if (all(index(order[column]), k * torques + j) != 0.0) return false;
      return true;
    };
    while (begin < width && is_zero(begin)) ++begin;
    groups.emplace_back(begin, j);
  }
  std::sort(groups.begin(), groups.end());
  Staircase out{Matrix(width, all.columns()), std::vector<std::size_t>(width, 0)};
  for (std::size_t k = 0; k < width; ++k) {
    std::size_t row = 0;
    for (const auto& [begin, j] : groups) {
      for (std::size_t sample = 0; sample < samples; ++sample, ++row)
        out.columns(k, row) = all(index(order[k]), sample * torques + j) / lengths[k];
      if (begin <= k) out.rows_in[k] += samples;
    }
  }
  return out;
}

// Which columns are independent of all before, and the factors of all in an orthogonal basis of these: the matrix in
// echelon form. Householder's reflections, some columns at a time and then on all that follow (compact WY form, Golub
// and Van Loan, Matrix Computations, 5.2.3); what is left of a column below the steps so far begins a step, or is
// rounding. Matrices stand transposed, so that a column is a row here.
struct Independent {
  std::vector<std::size_t> chosen, others;  // positions in the order of preference
  Matrix R;                                 // all x chosen.size()
};
Independent orthogonalize(Staircase given) {
  constexpr std::size_t panel = 26;
  Independent out;
  Matrix& A = given.columns;
  for (std::size_t first = 0, width = 0; first < A.rows(); first += width) {
    width = std::min(panel, A.rows() - first);
    const std::size_t top = out.chosen.size(), rows = given.rows_in[first + width - 1] - top;
    Matrix V(width, rows), T(width, width);
    std::size_t steps = 0;  // reflections so far: A <- A - V Tᵀ Vᵀ A
    for (std::size_t k = 0; k < width; ++k) {
      const std::span<double> column = A.row(first + k).subspan(top, rows), left = column.subspan(steps);
      for (std::size_t i = 0; i < steps; ++i) dense::subtract(column, 2.0 * dense::dot(V.row(i), column), V.row(i));
      const double length = dense::norm(left);
      if (length < dependent) {
        std::fill(left.begin(), left.end(), 0.0);
        out.others.push_back(first + k);
        continue;
      }
      const double step = -std::copysign(length, left[0]);
      const std::span<double> v = V.row(steps);
      std::copy(left.begin(), left.end(), v.begin() + static_cast<std::ptrdiff_t>(steps));
      v[steps] -= step;
      const double size = dense::norm(v);
      for (double& entry : v) entry /= size;
      T(steps, steps) = 2.0;
      for (std::size_t i = 0; i < steps; ++i) {
        const double along = 2.0 * dense::dot(V.row(i), v);
        for (std::size_t j = 0; j <= i; ++j) T(j, steps) -= T(j, i) * along;
      }
      left[0] = step;
      ++steps;
      out.chosen.push_back(first + k);
    }
    const std::size_t after = first + width;
    if (steps == 0 || after == A.rows()) continue;
    Matrix part = A.block(after, top, A.rows() - after, rows);
    part -= part * transposed(V) * T * V;
    A.put(after, top, part);
  }
  out.R = A.block(0, 0, A.rows(), out.chosen.size());
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

std::vector<int> identification::columns_by_preference(const Mechanism& robot, bool drives) {
  std::vector<int> columns;
  for (const auto& link : robot.links) {
    const int first = link.q * parameters_per_joint;
    for (const int k : preference) columns.push_back(first + k);
    for (int k = first + link_parameters; drives && k < first + parameters_per_joint; ++k)
      if (is_identified(robot, k)) columns.push_back(k);
  }
  return columns;
}

std::vector<BaseParameter> base_parameters(const Mechanism& robot, bool drives) {
  require_fixed_base(robot, "identification does");
  if (robot.nv() == 0) return {};
  return identification::base_parameters_among(robot, identification::columns_by_preference(robot, drives));
}

std::vector<BaseParameter> identification::base_parameters_among(const Mechanism& robot,
                                                                 const std::vector<int>& candidates) {
  const Matrix all = stacked(robot);
  std::vector<int> order;
  std::vector<double> lengths;
  for (const int column : candidates) {
    const double length = dense::norm(all.row(index(column)));
    if (length <= dependent) continue;  // never shows
    order.push_back(column);
    lengths.push_back(length);
  }
  const Independent found = orthogonalize(staircase(all, index(robot.nv()), order, lengths));
  const auto columns = [&](const std::vector<std::size_t>& which) {
    Matrix out(found.chosen.size(), which.size());
    for (std::size_t k = 0; k < which.size(); ++k)
      for (std::size_t i = 0; i < out.rows(); ++i) out(i, k) = found.R(which[k], i);
    return out;
  };
  const Matrix rest = solve_upper(columns(found.chosen), columns(found.others));

  const std::vector<std::string> names = parameter_names(parameter_joints(robot)), units = parameter_units(robot);
  const std::vector<double> theta = standard_parameters(robot);
  std::vector<BaseParameter> list;
  for (std::size_t b = 0; b < rest.rows(); ++b) {
    const std::size_t own = found.chosen[b];
    BaseParameter combined{{{order[own], 1.0}}, {}, units[index(order[own])], theta[index(order[own])]};
    double parts = std::abs(combined.nominal);
    for (std::size_t d = 0; d < rest.columns(); ++d) {
      const std::size_t other = found.others[d];
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
