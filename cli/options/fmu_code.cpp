#include "options/fmu_code.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <stdexcept>

#include "catena/fmu.hpp"
#include "catena/tables.hpp"
#include "codegen/escape.hpp"
#include "command.hpp"
#include "options/frames.hpp"
#include "output/code_output.hpp"
#include "output/output.hpp"
#include "output/own_files.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

void FmuCodeOptions::add(CLI::App& command) {
  command.add_option("--kind", kind, "fmu: model exchange, or co-simulation with an integrator inside; default both")
      ->type_name("me|cs")
      ->check(one_of({"me", "cs"}));
  command.add_option("--fmi", version, "fmu: the standard's version; default 3")
      ->type_name("3|2")
      ->check(CLI::Range(2, 3).description(""));
}

bool FmuCodeOptions::given(const std::string& language, const CLI::App& command) const {
  for (const char* option : {"--kind", "--fmi"})
    if (language != "fmu" && command.get_option(option)->count() > 0)
      throw UsageError(fmt::format("{} goes with --lang fmu", option));
  return language == "fmu";
}

namespace {

FmuOptions options_of(const FmuCodeOptions& own, const FmuCodeOptions::Others& others, const Robot& robot,
                      const Mechanism& mechanism) {
  constexpr std::size_t longest_name = 48;
  FmuOptions options;
  options.name = others.name.empty() ? identifier(robot.name).substr(0, longest_name) : others.name;
  options.fmi = own.version;
  options.model_exchange = own.kind != "cs", options.co_simulation = own.kind != "me";
  options.frame = frame_index(mechanism, others.frame);
  options.search = others.search, options.most_operations = others.limit, options.version = CATENA_VERSION;
  if (others.law.given()) options.law = others.law.options(robot, mechanism, others.frame);
  return options;
}

}  // namespace

void FmuCodeOptions::write(const Others& others, const CLI::App& command) const {
  for (const char* option : {"--compute", "--fuse", "--packed", "--abi", "--derivatives", "--lanes", "--keep",
                             "--float", "--sincos", "--significance", "--gravity-input", "--method"})
    if (command.get_option(option)->count() > 0)
      throw UsageError(fmt::format("{} does not go with --lang fmu", option));
  if (others.law.given()) others.law.require_own(command);
  if (others.output.empty()) throw UsageError("--lang fmu needs -o FILE: an FMU is an archive");
  require_own({others.output}, others.force);
  const Robot robot = others.model.load();
  const Mechanism mechanism = others.model.mechanism(robot);
  Fmu fmu;
  CodeOptions code;
  try {
    const FmuOptions options = options_of(*this, others, robot, mechanism);
    fmu = make_fmu(mechanism, options);
    add_binary(fmu, options);
    code.name = options.name;
  } catch (const TooManyOperations& error) {
    throw UsageError(fmt::format("{}; --limit N allows more", error.what()));
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--lang fmu: {}", error.what()));
  }
  write_text_file(others.output, archive_of(fmu));
  if (!fmu.no_binary.empty())
    note(fmt::format("catena: {} has sources and no binary: {}", others.output, fmu.no_binary));
  emit(others.json ? json_line(summary({fmu.program}, code, {others.output}))
                   : table_text({fmu.program}, code) + fmt::format("wrote {}\n", others.output));
}

}  // namespace catena::cli
