#include "identify/friction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace catena {
namespace {

constexpr std::array<std::string_view, 7> friction_names{"none",     "viscous",    "coulomb", "tanh",
                                                         "stribeck", "asymmetric", "auto"};

}  // namespace

std::string_view name_of(JointFriction friction) { return friction_names[static_cast<std::size_t>(friction)]; }

std::optional<JointFriction> friction_named(std::string_view name) {
  const auto found = std::find(friction_names.begin(), friction_names.end(), name);
  if (found == friction_names.end()) return std::nullopt;
  return static_cast<JointFriction>(found - friction_names.begin());
}

double FrictionCurve::at(double v) const {
  if (kind == JointFriction::tanh) return viscous * v + coulomb * std::tanh(v / width);
  if (v == 0.0) return 0.0;
  const double more = kind == JointFriction::stribeck ? excess * std::exp(-(v / width) * (v / width)) : 0.0;
  return v > 0.0 ? viscous * v + coulomb + more : viscous_back * v - coulomb_back - more;
}

namespace identification {
namespace {

constexpr std::size_t parts_of_log = 5, widths_tried = 10;

std::size_t column_of(const Mechanism& robot, std::vector<Column>& columns, Curve curve, Coordinate joint,
                      double width = 0.0) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].curve == curve && columns[k].joint == index(joint) && columns[k].width == width) return k;
  columns.push_back(curve_column(robot, curve, joint, width));
  return columns.size() - 1;
}

// Normal equations of all candidates, part by part: a choice needs many solutions and few digits.
class Trials {
 public:
  Trials(const Evidence& evidence, std::size_t width, const std::vector<double>& weights) : width_(width) {
    for (const LogEvidence& log : evidence.parts) {
      Matrix G(width + 1, width + 1);
      for (std::size_t j = 0; j < log.size(); ++j) {
        const Matrix own = weights[j] * (transposed(log[j].R) * log[j].R);
        const auto place = [&](std::size_t k) { return k + 1 < own.rows() ? evidence.layout.columns[j][k] : width; };
        for (std::size_t i = 0; i < own.rows(); ++i)
          for (std::size_t k = 0; k < own.rows(); ++k) G(place(i), place(k)) += own(i, k);
      }
      parts_.push_back(G);
    }
    all_ = Matrix(width + 1, width + 1);
    for (const Matrix& part : parts_) all_ += part;
    for (const Matrix& part : parts_) others_.push_back(all_ - part);
  }

  // The squares that a fit to all leaves; infinite where it makes a column negative that cannot be.
  double all(const Selection& selection, std::size_t not_negative) const {
    const std::vector<double> values = fitted(all_, selection);
    if (not_negative < width_ && values[not_negative] < 0.0) return std::numeric_limits<double>::infinity();
    return squares(all_, values);
  }
  // What each part leaves when the others have been fitted.
  std::vector<double> left(const Selection& selection) const {
    std::vector<double> out;
    for (std::size_t k = 0; k < parts_.size(); ++k) out.push_back(squares(parts_[k], fitted(others_[k], selection)));
    return out;
  }

 private:
  std::vector<double> fitted(const Matrix& G, const Selection& selection) const {
    const std::size_t p = selection.chosen.size();
    std::vector<double> values = selection.others;
    for (const std::size_t k : selection.chosen) values[k] = 0.0;
    Matrix own(p, p);
    Vector right(p, 1), unit(p, 1);
    for (std::size_t i = 0; i < p; ++i) {
      const std::size_t row = selection.chosen[i];
      unit[i] = G(row, row) > 0.0 ? 1.0 / std::sqrt(G(row, row)) : 1.0;
      right[i] = G(row, width_);
      for (std::size_t k = 0; k < width_; ++k) right[i] -= G(row, k) * values[k];
      for (std::size_t k = 0; k < p; ++k) own(i, k) = G(row, selection.chosen[k]);
    }
    own = scaled_columns(scaled_rows(unit, own), unit);
    for (std::size_t i = 0; i < p; ++i) own(i, i) += 1e-10;
    const Vector solved = scaled_rows(unit, solve_symmetric(own, scaled_rows(unit, right)));
    for (std::size_t i = 0; i < p; ++i) values[selection.chosen[i]] = solved[i];
    return values;
  }
  double squares(const Matrix& G, std::vector<double> values) const {
    values.push_back(-1.0);
    const Vector v = dense::as_column(values);
    return dense::dot(v.entries(), (G * v).entries());
  }

  std::size_t width_;
  std::vector<Matrix> parts_, others_;
  Matrix all_;
};

