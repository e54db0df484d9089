// The frames of an SDF file: worlds, models, links, joints and <frame>s, found by name from where they are named, and
// where they stand to one another in the pose of the file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/sdf_element.hpp"

namespace catena::io {

enum class SdfKind { world, model, link, joint, frame };

struct SdfFrame {
  SdfKind kind = SdfKind::world;
  const SdfNode* node = nullptr;  // null: the world of a file that has only a model
  std::string name{};             // in the robot: "hand::thumb"
  int scope = 0;                  // the model, or the world, that holds it
  int top = 0;                    // the outermost model that holds it; itself for that one, 0 for the world
  int base = 0;                   // where its pose is seen from
  int attached = -1;              // the frame that it moves with, towards a link
  bool is_static = false;
  Pose<double> pose{};
  int depth = 0;            // of bases below it
  Pose<double> in_world{};  // by all of them
};

class SdfFrames {
 public:
  // `world` may be null, then there is one model. With several models in one robot, names start with theirs.
  SdfFrames(SdfModel& shared, const SdfNode* world, const std::vector<const SdfNode*>& models, bool prefixed);

  const std::vector<SdfFrame>& all() const { return all_; }
  const SdfFrame& at(int k) const { return all_[static_cast<std::size_t>(k)]; }
  SdfElement element(int k) const;
  int find(int scope, std::string_view name) const;  // -1: none
  // The same; reports what there is not, as `what`: "<parent>".
  int named(int scope, std::string_view name, const SdfElement& by, std::string_view what) const;
  int link_of(int k) const;                      // that it moves with, 0: the world
  Pose<double> between(int from, int to) const;  // of frame `to` in frame `from`

 private:
  void add_model(const SdfNode& node, int scope, const std::string& prefix);
  void add_parts(const SdfNode& node, int scope, const std::string& prefix);
  int add(SdfKind kind, const SdfNode& node, int scope, const std::string& prefix);
  void enter(int scope, const std::string& name, int k);
  void attach(int k);
  void attach_model(int k, const SdfElement& own);
  void set_pose(int k);
  void open_circles();
  void open_circles(int SdfFrame::*next, const char* what);
  void place(int model);
  void stand_all();

  SdfModel& shared_;
  std::vector<SdfFrame> all_;
  std::vector<std::map<std::string, int, std::less<>>> names_;  // by scope
};

}  // namespace catena::io
