// A progress bar on stderr, where that is a terminal and the total is known. Elsewhere, one line when the work takes
// long.
#pragma once

#include <chrono>
#include <cstdint>

namespace catena::cli {

class Progress {
 public:
  explicit Progress(std::uint64_t total);  // total 0: unknown, no bar
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done) {
    if (shown_ && ++calls_ % 1024 == 0) draw(done);  // the clock is read rarely: reading it takes longer than a row
  }
  void show(std::uint64_t done) {  // for long steps
    shown_ ? draw(done) : tell(done);
  }
  void clear();

 private:
  void draw(std::uint64_t done);
  void tell(std::uint64_t done);
  double seconds_left(double share) const;

  using Clock = std::chrono::steady_clock;
  std::uint64_t total_ = 0, calls_ = 0;
  bool shown_ = false, drawn_ = false, told_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace catena::cli
