// Which elements and attributes of MJCF there are, and which of them say nothing about dynamics.
#pragma once

#include "io/mjcf_element.hpp"

namespace catena::io {

// Notes what is known and passed over, with its line, and warns of attributes that MJCF does not define.
void check_mjcf_names(MjcfModel& model, const MjcfNode& root);

}  // namespace catena::io
