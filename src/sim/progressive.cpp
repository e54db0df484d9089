#include "catena/progressive.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "catena/call.hpp"
#include "catena/factorization.hpp"
#include "catena/kinematics.hpp"
#include "catena/validate.hpp"
#include "forces/generalized_forces.hpp"
#include "sim/closed_tree.hpp"
#include "sim/energy_account.hpp"

namespace catena {
namespace {

double half_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return 0.5 * sum;
}

// M q̇, with rotors.
std::vector<double> momentum_of(const Mechanism& robot, std::span<const double> q, std::span<const double> qd) {
  const std::size_t n = index(robot.nv());
  std::vector<double> M(n * n), out(n);
  Call<double>(robot, "inertia")({.q = q}, M);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out[i] += M[i * n + j] * qd[j];
  return out;
}

double potential_of(const Mechanism& robot, std::span<const double> q) {
  std::vector<double> energies(2), still(q.size());
  Call<double>(robot, "energy")({.q = q, .qd = still}, energies);
  return energies[1];
}

// The momenta of a part's bodies, as wrenches at the frames of its links, (1).
struct Momenta {
  std::vector<ExternalWrench<double>> wrenches;
  double kinetic = 0.0;
};
Momenta momenta_of(const Assembly& after, Assembly::Handle part, std::span<const double> q, const LoadMotion& motion) {
  const Mechanism& robot = after.mechanism();
  Kinematics<double> kinematics(robot);
  kinematics.update(q);
  const Vec3<double> mount = kinematics.pose(after.mounted_at(part)).p;
  Momenta out;
  for (const Assembly::PartBody& body : after.bodies_of(part)) {
    const Pose<double> pose = kinematics.pose(body.frame);
    const Vec3<double> arm = pose.R * body.inertial.com;
    const Vec3<double> at_com = motion.velocity + cross(motion.omega, pose.p + arm - mount);
    const Vec3<double> push = body.inertial.mass * at_com;
    const Vec3<double> spin = pose.R * (body.inertial.inertia * (pose.R.transpose() * motion.omega));
    out.wrenches.push_back({body.frame, push, spin + cross(arm, push), Axes::world});
    out.kinetic += 0.5 * (dot(at_com, push) + dot(motion.omega, spin));
  }
  return out;
}

}  // namespace

ChangeRecord grip(const Mechanism& before, const Assembly& after, Assembly::Handle part, std::span<const double> q,
                  std::span<const double> qd, const LoadMotion& motion, std::span<double> qd_after) {
  const Mechanism& robot = after.mechanism();
  ChangeRecord record;
  const std::vector<double> own = momentum_of(before, q.first(index(before.nv())), qd);
  record.kinetic_before = half_product(own, qd);
  const Momenta load = momenta_of(after, part, q, motion);
  record.kinetic_of_part = load.kinetic;
  record.momentum_before.assign(index(robot.nv()), 0.0);
  std::copy(own.begin(), own.end(), record.momentum_before.begin());  // joints of parts come last
  GeneralizedForces<double> forces(robot);
  const std::span<const double> brought = forces.find(robot, q, load.wrenches);
  for (std::size_t j = 0; j < brought.size(); ++j) record.momentum_before[j] += brought[j];  // (2)
  Factorization<double> inertia(robot);
  inertia.factor(q);
  inertia.solve(record.momentum_before, qd_after);  // (3)
  record.momentum = momentum_of(robot, q, qd_after);
  record.kinetic_after = half_product(record.momentum, qd_after);
  record.lost = record.kinetic_before + record.kinetic_of_part - record.kinetic_after;  // (4)
  record.potential_of_part = potential_of(robot, q) - potential_of(before, q.first(index(before.nv())));
  return record;
}

struct Change::Impl {
  Assembly& assembly;
  double t = 0.0;
  std::string what;
  std::vector<double> q, qd;  // of the tree's joints
  std::vector<ChangeRecord>& records;
  bool stopped = false;
  std::vector<LoopDescription> loops{};    // closed now
  std::vector<std::string> independent{};  // as they were named
  std::optional<ClosedTree> closed{};      // if there are loops

