// Simulation of a robot that changes while it moves: loads gripped and put down, links attached and detached, loops
// closed and opened. Between changes it is an ordinary Simulation; a change is an impact, recorded separately.
// docs/simulation.md, equations (1)-(6): docs/equations/gripping.md.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/assembly.hpp"
#include "catena/simulation.hpp"

namespace catena {

// How a part moves before it is attached: as one rigid body that turns with `omega` and whose point at the frame's
// origin has `velocity`, both along the axes of the base. Its own joints are at `q`.
struct LoadMotion {
  Vec3<double> velocity{}, omega{};
  std::vector<double> q{};  // of the part's joints, starting with the one that connects it; empty: all 0
};

// What a change did, in joules and in joint coordinates.
struct ChangeRecord {
  double t = 0.0;
  std::string what;
  double kinetic_before = 0.0;          // of the robot
  double kinetic_of_part = 0.0;         // that a part added or took away
  double kinetic_after = 0.0;           // of the robot
  double lost = 0.0;                    // in the impact: before + part - after
  double potential_of_part = 0.0;       // that a part added or took away
  std::vector<double> momentum;         // M q̇ after the change, by joint
  std::vector<double> momentum_before;  // the same from the momenta of robot and part before the change
};

// The speeds after a part was gripped, (1)-(3): `after` is the assembly with the part, q its positions, qd the speeds
// of the joints that existed before. Throws std::domain_error if the new robot cannot be accelerated.
ChangeRecord grip(const Mechanism& before, const Assembly& after, Assembly::Handle part, std::span<const double> q,
                  std::span<const double> qd, const LoadMotion& motion, std::span<double> qd_after);

class ProgressiveSimulation;

// What an effect may do at the time of the event.
class Change {
 public:
  double t() const;
  std::span<const double> q() const;  // of all joints of the assembly, with the changes so far
  std::span<const double> qd() const;
  const Assembly& assembly() const;

  // As in Assembly; speeds follow from conservation of momentum.
  Assembly::Handle attach(std::string_view frame, std::shared_ptr<const Part> part, std::string_view prefix = {},
                          const LoadMotion& motion = {});
  void detach(Assembly::Handle handle);  // what stays keeps its motion
  void replace_inertia(Assembly::Handle handle, std::string_view link, const Inertial& inertia);  // same here
  // Closes a loop between two frames that meet: an impact, (5). Opens one; a detached part opens those that end on it.
  // Throw ModelError or std::domain_error, and change nothing, if that cannot be done.
  void close(const LoopDescription& loop);
  void open(std::string_view loop);
  void stop();

 private:
  friend class ProgressiveSimulation;
  struct Impl;
  explicit Change(Impl& impl) : impl_(impl) {}
  Impl& impl_;
};

// A run of one robot between changes.
struct Segment {
  std::vector<std::string> joints;
  SimulationResult
      result;  // work, external work and losses continue from the segment before; losses include impacts of changes
};
struct ProgressiveResult {
  std::vector<Segment> segments;
  std::vector<ChangeRecord> changes;
  double balance = 0.0;   // largest |ΔT + ΔU - work - external + losses - brought| over all samples, J
  bool complete = false;  // the last sample time was reached
  std::string ended_by;
};

// A law for a robot whose motors are at the joints of these names, while the robot changes: other joints have none.
// Where loops make some of the joints dependent, their motors act on the coordinates by Gᵀ.
TorqueLaw at_joints(TorqueLaw law, const std::vector<std::string>& joints, const Mechanism& robot);

class ProgressiveSimulation {
 public:
  // `law` is called to create a torque law whenever the joints or the inertias have changed.
  using MakeLaw = std::function<TorqueLaw(const Mechanism& robot)>;
  ProgressiveSimulation(Assembly& assembly, MakeLaw law, const SimulationOptions& options = {});

  // The run starts with the loops of this robot closed, whose tree the assembly is; the state that run() is given is
  // that of its independent joints.
  void start_closed(const Robot& robot);

  // Happens once, the first time the trigger fires. `when` is called to create the trigger whenever the robot has
  // changed.
  struct Occasion {
    std::string name;
    std::function<Event(const Mechanism& robot)> when;
    std::function<void(Change&)> effect;
  };
  void add(Occasion occasion);
  void at_time(double when, std::string name, std::function<void(Change&)> effect);
  // Events during the runs between changes: recorded each time they happen, or ending the whole simulation.
  void watch(std::function<Event(const Mechanism& robot)> event);

  // As Simulation::run; a sample is taken before and after every change.
  using OnSample = std::function<void(const Segment&, const Sample&)>;
  ProgressiveResult run(std::span<const double> q, std::span<const double> qd, std::span<const double> times,
                        const OnSample& on_sample = {});

 private:
  class Run;

  Assembly& assembly_;
  MakeLaw law_;
  SimulationOptions options_;
  Robot closed_;  // with loops: closed from the start
  std::vector<Occasion> occasions_;
  std::vector<std::function<Event(const Mechanism&)>> watched_;
};

}  // namespace catena
