// Other processes, seen from a test.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>

namespace catena::test {

// It is there, and not only waiting for somebody to ask how it ended.
inline bool is_running(pid_t process) {
  std::ifstream about("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(about, line)) return false;
  const std::size_t end = line.rfind(')');
  return end != std::string::npos && end + 2 < line.size() && line[end + 2] != 'Z' && line[end + 2] != 'X';
}

}  // namespace catena::test
