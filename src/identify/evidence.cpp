#include "identify/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace catena::identification {
namespace {

// Rows of one joint, collected until there are enough for a step of the decomposition.
class Collector {
 public:
  explicit Collector(std::size_t width) : width_(width) { evidence_.R = Matrix(width, width); }
  void add(std::span<const double> row) {
    rows_.insert(rows_.end(), row.begin(), row.end());
    ++evidence_.rows;
    evidence_.sum += row.back();
    evidence_.squares += row.back() * row.back();
    if (rows_.size() >= 160 * width_) flush();
  }
  JointEvidence finish() {
    flush();
    return std::move(evidence_);
  }

 private:
  void flush() {
    if (rows_.empty()) return;
    const std::size_t count = rows_.size() / width_;
    evidence_.R = triangle(dense::blocks({{evidence_.R}, {Matrix(count, width_, std::span<const double>(rows_))}}));
    rows_.clear();
  }
  std::size_t width_;
  std::vector<double> rows_;
  JointEvidence evidence_;
};

}  // namespace

Evidence gather(const RegressionRows& rows, std::size_t parts) {
  Evidence out{rows.layout(), std::vector<LogEvidence>(parts)};
  const std::size_t n = out.layout.columns.size();
  rows.in_parts(parts, 1, [&](std::size_t part, std::size_t from, std::size_t to) {
    std::vector<Collector> joints;
    for (std::size_t j = 0; j < n; ++j) joints.emplace_back(out.layout.columns[j].size() + 1);
    rows.each(from, to, [&](const RegressionRow& row) {
      for (std::size_t j = 0; j < n; ++j)
        if (row.counts[j]) joints[j].add(row.entries.subspan(out.layout.first[j], out.layout.columns[j].size() + 1));
    });
    for (Collector& joint : joints) out.parts[part].push_back(joint.finish());
  });
  return out;
}

LogEvidence Evidence::joined(std::size_t without) const {
  LogEvidence out;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (part == without) continue;
    if (out.empty()) {
      out = parts[part];
      continue;
    }
    for (std::size_t j = 0; j < out.size(); ++j) {
      const JointEvidence& more = parts[part][j];
      out[j].R = triangle(dense::blocks({{out[j].R}, {more.R}}));
      out[j].rows += more.rows, out[j].sum += more.sum, out[j].squares += more.squares;
    }
  }
  return out;
}

std::vector<double> Selection::all_values(const Vector& fitted) const {
  std::vector<double> out = others;
  for (std::size_t k = 0; k < chosen.size(); ++k) out[chosen[k]] = fitted[k];
  return out;
}

Matrix weighted_triangle(const RowLayout& layout, const LogEvidence& log, const Selection& selection,
                         const std::vector<double>& weights) {
  const std::size_t p = selection.chosen.size();
  std::vector<std::size_t> place(selection.others.size(), p);
  for (std::size_t k = 0; k < p; ++k) place[selection.chosen[k]] = k;
  Matrix all(p + 1, p + 1);
  for (std::size_t j = 0; j < log.size(); ++j) {
    const Matrix& R = log[j].R;
    const double root = std::sqrt(weights[j]);
    Matrix own(R.rows(), p + 1);
    for (std::size_t i = 0; i < R.rows(); ++i) {
      double torque = R(i, R.columns() - 1);
      for (std::size_t k = i; k + 1 < R.columns(); ++k) {
        const std::size_t column = layout.columns[j][k];
        if (place[column] < p)
          own(i, place[column]) = root * R(i, k);
        else
          torque -= R(i, k) * selection.others[column];
      }
      own(i, p) = root * torque;
    }
    all = triangle(dense::blocks({{all}, {own}}));
  }
  return all;
}

double squares_left(const RowLayout& layout, const LogEvidence& log, std::size_t joint,
                    const std::vector<double>& values) {
  const Matrix& R = log[joint].R;
  double sum = 0.0;
  for (std::size_t i = 0; i < R.rows(); ++i) {
    double left = R(i, R.columns() - 1);
    for (std::size_t k = i; k + 1 < R.columns(); ++k) left -= R(i, k) * values[layout.columns[joint][k]];
    sum += left * left;
  }
  return sum;
}

FitScore score(const RowLayout& layout, const LogEvidence& log, const std::vector<double>& values) {
  FitScore out;
  for (std::size_t j = 0; j < log.size(); ++j) {
    const double left = squares_left(layout, log, j, values), all = log[j].variation();
    out.rms.push_back(log[j].rows == 0 ? 0.0 : std::sqrt(left / static_cast<double>(log[j].rows)));
    out.explained.push_back(all > 0.0 ? 1.0 - left / all : 0.0);
  }
  return out;
}

}  // namespace catena::identification
