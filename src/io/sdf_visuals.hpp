// The shapes of <visual> elements in an SDF file.
#pragma once

#include <optional>
#include <string>

#include "io/sdf_frames.hpp"
#include "io/visuals.hpp"

namespace catena::io {

// Of a <visual> of this link; none where its shape is not drawn. Meshes are looked for beside the file that names them,
// and model://NAME/… where included models are.
std::optional<Visual> sdf_visual(const SdfFrames& frames, int link, const SdfElement& element, const std::string& file);

}  // namespace catena::io
