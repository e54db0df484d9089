// Numbers and choices from the bytes of an input; zeros behind its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "catena/math/vec3.hpp"
#include "fuzz/targets.hpp"

namespace catena::fuzz {

class Bytes {
 public:
  explicit Bytes(Input input) : input_(input) {}

  std::uint8_t byte() { return at_ < input_.size() ? input_[at_++] : std::uint8_t{0}; }
  int below(int n) { return byte() % n; }
  bool chance() { return (byte() & 1U) != 0; }
  // Half of them are those where code takes another way; the others are anywhere from -range to range.
  double number(double range) {
    constexpr double quarter = std::numbers::pi / 2.0;
    constexpr std::array<double, 16> special{0.0,   1.0,  -1.0, 0.5,  -0.5,   2.0 * quarter, quarter, -quarter,
                                             6e-17, 1e-9, 0.1,  1e-3, -1e-12, 1.5707963,     0.25,    -0.0};
    const std::uint8_t first = byte();
    if (first < 128) return special[first % special.size()];
    const int high = byte(), low = byte();
    return range * ((high * 256 + low) / 32768.0 - 1.0);
  }
  Vec3<double> vector(double range) {
    const double x = number(range), y = number(range);
    return {x, y, number(range)};
  }
  // From 1e-3 to 1e3, or 0.
  double size() {
    constexpr std::array<double, 8> special{0.0, 1.0, 0.1, 10.0, 1e-3, 1e3, 2.5, 0.5};
    return special[byte() % special.size()];
  }

 private:
  Input input_;
  std::size_t at_ = 0;
};

}  // namespace catena::fuzz
