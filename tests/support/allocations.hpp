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

}  // namespace catena::test
