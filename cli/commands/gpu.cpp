// catena gpu: which graphics processors can be used, and what is missing where none can.
#include <memory>

#include "catena/gpu.hpp"
#include "command.hpp"
#include "output/output.hpp"

namespace catena::cli {
namespace {

nlohmann::ordered_json gpus_json(const GpuSurvey& survey) {
  const auto part = [](const std::string& library, const std::string& version, const std::string& missing) {
    nlohmann::ordered_json one;
    one["found"] = !version.empty();
    if (!version.empty()) {
      one["library"] = library;
      one["version"] = version;
    }
    if (!missing.empty()) one["why"] = missing;
    return one;
  };
  nlohmann::ordered_json json;
  json["usable"] = survey.usable();
  json["driver"] = part(survey.driver_library, survey.driver_version, survey.no_driver);
  json["nvrtc"] = part(survey.compiler_library, survey.compiler_version, survey.no_compiler);
  json["devices"] = nlohmann::ordered_json::array();
  for (const GpuDevice& device : survey.devices)
    json["devices"].push_back({{"index", device.index},
                               {"name", device.name},
                               {"capability", std::to_string(device.major) + "." + std::to_string(device.minor)},
                               {"multiprocessors", device.multiprocessors},
                               {"memory", device.memory}});
  return json;
}

std::string gpus_text(const GpuSurvey& survey) {
  const auto part = [](const char* name, const std::string& library, const std::string& version,
                       const std::string& missing) {
    return fmt::format("{:<8} {}\n", name, version.empty() ? missing : fmt::format("CUDA {} ({})", version, library));
  };
  std::string text = part("driver", survey.driver_library, survey.driver_version, survey.no_driver) +
                     part("NVRTC", survey.compiler_library, survey.compiler_version, survey.no_compiler);
  for (const GpuDevice& device : survey.devices)
    text += fmt::format("cuda:{}   {}, compute capability {}.{}, {} multiprocessors, {} MiB\n", device.index,
                        device.name, device.major, device.minor, device.multiprocessors, device.memory >> 20);
  if (survey.devices.empty() && !survey.driver_version.empty()) text += "devices  " + survey.no_driver + "\n";
  return text;
}

}  // namespace

void add_gpu(CLI::App& program) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* command = add_command(program, "gpu", "Show which GPUs can be used, or what is missing",
                                  "  catena gpu\n"
                                  "  catena gpu --json");
  command->add_flag("--json", *json, "print one JSON object: usable, driver, nvrtc, devices");
  command->callback([json] {
    const GpuSurvey survey = survey_gpus();
    emit(*json ? json_line(gpus_json(survey)) : gpus_text(survey));
  });
}

}  // namespace catena::cli