  const Mechanism& robot() const { return closed ? closed->robot() : assembly.mechanism(); }
  // After a change of the tree or of the loops, which are those that still have both frames: an impact.
  void close_again(ChangeRecord& record) {
    const auto is_gone = [&](const LoopDescription& loop) {
      return assembly.mechanism().frame_index(loop.frames[0]) < 0 ||
             assembly.mechanism().frame_index(loop.frames[1]) < 0;
    };
    std::erase_if(loops, is_gone);
    closed.reset();
    if (loops.empty()) return;
    Robot robot = assembly.robot();
    robot.loops = loops;
    robot.independent = independent;
    closed.emplace(assembly.mechanism(), std::move(robot), q);
    const std::vector<double> before = momentum_of(assembly.mechanism(), q, qd);
    qd = closed->rates_after(q, before);
    record.momentum = momentum_of(assembly.mechanism(), q, qd);
    record.kinetic_after = half_product(record.momentum, qd);
    record.lost = record.kinetic_before + record.kinetic_of_part - record.kinetic_after;  // (6)
  }

  double kinetic() const { return half_product(momentum_of(assembly.mechanism(), q, qd), qd); }
  // Records a change that leaves all speeds as they are.
  template <class Act>
  void continuous(Act&& act) {
    ChangeRecord record;
    record.t = t, record.what = what;
    record.kinetic_before = kinetic();
    record.momentum_before = momentum_of(assembly.mechanism(), q, qd);
    const double potential = potential_of(assembly.mechanism(), q);
    act();
    closed.reset();
    record.kinetic_after = kinetic();
    record.kinetic_of_part = record.kinetic_after - record.kinetic_before;
    record.potential_of_part = potential_of(assembly.mechanism(), q) - potential;
    record.momentum = momentum_of(assembly.mechanism(), q, qd);
    close_again(record);
    records.push_back(std::move(record));
  }
};

double Change::t() const { return impl_.t; }
std::span<const double> Change::q() const { return impl_.q; }
std::span<const double> Change::qd() const { return impl_.qd; }
const Assembly& Change::assembly() const { return impl_.assembly; }
void Change::stop() { impl_.stopped = true; }

Assembly::Handle Change::attach(std::string_view frame, std::shared_ptr<const Part> part, std::string_view prefix,
                                const LoadMotion& motion) {
  Impl& p = impl_;
  const Mechanism before = p.assembly.mechanism();
  const auto joints = static_cast<std::size_t>(part ? part->joints() : 0);
  if (!motion.q.empty() && motion.q.size() != joints)
    throw std::invalid_argument("the part has " + std::to_string(joints) + " joints, but " +
                                std::to_string(motion.q.size()) + " positions were given");
  const Assembly::Handle handle = p.assembly.attach(frame, std::move(part), prefix);
  std::vector<double> q = p.q, qd(q.size() + joints);
  q.insert(q.end(), motion.q.begin(), motion.q.end());
  q.resize(qd.size());
  ChangeRecord record;
  try {
    record = grip(before, p.assembly, handle, q, p.qd, motion, qd);
  } catch (...) {
    p.assembly.detach(handle);
    throw;
  }
  record.t = p.t;
  record.what = p.what;
  p.q = std::move(q);
  p.qd = std::move(qd);
  p.close_again(record);
  p.records.push_back(std::move(record));
  return handle;
}

void Change::detach(Assembly::Handle handle) {
  Impl& p = impl_;
  const Assembly::JointRange range = p.assembly.joints_of(handle);
  p.continuous([&] {
    p.assembly.detach(handle);
    for (auto* list : {&p.q, &p.qd})
      list->erase(list->begin() + range.first, list->begin() + range.first + range.count);
  });
}

void Change::close(const LoopDescription& loop) {
  Impl& p = impl_;
  for (const LoopDescription& other : p.loops)
    if (other.name == loop.name) throw ModelError("loop '" + loop.name + "' is closed already");
  for (const std::string& frame : loop.frames)
    if (p.assembly.mechanism().frame_index(frame) < 0)
      throw ModelError("loop '" + loop.name + "': no link or frame '" + frame + "'");
  const std::vector<double> q = p.q, qd = p.qd;
  try {
    p.continuous([&] { p.loops.push_back(loop); });
  } catch (...) {
    p.loops.pop_back();
    p.q = q, p.qd = qd;
    ChangeRecord record;
    p.close_again(record);
    throw;
  }
}
void Change::open(std::string_view loop) {
  Impl& p = impl_;
  const auto is = [&](const LoopDescription& one) { return one.name == loop; };
  if (std::none_of(p.loops.begin(), p.loops.end(), is))
    throw ModelError("no loop '" + std::string(loop) + "' is closed");
  p.continuous([&] { std::erase_if(p.loops, is); });
}

