#include <charconv>
#include <sstream>

#include "catena/gpu.hpp"
#include "engines/cuda/driver.hpp"
#include "engines/cuda/nvrtc.hpp"

namespace catena {

GpuSurvey survey_gpus() {
  GpuSurvey survey;
  try {
    const auto driver = gpu::Driver::load();
    survey.driver_library = driver->library();
    survey.driver_version = gpu::version_text(driver->version());
    const int count = driver->device_count();
    for (int k = 0; k < count; ++k) survey.devices.push_back(driver->device(k));
    if (count == 0) survey.no_driver = "the driver finds no device";
  } catch (const GpuError& error) {
    survey.no_driver = error.what();
  }
  try {
    const auto compiler = gpu::Nvrtc::load();
    survey.compiler_library = compiler->library();
    survey.compiler_version = compiler->version();
  } catch (const GpuError& error) {
    survey.no_compiler = error.what();
  }
  return survey;
}

int device_of_stream(void* stream) {
  const auto driver = gpu::Driver::load();
  gpu::Context owner = nullptr, gone = nullptr;
  gpu::DeviceHandle device = 0;
  driver->require(driver->cuStreamGetCtx(stream, &owner), "cuStreamGetCtx", "the stream cannot be used");
  CATENA_CUDA(*driver, cuCtxPushCurrent_v2, owner);
  const gpu::Result result = driver->cuCtxGetDevice(&device);
  driver->cuCtxPopCurrent_v2(&gone);
  driver->require(result, "cuCtxGetDevice");
  return device;
}

namespace {

int parse_device(const std::string& text) {
  if (text == "cuda") return 0;
  int index = -1;
  const std::string_view number = std::string_view(text).substr(std::min<std::size_t>(text.size(), 5));
  const auto [end, bad] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (!text.starts_with("cuda:") || bad != std::errc() || end != number.data() + number.size() || index < 0)
    throw std::invalid_argument("'" + text + "' is not a device: cuda or cuda:0, cuda:1, ... is");
  return index;
}

}  // namespace

std::vector<int> parse_devices(const std::string& text) {
  std::vector<int> devices;
  std::istringstream list(text + ",");
  for (std::string name; std::getline(list, name, ',');) devices.push_back(parse_device(name));
  return devices;
}

}  // namespace catena
