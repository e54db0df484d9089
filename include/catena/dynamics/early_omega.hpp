// Which of its two forms Ω takes in tensor-augmented (Algorithm 5.5): from the motion before a joint adds its rate, or
// after. A free choice, link by link, without effect on results; code generation searches it for the shorter code.
// Machine numbers take the usual form and are not asked.
#pragma once

#include <concepts>
#include <span>

#include "catena/math/index.hpp"

namespace catena {

template <class S>
class EarlyOmega {
 public:
  void choose(std::span<const char> by_link) { by_link_.assign(by_link.begin(), by_link.end()); }
  bool operator[](int i) const { return index(i) < by_link_.size() && by_link_[index(i)] != 0; }

 private:
  Array<char> by_link_;  // empty: none
};
template <std::floating_point S>
class EarlyOmega<S> {
 public:
  constexpr bool operator[](int) const { return false; }
};

// Passes the choice to whatever part of a workspace makes it, however deep.
template <class Workspace>
void choose_early_omega([[maybe_unused]] Workspace& ws, [[maybe_unused]] std::span<const char> by_link) {
  if constexpr (requires { ws.early_omega.choose(by_link); }) ws.early_omega.choose(by_link);
  if constexpr (requires { ws.inverse; }) choose_early_omega(ws.inverse, by_link);
  if constexpr (requires { ws.bias_by; }) choose_early_omega(ws.bias_by, by_link);
}

}  // namespace catena
