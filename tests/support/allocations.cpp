#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace catena::test {
namespace {

thread_local long allocations = 0;
thread_local AllocationRecord* recording = nullptr;

void* counted(void* block, std::size_t size) noexcept {
  ++allocations;
  if (block != nullptr && recording != nullptr) recording->note(block, size);
  return block;
}

void* required(void* block, std::size_t size) {
  if (block == nullptr) throw std::bad_alloc();
  return counted(block, size);
}

}  // namespace

AllocationCount::AllocationCount() : start_(allocations) {}
long AllocationCount::count() const { return allocations - start_; }

NoAlloc::~NoAlloc() {
  const long count = allocations_.count();  // before the assertion allocates
  EXPECT_EQ(count, 0) << "the guarded code allocated memory";
}

AllocationRecord::AllocationRecord() { recording = this; }
AllocationRecord::~AllocationRecord() { stop(); }
void AllocationRecord::stop() {
  if (recording == this) recording = nullptr;
}
void AllocationRecord::note(void* block, std::size_t size) {
  if (used_ == capacity) std::abort();  // more arrays than a workspace has
  blocks_[used_++] = {block, size};
}
std::size_t AllocationRecord::poison() const {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < used_; ++k) {
    std::memset(blocks_[k].data, 0xFF, blocks_[k].size);
    bytes += blocks_[k].size;
  }
  return bytes;
}

}  // namespace catena::test

// Every form is replaced: a form left out would come from the library or from a sanitizer, whose memory may not be
// given to std::free.
namespace {

using std::align_val_t, std::nothrow_t, std::size_t;

void* take(size_t size) noexcept { return std::malloc(size == 0 ? 1 : size); }
void* take(size_t size, align_val_t alignment) noexcept {
  const size_t step = static_cast<size_t>(alignment);
  return std::aligned_alloc(step, (size + step - 1) / step * step);
}

}  // namespace

void* operator new(size_t size) { return catena::test::required(take(size), size); }
void* operator new[](size_t size) { return catena::test::required(take(size), size); }
void* operator new(size_t size, align_val_t step) { return catena::test::required(take(size, step), size); }
void* operator new[](size_t size, align_val_t step) { return catena::test::required(take(size, step), size); }
void* operator new(size_t size, const nothrow_t&) noexcept { return catena::test::counted(take(size), size); }
void* operator new[](size_t size, const nothrow_t&) noexcept { return catena::test::counted(take(size), size); }
void* operator new(size_t size, align_val_t step, const nothrow_t&) noexcept {
  return catena::test::counted(take(size, step), size);
}
void* operator new[](size_t size, align_val_t step, const nothrow_t&) noexcept {
  return catena::test::counted(take(size, step), size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t, align_val_t) noexcept { std::free(block); }
void operator delete(void* block, const nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const nothrow_t&) noexcept { std::free(block); }
void operator delete(void* block, align_val_t, const nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, align_val_t, const nothrow_t&) noexcept { std::free(block); }
