#include "report/meshes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>

#include "catena/mechanism.hpp"
#include "io/text.hpp"
#include "io/visuals.hpp"
#include "report/column.hpp"

namespace catena::report {
namespace {

namespace fs = std::filesystem;
using io::printable;

constexpr std::uintmax_t largest_file = std::uintmax_t{32} << 20U, largest_sum = std::uintmax_t{64} << 20U;

std::string format_of(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending.empty() ? "" : ending.substr(1);
}
bool is_drawn(const std::string& format) { return format == "stl" || format == "obj" || format == "dae"; }

std::string content_of(const std::string& path) {
  std::ifstream in(std::filesystem::path(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string box_text(const std::array<double, 3>& size) {
  std::string out;
  for (int k = 0; k < 8; ++k)
    out += fmt::format("v {} {} {}\n", ((k & 1) != 0 ? 0.5 : -0.5) * size[0], ((k & 2) != 0 ? 0.5 : -0.5) * size[1],
                       ((k & 4) != 0 ? 0.5 : -0.5) * size[2]);
  return out + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

// Rings about z, closed at both ends: the two of a cylinder, or those of a sphere.
std::string turned_text(const std::vector<std::array<double, 2>>& rings) {  // radius, height
  constexpr int around = 24;
  std::string out;
  for (const auto& [radius, height] : rings)
    for (int k = 0; k < around; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / around;
      out += fmt::format("v {} {} {}\n", radius * std::cos(angle), radius * std::sin(angle), height);
    }
  const int count = static_cast<int>(rings.size());
  for (int ring = 0; ring + 1 < count; ++ring)
    for (int k = 0; k < around; ++k) {
      const int a = ring * around + k + 1, b = ring * around + (k + 1) % around + 1;
      out += fmt::format("f {} {} {} {}\n", a, b, b + around, a + around);
    }
  std::string bottom = "f", top = "f";
  for (int k = 0; k < around; ++k) {
    bottom += fmt::format(" {}", around - k);
    top += fmt::format(" {}", (count - 1) * around + k + 1);
  }
  return out + bottom + "\n" + top + "\n";
}

// Half a circle from the lower end to the upper, its two halves this far apart.
std::string ball_text(double radius, double length = 0.0) {
  std::vector<std::array<double, 2>> rings;
  constexpr int down = 12;
  for (int k = 1; k < down; ++k) {
    const double angle = std::numbers::pi * k / down, height = -radius * std::cos(angle);
    const bool middle = 2 * k == down;
    if (middle && length > 0.0) rings.push_back({radius, -0.5 * length});
    rings.push_back({radius * std::sin(angle), height + (2 * k < down ? -0.5 : 0.5) * length});
  }
  return turned_text(rings);
}

std::string shape_text(const Visual& visual) {
  using Shape = Visual::Shape;
  const auto& [a, b, c] = visual.size;
  switch (visual.shape) {
    case Shape::mesh:
      break;
    case Shape::box:
      return box_text(visual.size);
    case Shape::cylinder:
      return turned_text({{a, -0.5 * b}, {a, 0.5 * b}});
    case Shape::sphere:
      return ball_text(a);
    case Shape::capsule:
      return ball_text(a, b);
    case Shape::ellipsoid:
      return ball_text(1.0);  // scaled
  }
  return visual.obj;
}

class Packing {
 public:
  Packing(const Robot& robot, std::vector<std::string>& notes)
      : robot_(robot), links_(described_links(robot)), notes_(notes) {}

  void add(const Visual& visual) {
    const int index_in_robot = robot_.link_index(visual.link);
    const auto found = std::find(links_.begin(), links_.end(), index_in_robot);
    if (index_in_robot < 0 || found == links_.end()) return;  // --only and joins may have removed it
    Json mesh = {{"link", found - links_.begin()},
                 {"origin", homogeneous(visual.origin)},
                 {"scale", {1.0, 1.0, 1.0}},
                 {"format", "obj"},
                 {"data", nullptr},
                 {"file", visual.file}};
    if (visual.color) mesh["color"] = *visual.color;
    if (visual.shape == Visual::Shape::ellipsoid || !visual.obj.empty()) mesh["scale"] = visual.size;
    if (visual.shape == Visual::Shape::mesh && visual.obj.empty()) {
      mesh["scale"] = visual.size;
      mesh["format"] = format_of(visual.file);
      fill(visual, mesh);
    } else {
      mesh["data"] = base64(deflated(shape_text(visual)));
    }
    if (is_drawn(mesh["format"])) out_.push_back(std::move(mesh));
  }
  Json take() { return std::move(out_); }

 private:
  void fill(const Visual& visual, Json& mesh) {
    const std::string why = fill_data(visual, mesh);
    if (why.empty()) return;
    mesh["note"] = why;
    const std::string said =
        fmt::format("mesh {} of link '{}': {}", printable(visual.file), printable(visual.link), why);
    if (std::find(notes_.begin(), notes_.end(), said) == notes_.end()) notes_.push_back(said);
  }
  // Fills in the mesh's data; returns why there are none.
  std::string fill_data(const Visual& visual, Json& mesh) {
    if (!is_drawn(format_of(visual.file))) return "the page draws STL, OBJ and DAE";
    if (visual.path.empty()) return "the file was not found";
    const auto known = packed_.find(visual.path);
    if (known != packed_.end()) {
      mesh["data"] = known->second;
      return {};
    }
    std::error_code error;
    const std::uintmax_t size = fs::file_size(visual.path, error);
    if (error || size == 0) return "the file cannot be read";
    if (size > largest_file || sum_ + size > largest_sum) return "too large for a page";
    sum_ += size;
    const std::string data = base64(deflated(content_of(visual.path)));
    packed_[visual.path] = data;
    mesh["data"] = data;
    return {};
  }

  const Robot& robot_;
  std::vector<int> links_;
  std::vector<std::string>& notes_;
  std::map<std::string, std::string> packed_;
  std::uintmax_t sum_ = 0;
  Json out_ = Json::array();
};

}  // namespace

Json meshes(const Robot& robot, const std::string& file, const LoadOptions& options, std::vector<std::string>& notes) {
  Packing packing(robot, notes);
  for (const Visual& visual : read_visuals(file, options)) packing.add(visual);
  return packing.take();
}

}  // namespace catena::report
