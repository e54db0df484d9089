// Quickhull: from a tetrahedron on, the point farthest above a face is added, until no point is above any. The faces
// that see it go, and the edge of the hole they leave is joined to it.
//
// A point is above a face if their tetrahedron has a volume larger than its own rounding error. So what is left out by
// a wrong decision is of the size of rounding, and faces without area are never seen. All edges have a face on either
// side at all times, whatever is decided: sums over the faces are those over a closed surface.
#include "io/convex_hull.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "catena/math/index.hpp"
#include "catena/validate.hpp"

namespace catena::io {
namespace {

constexpr double rounding = 1e-15;  // of a determinant of three rows, by the sum of its products without signs

Vec3<double> magnitudes(const Vec3<double>& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

struct Face {
  std::array<int, 3> corners;
  std::array<int, 3> beside{};  // the face across the edge from each corner to the next
  Vec3<double> normal{}, bound{};
  std::vector<int> above{};  // points that are told to this face only
  bool is_gone = false;
};

struct Edge {
  int from, to;
  int beyond, side;  // the face that stays, and which of its edges this is
};

class Hull {
 public:
  explicit Hull(const std::vector<Vec3<double>>& points)
      : points_(points), starts_(points.size(), -1), ends_(points.size(), -1) {}

  void build() {
    start();
    for (std::size_t f = 0; f < faces_.size(); ++f)
      while (!faces_[f].is_gone && !faces_[f].above.empty())
        add(take_farthest(static_cast<int>(f)), static_cast<int>(f));
  }
  std::vector<std::array<Vec3<double>, 3>> triangles() const {
    std::vector<std::array<Vec3<double>, 3>> all;
    for (const Face& face : faces_)
      if (!face.is_gone) all.push_back({at(face.corners[0]), at(face.corners[1]), at(face.corners[2])});
    return all;
  }

 private:
  const Vec3<double>& at(int point) const { return points_[index(point)]; }

  int add_face(const std::array<int, 3>& corners) {
    Face face{corners};
    const Vec3<double> u = at(corners[1]) - at(corners[0]), v = at(corners[2]) - at(corners[0]);
    const Vec3<double> a = magnitudes(u), b = magnitudes(v);
    face.normal = cross(u, v);
    face.bound = rounding * Vec3<double>{a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x};
    faces_.push_back(std::move(face));
    return static_cast<int>(faces_.size()) - 1;
  }
  // Six times the volume between them, beyond what may be rounding; `sign` -1: unless it is surely below.
  double height(int point, const Face& face, double sign = 1.0) const {
    const Vec3<double> d = at(point) - at(face.corners[0]);
    return dot(face.normal, d) - sign * dot(face.bound, magnitudes(d));
  }
  template <class Measure>
  int farthest(const Measure& measure) const {
    int best = 0;
    for (int k = 1; k < static_cast<int>(points_.size()); ++k)
      if (measure(k) > measure(best)) best = k;
    return best;
  }

  // Far apart: two points, one beside their line, and one beside the plane.
  void start() {
    const auto square = [](const Vec3<double>& v) { return dot(v, v); };
    const int a = farthest([&](int k) { return at(k).x; });
    const int b = farthest([&](int k) { return square(at(k) - at(a)); });
    const int c = farthest([&](int k) { return square(cross(at(b) - at(a), at(k) - at(a))); });
    const int up = add_face({a, b, c}), down = add_face({a, c, b});
    const int d = farthest([&](int k) { return std::abs(dot(faces_[0].normal, at(k) - at(a))); });
    const bool is_up = height(d, faces_[index(up)]) > 0.0;
    if (!is_up && !(height(d, faces_[index(down)]) > 0.0)) throw ModelError("its points lie in a plane");
    faces_[index(up)].beside = {down, down, down};  // a body without a volume, then a tetrahedron
    faces_[index(down)].beside = {up, up, up};
    const int seen = is_up ? up : down, other = is_up ? down : up;
    for (int k = 0; k < static_cast<int>(points_.size()); ++k)
      if (k != d) faces_[index(height(k, faces_[index(other)]) > 0.0 ? other : seen)].above.push_back(k);
    add(d, seen);
  }
  int take_farthest(int f) {
    std::vector<int>& above = faces_[index(f)].above;
    std::size_t best = 0;
    for (std::size_t k = 1; k < above.size(); ++k)
      if (height(above[k], faces_[index(f)]) > height(above[best], faces_[index(f)])) best = k;
    std::swap(above[best], above.back());
    const int point = above.back();
    above.pop_back();
    return point;
  }

  // The faces that see the point, each beside another.
  std::vector<int> seen_from(int point, int first, double sign) {
    std::vector<int> seen{first};
    faces_[index(first)].is_gone = true;
    for (std::size_t k = 0; k < seen.size(); ++k)
      for (const int next : std::array<int, 3>(faces_[index(seen[k])].beside))
        if (!faces_[index(next)].is_gone && height(point, faces_[index(next)], sign) > 0.0) {
          faces_[index(next)].is_gone = true;
          seen.push_back(next);
        }
    return seen;
  }
  // The edges between faces that go and faces that stay; none where a corner would be passed twice.
  std::vector<Edge> hole(const std::vector<int>& seen) {
    std::vector<Edge> edges;
    for (const int f : seen)
      for (std::size_t k = 0; k < 3; ++k) {
        const int beyond = faces_[index(f)].beside[k];
        if (faces_[index(beyond)].is_gone) continue;
        const int from = faces_[index(f)].corners[k], to = faces_[index(f)].corners[(k + 1) % 3];
        int side = 0;
        while (faces_[index(beyond)].corners[index(side)] != to) ++side;
        edges.push_back({from, to, beyond, side});
      }
    bool is_simple = true;
    for (const Edge& e : edges) is_simple = is_simple && std::exchange(starts_[index(e.from)], 0) < 0;
    for (const Edge& e : edges) starts_[index(e.from)] = -1;
    if (!is_simple) edges.clear();
    return edges;
  }
  void add(int point, int first) {
    for (const double sign : {1.0, -1.0}) {  // rounding may leave a face standing among those that go
      const std::vector<int> seen = seen_from(point, first, sign);
      const std::vector<Edge> edges = hole(seen);
      if (!edges.empty()) return close(point, seen, edges);
      for (const int f : seen) faces_[index(f)].is_gone = false;
    }
  }
  void close(int point, const std::vector<int>& seen, const std::vector<Edge>& edges) {
    const std::size_t old = faces_.size();
    for (const Edge& e : edges) {
      const int made = add_face({e.from, e.to, point});
      faces_[index(e.beyond)].beside[index(e.side)] = made;
      starts_[index(e.from)] = ends_[index(e.to)] = made;
    }
    for (std::size_t k = 0; k < edges.size(); ++k)
      faces_[old + k].beside = {edges[k].beyond, starts_[index(edges[k].to)], ends_[index(edges[k].from)]};
    for (const Edge& e : edges) starts_[index(e.from)] = ends_[index(e.to)] = -1;
    for (const int f : seen)
      for (const int other : std::exchange(faces_[index(f)].above, {}))
        for (std::size_t k = old; k < faces_.size(); ++k)
          if (height(other, faces_[k]) > 0.0) {
            faces_[k].above.push_back(other);
            break;
          }
  }

  const std::vector<Vec3<double>>& points_;
  std::vector<Face> faces_;
  std::vector<int> starts_, ends_;  // by corner of a hole: the new face whose edge starts or ends there
};

}  // namespace

std::vector<std::array<Vec3<double>, 3>> convex_hull(const std::vector<Vec3<double>>& points) {
  if (points.size() < 4) throw ModelError("it has fewer than 4 points");
  Hull hull(points);
  hull.build();
  return hull.triangles();
}

}  // namespace catena::io
