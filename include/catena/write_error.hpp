// The requested output cannot be written.
#pragma once

#include <stdexcept>

namespace catena {

// No such folder, no permission, a full disk: what() is one line, "FILE: cannot be written: why".
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace catena
