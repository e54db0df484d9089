#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace catena::test {
namespace {

thread_local long allocations = 0;
thread_local AllocationRecord* recording = nullptr;

void* noted(void* block, std::size_t size) {
  if (block == nullptr) throw std::bad_alloc();
  ++allocations;
  if (recording != nullptr) recording->note(block, size);
  return block;
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

// The other forms of new and delete call these.
void* operator new(std::size_t size) { return catena::test::noted(std::malloc(size == 0 ? 1 : size), size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const std::size_t step = static_cast<std::size_t>(alignment);
  return catena::test::noted(std::aligned_alloc(step, (size + step - 1) / step * step), size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
