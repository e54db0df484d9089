#include "support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace catena::cli {
namespace {

// A terminal that went away is no reason to stop: what fails here is not said.
void write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::uint64_t total) : total_(total), shown_(total > 0 && ::isatty(STDERR_FILENO) != 0) {}

void Progress::draw(std::uint64_t done) {
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int width = 40;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double left = share > 0.0 ? elapsed * (1.0 - share) / share : 0.0;
  const auto filled = static_cast<std::size_t>(share * width);
  write(
      fmt::format("\r[{:<{}}] {:3.0f} %, {:.0f} s left \x1b[K", std::string(filled, '='), width, 100.0 * share, left));
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  write("\r\x1b[K");
  drawn_ = false;
}

}  // namespace catena::cli
