#include "options/abridging.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "codegen/random_motions.hpp"
#include "options/companions.hpp"
#include "options/job_options.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

// "1%" or "0.01".
double parse_significance(const std::string& text) {
  const bool percent = text.ends_with('%');
  const std::vector<double> numbers = parse_numbers(percent ? text.substr(0, text.size() - 1) : text, "--significance");
  if (numbers.size() == 1)
    if (const double share = numbers[0] / (percent ? 100.0 : 1.0); share >= 0.0 && share < 1.0) return share;
  throw UsageError(
      fmt::format("--significance {}: give a share, as 1% or 0.01, at least 0 and below 1", printable(text)));
}

}  // namespace

Abridging AbridgingOptions::of(const Robot& robot, const Mechanism& mechanism) const {
  Abridging how;
  how.significance = significance.empty() ? 0.0 : parse_significance(significance);
  const auto ranges = [&](const std::optional<std::string>& text, const char* option, std::vector<double> others) {
    if (!text) return std::vector<double>{};
    std::vector<double> values = one_or_all(*text, option, robot, false, std::move(others));
    if (std::any_of(values.begin(), values.end(), [](double v) { return v < 0.0; }))
      throw UsageError(fmt::format("{} {}: none may be negative", option, printable(*text)));
    return values;
  };
  how.speeds = ranges(speeds, "--speeds", with_ranges(mechanism, how).speeds);
  how.accelerations = ranges(accelerations, "--accelerations", with_ranges(mechanism, how).accelerations);
  return how;
}

void AbridgingOptions::add(CLI::App& command) {
  command
      .add_option("--significance", significance,
                  "leave out summands, for errors of at most this share of the largest result in the motions below")
      ->type_name("P%");
  command.add_option("--speeds", speeds, "top speeds, one a joint or one for all; default the model's, else 2")
      ->type_name("V1,...");
  command
      .add_option("--accelerations", accelerations,
                  "top accelerations, one a joint or one for all; default the top speeds in 0.2 s")
      ->type_name("A1,...");
  goes_with(command, "--speeds", {"--significance"});
  goes_with(command, "--accelerations", {"--significance"});
}

}  // namespace catena::cli
