#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#ifdef _WIN32
#include <malloc.h>
#endif

namespace catena::test {
namespace {

thread_local long allocations = 0;

void* counted(void* block) noexcept {
  ++allocations;
  return block;
}

void* required(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return counted(block);
}

}  // namespace

AllocationCount::AllocationCount() : start_(allocations) {}
long AllocationCount::count() const { return allocations - start_; }

NoAlloc::~NoAlloc() {
  const long count = allocations_.count();  // before the assertion allocates
  EXPECT_EQ(count, 0) << "the guarded code allocated memory";
}

}  // namespace catena::test

// Every form is replaced: a form left out would come from the library or from a sanitizer, whose memory may not be
// given to std::free.
namespace {

using std::align_val_t, std::nothrow_t, std::size_t;

#ifdef _WIN32  // where aligned memory is given back in a way of its own
void* take(size_t size, align_val_t alignment = align_val_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__}) noexcept {
  return _aligned_malloc(size == 0 ? 1 : size, static_cast<size_t>(alignment));
}
void give_back(void* block) noexcept { _aligned_free(block); }
#else
void* take(size_t size) noexcept { return std::malloc(size == 0 ? 1 : size); }
void* take(size_t size, align_val_t alignment) noexcept {
  const size_t step = static_cast<size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step);
}
void give_back(void* block) noexcept { std::free(block); }
#endif

}  // namespace

void* operator new(size_t size) { return catena::test::required(take(size)); }
void* operator new[](size_t size) { return catena::test::required(take(size)); }
void* operator new(size_t size, align_val_t step) { return catena::test::required(take(size, step)); }
void* operator new[](size_t size, align_val_t step) { return catena::test::required(take(size, step)); }
void* operator new(size_t size, const nothrow_t&) noexcept { return catena::test::counted(take(size)); }
void* operator new[](size_t size, const nothrow_t&) noexcept { return catena::test::counted(take(size)); }
void* operator new(size_t size, align_val_t step, const nothrow_t&) noexcept {
  return catena::test::counted(take(size, step));
}
void* operator new[](size_t size, align_val_t step, const nothrow_t&) noexcept {
  return catena::test::counted(take(size, step));
}
void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, size_t) noexcept { give_back(block); }
void operator delete[](void* block, size_t) noexcept { give_back(block); }
void operator delete(void* block, align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, align_val_t) noexcept { give_back(block); }
void operator delete(void* block, size_t, align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, size_t, align_val_t) noexcept { give_back(block); }
void operator delete(void* block, const nothrow_t&) noexcept { give_back(block); }
void operator delete[](void* block, const nothrow_t&) noexcept { give_back(block); }
void operator delete(void* block, align_val_t, const nothrow_t&) noexcept { give_back(block); }
void operator delete[](void* block, align_val_t, const nothrow_t&) noexcept { give_back(block); }
