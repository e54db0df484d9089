#include "catena/dynamics/registry.hpp"

#include "catena/dynamics/inverse_dynamics.hpp"

namespace catena {

std::vector<FormulationInfo> formulations(std::string_view job) {
  std::vector<FormulationInfo> list;
  AllFormulations::for_each([&](auto formulation) {
    if (job.empty() || formulation.info.computes == job) list.push_back(formulation.info);
  });
  return list;
}

}  // namespace catena
