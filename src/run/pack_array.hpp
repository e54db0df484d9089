// Arrays whose elements are aligned to whole vectors: they do not live in an arena.
#pragma once

#include "catena/formulation/array.hpp"

namespace catena {

template <class T>
requires(alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) class ArenaAllocator<T> : public std::allocator<T> {
 public:
  using value_type = T;
  ArenaAllocator() = default;
  template <class U>
  ArenaAllocator(const ArenaAllocator<U>&) {}
  template <class U>
  struct rebind {
    using other = ArenaAllocator<U>;
  };
};

}  // namespace catena
