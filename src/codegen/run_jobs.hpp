// Every job on the scalar Expr, by the name of its formulation.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/scalar/expr.hpp"

namespace catena {

struct SymbolicState {
  std::vector<Expr> q, qd, qdd, tau;  // those that the job takes
  int frame = 0;
};

// The results of a job in rows. Throws std::invalid_argument when no such formulation computes it.
std::vector<Expr> run_job(std::string_view job, std::string_view method, const BasicMechanism<Expr>& robot,
                          const SymbolicState& x);

}  // namespace catena
