// An SDF file as a tree of elements; in the place of an <include> stands the model that it names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/reading.hpp"

namespace catena::io {

struct SdfNode {
  std::string name, text;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<SdfNode> children;
  int line = 0;       // in the file that was asked for; of its <include>, for what comes from another
  std::string place;  // there: "hand/model.sdf:12: "
  int minor = 0;      // of the version of its file: 9 of 1.9

  const std::string* find(std::string_view attribute) const;  // null: not given
  const SdfNode* child(std::string_view element) const;       // the first; null: none
};

// Where models are looked for: the folders above this one, those called models in them, and those of the environment.
std::vector<std::filesystem::path> sdf_model_folders(const std::filesystem::path& beside);

inline constexpr int oldest_sdf = 4, newest_sdf = 12;  // 1.4 to 1.12

// The element <sdf>. An included model has the attributes and children that its <include> overrides, and `merge`.
// Reports what is no SDF, and files that cannot be included.
SdfNode read_sdf_document(const RobotText& source, Reading& out);

}  // namespace catena::io
