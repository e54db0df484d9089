#include "engines/cuda/made_kernel.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engines/cuda/nvrtc.hpp"

namespace catena::gpu {
namespace {

// Reads the whole file: the driver ignores the lines that the cache appends to the code.
std::string read_code(const std::string& path) {
  std::ifstream file(std::filesystem::path(path), std::ios::binary);
  std::string code{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw GpuError("cannot read '" + path + "'");
  return code;
}

void write_code(const std::string& path, const std::string& code) {
  std::ofstream file(std::filesystem::path(path), std::ios::binary);
  file << code;
  if (!file.flush()) throw GpuError("cannot write '" + path + "'");
}

}  // namespace

GpuKernelReport MadeKernel::report(const std::string& job, std::size_t number) const {
  return {job,
          number < formulations.size() ? formulations[number] : "",
          kernel.block(),
          kernel.registers(),
          kernel.local_bytes(),
          kernel.occupancy(),
          origin.from_cache,
          origin.generate_seconds,
          origin.compile_seconds};
}

MadeKernel make_kernel(const SessionPointer& session, const KernelText& usual,
                       const std::function<engines::SourceText()>& search, const GpuOptions& options,
                       const std::function<void(const Kernel&)>& test, const engines::Stopwatch& generating) try {
  const engines::Cache cache(options.cache_folder, ".cubin");
  const std::string architecture = session->device().architecture();
  MadeKernel made;
  engines::CodeMaker maker{"cuda sm_" + architecture + "\nregisters " + std::to_string(options.registers), usual.text,
                           search, options.only_cached, "kernels"};
  maker.compile = [&](const engines::SourceText& text, const std::string&, const std::string& output) {
    std::vector<std::string> flags;
    if (options.registers > 0) flags.push_back("--maxrregcount=" + std::to_string(options.registers));
    write_code(output, Nvrtc::load()->compile(text.source, architecture, flags));
  };
  maker.load = [&](const engines::Cache::Entry& entry) {
    Kernel kernel(session, read_code(entry.path), usual.function, options.block, usual.shared_bytes);
    test(kernel);
    made.kernel = std::move(kernel);
    made.formulations = entry.formulations;
  };
  made.origin = engines::make_code(cache, maker, generating);
  return made;
} catch (const engines::MakeError& error) {
  throw GpuError(error.what());
}

}  // namespace catena::gpu
