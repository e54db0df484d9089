// `generate --law`: which law, its parameters, and the motion along which gains are found.
#pragma once

#include <optional>
#include <string>

#include "catena/code.hpp"
#include "options/app.hpp"
#include "options/stepped_laws.hpp"

namespace catena::cli {

struct LawCodeOptions {
  std::string law, trajectory;
  std::optional<std::string> weights;
  SteppedLawOptions stepped;

  void add(CLI::App& command);
  bool given() const { return !law.empty(); }
  // Throws UsageError for an option of the command that means nothing here.
  void require_companions(const CLI::App& command) const;
  void require_own(const CLI::App& command) const;  // among the options of laws
  catena::LawOptions options(const Robot& robot, const Mechanism& mechanism, const std::string& frame) const;
};

}  // namespace catena::cli
