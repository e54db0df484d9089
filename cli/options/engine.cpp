#include "options/engine.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "terminal/errors.hpp"
#include "terminal/progress.hpp"

namespace catena::cli {
namespace {

// Measured: compiling takes 0.2 s; reading, computing and writing a row takes 1.4 us, of which compiled code saves
// 0.2 us. Compiling pays from a million rows on.
bool worth_compiling(const std::string& table) {
  constexpr std::uintmax_t enough = std::uintmax_t(1) << 28U;  // bytes
  std::error_code none;
  return !table.empty() && std::filesystem::is_regular_file(table, none) &&
         std::filesystem::file_size(table, none) >= enough;
}

class CompileWatch {
 public:
  void operator()(const CompileProgress& now) {
    constexpr double worth_a_word = 5.0;  // seconds
    if (!told_ && now.seconds >= worth_a_word)
      note(fmt::format("catena: compiling {} operations takes about {:.0f} s, but only this first time", now.operations,
                       now.seconds));
    told_ = true;
    constexpr double searching = 0.2;  // share of the total time, roughly
    const double share = now.compiling ? searching + (1.0 - searching) * now.share : searching * now.share;
    bar_.show(static_cast<std::uint64_t>(share * steps));
  }

 private:
  static constexpr double steps = 1000.0;
  Progress bar_{static_cast<std::uint64_t>(steps)};
  bool told_ = false;
};

}  // namespace

void EngineOption::add(CLI::App& command) {
  std::vector<std::string> names;
  for (const BatchEngineInfo& info : batch_engines) names.emplace_back(info.name);
  command.add_option("--engine", name, "generic code (default), code compiled for the robot, or whichever pays off")
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->check(one_of(names));
}

Call<double> EngineOption::make(const Mechanism& robot, const Work& work) const {
  if (name == "generic") return Call<double>(robot, work.job, work.formulation);
  CompileOptions options;
  options.formulation = work.formulation;
  options.frame = work.frame;
  options.only_cached = name == "auto" && !worth_compiling(work.table);
  options.progress = compile_watch();
  Call<double> call = compile_or_generic(robot, work.job, options);
  options.progress = {};  // removes the bar before anything else is printed
  if (call.engine().kind == EngineKind::generic) explain_generic(call.engine().why);
  return call;
}

std::function<void(const CompileProgress&)> compile_watch() {
  return [watch = std::make_shared<CompileWatch>()](const CompileProgress& now) { (*watch)(now); };
}

void EngineOption::explain_generic(const std::string& why) const {
  if (name == "compiled") note(fmt::format("catena: {}; the generic engine is used instead", why));
}

Json engine_json(const Call<double>& call) {
  const bool compiled = call.engine().kind == EngineKind::compiled;
  Json about{{"method", call.formulation().name}, {"engine", compiled ? "compiled" : "generic"}};
  if (compiled) about["compile_seconds"] = call.engine().compile_seconds;
  if (call.iterations() > 0) about["iterations"] = call.iterations();
  return about;
}

}  // namespace catena::cli
