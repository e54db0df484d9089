// Closed loops in a TOML file: [[loop]], and what the top of the file says about the joints in them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "io/reading.hpp"
#include "io/toml_section.hpp"

namespace catena::io {

// number: of the loop in the file, from 1. elsewhere: see TomlSection::check_keys().
void read_loop(Reading& out, const toml::table& table, std::size_t number,
               const std::function<std::string(std::string_view)>& elsewhere);

// independent and start. The robot's joints are already known. degrees: angles in the file are in degrees.
void read_loop_joints(TomlSection& root, bool degrees, Robot& robot);

}  // namespace catena::io
