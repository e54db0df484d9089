// The robots that are raced and their states, as every library gets them.
#pragma once

#include "contender.hpp"

namespace catena::peers {

// Shipped arms, chains of 2 to 96 joints, and what has branches: a tree of 30 joints, a hand, two arms on a trunk, a
// quadruped and a humanoid on free bases. Their files are written into the folder.
std::vector<Description> all_robots(const std::string& folder);
Table make_table(const Description& robot);

}  // namespace catena::peers
