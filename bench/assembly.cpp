// Attaching a link to a long chain, against writing the model anew.
#include "catena/model/regroup.hpp"
#include "harness.hpp"

namespace catena::bench {
namespace {

Robot long_chain(int joints) {
  Robot robot;
  robot.add_link("base");
  for (int k = 1; k <= joints; ++k) {
    JointDescription joint;
    joint.name = "joint" + std::to_string(k);
    joint.parent = k - 1;
    joint.child =
        robot.add_link("link" + std::to_string(k), {1.0, {0.1, 0.02, 0.03}, {0.02, 0.03, 0.04, 0.0, 0.0, 0.0}});
    joint.origin = {rotation_from_rpy({0.3, 0.2, 0.1}), {0.2, 0.1, 0.05}};
    robot.add_joint(joint);
  }
  return robot;
}
const Inertial load{2.0, {0.0, 0.1, 0.1}, {0.01, 0.02, 0.02, 0.0, 0.0, 0.0}};

}  // namespace

void add_assembly() {
  for (const int n : {7, 60}) {
    const std::string chain = std::to_string(n);
    const auto assembly = std::make_shared<Assembly>(long_chain(n));
    JointDescription joint;
    joint.name = "grip";
    const auto link = std::make_shared<const Part>("load", load, joint);
    const auto body = std::make_shared<const Part>("load", load);
    const std::string tip = "link" + chain;
    add("assembly/" + chain + "/attach link and detach",
        [=](std::size_t) { assembly->detach(assembly->attach(tip, link)); });
    add("assembly/" + chain + "/attach body and detach",
        [=](std::size_t) { assembly->detach(assembly->attach(tip, body)); });
    Robot with = long_chain(n);
    joint.parent = n;
    joint.child = with.add_link("load", load);
    with.add_joint(joint);
    add("assembly/" + chain + "/rebuild",
        [=](std::size_t) { benchmark::DoNotOptimize(optimize(make_mechanism(with))); });
    add_ratio("attach a link to " + chain + " joints and detach it, to rebuilding the model",
              "assembly/" + chain + "/attach link and detach", "assembly/" + chain + "/rebuild", 0.1);
    const auto inverse = std::make_shared<Call<double>>(assembly->live(), "inverse");
    const auto states = std::make_shared<States>(n + 1);
    const auto tau = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n + 1));
    add("assembly/" + chain + "/attach, inverse, detach", [=](std::size_t k) {
      const auto handle = assembly->attach(tip, link);
      (*inverse)({.q = states->q(k), .qd = states->qd(k), .qdd = states->qdd(k)}, *tau);
      assembly->detach(handle);
    });
    add("assembly/" + chain + "/rebuild, inverse", [=](std::size_t k) {
      Call<double> fresh(make_mechanism(with), "inverse");
      fresh({.q = states->q(k), .qd = states->qd(k), .qdd = states->qdd(k)}, *tau);
    });
    add_ratio("the same with one inverse dynamics", "assembly/" + chain + "/attach, inverse, detach",
              "assembly/" + chain + "/rebuild, inverse");
  }
}

}  // namespace catena::bench
