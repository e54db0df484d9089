// What every call checks, whichever engine serves it: lengths before, finite numbers after, with the same words.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "catena/dynamics/formulation.hpp"

namespace catena {

// Everything a job may be handed; each takes what it needs.
template <class S>
struct Inputs {
  std::span<const S> q, qd, qdd, tau;
  std::span<const Wrench<S>> external;
};

template <class S>
void require_length(std::span<const S> values, std::size_t n, const char* name) {
  if (values.size() != n)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) + " values, " +
                                std::to_string(n) + " are needed");
}

template <class S>
bool all_finite(std::span<const S> values) {
  bool finite = true;
  for (const S& v : values) finite &= std::abs(v) <= std::numeric_limits<S>::max();
  return finite;
}

// Results that are not finite: says which input was the cause, or that the result overflowed.
template <class S>
[[noreturn]] void report_not_finite(const Inputs<S>& in, const char* result) {
  const auto blame = [](std::span<const S> values, const char* name) {
    for (std::size_t j = 0; j < values.size(); ++j)
      if (!std::isfinite(values[j]))
        throw std::domain_error(std::string(name) + "[" + std::to_string(j) + "] is not a finite number");
  };
  blame(in.q, "q");
  blame(in.qd, "qd");
  blame(in.qdd, "qdd");
  blame(in.tau, "tau");
  for (const auto& w : in.external)
    for (const S& v : {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z})
      if (!std::isfinite(v)) throw std::domain_error("an external wrench is not a finite number");
  throw std::domain_error(std::string(result) + " is not finite: the values are too large to compute with");
}

}  // namespace catena
