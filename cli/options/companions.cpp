#include "options/companions.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

// "--q", "--q or --qd", "--q, --qd or --states"
std::string alternatives(const std::vector<std::string>& options) {
  std::string text = options.front();
  for (std::size_t k = 1; k < options.size(); ++k) text += (k + 1 == options.size() ? " or " : ", ") + options[k];
  return text;
}

}  // namespace

void goes_with(CLI::App& command, const std::string& option, const std::vector<std::string>& companions) {
  CLI::Option* const described = command.get_option(option);
  const std::string listed = alternatives(companions);
  described->description(fmt::format("{}; goes with {}", described->get_description(), listed));
  // Runs for the values of the option once the whole command line is read.
  described->each([&command, option, companions, listed](const std::string&) {
    const auto given = [&](const std::string& name) { return command.count(name) > 0; };
    if (given("--help") || std::any_of(companions.begin(), companions.end(), given)) return;
    throw UsageError(fmt::format("{} goes with {}", option, listed));
  });
}

}  // namespace catena::cli
