#include "identify/calibration_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "identify/alignment.hpp"

namespace catena::identification {
namespace {

constexpr double alike = 1e-4;  // of a column's length, what must be left for it to count as seen
constexpr double faint = 1e-3;  // of a factor, columns of length 1

Vec3<double> axis(std::size_t k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }
void put(double* to, std::size_t stride, const Vec3<double>& v) { to[0] = v.x, to[stride] = v.y, to[2 * stride] = v.z; }
bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

Mat3<double> rotation_near(const Mat3<double>& R, std::size_t pose) {
  const Mat3<double> near = nearest_rotation(R);
  for (const Vec3<double>& off : {near.row_x() - R.row_x(), near.row_y() - R.row_y(), near.row_z() - R.row_z()})
    if (!(length(off) < 1e-2))
      throw std::invalid_argument("the rotation of pose " + std::to_string(pose + 1) + " is not a rotation");
  return near;
}

}  // namespace

std::string text_of(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

Matrix columns_of(const Matrix& J, const std::vector<std::size_t>& chosen) {
  Matrix out(J.rows(), chosen.size());
  for (std::size_t i = 0; i < J.rows(); ++i)
    for (std::size_t k = 0; k < chosen.size(); ++k) out(i, k) = J(i, chosen[k]);
  return out;
}

// Gram and Schmidt, twice for each column; R has its factors in the orthogonal ones before it.
Independent independent(const Matrix& J, const std::vector<std::size_t>& candidates) {
  Independent out;
  Matrix basis = transposed(J);  // rows are columns here; the first ones become the basis
  std::vector<std::vector<double>> R;
  std::vector<double> lengths;
  for (const std::size_t unknown : candidates) {
    const std::size_t rank = out.chosen.size();
    std::vector<double> column(J.rows()), factors(rank, 0.0);
    for (std::size_t i = 0; i < J.rows(); ++i) column[i] = J(i, unknown);
    const double own = dense::norm(column);
    if (own == 0.0) {
      out.others.push_back({unknown, {}});
      continue;
    }
    for (double& entry : column) entry /= own;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < rank; ++k) {
        const double along = dense::dot(basis.row(k), column);
        factors[k] += along;
        dense::subtract(column, along, basis.row(k));
      }
    const double left = dense::norm(column);
    if (left > alike) {
      for (std::size_t i = 0; i < column.size(); ++i) basis(rank, i) = column[i] / left;
      factors.push_back(left);
      out.chosen.push_back(unknown), lengths.push_back(own), R.push_back(std::move(factors));
      continue;
    }
    Independent::Other other{unknown, {}};
    for (std::size_t k = rank; k-- > 0;) {  // R f = factors
      const double f = factors[k] / R[k][k];
      for (std::size_t i = 0; i < k; ++i) factors[i] -= f * R[k][i];
      if (std::abs(f) > faint) other.as.push_back({out.chosen[k], f * own / lengths[k]});
    }
    std::reverse(other.as.begin(), other.as.end());
    out.others.push_back(std::move(other));
  }
  return out;
}

PoseTable::PoseTable(const KinematicModel& model, const MeasuredPoses& poses, const CalibrationOptions& options)
    : model_(model), measured_(poses), options_(options) {
  const std::size_t count = poses.positions.size();
  ScrewColumns columns(model.changed(std::vector<double>(model.screws().size())), model);
  n_ = columns.positions();
  if (poses.q.size() != count * n_)
    throw std::invalid_argument("q has " + std::to_string(poses.q.size()) + " numbers for " + std::to_string(count) +
                                " poses of " + std::to_string(n_) + " joints");
  if (!poses.rotations.empty() && poses.rotations.size() != count)
    throw std::invalid_argument(std::to_string(poses.rotations.size()) + " rotations for " + std::to_string(count) +
                                " positions");
  if (count < 3) throw std::domain_error("at least 3 poses are needed, not " + std::to_string(count));
  for (const std::string& name : options.kept) {
    const auto& screws = model.screws();
    if (std::none_of(screws.begin(), screws.end(), [&](const Screw& s) { return s.parameter.name == name; }))
      throw std::invalid_argument("no parameter is called '" + name + "'");
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (const double position : q(k))
      if (!std::isfinite(position))
        throw std::invalid_argument("q of pose " + std::to_string(k + 1) + " is not finite");
    if (!finite(poses.positions[k]))
      throw std::invalid_argument("the position of pose " + std::to_string(k + 1) + " is not finite");
    if (width() == 6) measured_.rotations[k] = rotation_near(poses.rotations[k], k);
    columns.update(q(k));
    nominal_.push_back(columns.pose());
  }
}

KinematicParameter PoseTable::parameter(std::size_t unknown) const {
  static constexpr const char* names[] = {"x", "y", "z", "rx", "ry", "rz"};
  if (unknown >= first_screw()) return model_.screws()[unknown - first_screw()].parameter;
  const std::size_t k = unknown < 6 ? unknown : unknown - 6;
  return {std::string(unknown < 6 ? "base " : "tool ") + names[k], k < 3 ? "m" : "rad", 0.0};
}

std::string PoseTable::sum_of(const std::vector<Independent::Term>& terms) const {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, terms.size()); ++k) {
    const double factor = terms[k].factor, size = std::abs(factor);
    text += factor < 0.0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    if (std::abs(size - 1.0) > 1e-3) text += text_of(size) + " ";
    text += parameter(terms[k].unknown).name;
  }
  return terms.size() > most ? text + " + ..." : text;
}

std::vector<std::size_t> PoseTable::placements() const {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < first_screw(); ++k)
    if (k < 6 ? !options_.base_known : !options_.tool_known) out.push_back(k);
  return out;
}

