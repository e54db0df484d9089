// Arrays for workspaces. They are std::vectors except for the source of their memory: a workspace created within an
// ArenaScope lives in that arena, and creating it again there allocates nothing. This is how a call follows a robot
// that changes while it runs. Every array starts at a cache line, as the widest vectors like it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace catena {

inline constexpr std::align_val_t array_alignment{64};

class Arena {
 public:
  explicit Arena(std::size_t bytes = 0)
      : memory_(bytes ? static_cast<std::byte*>(::operator new(bytes, array_alignment)) : nullptr), size_(bytes) {}

  // Null if the arena is full; asked_for() counts the bytes anyway, so an empty arena measures the need.
  void* take(std::size_t bytes) {
    const std::size_t at = asked_for_;
    asked_for_ += (bytes + alignment - 1) / alignment * alignment;
    return asked_for_ <= size_ ? memory_.get() + at : nullptr;
  }
  bool has(const void* place) const {
    const auto* byte = static_cast<const std::byte*>(place);
    return size_ > 0 && !std::less<>{}(byte, memory_.get()) && std::less<>{}(byte, memory_.get() + size_);
  }
  void clear() { asked_for_ = 0; }  // only when nothing in it is in use any more
  std::size_t asked_for() const { return asked_for_; }
  bool was_enough() const { return asked_for_ <= size_; }

 private:
  static constexpr auto alignment = static_cast<std::size_t>(array_alignment);
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete(memory, array_alignment); }
  };
  std::unique_ptr<std::byte, Delete> memory_;
  std::size_t size_, asked_for_ = 0;
};

namespace detail {
inline thread_local Arena* open_arena = nullptr;
}

// While it lives, arrays created on this thread live in the arena.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : before_(detail::open_arena) { detail::open_arena = &arena; }
  ~ArenaScope() { detail::open_arena = before_; }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena* before_;
};

// The same for single objects; in front of each is a pointer to its arena.
inline void* allocate_in_arena(std::size_t bytes) {
  constexpr std::size_t ahead = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  Arena* arena = detail::open_arena;
  void* place = arena ? arena->take(ahead + bytes) : nullptr;
  if (!place) place = ::operator new(ahead + bytes), arena = nullptr;
  *static_cast<Arena**>(place) = arena;
  return static_cast<std::byte*>(place) + ahead;
}
inline void deallocate_in_arena(void* object) {
  if (!object) return;
  void* place = static_cast<std::byte*>(object) - __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  if (!*static_cast<Arena**>(place)) ::operator delete(place);
}

template <class T>
class ArenaAllocator {
 public:
  using value_type = T;
  static_assert(alignof(T) <= static_cast<std::size_t>(array_alignment));

  ArenaAllocator() = default;
  template <class U>
  ArenaAllocator(const ArenaAllocator<U>& other) : arena(other.arena) {}

  T* allocate(std::size_t n) {
    if (arena)
      if (void* place = arena->take(n * sizeof(T))) return static_cast<T*>(place);
    return static_cast<T*>(::operator new(n * sizeof(T), array_alignment));
  }
  void deallocate(T* place, std::size_t) {
    if (!arena || !arena->has(place)) ::operator delete(place, array_alignment);
  }
  // A copy of a workspace lives where its own scope says.
  ArenaAllocator select_on_container_copy_construction() const { return {}; }
  friend bool operator==(const ArenaAllocator& a, const ArenaAllocator& b) { return a.arena == b.arena; }

  Arena* arena = detail::open_arena;
};

template <class T>
using Array = std::vector<T, ArenaAllocator<T>>;

}  // namespace catena
