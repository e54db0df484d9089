// Jobs whose derivatives are also a job: which job, and which of its results belongs to which input.
#pragma once

#include <string_view>

namespace catena {

struct DerivativesInfo {
  std::string_view job;          // whose results are differentiated
  std::string_view derivatives;  // the job that computes the derivatives
  std::string_view by_input[3];  // its results, in the order of the inputs of both
  std::string_view curvature;    // the job of the second ones: by inputs 1 and 1, 1 and 2, 1 and 3, 2 and 2
};
inline constexpr DerivativesInfo all_derivatives[] = {
    {"inverse", "linearize", {"P", "V", "D"}, "curvature"},
    {"forward", "response", {"qdd_q", "qdd_qd", "qdd_tau"}, "response_curvature"},
};
constexpr const DerivativesInfo* derivatives_of(std::string_view job) {
  for (const DerivativesInfo& known : all_derivatives)
    if (known.job == job) return &known;
  return nullptr;
}

}  // namespace catena
