// Staging of results in rows before they are written. Where a state has many, each thread would write its own in small
// pieces, far from those of its neighbours; instead a warp collects them in shared memory and writes those of its 32
// states, which are contiguous, together.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"

namespace catena {

class CudaStage {
 public:
  CudaStage(const Program& program, const CodeOptions& options);

  bool used() const { return numbers_ > 0; }
  int numbers() const { return numbers_; }  // numbers of shared memory per thread
  // "stage[lane*49 + 3]", or nothing where the output is written directly.
  std::string place(const Program::Output& output, int k) const;
  // Replaces cuda_thread: whole warps stay together, threads beyond the last state repeat that state.
  std::string thread() const;
  // The last statements of the kernel.
  std::string write() const;

 private:
  struct Kept {
    std::string name;
    int size, pitch, offset;  // an odd pitch, so that 32 threads use 32 banks
  };
  std::string real_, array_;
  std::vector<Kept> kept_;
  int numbers_ = 0;
};

}  // namespace catena
