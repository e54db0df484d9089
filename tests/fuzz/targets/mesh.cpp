// The same bytes as a mesh of each format.
#include "fuzz/support/input_file.hpp"
#include "fuzz/support/violation.hpp"

#include <cmath>

#include "catena/validate.hpp"
#include "io/convex_hull.hpp"
#include "io/mjcf_mesh.hpp"

namespace catena::fuzz {
namespace {

void weigh(const std::vector<io::Triangle>& faces, io::MeshInertia kind) {
  or_say_why<ModelError>([&] {
    const io::MassProperties body = io::mass_properties(faces, kind);
    const Mat3<double> inertia = body.inertia.full();
    double sum = body.mass + dot(body.com, body.com);
    for (const Vec3<double>& column : {inertia.column_x(), inertia.column_y(), inertia.column_z()})
      sum += column.x + column.y + column.z;
    require(std::isfinite(sum) && body.mass > 0.0, "a mesh whose mass or inertia is not a number");
  });
}

}  // namespace

void fuzz_mesh(Input input) {
  for (const char* ending : {".stl", ".obj", ".msh"})
    or_say_why<ModelError>([&] {
      const io::Mesh mesh = io::read_mesh(as_text(input), ending);
      for (const io::MeshInertia kind : {io::MeshInertia::legacy, io::MeshInertia::exact, io::MeshInertia::shell})
        weigh(mesh.faces, kind);
      weigh(io::convex_hull(mesh.points), io::MeshInertia::convex);
    });
}

}  // namespace catena::fuzz
