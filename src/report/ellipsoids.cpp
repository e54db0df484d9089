#include "report/ellipsoids.hpp"

#include <cmath>

namespace catena::report {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Ellipsoid& ellipsoid) {
  Json lengths = Json::array(), axes = Json::array();
  for (const double length : ellipsoid.lengths) lengths.push_back(std::isfinite(length) ? Json(length) : Json(nullptr));
  for (const Vec3<double>& axis : ellipsoid.axes) axes.push_back({axis.x, axis.y, axis.z});
  return {{"lengths", lengths}, {"axes", axes}, {"isotropy", ellipsoid.isotropy()}};
}

}  // namespace

Json ellipsoids_json(const Ellipsoids& all) {
  Json out{{"by_efforts", all.by_efforts}};
  for (const auto& [name, part] : {std::pair{"translation", &all.translation}, {"rotation", &all.rotation}})
    out[name] = {{"velocity", to_json(part->velocity)},
                 {"acceleration", to_json(part->acceleration)},
                 {"inertia", to_json(part->inertia)}};
  return out;
}

}  // namespace catena::report
