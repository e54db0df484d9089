// Pinocchio. Compiled twice: against the binaries of its wheel, whose algorithms are instantiated there for any x86-64,
// and from its headers alone for this processor. Each becomes a library that shows nothing but its one function, so
// that neither finds the other's templates.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include "contender.hpp"

namespace catena::peers {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Map<const Eigen::VectorXd>;

pinocchio::Model make_model(const Description& robot) {
  pinocchio::Model model;
  model.gravity.linear(Eigen::Vector3d(robot.gravity[0], robot.gravity[1], robot.gravity[2]));
  const auto inertia_of = [](const Body& b) {
    Eigen::Matrix3d inertia;
    inertia << b.inertia[0], b.inertia[3], b.inertia[4], b.inertia[3], b.inertia[1], b.inertia[5], b.inertia[4],
        b.inertia[5], b.inertia[2];
    return pinocchio::Inertia(b.mass, Eigen::Vector3d(b.com[0], b.com[1], b.com[2]), inertia);
  };
  pinocchio::JointIndex root = 0;
  if (robot.free) {
    root = model.addJoint(0, pinocchio::JointModelFreeFlyer(), pinocchio::SE3::Identity(), "base");
    model.appendBodyToJoint(root, inertia_of(robot.base), pinocchio::SE3::Identity());
  }
  for (std::size_t i = 0; i < robot.bodies.size(); ++i) {
    const Body& b = robot.bodies[i];
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R =
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.R);
    const pinocchio::SE3 placement(Eigen::Matrix3d(R), Eigen::Vector3d(b.p[0], b.p[1], b.p[2]));
    const pinocchio::JointIndex parent = root + static_cast<pinocchio::JointIndex>(b.parent + 1);
    const std::string name = "joint" + std::to_string(i);
    const pinocchio::JointIndex joint = b.revolute ? model.addJoint(parent, pinocchio::JointModelRZ(), placement, name)
                                                   : model.addJoint(parent, pinocchio::JointModelPZ(), placement, name);
    model.appendBodyToJoint(joint, inertia_of(b), pinocchio::SE3::Identity());
  }
  return model;
}

class Setup {
 public:
  Setup(const Description& robot, Job job, const Table& table)
      : model_(make_model(robot)), data_(model_), job_(job), table_(table) {
    const auto n = static_cast<Eigen::Index>(table.n);
    if (is_second_derivative(job))
      for (Tensor* tensor : {&q_q_, &qd_qd_, &q_qd_, &qdd_q_}) *tensor = Tensor(n, n, n), tensor->setZero();
    if (job == Job::curvature) weighed_.resize(4 * table.n * table.n);
  }

  void call(std::size_t k) {
    const auto n = static_cast<Eigen::Index>(table_.n);
    const Vector q(table_.q_of(k), static_cast<Eigen::Index>(table_.positions)), qd(table_.qd_of(k), n),
        x(table_.x_of(k), n);
    switch (job_) {
      case Job::inverse:
        pinocchio::rnea(model_, data_, q, qd, x);
        break;
      case Job::inertia:
        pinocchio::crba(model_, data_, q);
        break;
      case Job::forward:
        pinocchio::aba(model_, data_, q, qd, x);
        break;
      case Job::inverse_derivatives:
        pinocchio::computeRNEADerivatives(model_, data_, q, qd, x);
        break;
      case Job::forward_derivatives:
        pinocchio::computeABADerivatives(model_, data_, q, qd, x);
        break;
      case Job::curvature:
      case Job::second_derivatives:
        pinocchio::ComputeRNEASecondOrderDerivatives(model_, data_, q, qd, x, q_q_, qd_qd_, q_qd_, qdd_q_);
        if (job_ == Job::curvature) weigh(qd);
        break;
    }
  }

  std::vector<double> read() const {
    std::vector<double> out;
    const auto add = [&](const auto& matrix) {
      const Matrix rows = matrix;
      out.insert(out.end(), rows.data(), rows.data() + rows.size());
    };
    const auto add_symmetric = [&](const Eigen::MatrixXd& upper) {
      add(Eigen::MatrixXd(upper.selfadjointView<Eigen::Upper>()));
    };
    switch (job_) {
      case Job::inverse:
        add(data_.tau);
        break;
      case Job::inertia:
        add_symmetric(data_.M);
        break;
      case Job::forward:
        add(data_.ddq);
        break;
      case Job::inverse_derivatives:
        add_symmetric(data_.M), add(data_.dtau_dv), add(data_.dtau_dq);
        break;
      case Job::forward_derivatives:
        add(data_.ddq_dq), add(data_.ddq_dv), add_symmetric(data_.Minv);
        break;
      case Job::curvature:
        return weighed_;
      case Job::second_derivatives:
        for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(table_.n); ++i)
          for (int block = 0; block < 4; ++block)
            for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(table_.n); ++j)
              for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(table_.n); ++k)
                out.push_back(entry(block, i, j, k));
        break;
    }
    return out;
  }

 private:
  using Tensor = pinocchio::Data::Tensor3x;

  // The tensors add up over joints in storage order: torques first.
  double entry(int block, Eigen::Index i, Eigen::Index j, Eigen::Index k) const {
    return block == 0 ? q_q_(i, j, k) : block == 1 ? q_qd_(i, j, k) : block == 2 ? qdd_q_(i, k, j) : qd_qd_(i, j, k);
  }
  // λᵀ times each of them.
  void weigh(const Vector& lambda) {
    const auto n = static_cast<Eigen::Index>(table_.n);
    const Tensor* const tensors[] = {&q_q_, &q_qd_, &qdd_q_, &qd_qd_};
    for (int block = 0; block < 4; ++block) {
      const Eigen::Map<const Eigen::MatrixXd> by_torque(tensors[block]->data(), n, n * n);
      Eigen::Map<Eigen::RowVectorXd> sums(weighed_.data() + block * n * n, n * n);
      sums.noalias() = lambda.transpose() * by_torque;
      Eigen::Map<Eigen::MatrixXd> turned(sums.data(), n, n);
      if (block != 2) turned.transposeInPlace();  // the third has positions last
    }
  }

  Tensor q_q_, qd_qd_, q_qd_, qdd_q_;
  std::vector<double> weighed_;
  pinocchio::Model model_;
  pinocchio::Data data_;
  Job job_;
  const Table& table_;
};

}  // namespace

extern "C" Contender* PEER_FUNCTION(const Description& robot, Job job, const Table& table) {
#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
  if (is_second_derivative(job)) return nullptr;  // not among the wheel's binaries
#endif
  if (is_second_derivative(job) && robot.free)
    return nullptr;  // along a turning base the second is another convention's
  return new Looped<Setup>(robot, job, table);
}

}  // namespace catena::peers