void Change::replace_inertia(Assembly::Handle handle, std::string_view link, const Inertial& inertia) {
  impl_.continuous([&] { impl_.assembly.replace_inertia(handle, link, inertia); });
}

TorqueLaw at_joints(TorqueLaw law, const std::vector<std::string>& joints, const Mechanism& robot) {
  std::vector<std::size_t> at;
  for (const std::string& name : joints) {
    const auto found = std::find(robot.joint_names.begin(), robot.joint_names.end(), name);
    if (found == robot.joint_names.end())
      throw std::invalid_argument("no joint '" + name + "' that a motor could move");
    at.push_back(static_cast<std::size_t>(found - robot.joint_names.begin()));
  }
  struct Known {
    Chart<double> chart;
    std::vector<double> q, qd, tau, at_tree;
  };
  const std::size_t n = joints.size();
  const auto known = std::make_shared<Known>(Known{Chart<double>(robot.coordinates, robot), std::vector<double>(n),
                                                   std::vector<double>(n), std::vector<double>(n),
                                                   std::vector<double>(index(robot.joints()))});
  return [law = std::move(law), at, known, is_closed = robot.coordinates.is_closed()](
             double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
    const Inputs<double> tree = is_closed ? known->chart.place({.q = q, .qd = qd}) : Inputs<double>{.q = q, .qd = qd};
    for (std::size_t k = 0; k < at.size(); ++k) known->q[k] = tree.q[at[k]], known->qd[k] = tree.qd[at[k]];
    law(t, known->q, known->qd, known->tau);
    std::fill(known->at_tree.begin(), known->at_tree.end(), 0.0);
    for (std::size_t k = 0; k < at.size(); ++k) known->at_tree[at[k]] = known->tau[k];
    if (is_closed)
      known->chart.loops().pull_rows(known->at_tree, 1, tau);
    else
      std::copy(known->at_tree.begin(), known->at_tree.end(), tau.begin());
  };
}

ProgressiveSimulation::ProgressiveSimulation(Assembly& assembly, MakeLaw law, const SimulationOptions& options)
    : assembly_(assembly), law_(std::move(law)), options_(options) {
  if (!law_) throw std::invalid_argument("the simulation needs a torque law");
}

void ProgressiveSimulation::start_closed(const Robot& robot) { closed_ = robot; }
void ProgressiveSimulation::add(Occasion occasion) {
  if (!occasion.when || !occasion.effect) throw std::invalid_argument("an occasion needs a trigger and an effect");
  occasions_.push_back(std::move(occasion));
}
void ProgressiveSimulation::watch(std::function<Event(const Mechanism& robot)> event) {
  watched_.push_back(std::move(event));
}
void ProgressiveSimulation::at_time(double when, std::string name, std::function<void(Change&)> effect) {
  add({std::move(name), [when](const Mechanism&) { return catena::at_time(when); }, std::move(effect)});
}

// One run: segment after segment, each ending at an occasion that changes the robot.
class ProgressiveSimulation::Run {
 public:
  Run(ProgressiveSimulation& of, std::span<const double> q, std::span<const double> qd, std::span<const double> times,
      const OnSample& on_sample)
      : of_(of),
        times_(times),
        on_sample_(on_sample),
        options_(of.options_),
        left_(of.occasions_),
        state_{of.assembly_, times.front(), {}, {q.begin(), q.end()}, {qd.begin(), qd.end()}, out_.changes} {
    if (of.closed_.loops.empty()) return;
    state_.loops = of.closed_.loops;
    state_.independent = of.closed_.independent;
    Robot start = of.closed_;
    if (start.closed.empty()) close_loops(start);
    std::vector<double> places;
    for (const int j : start.tree_joints()) places.push_back(start.closed.at(start.joints[index(j)].name));
    state_.closed.emplace(of.assembly_.mechanism(), std::move(start), places);
    expand();
  }

  ProgressiveResult result() {
    while (const std::optional<Occasion> happened = simulate())
      if (!change(*happened)) break;
    return std::move(out_);
  }

