// Arrays over many states, wherever their numbers lie.
#pragma once

#include <cstddef>

#include "catena/job.hpp"

namespace catena {

// Numbers of many states: entry j of state k is data[k * by_state + j * by_entry]. Strides are in elements, of any sign
// for inputs; an input that does not change has by_state 0.
template <class T>
struct StateArray {
  T* data = nullptr;
  std::ptrdiff_t by_state = 0, by_entry = 1;

  StateArray from(std::size_t state) const { return {data + std::ptrdiff_t(state) * by_state, by_state, by_entry}; }
  T& operator()(std::size_t state, std::size_t entry) const {
    return data[std::ptrdiff_t(state) * by_state + std::ptrdiff_t(entry) * by_entry];
  }
};
// One state behind the other, each with its entries in a row (a matrix of states by entries, in C order).
template <class T>
StateArray<T> states_in_rows(T* data, std::size_t entries) {
  return {data, std::ptrdiff_t(entries), 1};
}
// One entry behind the other, each for all states (structure of arrays).
template <class T>
StateArray<T> states_in_columns(T* data, std::size_t states) {
  return {data, 1, std::ptrdiff_t(states)};
}

// What the jobs are handed: those that one of them takes must be there.
template <class S>
struct BatchInputs {
  StateArray<const S> q{}, qd{}, qdd{}, tau{}, base{};

  const StateArray<const S>& operator[](Input input) const { return *at(*this, input); }
  StateArray<const S>& operator[](Input input) { return *at(*this, input); }

 private:
  template <class Self>
  static auto* at(Self& self, Input input) {
    decltype(&self.q) const all[] = {&self.q, &self.qd, &self.qdd, &self.tau, &self.base};
    return all[static_cast<std::size_t>(input)];
  }
};

}  // namespace catena
