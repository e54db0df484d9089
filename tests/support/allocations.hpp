// What a piece of code asks of the heap. Linking this file into a test replaces operator new and delete of the program.
#pragma once

#include <cstddef>

namespace catena::test {

// Counts the allocations of this thread since it was made.
class AllocationCount {
 public:
  AllocationCount();
  long count() const;

 private:
  long start_;
};

// { NoAlloc guard; call(); } fails the test when the call allocates.
class NoAlloc {
 public:
  ~NoAlloc();

 private:
  AllocationCount allocations_;
};

// Remembers the blocks that are allocated while it records, to fill them with NaN later: the way to poison a workspace
// without knowing its fields. The arrays of a workspace must hold floating-point numbers only.
class AllocationRecord {
 public:
  AllocationRecord();
  ~AllocationRecord();
  AllocationRecord(const AllocationRecord&) = delete;
  AllocationRecord& operator=(const AllocationRecord&) = delete;

  void stop();                 // what comes later is not of interest
  std::size_t poison() const;  // every byte becomes 0xFF; returns how many bytes that were
  void note(void* block, std::size_t size);

 private:
  static constexpr std::size_t capacity = 64;
  struct Block {
    void* data;
    std::size_t size;
  };
  Block blocks_[capacity];
  std::size_t used_ = 0;
};

}  // namespace catena::test
