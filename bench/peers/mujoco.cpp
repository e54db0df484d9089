// MuJoCo, from the library in its wheel: the stages of its pipeline that a job needs, and no more.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "contender.hpp"

namespace catena::peers {
namespace {

mjModel* compile(const Description& robot) {
  mjSpec* spec = mj_makeSpec();
  spec->compiler.degree = 0;
  spec->compiler.balanceinertia = 1;  // textbook arms have inertias that it would refuse; what it changes costs no time
  spec->compiler.boundinertia = 1e-9;
  std::vector<mjsBody*> bodies;
  for (const Body& b : robot.bodies) {
    mjsBody* body = mjs_addBody(b.parent < 0 ? mjs_findBody(spec, "world") : bodies[std::size_t(b.parent)], nullptr);
    std::copy(b.p, b.p + 3, body->pos);
    mju_mat2Quat(body->quat, b.R);
    body->mass = std::max(b.mass, 1e-9);
    std::copy(b.com, b.com + 3, body->ipos);
    std::copy(b.inertia, b.inertia + 6, body->fullinertia);
    body->explicitinertial = 1;
    mjsJoint* joint = mjs_addJoint(body, nullptr);
    joint->type = b.revolute ? mjJNT_HINGE : mjJNT_SLIDE;
    joint->axis[0] = joint->axis[1] = 0.0, joint->axis[2] = 1.0;
    bodies.push_back(body);
  }
  std::copy(robot.gravity, robot.gravity + 3, spec->option.gravity);
  mjModel* model = mj_compile(spec, nullptr);
  const std::string error = model == nullptr ? mjs_getError(spec) : "";
  mj_deleteSpec(spec);
  if (model == nullptr) throw std::runtime_error(robot.name + ": MuJoCo: " + error);
  return model;
}

class Setup {
 public:
  Setup(const Description& robot, Job job, const Table& table)
      : model_(compile(robot)), data_(mj_makeData(model_)), job_(job), out_(robot.n()), table_(table) {}
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;
  ~Setup() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void call(std::size_t k) {
    const std::size_t bytes = table_.n * sizeof(double);
    std::memcpy(data_->qpos, table_.q_of(k), bytes);
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    if (job_ == Job::inertia) return mj_makeM(model_, data_);
    std::memcpy(data_->qvel, table_.qd_of(k), bytes);
    mj_comVel(model_, data_);
    if (job_ == Job::inverse) {
      std::memcpy(data_->qacc, table_.x_of(k), bytes);
      return mj_rne(model_, data_, 1, out_.data());
    }
    mj_makeM(model_, data_);
    mj_factorM(model_, data_);
    mj_rne(model_, data_, 0, data_->qfrc_bias);
    const double* tau = table_.x_of(k);
    for (std::size_t i = 0; i < table_.n; ++i) data_->qfrc_smooth[i] = tau[i] - data_->qfrc_bias[i];
    mj_solveM(model_, data_, out_.data(), data_->qfrc_smooth, 1);
  }

  std::vector<double> read() const {
    if (job_ != Job::inertia) return out_;
    std::vector<double> full(table_.n * table_.n);
    mj_fullM(model_, data_, full.data());
    return full;
  }

 private:
  mjModel* model_;
  mjData* data_;
  Job job_;
  std::vector<double> out_;
  const Table& table_;
};

}  // namespace

std::unique_ptr<Contender> make_mujoco(const Description& robot, Job job, const Table& table) {
  if (is_derivative(job)) return nullptr;  // finite differences
  if (robot.free) return nullptr;          // its free joint has other velocities
  return std::make_unique<Looped<Setup>>(robot, job, table);
}

}  // namespace catena::peers
