// Results in rows on their way to memory. Where a state has many, each thread would write its own in small pieces, far
// from those of its neighbours; instead a warp puts them down in shared memory and writes those of its 32 states, which
// lie side by side, together.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"

namespace catena {

class CudaStage {
 public:
  CudaStage(const Program& program, const CodeOptions& options);

  bool used() const { return numbers_ > 0; }
  int numbers() const { return numbers_; }  // of shared memory that a thread needs
  // "stage[lane*49 + 3]", or nothing where the output is written directly.
  std::string place(const Program::Output& output, int k) const;
  // Instead of cuda_thread: whole warps stay together, threads behind the last state compute it once more.
  std::string thread() const;
  // The last statements of the kernel.
  std::string write() const;

 private:
  struct Kept {
    std::string name;
    int size, pitch, offset;  // an odd pitch: 32 threads meet 32 banks
  };
  std::string real_, array_;
  std::vector<Kept> kept_;
  int numbers_ = 0;
};

}  // namespace catena
