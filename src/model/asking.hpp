// Long computations ask, now and then, whether to go on, and say how far they are. Whoever waits for them answers on
// the thread that called: Python, for Ctrl-C and bars. If nobody does, asking costs a look at a pointer.
#pragma once

#include <functional>

namespace catena {

using Answer =
    std::function<void(double share)>;  // share: of the work that is done, or unknown_share; throws to end it
inline constexpr double unknown_share = -1.0;

inline thread_local const Answer* answers_here = nullptr;

inline void ask(double share = unknown_share) {
  if (answers_here != nullptr) (*answers_here)(share);
}

// Answers on this thread until the end of the scope.
class Answering {
 public:
  explicit Answering(const Answer* answer) : before_(answers_here) { answers_here = answer; }
  ~Answering() { answers_here = before_; }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

 private:
  const Answer* before_;
};

}  // namespace catena
