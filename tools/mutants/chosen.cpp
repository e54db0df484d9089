// In each program that mutants.py tries. CATENA_MUTANT: the number of the change that acts.
#include <cstdlib>

namespace {

[[maybe_unused]] const bool mutant_is_chosen = [] {
  if (const char* const number = std::getenv("CATENA_MUTANT")) catena_mutants::active = std::atoi(number);
  return true;
}();

}  // namespace
