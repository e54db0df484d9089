// An MJCF file as a tree of elements, with the files that it includes in their places, and what its default classes
// say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/reading.hpp"

namespace catena::io {

struct MjcfNode {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<MjcfNode> children;
  int line = 0;        // in the file that was asked for; of its <include>, for what comes from another
  std::string place;   // there: "hand.xml:12: "
  std::string folder;  // of that other file, in the model's

  const std::string* find(std::string_view attribute) const;  // null: not given
};

// Names that only the writer gives: of entries in <custom>, and of elements that MuJoCo needs and a Robot has not.
inline constexpr std::string_view own_prefix = "catena:";
inline bool is_own(const std::string* name) { return name != nullptr && name->starts_with(own_prefix); }

// The outermost element. Reports what is no MJCF, and files that cannot be included; then it has no children.
MjcfNode read_mjcf_document(const RobotText& source, Reading& out);

// The text of a file beside a model. Throws ModelError, without the file's name in front.
std::string read_small_file(const std::string& path);
// Whether a path stays in a folder, links followed.
bool is_inside(const std::string& folder, const std::string& path);

// The classes of <default>, each with its parent.
class MjcfDefaults {
 public:
  void add(const MjcfNode& section, Reading& out) { add(section, "", out); }
  bool has(const std::string& name) const { return name == "main" || classes_.contains(name); }
  // The elements of this kind in the class and in those around it, nearest first.
  std::vector<const MjcfNode*> of(const std::string& name, std::string_view kind) const;

 private:
  void add(const MjcfNode& section, const std::string& parent, Reading& out);

  struct Class {
    std::string parent;
    std::vector<const MjcfNode*> elements;
  };
  std::map<std::string, Class> classes_;
};

// One name for all kinds of actuators: their defaults are shared.
std::string_view mjcf_kind(std::string_view element);

}  // namespace catena::io
