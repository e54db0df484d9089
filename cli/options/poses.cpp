#include "options/poses.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "catena/math/quaternion.hpp"
#include "catena/tables.hpp"
#include "io/column_names.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

// Where the numbers of a pose are among the columns beside q; -1: there is none.
struct PoseColumns {
  std::array<int, 3> position{-1, -1, -1};
  std::array<int, 4> quaternion{-1, -1, -1, -1};
  std::array<int, 3> angles{-1, -1, -1};
  std::array<int, 9> rotation{-1, -1, -1, -1, -1, -1, -1, -1, -1};
};

template <std::size_t size>
bool complete(const std::array<int, size>& columns) {
  for (const int column : columns)
    if (column < 0) return false;
  return true;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> out;
  for (bool more = !line.empty(); more;) out.emplace_back(io::unquoted(io::take_field(line, more)));
  return out;
}

PoseColumns find_columns(const std::string& header, const std::string& path) {
  PoseColumns out;
  const std::vector<std::string> names = fields_of(header);
  const auto find = [&](std::string_view name) {
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == name) return static_cast<int>(k);
    return -1;
  };
  static constexpr const char* position[] = {"x", "y", "z"};
  static constexpr const char* matrix[] = {"T1_4", "T2_4", "T3_4"};
  static constexpr const char* quaternion[] = {"qx", "qy", "qz", "qw"};
  static constexpr const char* angles[] = {"roll", "pitch", "yaw"};
  for (std::size_t k = 0; k < 3; ++k) {
    out.position[k] = find(position[k]) >= 0 ? find(position[k]) : find(matrix[k]);
    out.angles[k] = find(angles[k]);
    for (std::size_t j = 0; j < 3; ++j) out.rotation[3 * k + j] = find(fmt::format("T{}_{}", k + 1, j + 1));
  }
  for (std::size_t k = 0; k < 4; ++k) out.quaternion[k] = find(quaternion[k]);
  if (!complete(out.position))
    throw InputError(fmt::format("{}: measured positions are the columns x, y and z, or T1_4, T2_4 and T3_4", path));
  return out;
}

double number(const std::string& text, const std::string& place) {
  if (text.empty()) return std::nan("");
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(fmt::format("{}: '{}' is not a number", place, io::shown(text)));
  return value;
}

Mat3<double> rotation_at(const PoseColumns& columns, const std::vector<double>& row, const PoseFormat& format,
                         const std::string& place) {
  const auto at = [&](int column) { return row[static_cast<std::size_t>(column)]; };
  if (complete(columns.quaternion)) {
    const double x = at(columns.quaternion[0]), y = at(columns.quaternion[1]), z = at(columns.quaternion[2]),
                 w = at(columns.quaternion[3]), size = std::sqrt(x * x + y * y + z * z + w * w);
    if (!std::isnan(size) && std::abs(size - 1.0) > 1e-2)
      throw InputError(fmt::format("{}: a quaternion of length {:.6g}", place, size));
    const double sine = std::sqrt(x * x + y * y + z * z);
    if (sine == 0.0) return Mat3<double>::identity();
    return rotation_about((1.0 / sine) * Vec3<double>{x, y, z}, 2.0 * std::atan2(sine, w));
  }
  if (complete(columns.angles)) {
    const double unit = format.degrees ? std::numbers::pi / 180.0 : 1.0;
    return rotation_from_rpy(unit * Vec3<double>{at(columns.angles[0]), at(columns.angles[1]), at(columns.angles[2])});
  }
  const auto& r = columns.rotation;
  return {at(r[0]), at(r[1]), at(r[2]), at(r[3]), at(r[4]), at(r[5]), at(r[6]), at(r[7]), at(r[8])};
}

}  // namespace

PoseRows read_poses(const std::string& path, const std::string& option, const Robot& robot, const Mechanism& mechanism,
                    const PoseFormat& format) {
  if (path == "-") claim_standard_input(option);
  const std::vector<double> units = joint_units(robot, format.degrees);
  PoseRows out;
  try {
    TableReader reader(path, {.joints = mechanism.nv(), .joint_names = coordinate_names(mechanism), .groups = {"q"}});
    const PoseColumns columns = find_columns(reader.carried_header(), path);
    const bool oriented = complete(columns.quaternion) || complete(columns.angles) || complete(columns.rotation);
    for (TableRow row; reader.next(row);) {
      std::vector<double> measured;
      for (const std::string& field : fields_of(row.carried)) measured.push_back(number(field, reader.place()));
      const auto at = [&](std::size_t k) { return measured[static_cast<std::size_t>(columns.position[k])]; };
      const Vec3<double> position = format.length * Vec3<double>{at(0), at(1), at(2)};
      const Mat3<double> rotation =
          oriented ? rotation_at(columns, measured, format, reader.place()) : Mat3<double>::identity();
      const double sum = position.x + position.y + position.z + rotation.xx + rotation.xy + rotation.yy + rotation.zz;
      if (!std::isfinite(sum)) {
        ++out.left_out;
        continue;
      }
      for (std::size_t j = 0; j < units.size(); ++j) out.poses.q.push_back(row.values[j] * units[j]);
      out.poses.positions.push_back(position);
      if (oriented) out.poses.rotations.push_back(rotation);
    }
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
  return out;
}

}  // namespace catena::cli
