#include "support/equations.hpp"

#include <fmt/format.h>

#include "support/errors.hpp"

namespace catena::cli {

Equations equations_of(const Robot& robot, const Mechanism& mechanism, const EquationsRequest& request,
                       const std::string& symbols) {
  try {
    return make_equations(robot, mechanism, request);
  } catch (const SymbolError& error) {
    throw UsageError(fmt::format("{} {}", symbols, error.what()));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  } catch (const TooManyTerms& error) {
    const bool numbers = request.symbols == "none" || (request.symbols.empty() && mechanism.n() > 3);
    throw UsageError(fmt::format("{}; ask for less (--compute gravity){} or raise --limit", error.what(),
                                 numbers ? "" : fmt::format(", for numbers instead of symbols ({} none)", symbols)));
  }
}

}  // namespace catena::cli
