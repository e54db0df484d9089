// Runners for robots on a free base, made of runners for the robot as six joints carry it.
// Equations: docs/equations/free_base.md.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "catena/dynamics/kinematics.hpp"
#include "catena/dynamics/kinematics/centroidal.hpp"
#include "catena/dynamics/projected_runner.hpp"
#include "catena/dynamics/takes.hpp"

namespace catena {

template <class S>
class FreeBaseRunner final : public Runner<S> {
 public:
  FreeBaseRunner(const MechanismFor<S>& robot, const JobInfo& job, const FormulationInfo& asked,
                 const TreeRunnerMaker<S>& make)
      : Runner<S>(robot, asked, job.result),
        role_(job.on_free_base),
        takes_qd_(job.takes(Input::qd)),
        takes_qdd_(job.takes(Input::qdd)),
        n_(robot.nv()),
        base_(robot) {
    const MechanismFor<S> tree = carried(robot);
    tree_ = make(role_ == OnFreeBase::by_inverse ? "inverse" : job.name, tree, asked.name);
    const auto standard = [&](std::string_view other) { return make(other, tree, job_info(other).standard_for(tree)); };
    if (role_ == OnFreeBase::coriolis || role_ == OnFreeBase::damping || role_ == OnFreeBase::stiffness) {
      other_ = standard("inertia");
      room_.resize(index(n_ * n_));
    } else if (role_ == OnFreeBase::drift) {
      other_ = standard("jacobian");
      room_.resize(index(6 * n_));
    } else if (role_ == OnFreeBase::energy) {
      placed_.emplace(robot);
    }
  }
  FreeBaseRunner(const FreeBaseRunner& other)
      : Runner<S>(other),
        role_(other.role_),
        takes_qd_(other.takes_qd_),
        takes_qdd_(other.takes_qdd_),
        n_(other.n_),
        base_(other.base_),
        tree_(other.tree_->clone()),
        other_(other.other_ ? other.other_->clone() : nullptr),
        placed_(other.placed_),
        room_(other.room_) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<FreeBaseRunner>(*this); }

  void run(const Inputs<S>& in, std::span<S> out) override {
    given_ = base_.in_tree(taken(in));
    tree_->run(given_, out);
    bring_back(in, out);
  }
  void run_formulation(const Inputs<S>& in, std::span<S> out) override {
    given_ = base_.in_tree(taken(in));
    tree_->run_formulation(given_, out);
    bring_back(in, out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>) {
      if (!all_finite<S>(out)) report_not_finite<S>(in, this->result);
      tree_->check(given_, out);
    }
  }
  void factor(const Inputs<S>& in) override {
    given_ = base_.in_tree(taken(in));
    tree_->factor(given_);
  }
  void solve(const Inputs<S>& in, std::span<S> out) override {
    given_ = base_.in_tree(taken(in));
    tree_->solve(given_, out);
    bring_back(in, out);
  }
  void follow(std::shared_ptr<const MechanismFor<S>>, int) override {}  // an assembly takes no free base
  void rebuild() override {}
  int iterations() const override { return tree_->iterations(); }
  void choose_early_omega(std::span<const char> by_link) override { tree_->choose_early_omega(by_link); }

 private:
  // What the job takes and no more: the tree's inverse dynamics would take the rest.
  Inputs<S> taken(Inputs<S> in) const {
    if (!takes_qd_) in.qd = {};
    if (!takes_qdd_) in.qdd = {};
    return in;
  }
  // From what the carried robot gives to what the free one has.
  void bring_back(const Inputs<S>& in, std::span<S> out) {
    const std::size_t square = index(n_ * n_);
    switch (role_) {
      case OnFreeBase::none:
      case OnFreeBase::as_carried:
      case OnFreeBase::by_inverse:
        return;
      case OnFreeBase::accelerations:
        return base_.to_rates(out);  // (4)
      case OnFreeBase::coriolis:
        return add_times(find_inertia(), base_.spin_matrix(), out);  // (5)
      case OnFreeBase::damping:
        return add_times(find_inertia(), base_.spin_derivative(), out);  // (6)
      case OnFreeBase::stiffness:
        return turn_weight(find_inertia(), out);  // (7)
      case OnFreeBase::linearized:
        add_times(out.first(square), base_.spin_derivative(), out.subspan(square, square));
        return turn_weight(out.first(square), out.last(square));
      case OnFreeBase::response:
        return answer(out.first(square), out.subspan(square, square));
      case OnFreeBase::energy:
        placed_->update(in.q);
        out[1] = placed_->potential_energy();
        return;
      case OnFreeBase::pose:
      case OnFreeBase::jacobian:
      case OnFreeBase::drift:
        if (this->robot().frames[index(frame_of<S>(this->robot(), in))].link == base) return;  // it stands in the world
        return bring_frame_back(out);
      case OnFreeBase::momentum:
        turn_columns(out.first(6), 1);
        return move_point(out.subspan(6));
      case OnFreeBase::centroidal: {
        turn_columns(out.first(index(6 * n_)), n_);
        const std::span<S> rest = out.subspan(index(6 * n_));
        turn_tensor(rest.first(9));
        return move_point(rest.subspan(9));
      }
    }
  }

