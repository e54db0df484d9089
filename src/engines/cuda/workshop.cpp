#include "engines/cuda/workshop.hpp"

#include <chrono>
#include <fstream>
#include <iterator>

#include "engines/c/cache.hpp"
#include "engines/c/sha256.hpp"
#include "engines/cuda/nvrtc.hpp"

namespace catena::gpu {
namespace {

std::string key_of(const Text& usual, const std::string& architecture, const GpuOptions& options) {
  return jit::sha256("catena " CATENA_VERSION " cuda sm_" + architecture + "\nregisters " +
                     std::to_string(options.registers) + (options.search ? "\ncheapest\n" : "\nusual\n") +
                     usual.source);
}

// An entry: formulation, a zero, the code, and the cache's seal, which a driver does not read.
MadeKernel load(const SessionPointer& session, const std::string& path, const Text& text, int block) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::size_t end = content.find('\0');
  if (!file || end == std::string::npos) throw GpuError("cannot read '" + path + "'");
  MadeKernel made;
  made.formulation = content.substr(0, end);
  made.kernel = Kernel(session, content.substr(end + 1), text.function, block, text.shared_bytes);
  return made;
}

void write_entry(const std::string& path, const std::string& formulation, const std::string& code) {
  std::ofstream file(path, std::ios::binary);
  file << formulation << '\0' << code;
  if (!file.flush()) throw GpuError("cannot write '" + path + "'");
}

}  // namespace

GpuKernelReport MadeKernel::report(const std::string& job) const {
  return {job,        formulation,      kernel.block(), kernel.registers(), kernel.local_bytes(), kernel.occupancy(),
          from_cache, generate_seconds, compile_seconds};
}

MadeKernel make_kernel(const SessionPointer& session, const Text& usual, const std::function<Text()>& final,
                       const GpuOptions& options, const std::function<void(const Kernel&)>& test) try {
  const jit::Cache cache(options.cache_folder, ".cubin");
  const std::string architecture = session->device().architecture(), key = key_of(usual, architecture, options);
  if (const std::string path = cache.find(key); !path.empty()) try {
      MadeKernel made = load(session, path, usual, options.block);
      test(made.kernel);
      made.from_cache = true;
      return made;
    } catch (const GpuError&) {  // gone, of another driver, or wrong: made anew
    }
  if (options.only_cached) throw GpuError("not in the cache of compiled kernels");
  const Text text = final();
  std::vector<std::string> flags;
  if (options.registers > 0) flags.push_back("--maxrregcount=" + std::to_string(options.registers));
  const auto start = std::chrono::steady_clock::now();
  const std::string code = Nvrtc::load()->compile(text.source, architecture, flags);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string path = cache.add(key, text.source, [&](const std::string&, const std::string& output) {
    write_entry(output, text.formulation, code);
  });
  MadeKernel made = load(session, path, usual, options.block);
  made.compile_seconds = seconds;
  test(made.kernel);
  return made;
} catch (const CompileError& error) {  // of the cache
  throw GpuError(error.what());
}

}  // namespace catena::gpu
