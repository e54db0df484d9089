#include "engines/cuda/nvrtc.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "system/own_process.hpp"

namespace catena::gpu {
namespace {

namespace fs = std::filesystem;

using system::variable;

// Adds libnvrtc.so.13 and the like in a folder, the newest first.
void add_from(const fs::path& folder, std::vector<std::string>& found) {
  std::vector<std::string> here;
  std::error_code none;
  for (fs::directory_iterator file(folder, none), end; !none && file != end; file.increment(none)) {
    const std::string name = file->path().filename().string();
    if (name.starts_with("libnvrtc.so") && name.find(".alt.") == std::string::npos)
      here.push_back(file->path().string());
  }
  std::sort(here.rbegin(), here.rend());
  found.insert(found.end(), here.begin(), here.end());
}

// PREFIX/lib/pythonX.Y/site-packages/nvidia/{cuda_nvrtc,cu13}/lib of a Python environment.
void add_from_python(const fs::path& prefix, std::vector<std::string>& found) {
  std::error_code none;
  for (fs::directory_iterator python(prefix / "lib", none), end; !none && python != end; python.increment(none)) {
    if (!python->path().filename().string().starts_with("python")) continue;
    for (const char* packages : {"site-packages", "dist-packages"})
      for (const char* package : {"cu13", "cuda_nvrtc", "cu12"})
        add_from(python->path() / packages / "nvidia" / package / "lib", found);
  }
}

std::vector<std::string> compiler_libraries() {
  if (const std::string own = variable("CATENA_NVRTC_LIBRARY"); !own.empty()) return {own};
  if (system::on_windows) return {"nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"};
  std::vector<std::string> found{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = variable(name); !folder.empty()) add_from(fs::path(folder) / "lib64", found);
  add_from("/usr/local/cuda/lib64", found);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = variable(name); !prefix.empty()) add_from_python(prefix, found);
  if (const std::string home = variable("HOME"); !home.empty()) add_from_python(home + "/.local", found);
  add_from_python("/usr/local", found);
  add_from_python("/usr", found);
  return found;
}

// The most useful line of the compiler's log.
std::string first_error(const std::string& log) {
  std::size_t start = 0;
  while (start < log.size()) {
    const std::size_t end = std::min(log.find('\n', start), log.size());
    std::string line = log.substr(start, end - start);
    if (line.find("error") != std::string::npos) return line;
    start = end + 1;
  }
  return log.substr(0, log.find('\n'));
}

}  // namespace

std::shared_ptr<const Nvrtc> Nvrtc::load() {
  static std::mutex mutex;
  static std::shared_ptr<const Nvrtc> loaded;
  const std::lock_guard lock(mutex);
  if (loaded) return loaded;
  std::shared_ptr<Nvrtc> made(new Nvrtc);
  std::string why;
  made->object_ = engines::SharedObject::open(compiler_libraries(), why);
  if (!made->object_)
    throw GpuError("NVRTC, the run-time compiler of CUDA, is missing (pip install nvidia-cuda-nvrtc-cu12): " + why);
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(made->object_->find(name));
    if (function == nullptr)
      throw GpuError("the NVRTC '" + made->library() + "' is too old: it has no " + name + ", CUDA 11.2 is needed");
  };
  int (*version)(int*, int*) = nullptr;
  int (*architecture_count)(int*) = nullptr;
  int (*architectures)(int*) = nullptr;
  find(version, "nvrtcVersion");
  find(architecture_count, "nvrtcGetNumSupportedArchs");
  find(architectures, "nvrtcGetSupportedArchs");
  find(made->create_, "nvrtcCreateProgram");
  find(made->destroy_, "nvrtcDestroyProgram");
  find(made->compile_, "nvrtcCompileProgram");
  find(made->log_size_, "nvrtcGetProgramLogSize");
  find(made->log_, "nvrtcGetProgramLog");
  find(made->cubin_size_, "nvrtcGetCUBINSize");
  find(made->cubin_, "nvrtcGetCUBIN");
  find(made->ptx_size_, "nvrtcGetPTXSize");
  find(made->ptx_, "nvrtcGetPTX");
  find(made->error_string_, "nvrtcGetErrorString");
  int count = 0;
  if (version(&made->major_, &made->minor_) != 0 || architecture_count(&count) != 0 || count <= 0)
    throw GpuError("the NVRTC '" + made->library() + "' does not answer");
  made->architectures_.resize(std::size_t(count));
  if (architectures(made->architectures_.data()) != 0)
    throw GpuError("the NVRTC '" + made->library() + "' does not answer");
  loaded = made;
  return loaded;
}

std::string Nvrtc::words(int result) const {
  const char* text = error_string_(result);
  return text != nullptr ? text : "error " + std::to_string(result);
}

std::string Nvrtc::compile(const std::string& source, const std::string& architecture,
                           const std::vector<std::string>& options) const {
  const int asked = std::stoi(architecture);
  const bool known = std::find(architectures_.begin(), architectures_.end(), asked) != architectures_.end();
  int taken = known ? asked : 0;
  for (const int other : architectures_)
    if (!known && other < asked) taken = std::max(taken, other);
  if (taken == 0)
    throw GpuError("NVRTC " + version() + " compiles for no architecture up to sm_" + architecture + ": " +
                   "the oldest is sm_" +
                   std::to_string(*std::min_element(architectures_.begin(), architectures_.end())));
  std::vector<std::string> all{std::string("--gpu-architecture=") + (known ? "sm_" : "compute_") +
                               std::to_string(taken)};
  all.insert(all.end(), options.begin(), options.end());
  std::vector<const char*> words_of;
  for (const std::string& option : all) words_of.push_back(option.c_str());

  Program program = nullptr;
  if (const int result = create_(&program, source.c_str(), "catena.cu", 0, nullptr, nullptr); result != 0)
    throw GpuError("NVRTC: " + words(result));
  const std::shared_ptr<void> owner(nullptr, [&](void*) { destroy_(&program); });
  if (const int result = compile_(program, int(words_of.size()), words_of.data()); result != 0) {
    std::size_t size = 0;
    std::string log;
    if (log_size_(program, &size) == 0 && size > 1) {
      log.resize(size);
      log_(program, log.data());
      log.resize(std::min(log.find('\0'), log.size()));
    }
    throw GpuError("NVRTC does not compile the kernel: " + (log.empty() ? words(result) : first_error(log)));
  }
  std::size_t size = 0;
  if (const int result = (known ? cubin_size_ : ptx_size_)(program, &size); result != 0 || size == 0)
    throw GpuError("NVRTC gives no code: " + words(result));
  std::string code(size, '\0');
  if (const int result = (known ? cubin_ : ptx_)(program, code.data()); result != 0)
    throw GpuError("NVRTC gives no code: " + words(result));
  return code;
}

}  // namespace catena::gpu