std::vector<std::size_t> PoseTable::unknowns() const {
  std::vector<std::size_t> out = placements();
  for (std::size_t k = 0; k < model_.screws().size(); ++k)
    if (std::find(options_.kept.begin(), options_.kept.end(), model_.screws()[k].parameter.name) == options_.kept.end())
      out.push_back(first_screw() + k);
  return out;
}

Placing PoseTable::start() const {
  Placing out{{}, {}, std::vector<double>(model_.screws().size())};
  const double share = 1.0 / static_cast<double>(poses());
  if (!options_.base_known) {
    Vec3<double> seen{}, own{};
    for (std::size_t k = 0; k < poses(); ++k) seen += share * measured_.positions[k], own += share * nominal_[k].p;
    Mat3<double> sum{};
    for (std::size_t k = 0; k < poses(); ++k) {
      const Vec3<double> a = measured_.positions[k] - seen, b = nominal_[k].p - own;
      sum += Mat3<double>::from_rows(a.x * b, a.y * b, a.z * b);
    }
    out.base.R = nearest_rotation(sum);
    out.base.p = seen - out.base.R * own;
  }
  if (!options_.tool_known && width() == 6) {
    Mat3<double> sum{};
    for (std::size_t k = 0; k < poses(); ++k)
      sum += nominal_[k].R.transpose() * (out.base.R.transpose() * measured_.rotations[k]);
    out.tool.R = nearest_rotation(sum);
  }
  return out;
}

double PoseTable::spread() const {
  Vec3<double> mean{};
  const double share = 1.0 / static_cast<double>(poses());
  for (const Pose<double>& pose : nominal_) mean += share * pose.p;
  double squares = 0.0;
  for (const Pose<double>& pose : nominal_) squares += share * dot(pose.p - mean, pose.p - mean);
  return std::sqrt(squares);
}

void PoseTable::fill(const Placing& at, Matrix* J, Vector& r) const {
  ScrewColumns columns(model_.changed(at.changes), model_);
  const std::size_t w = width(), unknowns = first_screw() + model_.screws().size();
  r = Vector(poses() * w, 1);
  if (J != nullptr) *J = Matrix(poses() * w, unknowns);
  for (std::size_t k = 0; k < poses(); ++k) {
    columns.update(q(k));
    const Pose<double>& frame = columns.pose();
    const Vec3<double> point = frame.p + frame.R * at.tool.p;
    put(r.data() + k * w, 1, at.base.R.transpose() * (measured_.positions[k] - at.base.p) - point);
    if (w == 6) {
      const Mat3<double> seen = at.base.R.transpose() * measured_.rotations[k], own = frame.R * at.tool.R;
      put(r.data() + k * w + 3, 1, rotation_vector_of(seen * own.transpose()));
    }
    if (J == nullptr) continue;
    const auto set = [&](std::size_t unknown, const JacobianColumn<double>& column) {
      put(J->data() + k * w * unknowns + unknown, unknowns, column.linear);
      if (w == 6) put(J->data() + (k * w + 3) * unknowns + unknown, unknowns, column.angular);
    };
    for (std::size_t i = 0; i < 3; ++i) {
      set(i, {axis(i), {}});
      set(3 + i, {cross(axis(i), point), axis(i)});
      set(6 + i, {frame.R * axis(i), {}});
      if (w == 6) set(9 + i, {{}, frame.R * axis(i)});
    }
    for (std::size_t s = 0; s < model_.screws().size(); ++s) set(first_screw() + s, columns.column(s, point));
  }
}

Placing PoseTable::moved(const Placing& at, const std::vector<std::size_t>& chosen, const Vector& steps) const {
  Placing out = at;
  double by[12] = {};
  for (std::size_t k = 0; k < chosen.size(); ++k)
    (chosen[k] < first_screw() ? by[chosen[k]] : out.changes[chosen[k] - first_screw()]) += steps[k];
  out.base = at.base * Pose<double>{rotation_of({by[3], by[4], by[5]}), {by[0], by[1], by[2]}};
  out.tool.p = at.tool.p + Vec3<double>{by[6], by[7], by[8]};
  out.tool.R = rotation_of({by[9], by[10], by[11]}) * at.tool.R;
  return out;
}

// Of base and tool: their place itself, turns as a rotation vector.
double PoseTable::change(const Placing& at, std::size_t unknown) const {
  if (unknown >= first_screw()) return at.changes[unknown - first_screw()];
  const Pose<double>& pose = unknown < 6 ? at.base : at.tool;
  const std::size_t k = unknown < 6 ? unknown : unknown - 6;
  const Vec3<double> v = k < 3 ? pose.p : rotation_vector_of(pose.R);
  const double entries[] = {v.x, v.y, v.z};
  return entries[k % 3];
}

PoseErrors PoseTable::errors(const Vector& r, const std::vector<double>& weights) const {
  PoseErrors out;
  const std::size_t w = width();
  for (std::size_t k = 0; k < poses(); ++k) {
    if (!(weights[k] > 0.0)) continue;
    ++out.poses;
    const double off = dense::norm({r.data() + k * w, 3}),
                 turned = w == 6 ? dense::norm({r.data() + k * w + 3, 3}) : 0.0;
    out.position += off * off, out.orientation += turned * turned;
    out.worst_position = std::max(out.worst_position, off);
    out.worst_orientation = std::max(out.worst_orientation, turned);
  }
  const double count = std::max(1.0, static_cast<double>(out.poses));
  out.position = std::sqrt(out.position / count), out.orientation = std::sqrt(out.orientation / count);
  return out;
}

}  // namespace catena::identification
