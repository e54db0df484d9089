// What a file from outside may ask for at most, so that a small one cannot take all memory or all day. Each limit has a
// message of one line; docs/reliability.md lists them with those that stand beside their readers.
#pragma once

#include <cstddef>

namespace catena::io::limits {

inline constexpr std::size_t file = std::size_t{64} << 20U;  // bytes of a robot file, of what it includes, of a mesh
inline constexpr std::size_t marks = 1'000'000;  // of the marks that begin an element or an attribute, a value
inline constexpr std::size_t parts = 10'000;     // of each: links, joints, frames, loops, terms of couplings
inline constexpr std::size_t name = 1000;        // bytes
inline constexpr std::size_t problems = 100;     // that are listed
inline constexpr std::size_t notes = 1000;       // kinds of things that are not used
inline constexpr std::size_t columns = 100'000;  // of a table
inline constexpr std::size_t members = 4096;     // of an archive
inline constexpr double corners = 2e9;           // of a mesh's polygons, to the third power, together

}  // namespace catena::io::limits
