#include "equations/loops.hpp"

#include <stdexcept>
#include <utility>

#include "model/loop_equations.hpp"

namespace catena {

Mechanism open_tree(const Mechanism& robot) {
  if (static_cast<int>(robot.coordinates.closure.movers.size()) < robot.joints())
    throw std::invalid_argument("robot '" + robot.name +
                                "' has coupled joints, which printed equations do not support");
  Mechanism out = robot;
  out.coordinates.closure = {};
  out.coordinates.joints = {};
  out.coordinates.limits = {};
  for (const TreeJoint joint : robot.all_joints()) {
    out.coordinates.joints.push_back(joint);
    out.coordinates.limits.push_back(robot.coordinates.joint_limits[joint]);
  }
  return out;
}

MoreResults with_loops(const Closure<double>& closure, MoreResults others) {
  return [closure = closure.cast<Expr>(), others = std::move(others)](const BasicMechanism<Expr>& tree,
                                                                      const Inputs<Expr>& in) {
    std::vector<SymbolicMatrix> out;
    if (others) out = others(tree, in);
    SymbolicMatrix phi{"phi", "\\boldsymbol{\\varphi}(\\mathbf{q})", 0, 1, {}};
    SymbolicMatrix J{"J", "\\mathbf{J}(\\mathbf{q})", 0, tree.joints(), {}};
    std::vector<Expr> x;
    for (const TreeJoint mover : closure.movers) x.push_back(in.q[index(mover)]);
    for (const LoopCluster& cluster : closure.clusters) {
      LoopEquations<Expr> equations(tree, closure, cluster);
      equations.place(x);
      phi.entries.insert(phi.entries.end(), equations.phi().begin(), equations.phi().end());
      phi.rows += equations.rows();
      const std::size_t columns = index(equations.columns());
      for (std::size_t r = 0; r < index(equations.rows()); ++r) {
        std::vector<Expr> row(index(tree.joints()), Expr(0.0));
        for (std::size_t c = 0; c < columns; ++c)
          row[index(closure.movers[index(equations.movers()[c])])] = equations.J()[r * columns + c];
        J.entries.insert(J.entries.end(), row.begin(), row.end());
      }
    }
    J.rows = phi.rows;
    out.push_back(std::move(phi));
    out.push_back(std::move(J));
    return out;
  };
}

}  // namespace catena
