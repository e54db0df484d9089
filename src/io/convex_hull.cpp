// Quickhull: from a tetrahedron on, the point farthest above a face is added, until no point is above any. The faces
// that see it go, and the edge of the hole they leave is joined to it. Points of real meshes lie in one plane by the
// hundred, or nearly so; a wrong decision there would fold the surface. So decisions are exact.
#include "io/convex_hull.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "catena/math/index.hpp"
#include "catena/validate.hpp"

namespace catena::io {
namespace {

Vec3<double> magnitudes(const Vec3<double>& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

// A sum without rounding: its parts do not overlap, and the last that is not zero has its sign.
class ExactSum {
 public:
  void add(double x) {
    for (std::size_t k = 0; k < count_; ++k) {
      const double sum = parts_[k] + x, grown = sum - parts_[k];
      parts_[k] = (parts_[k] - (sum - grown)) + (x - grown);
      x = sum;
    }
    parts_[count_++] = x;
  }
  // Of numbers that were rounded to `float`: the product of two has no error, and with the third one that is known.
  void add_product(double a, double b, double c) {
    const double ab = a * b, whole = ab * c;
    add(std::fma(ab, c, -whole));
    add(whole);
  }
  double sign() const {
    for (std::size_t k = count_; k-- > 0;)
      if (parts_[k] != 0.0) return parts_[k];
    return 0.0;
  }

 private:
  std::array<double, 48> parts_;
  std::size_t count_ = 0;
};

// (b - a) × (c - a) · (d - a), or what has its sign.
double exact_volume(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, const Vec3<double>& d) {
  ExactSum sum;
  const auto add = [&](const Vec3<double>& u, const Vec3<double>& v, const Vec3<double>& w, double sign) {
    sum.add_product(sign * u.x, v.y, w.z), sum.add_product(-sign * u.x, v.z, w.y);
    sum.add_product(sign * u.y, v.z, w.x), sum.add_product(-sign * u.y, v.x, w.z);
    sum.add_product(sign * u.z, v.x, w.y), sum.add_product(-sign * u.z, v.y, w.x);
  };
  add(b, c, d, 1.0), add(a, c, d, -1.0), add(a, b, d, 1.0), add(a, b, c, -1.0);
  return sum.sign();
}

struct Face {
  std::array<int, 3> corners;
  std::array<int, 3> beside{};        // the face across the edge from each corner to the next
  Vec3<double> normal{}, rounding{};  // of a volume, by the distance along each axis
  std::vector<int> above{};           // points that are assigned only to this face
  bool is_gone = false;
};

struct Edge {
  int from, to;
  int beyond, side;  // the face that stays, and which of its edges this is
};

class Hull {
 public:
  explicit Hull(const std::vector<Vec3<double>>& points) : points_(points), starts_(points.size(), -1), ends_(starts_) {
    start();
    for (std::size_t f = 0; f < faces_.size(); ++f)
      while (!faces_[f].is_gone && !faces_[f].above.empty()) add(take_farthest(faces_[f]), static_cast<int>(f));
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
    face.rounding = 1e-15 * Vec3<double>{a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x};
    faces_.push_back(std::move(face));
    return static_cast<int>(faces_.size()) - 1;
  }
  // Six times the volume between them, as good as its sign needs.
  double height(int point, const Face& face) const {
    const Vec3<double> d = at(point) - at(face.corners[0]);
    const double volume = dot(face.normal, d);
    if (std::abs(volume) > dot(face.rounding, magnitudes(d))) return volume;
    return exact_volume(at(face.corners[0]), at(face.corners[1]), at(face.corners[2]), at(point));
  }
  template <class Measure>
  static int largest(const std::vector<int>& of, const Measure& measure) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < of.size(); ++k)
      if (measure(of[k]) > measure(of[best])) best = k;
    return static_cast<int>(best);
  }

  // Two points far apart, one beside their line, and one beside the plane: first a body of two faces without volume.
  void start() {
    const auto square = [](const Vec3<double>& v) { return dot(v, v); };
    std::vector<int> all(points_.size());
    std::iota(all.begin(), all.end(), 0);
    const int a = largest(all, [&](int k) { return at(k).x; });
    const int b = largest(all, [&](int k) { return square(at(k) - at(a)); });
    const int c = largest(all, [&](int k) { return square(cross(at(b) - at(a), at(k) - at(a))); });
    add_face({a, b, c}), add_face({a, c, b});
    faces_[0].beside = {1, 1, 1}, faces_[1].beside = {0, 0, 0};
    const int d = largest(all, [&](int k) { return std::abs(height(k, faces_[0])); });
    const double side = height(d, faces_[0]);
    if (side == 0.0) throw ModelError("its points lie in a plane");
    const int seen = side > 0.0 ? 0 : 1;
    for (const int k : all)
      if (k != d) faces_[height(k, faces_[index(1 - seen)]) > 0.0 ? index(1 - seen) : index(seen)].above.push_back(k);
    add(d, seen);
  }
  int take_farthest(Face& face) const {
    std::swap(face.above[index(largest(face.above, [&](int k) { return height(k, face); }))], face.above.back());
    const int point = face.above.back();
    face.above.pop_back();
    return point;
  }

  void add(int point, int first) {
    std::vector<int> seen{first};
    faces_[index(first)].is_gone = true;
    for (std::size_t k = 0; k < seen.size(); ++k)
      for (std::size_t e = 0; e < 3; ++e) {
        const int next = faces_[index(seen[k])].beside[e];
        if (faces_[index(next)].is_gone || !(height(point, faces_[index(next)]) > 0.0)) continue;
        faces_[index(next)].is_gone = true;
        seen.push_back(next);
      }
    close(point, seen, hole(seen));
  }
  // The edges between faces that go and faces that stay.
  std::vector<Edge> hole(const std::vector<int>& seen) const {
    std::vector<Edge> edges;
    for (const int f : seen)
      for (std::size_t k = 0; k < 3; ++k) {
        const Face& beyond = faces_[index(faces_[index(f)].beside[k])];
        if (beyond.is_gone) continue;
        const int from = faces_[index(f)].corners[k], to = faces_[index(f)].corners[(k + 1) % 3];
        int side = 0;
        while (beyond.corners[index(side)] != to) ++side;
        edges.push_back({from, to, faces_[index(f)].beside[k], side});
      }
    return edges;
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

std::vector<std::array<Vec3<double>, 3>> convex_hull(std::vector<Vec3<double>> points) {
  const auto rounded = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  for (Vec3<double>& p : points) p = {rounded(p.x), rounded(p.y), rounded(p.z)};
  if (points.size() < 4) throw ModelError("it has fewer than four points");
  return Hull(points).triangles();
}

}  // namespace catena::io
