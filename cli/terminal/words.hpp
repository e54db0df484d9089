// Splits lists as people type them.
#pragma once

#include "io/option_texts.hpp"

namespace catena::cli {

using io::split;

}  // namespace catena::cli
