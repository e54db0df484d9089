#include "terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "system/own_process.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

// Losing the terminal is no reason to stop: failures here are ignored.
void write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::uint64_t total) : total_(total), shown_(total > 0 && system::is_terminal(2)) {}

void Progress::draw(std::uint64_t done) {
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int width = 40;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const auto filled = static_cast<std::size_t>(share * width);
  write(fmt::format("\r[{:<{}}] {:3.0f} %, {:.0f} s left \x1b[K", std::string(filled, '='), width, 100.0 * share,
                    seconds_left(share)));
  drawn_ = true;
}

double Progress::seconds_left(double share) const {
  return share > 0.0 ? std::chrono::duration<double>(Clock::now() - start_).count() * (1.0 - share) / share : 0.0;
}

// For a log file: one line, after a while.
void Progress::tell(std::uint64_t done) {
  constexpr std::chrono::seconds patience(10);
  if (told_ || total_ == 0 || Clock::now() - start_ < patience) return;
  told_ = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  note(fmt::format("catena: {:.0f} % done, about {:.0f} s left", 100.0 * share, seconds_left(share)));
}

void Progress::clear() {
  if (!drawn_) return;
  write("\r\x1b[K");
  drawn_ = false;
}

}  // namespace catena::cli
