// Calls that must keep to themselves. A child of this process runs them; there every system call is caught, and what is
// asked of the heap and of locks is counted (counted.c). Linux with glibc.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "real_time/counted.h"

namespace catena::test {

struct WatchedCall {
  std::string name;
  std::function<void()> run;
};

// What a call did beside computing.
struct Seen {
  ::counts counts{};
  long system_call = -1;  // the number of the first one
  bool threw = false;

  bool nothing() const {
    return counts.heap == 0 && counts.locks == 0 && counts.made_late == 0 && system_call < 0 && !threw;
  }
  std::string words() const;
};

// Runs every call `times` times, the first one included. In this process they have not run afterwards.
std::vector<Seen> watched(const std::vector<WatchedCall>& calls, int times = 3);

}  // namespace catena::test