// Whether the second leaves less in parts that it was not fitted to, by more than the scatter over the parts.
bool better(const std::vector<double>& simple, const std::vector<double>& rich) {
  const std::size_t parts = simple.size();
  double sum = 0.0, squares = 0.0, all = 0.0;
  for (std::size_t k = 0; k < parts; ++k) {
    const double gain = simple[k] - rich[k];
    sum += gain, squares += gain * gain, all += simple[k];
  }
  const double count = static_cast<double>(parts), scatter = std::sqrt(std::max(squares - sum * sum / count, 0.0));
  return sum > scatter && sum > 1e-4 * all;
}

struct Candidate {
  ChosenFriction friction;
  std::vector<std::size_t> columns;
};

}  // namespace

WidthRange widths_of(const Measurements& data, std::size_t n, std::size_t joint, JointFriction kind) {
  std::vector<double> speeds;
  for (std::size_t k = joint; k < data.qd.size(); k += n)
    if (data.used.empty() || data.used[k] != 0) speeds.push_back(std::abs(data.qd[k]));
  if (speeds.empty()) return {1e-6, 1e-6};
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  const double most = (kind == JointFriction::stribeck ? 0.25 : 0.5) * std::max(fastest, 1e-6);
  const auto slow = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 50);
  std::nth_element(speeds.begin(), slow, speeds.end());
  return {std::clamp(*slow, 0.01 * most, most), most};
}

bool has_width(JointFriction kind) { return kind == JointFriction::tanh || kind == JointFriction::stribeck; }

std::vector<std::size_t> friction_columns(const Mechanism& robot, std::vector<Column>& columns, Coordinate joint,
                                          const ChosenFriction& friction) {
  const FrictionColumns own = friction_of(robot, columns, joint);
  std::vector<std::size_t> out;
  const auto add = [&](int column) {
    if (column >= 0) out.push_back(index(column));
  };
  const auto add_curve = [&](Curve curve) { out.push_back(column_of(robot, columns, curve, joint, friction.width)); };
  if (friction.kind == JointFriction::none) return out;
  if (friction.kind == JointFriction::asymmetric) {
    for (const Curve curve : {Curve::forward_viscous, Curve::forward, Curve::backward_viscous, Curve::backward})
      out.push_back(column_of(robot, columns, curve, joint));
    return out;
  }
  add(own.viscous);
  if (friction.kind == JointFriction::coulomb || friction.kind == JointFriction::stribeck) add(own.dry);
  if (friction.kind == JointFriction::tanh) add_curve(Curve::tanh);
  if (friction.kind == JointFriction::stribeck) add_curve(Curve::stribeck);
  return out;
}

int offset_within(const std::vector<Column>& columns, Coordinate joint, JointFriction kind) {
  for (std::size_t k = 0; kind == JointFriction::asymmetric && k < columns.size(); ++k)
    if (columns[k].curve == Curve::offset && columns[k].joint == index(joint)) return static_cast<int>(k);
  return -1;
}

namespace {

// What a joint's friction may be, kind after kind from simple to rich; columns that are missing are added.
std::vector<Candidate> candidates_of(const Mechanism& robot, std::vector<Column>& columns, Coordinate joint,
                                     JointFriction asked, const Measurements& data) {
  using enum JointFriction;
  std::vector<Candidate> out;
  const auto consider = [&](JointFriction kind, double width = 0.0) {
    out.push_back({{kind, width}, friction_columns(robot, columns, joint, {kind, width})});
  };
  const std::size_t n = index(robot.nv());
  const bool moves = widths_of(data, n, index(joint), tanh).most > 1e-6;
  for (const JointFriction kind : {none, viscous, coulomb, asymmetric, tanh, stribeck}) {
    if (asked != kind && !(asked == best && moves)) continue;
    if (!has_width(kind)) {
      consider(kind);
      continue;
    }
    const WidthRange range = widths_of(data, n, index(joint), kind);
    for (std::size_t k = 0; k < widths_tried; ++k)
      consider(kind, range.most * std::pow(range.least / range.most, static_cast<double>(k) / (widths_tried - 1)));
  }
  if (out.empty()) consider(coulomb);
  return out;
}

// The candidate of a joint that parts which were held out speak for; of one kind, the width that leaves least.
template <class AllBy, class LeftBy>
std::size_t best_of(const std::vector<Candidate>& candidates, AllBy&& all_by, LeftBy&& left_by) {
  std::size_t taken = 0;
  std::vector<double> now;
  for (std::size_t first = 0; first < candidates.size();) {
    std::size_t least = first, next = first;
    double squares = std::numeric_limits<double>::infinity();
    for (; next < candidates.size() && candidates[next].friction.kind == candidates[first].friction.kind; ++next) {
      const double own = all_by(next);
      if (own < squares) squares = own, least = next;
    }
    const bool only = first == 0 && next == candidates.size(), possible = first == 0 || std::isfinite(squares);
    const std::vector<double> left = only || !possible ? std::vector<double>{} : left_by(least);
    if (first == 0 || (possible && better(now, left))) now = left, taken = least;
    first = next;
  }
  return taken;
}

}  // namespace

