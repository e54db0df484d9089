// NVIDIA's run-time compiler: compiles CUDA C to code for one architecture. $CATENA_NVRTC_LIBRARY names the library;
// otherwise it is looked for in the system, in CUDA's own folders, and in the Python packages nvidia-cuda-nvrtc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/gpu.hpp"
#include "engines/shared_object.hpp"

namespace catena::gpu {

class Nvrtc {
 public:
  // Loaded once. Throws GpuError where there is none.
  static std::shared_ptr<const Nvrtc> load();

  // Compiles the text to machine code for the architecture ("90"), or, where the compiler does not know it yet, to PTX
  // for the latest one before it. Throws GpuError with the compiler's first error.
  std::string compile(const std::string& source, const std::string& architecture,
                      const std::vector<std::string>& options = {}) const;

  const std::string& library() const { return object_->name(); }
  std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  const std::vector<int>& architectures() const { return architectures_; }  // supported by the compiler

 private:
  using Program = void*;
  Nvrtc() = default;
  std::string words(int result) const;

  std::shared_ptr<engines::SharedObject> object_;
  int major_ = 0, minor_ = 0;
  std::vector<int> architectures_;
  int (*create_)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy_)(Program*) = nullptr;
  int (*compile_)(Program, int, const char* const*) = nullptr;
  int (*log_size_)(Program, std::size_t*) = nullptr;
  int (*log_)(Program, char*) = nullptr;
  int (*cubin_size_)(Program, std::size_t*) = nullptr;
  int (*cubin_)(Program, char*) = nullptr;
  int (*ptx_size_)(Program, std::size_t*) = nullptr;
  int (*ptx_)(Program, char*) = nullptr;
  const char* (*error_string_)(int) = nullptr;
};

}  // namespace catena::gpu
