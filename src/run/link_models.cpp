#include "catena/link_models.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "catena/scalar/counted.hpp"
#include "formulations/coriolis/progressive.hpp"
#include "formulations/inertia/progressive.hpp"
#include "jobs/checks.hpp"

namespace catena {

template <class S>
struct LinkModels<S>::Impl {
  // A link of the Robot, fixed to a link of the mechanism or to the base.
  struct Rider {
    int on = base_link;
    LinkConstants<ConstantOf<S>> body{};
  };

  MechanismFor<S> robot;
  std::vector<Rider> riders;  // indexed like Robot::links, and so are the results
  std::vector<LinkModel<S>> models;
  Array<LinkInBase<S>> links;
  Array<ProgressiveInertia::Column<S>> inertia_columns;
  Array<ProgressiveCoriolis::Column<S>> coriolis_columns;
  JointTurns<S> turns;

  Impl(const Robot& given, const Mechanism& mechanism)
      : robot(mechanism.cast<ConstantOf<S>>()),
        links(index(robot.joints())),
        inertia_columns(index(longest_path(robot))),
        coriolis_columns(inertia_columns.size()),
        turns(robot.joints()) {
    for (std::size_t k = 0; k < given.links.size(); ++k) add_rider(given.links[k].inertial, mechanism.frames[k]);
  }

  void add_rider(const Inertial& inertial, const FrameConstants<double>& frame) {
    const Sym3<double> inertia = congruence(frame.in_link.R, inertial.inertia);
    Rider rider{frame.link, {}};
    rider.body.mass = ConstantOf<S>(inertial.mass);
    rider.body.com = static_cast<Vec3<ConstantOf<S>>>(frame.in_link.p + frame.in_link.R * inertial.com);
    rider.body.inertia_com = static_cast<Sym3<ConstantOf<S>>>(inertia);
    rider.body.pseudo_com = static_cast<Sym3<ConstantOf<S>>>(pseudo_inertia(inertia));
    LinkModel<S> model;
    model.link = static_cast<int>(models.size());
    for (int i = frame.link; i != base_link; i = robot.link(i).parent) model.joints.push_back(robot.link(i).q);
    std::reverse(model.joints.begin(), model.joints.end());
    const std::size_t k = model.joints.size();
    model.M.resize(k * k), model.C.resize(k * k), model.g.resize(k);
    models.push_back(std::move(model));
    riders.push_back(rider);
  }

  void require_lengths(std::span<const S> q, std::span<const S> qd) const {
    require_length(q.size(), index(robot.joints()), "q");
    require_length(qd.size(), index(robot.joints()), "qd");
  }

  // The columns are ordered from the link to the base, the index set from the base to the link.
  void compute(std::size_t which) {
    const auto& [on, body] = riders[which];
    if (on == base_link) return;
    LinkModel<S>& model = models[which];
    const int k = static_cast<int>(model.joints.size());
    const MatrixView<S> M{model.M, k}, C{model.C, k};
    LinkInBase<S> own = links[index(on)];
    place_body(body, own);
    const auto of_M = ProgressiveInertia::form_columns(robot, on, body, links, inertia_columns);
    const auto of_C = ProgressiveCoriolis::form_columns(robot, on, body, own, links, coriolis_columns);
    M.set_zero();
    for (int row = 0; row < k; ++row) {
      const auto& row_of_M = of_M[index(k - 1 - row)];
      for (int column = 0; column <= row; ++column)
        ProgressiveInertia::add_entry(row_of_M, of_M[index(k - 1 - column)], M(row, column));
      for (int column = 0; column < row; ++column) M(column, row) = M(row, column);
      for (int column = 0; column < k; ++column)
        C(row, column) = ProgressiveCoriolis::entry(of_C[index(k - 1 - row)], of_C[index(k - 1 - column)]);
      model.g[index(row)] = ProgressiveInertia::weight(robot, row_of_M);
    }
  }
};

template <class S>
LinkModels<S>::LinkModels(const Robot& robot, const MechanismOptions& options)
    : impl_(std::make_unique<Impl>(robot, make_mechanism(robot, options))) {
  require_uncoupled(impl_->robot, "models link by link");
  require_fixed_base(impl_->robot, "models link by link do");
}
template <class S>
LinkModels<S>::~LinkModels() = default;
template <class S>
LinkModels<S>::LinkModels(LinkModels&&) noexcept = default;
template <class S>
LinkModels<S>& LinkModels<S>::operator=(LinkModels&&) noexcept = default;

template <class S>
std::span<const LinkModel<S>> LinkModels<S>::operator()(std::span<const S> q, std::span<const S> qd) {
  Impl& p = *impl_;
  p.require_lengths(q, qd);
  joint_turns<S>(p.robot, q, p.turns);
  for (int i = 0; i < p.robot.joints(); ++i) place_frame(p.robot, i, q, qd, p.turns, p.links);
  for (std::size_t k = 0; k < p.riders.size(); ++k) p.compute(k);
  return p.models;
}

template <class S>
const LinkModel<S>& LinkModels<S>::extend(int link, std::span<const S> q, std::span<const S> qd) {
  Impl& p = *impl_;
  p.require_lengths(q, qd);
  if (link < 0 || index(link) >= p.riders.size())
    throw std::invalid_argument("link " + std::to_string(link) + " does not exist; the robot has " +
                                std::to_string(p.riders.size()) + " links");
  const int i = p.riders[index(link)].on;
  if (i != base_link) {
    const auto& moved = p.robot.link(i);
    p.turns[i] = moved.revolute ? sincos_of_sum(q[index(moved.q)], moved.theta)
                                : Turn<S>{S(moved.fixed_turn.c), S(moved.fixed_turn.s)};
    place_frame(p.robot, i, q, qd, p.turns, p.links);
    p.compute(index(link));
  }
  return p.models[index(link)];
}

template <class S>
int LinkModels<S>::joints() const {
  return impl_->robot.joints();
}

template <class S>
void scatter_add(const LinkModel<S>& link, std::span<S> M, std::span<S> C, std::span<S> g) {
  const std::size_t n = g.size(), k = link.joints.size();
  require_length(M.size(), n * n, "M");
  require_length(C.size(), n * n, "C");
  for (const int joint : link.joints)
    if (joint < 0 || index(joint) >= n)
      throw std::invalid_argument("joint " + std::to_string(joint) + " moves the link, but the model has " +
                                  std::to_string(n) + " joints");
  for (std::size_t row = 0; row < k; ++row) {
    for (std::size_t column = 0; column < k; ++column) {
      const std::size_t to = index(link.joints[row]) * n + index(link.joints[column]);
      M[to] += link.M[row * k + column];
      C[to] += link.C[row * k + column];
    }
    g[index(link.joints[row])] += link.g[row];
  }
}

template class LinkModels<double>;
template class LinkModels<Counted>;
template void scatter_add(const LinkModel<double>&, std::span<double>, std::span<double>, std::span<double>);
template void scatter_add(const LinkModel<Counted>&, std::span<Counted>, std::span<Counted>, std::span<Counted>);

}  // namespace catena