std::vector<ChosenFriction> choose_friction(const Mechanism& robot, const Measurements& data,
                                            const std::vector<Column>& given, const Selection& selection,
                                            const IdentificationOptions& options) {
  const std::size_t n = index(robot.nv());
  std::vector<Column> columns = given;
  std::vector<std::vector<Candidate>> candidates;
  for (std::size_t j = 0; j < n; ++j)
    candidates.push_back(
        candidates_of(robot, columns, Coordinate(j), options.friction[options.friction.size() > 1 ? j : 0], data));
  std::vector<std::size_t> taken(n, 0);
  const auto choice = [&] {
    std::vector<ChosenFriction> out;
    for (std::size_t j = 0; j < n; ++j) out.push_back(candidates[j][taken[j]].friction);
    return out;
  };
  if (std::all_of(candidates.begin(), candidates.end(), [](const auto& own) { return own.size() == 1; }))
    return choice();

  const Evidence evidence = gather(RegressionRows(robot, columns, data, options), parts_of_log);
  const LogEvidence log = evidence.joined();
  Selection wide = selection;
  wide.others.resize(columns.size(), 0.0);
  if (options.subset) {
    for (const std::size_t k : wide.chosen) wide.others[k] = columns[k].parameter.nominal;
    wide.chosen =
        determined(weighted_triangle(evidence.layout, log, wide, std::vector<double>(log.size(), 1.0)), wide.chosen);
  }
  const WeightedSolution first = solve_weighted(evidence.layout, log, columns, wide, options);
  const Trials trials(evidence, columns.size(), first.weights);
  for (const Coordinate joint : robot.coordinates.all()) {
    const FrictionColumns standard = friction_of(robot, columns, joint);
    std::erase_if(wide.chosen, [&](std::size_t k) { return standard.has(k); });
    for (const int k : {standard.viscous, standard.dry, standard.stribeck})
      if (k >= 0) wide.others[index(k)] = 0.0;
  }
  const auto with = [&](std::size_t joint, std::size_t candidate) {
    Selection own = wide;
    for (std::size_t j = 0; j < n; ++j) {
      const Candidate& now = candidates[j][j == joint ? candidate : taken[j]];
      own.chosen.insert(own.chosen.end(), now.columns.begin(), now.columns.end());
      const int offset = offset_within(columns, Coordinate(j), now.friction.kind);
      std::erase_if(own.chosen, [&](std::size_t k) { return static_cast<int>(k) == offset; });
    }
    return own;
  };
  for (int sweep = 0; sweep < 2; ++sweep)
    for (std::size_t joint = 0; joint < n; ++joint)
      taken[joint] = best_of(
          candidates[joint],
          [&](std::size_t candidate) {
            const Candidate& tried = candidates[joint][candidate];
            return trials.all(with(joint, candidate),
                              has_width(tried.friction.kind) ? tried.columns.back() : columns.size());
          },
          [&](std::size_t candidate) { return trials.left(with(joint, candidate)); });
  return choice();
}

FrictionCurve curve_of(const Mechanism& robot, const std::vector<Column>& columns, const std::vector<double>& values,
                       Coordinate joint, const ChosenFriction& friction) {
  const FrictionColumns own = friction_of(robot, columns, joint);
  const auto standard = [&](int column) { return column < 0 ? 0.0 : values[index(column)]; };
  const auto value = [&](Curve curve) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].curve == curve && columns[k].joint == index(joint)) return values[k];
    return 0.0;
  };
  FrictionCurve out{.kind = friction.kind, .width = friction.width, .offset = value(Curve::offset)};
  out.viscous = out.viscous_back = standard(own.viscous);
  out.coulomb = out.coulomb_back = standard(own.dry);
  out.excess = value(Curve::stribeck);
  if (own.stribeck >= 0 && friction.kind == JointFriction::coulomb && values[index(own.stribeck)] != 0.0) {
    out.kind = JointFriction::stribeck, out.excess = values[index(own.stribeck)];
    out.width = robot.drives[robot.coordinates.joints[joint]].stribeck_speed;
  }
  if (friction.kind == JointFriction::tanh) out.coulomb = out.coulomb_back = value(Curve::tanh);
  if (friction.kind == JointFriction::asymmetric) {
    out.viscous = value(Curve::forward_viscous), out.coulomb = value(Curve::forward);
    out.viscous_back = value(Curve::backward_viscous), out.coulomb_back = value(Curve::backward);
  }
  return out;
}

}  // namespace identification
}  // namespace catena
