// The robots that are raced and their states, as every library gets them.
#pragma once

#include "contender.hpp"

namespace catena::peers {

// Shipped arms, chains of 2 to 96 joints and a tree of 30. Their files are written into the folder.
std::vector<Description> all_robots(const std::string& folder);
Table make_table(std::size_t n);

}  // namespace catena::peers