 private:
  // Simulates up to the next occasion, which is removed from left_; none: the run has ended.
  std::optional<Occasion> simulate() {
    const Mechanism& robot = state_.robot();
    Segment& segment = out_.segments.emplace_back();
    segment.joints = coordinate_names(robot);
    Simulation simulation(robot, of_.law_(robot), options_);
    add_events(robot, simulation);
    const auto own = [&](const std::vector<double>& tree) {
      return state_.closed ? state_.closed->of_coordinates(tree) : tree;
    };
    segment.result = simulation.run(own(state_.q), own(state_.qd), times_left(), [&](Sample s) {
      carry_on(s);
      account_.add(s, brought_);
      out_.balance = account_.balance();
      if (on_sample_) on_sample_(segment, s);
    });
    for (Sample& s : segment.result.samples) carry_on(s);
    const std::string& ended_by = segment.result.ended_by;
    const auto happened =
        std::find_if(left_.begin(), left_.end(), [&](const Occasion& o) { return o.name == ended_by; });
    if (segment.result.samples.empty() || segment.result.complete || happened == left_.end()) {
      out_.complete = segment.result.complete;
      out_.ended_by = ended_by;
      return std::nullopt;
    }
    last_ = segment.result.samples.back();
    options_.base_orientation = last_.base_orientation;
    const Occasion occasion = *happened;
    left_.erase(happened);
    return occasion;
  }

  // From the coordinates to all joints.
  void expand() {
    const Inputs<double> all = state_.closed->of_joints(state_.q, state_.qd);
    state_.q.assign(all.q.begin(), all.q.end());
    state_.qd.assign(all.qd.begin(), all.qd.end());
  }
  void add_events(const Mechanism& robot, Simulation& simulation) const {
    for (const Occasion& occasion : left_) {
      Event event = occasion.when(robot);
      event.name = occasion.name;
      event.effect = [](double, auto, auto) { return EventEffect{true, {}, std::nullopt}; };
      simulation.add_event(std::move(event));
    }
    for (const auto& event : of_.watched_) simulation.add_event(event(robot));
  }

  std::vector<double> times_left() const {
    std::vector<double> times{state_.t};
    for (std::size_t k = next_; k < times_.size(); ++k)
      if (times_[k] > state_.t) times.push_back(times_[k]);
    return times;
  }

  // Work and losses continue from the previous segment.
  void carry_on(Sample& s) const {
    s.work += last_.work, s.external += last_.external, s.base_work += last_.base_work, s.losses += last_.losses;
  }

  // Applies the occasion; false: the run has ended.
  bool change(const Occasion& occasion) {
    while (next_ < times_.size() && times_[next_] <= last_.t) ++next_;
    state_.t = last_.t, state_.q = last_.q, state_.qd = last_.qd, state_.what = occasion.name;
    if (state_.closed) expand();
    const std::size_t known = out_.changes.size();
    Change change(state_);
    try {
      occasion.effect(change);
    } catch (const std::exception& error) {
      out_.ended_by = occasion.name + ": " + error.what();
      return false;
    }
    for (std::size_t k = known; k < out_.changes.size(); ++k) {
      last_.losses += out_.changes[k].lost;
      brought_ += out_.changes[k].kinetic_of_part + out_.changes[k].potential_of_part;
    }
    if (state_.stopped) {
      out_.ended_by = occasion.name;
      return false;
    }
    out_.complete = next_ == times_.size();
    return !out_.complete;
  }

  ProgressiveSimulation& of_;
  std::span<const double> times_;
  const OnSample& on_sample_;
  SimulationOptions options_;
  std::vector<Occasion> left_;  // occasions that have not happened yet
  ProgressiveResult out_;
  Change::Impl state_;  // at the start of a segment
  Sample last_;         // last sample of the previous segment; all zero at the start
  EnergyAccount account_;
  double brought_ = 0.0;  // energy supplied by parts
  std::size_t next_ = 1;  // index into times_: the first time not reached yet
};

ProgressiveResult ProgressiveSimulation::run(std::span<const double> q, std::span<const double> qd,
                                             std::span<const double> times, const OnSample& on_sample) {
  if (times.empty()) throw std::invalid_argument("at least one sample time is needed");
  return Run(*this, q, qd, times, on_sample).result();
}

}  // namespace catena
