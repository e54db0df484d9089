// Arrays over many states, with any memory layout.
#pragma once

#include <cstddef>

#include "catena/job.hpp"

namespace catena {

// Numbers of many states: entry j of state k is data[k * by_state + j * by_entry]. Strides are in elements and may have
// any sign for inputs; an input that is the same for all states has by_state 0.
template <class T>
struct StateArray {
  T* data = nullptr;
  std::ptrdiff_t by_state = 0, by_entry = 1;

  // What has no entries may be nowhere.
  StateArray from(std::size_t state) const {
    return {data == nullptr ? data : data + std::ptrdiff_t(state) * by_state, by_state, by_entry};
  }
  T& operator()(std::size_t state, std::size_t entry) const {
    return data[std::ptrdiff_t(state) * by_state + std::ptrdiff_t(entry) * by_entry];
  }
};
// State after state, the entries of each contiguous (a matrix of states by entries, in C order).
template <class T>
StateArray<T> states_in_rows(T* data, std::size_t entries) {
  return {data, std::ptrdiff_t(entries), 1};
}
// Entry after entry, each for all states (structure of arrays).
template <class T>
StateArray<T> states_in_columns(T* data, std::size_t states) {
  return {data, 1, std::ptrdiff_t(states)};
}

// The inputs of the jobs: each one that a job takes must be present.
template <class S>
struct BatchInputs {
  StateArray<const S> q{}, qd{}, qdd{}, tau{}, base{}, lambda{}, reference{}, pushes{}, constants{};

  const StateArray<const S>& operator[](Input input) const { return *at(*this, input); }
  StateArray<const S>& operator[](Input input) { return *at(*this, input); }

 private:
  template <class Self>
  static auto* at(Self& self, Input input) {
    decltype(&self.q) const all[] = {&self.q,         &self.qd,   &self.qdd,    &self.tau,      &self.lambda,
                                     &self.reference, &self.base, &self.pushes, &self.constants};
    return all[static_cast<std::size_t>(input)];
  }
};

}  // namespace catena
