// Generated code against the run-time path: the bare functions (compiled into this program), the same over batches, and
// through the checked calls of the compiled engine.
#include <memory>

#include "catena/compile.hpp"
#include "harness.hpp"
#include "panda.h"
#include "panda_batch.h"
#include "ur5.h"
#include "ur5_batch.h"

namespace catena::bench {
namespace {

using Three = void (*)(const double*, const double*, const double*, double*);
using One = void (*)(const double*, double*);
using Batch = void (*)(std::size_t, std::size_t, const double*, const double*, const double*, double*);

struct Functions {
  std::string model;
  Three inverse, forward;
  One inertia;
  Batch inverse_batch, forward_batch;
  double inverse_bar;  // generated : run-time default
};

const Functions robots[] = {
    {"ur5", ur5_inverse, ur5_forward, ur5_inertia, ur5_inverse_batch, ur5_forward_batch, 0.62},
    {"panda", panda_inverse, panda_forward, panda_inertia, panda_inverse_batch, panda_forward_batch, 0.80},
};

struct Setup {
  States states;
  std::vector<double> out;
};

void time_functions(const Functions& f, const Mechanism& robot) {
  const auto n = static_cast<std::size_t>(robot.nv());
  const auto setup = std::make_shared<Setup>(Setup{States(robot.nv()), std::vector<double>(n * n)});
  const auto time_three = [&](const std::string& job, Three function) {
    add(job + "/" + f.model + "/generated", [setup, function](std::size_t k) {
      function(setup->states.q(k).data(), setup->states.qd(k).data(), setup->states.qdd(k).data(), setup->out.data());
      benchmark::DoNotOptimize(setup->out.data());
    });
  };
  time_three("inverse", f.inverse);
  time_three("forward", f.forward);
  add("inertia/" + f.model + "/generated, packed", [setup, function = f.inertia](std::size_t k) {
    function(setup->states.q(k).data(), setup->out.data());
    benchmark::DoNotOptimize(setup->out.data());
  });
  add_ratio(f.model + ": generated inverse to default", "inverse/" + f.model + "/generated",
            "inverse/" + f.model + "/default", f.inverse_bar);
  add_ratio(f.model + ": generated inertia to default", "inertia/" + f.model + "/generated, packed",
            "inertia/" + f.model + "/default");
  add_ratio(f.model + ": generated forward to default", "forward/" + f.model + "/generated",
            "forward/" + f.model + "/default");
}

// All states in one call, whose time is shared among them.
void time_batches(const Functions& f, const Mechanism& robot) {
  const auto n = static_cast<std::size_t>(robot.nv());
  const auto setup = std::make_shared<Setup>(Setup{States(robot.nv()), std::vector<double>(n * state_count)});
  for (const auto& [job, function] : {std::pair("inverse", f.inverse_batch), std::pair("forward", f.forward_batch)}) {
    const std::string name = std::string(job) + "/" + f.model + "/generated, batch of 4096";
    add(name, [setup, function = function](std::size_t k) {
      if (k % state_count != 0) return;
      function(state_count, state_count, setup->states.q(0).data(), setup->states.qd(0).data(),
               setup->states.qdd(0).data(), setup->out.data());
      benchmark::DoNotOptimize(setup->out.data());
    });
    add_ratio(f.model + ": 4096 states in a batch to one, " + job, name,
              std::string(job) + "/" + f.model + "/generated");
  }
}

void time_compiled(const std::string& model, const Mechanism& robot) {
  struct Compiled {
    InverseDynamics<double> call;
    States states;
    std::vector<double> out;
  };
  const auto setup =
      std::make_shared<Compiled>(Compiled{InverseDynamics<double>(compile_or_generic(robot, "inverse")),
                                          States(robot.nv()), std::vector<double>(std::size_t(robot.nv()))});
  if (setup->call.engine().kind != EngineKind::compiled) return;
  add("inverse/" + model + "/compiled engine", [setup](std::size_t k) {
    setup->call(setup->states.q(k), setup->states.qd(k), setup->states.qdd(k), setup->out);
    benchmark::DoNotOptimize(setup->out.data());
  });
  add_ratio(model + ": compiled engine to default, inverse", "inverse/" + model + "/compiled engine",
            "inverse/" + model + "/default");
}

}  // namespace

void add_generated() {
  for (const Functions& f : robots) {
    const Mechanism robot = shipped(f.model);
    time_functions(f, robot);
    time_batches(f, robot);
    time_compiled(f.model, robot);
  }
}

}  // namespace catena::bench