  std::span<const S> find_inertia() {
    other_->run({.q = given_.q}, room_);
    return room_;
  }
  // X += M N, N in the corner of the base.
  void add_times(std::span<const S> M, const std::array<std::array<S, 6>, 6>& N, std::span<S> X) const {
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < free_joints; ++k) {
        S& entry = X[index(i * n_ + k)];
        for (int m = 0; m < free_joints; ++m) entry += M[index(i * n_ + m)] * N[index(m)][index(k)];
      }
  }
  // (7): torques change with where the base is by gravity alone.
  void turn_weight(std::span<const S> M, std::span<S> P) const {
    for (int k = 0; k < 3; ++k) {
      const Vec3<S> turned = base_.weight_turned(k);
      for (int i = 0; i < n_; ++i) {
        const S* const row = &M[index(i * n_)];
        P[index(i * n_ + k)] = S{};
        P[index(i * n_ + 3 + k)] = -(row[0] * turned.x + row[1] * turned.y + row[2] * turned.z);
      }
    }
  }
  // Derivatives of (4).
  void answer(std::span<S> to_q, std::span<S> to_qd) const {
    const auto N = base_.spin_derivative();
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < free_joints; ++k) {
        to_q[index(i * n_ + k)] = S{};
        if (i < free_joints) to_qd[index(i * n_ + k)] += -N[index(i)][index(k)];
      }
    for (int k = 0; k < 3; ++k) {
      const Vec3<S> turned = base_.weight_turned(k);
      to_q[index(3 + k)] = turned.x, to_q[index(n_ + 3 + k)] = turned.y, to_q[index(2 * n_ + 3 + k)] = turned.z;
    }
  }

  // (8)
  void bring_frame_back(std::span<S> out) {
    if (role_ == OnFreeBase::pose) {
      const Pose<S> seen{{out[0], out[1], out[2], out[4], out[5], out[6], out[8], out[9], out[10]},
                         {out[3], out[7], out[11]}};
      return put_pose<S>(base_.moved() * seen, out);
    }
    if (role_ == OnFreeBase::jacobian) return turn_columns(out, n_);
    other_->run({.q = given_.q, .frame = given_.frame}, room_);  // (9)
    const Vec3<S> linear = base_.spin_linear(), angular = base_.spin_angular();
    const S rates[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int r = 0; r < 6; ++r)
      for (int k = 0; k < free_joints; ++k) out[index(r)] += room_[index(r * n_ + k)] * rates[k];
    turn_columns(out, 1);
  }
  // Both halves of each column, from the tree's axes to the world's.
  void turn_columns(std::span<S> out, int columns) const {
    for (int half = 0; half < 2; ++half)
      for (int c = 0; c < columns; ++c) {
        const auto at = [&](int r) -> S& { return out[index((3 * half + r) * columns + c)]; };
        const Vec3<S> turned = base_.moved().R * Vec3<S>{at(0), at(1), at(2)};
        at(0) = turned.x, at(1) = turned.y, at(2) = turned.z;
      }
  }
  void turn_tensor(std::span<S> out) const {
    const Mat3<S> seen{out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8]};
    const Mat3<S> turned = base_.moved().R * seen * base_.moved().R.transpose();
    detail::put_vector<S>(turned.row_x(), out);
    detail::put_vector<S>(turned.row_y(), out.subspan(3));
    detail::put_vector<S>(turned.row_z(), out.subspan(6));
  }
  void move_point(std::span<S> out) const {
    detail::put_vector<S>(base_.moved().R * Vec3<S>{out[0], out[1], out[2]} + base_.moved().p, out);
  }

  OnFreeBase role_;
  bool takes_qd_, takes_qdd_;
  int n_;
  FreeBase<S> base_;
  Inputs<S> given_{};                        // what the tree was given last
  std::unique_ptr<Runner<S>> tree_, other_;  // and who finds what else is needed
  std::optional<Kinematics<S>> placed_;
  Array<S> room_;
};

// Throws std::invalid_argument where the job or the formulation is none for a free base.
template <class S>
std::unique_ptr<Runner<S>> make_free_base_runner(std::string_view job, const MechanismFor<S>& robot,
                                                 std::string_view formulation, const TreeRunnerMaker<S>& make) {
  const JobInfo& info = job_info(job);
  const FormulationInfo& asked = info.formulation(formulation);
  if (info.on_free_base == OnFreeBase::none)
    throw std::invalid_argument("'" + std::string(job) + "' does not take a free base");
  if (!takes_free_base(info, formulation))
    throw std::invalid_argument("'" + std::string(formulation) + "' of " + std::string(job) +
                                " does not take a free base; '" + std::string(info.standard_for(robot)) + "' does");
  return std::make_unique<FreeBaseRunner<S>>(robot, info, asked, make);
}

}  // namespace catena
