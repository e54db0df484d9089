// A robot that grows and shrinks while it runs: whatever was attached, detached and replaced, every job gives what a
// model written from scratch gives; undone, the model is the one it was, bit for bit.
#include "catena/assembly.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "catena/call.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "support/allocations.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::assembly_test {
namespace {

using Handle = Assembly::Handle;

Robot random_host(Random& random, int most_joints) {
  return random_robot(random, {.joints = 1 + random.below(most_joints),
                               .shape = random.chance(0.5) ? Shape::tree : Shape::chain,
                               .mix = random.chance(0.3) ? JointMix::revolute : JointMix::mixed,
                               .massless_links = false,
                               .drives = random.chance(0.5)});
}
JointDescription random_joint(Random& random, JointType type) {
  JointDescription joint;
  joint.name = "grip";
  joint.type = type;
  joint.axis = random.direction();
  joint.origin = {random.chance(0.5) ? random.rotation() : random.right_angle_rotation(), random.vector(0.3)};
  if (random.chance(0.5)) joint.drive = {.viscous = 0.3, .coulomb = 0.2, .rotor_inertia = 1e-4, .gear_ratio = 50.0};
  if (type == JointType::fixed) joint.drive = {};
  return joint;
}
std::shared_ptr<const Part> random_part(Random& random) {
  const JointType types[] = {JointType::fixed, JointType::revolute, JointType::prismatic};
  const JointDescription joint = random_joint(random, types[random.below(3)]);
  switch (random.below(3)) {
    case 0:
      return std::make_shared<Part>("load", random_inertial(random));
    case 1:
      return std::make_shared<Part>("link", random_inertial(random), joint);
    default:
      return std::make_shared<Part>(random_host(random, 3), joint);
  }
}

// An assembly, and what was done to it.
struct Scene {
  Random random;
  Robot robot;
  Assembly assembly;
  std::vector<Handle> handles;
  struct Replacement {
    Handle handle;
    std::string link;
    Inertial original;
  };
  std::vector<Replacement> replaced;
  int prefixes = 0;

  explicit Scene(std::uint64_t seed, int most_joints = 6)
      : random(seed), robot(random_host(random, most_joints)), assembly(robot) {}

  void attach() {
    const auto& frames = assembly.mechanism().frames;
    const std::string frame = frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))].name;
    handles.push_back(assembly.attach(frame, random_part(random), "p" + std::to_string(++prefixes) + "_"));
  }
  bool detach(std::size_t k) {
    try {
      assembly.detach(handles[k]);
    } catch (const ModelError&) {  // others hang from it
      return false;
    }
    std::erase_if(replaced, [&](const Replacement& r) { return r.handle == handles[k]; });
    handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
  }
  void replace() {
    const Robot now = assembly.robot();
    const auto& link = now.links[static_cast<std::size_t>(random.below(static_cast<int>(now.links.size())))];
    const auto by = [&](Handle handle, const std::string& name) {
      assembly.replace_inertia(handle, name, random_inertial(random));
      const auto known = std::find_if(replaced.begin(), replaced.end(),
                                      [&](const auto& r) { return r.handle == handle && r.link == name; });
      if (known == replaced.end()) replaced.push_back({handle, name, link.inertial});
    };
    if (robot.link_index(link.name) >= 0) return by(Assembly::robot_itself, link.name);
    for (const Handle handle : handles) try {
        return by(handle, link.name.substr(link.name.find('_') + 1));
      } catch (const ModelError&) {  // another's
      }
  }
  void act() {
    const double what = random.unit();
    if (what < 0.5 || handles.empty())
      attach();
    else if (what < 0.8)
      detach(static_cast<std::size_t>(random.below(static_cast<int>(handles.size()))));
    else
      replace();
  }
  void undo_all() {
    for (const Replacement& r : replaced) assembly.replace_inertia(r.handle, r.link, r.original);
    while (!handles.empty()) detach(static_cast<std::size_t>(random.below(static_cast<int>(handles.size()))));
  }
};

struct Given {
  Values q, qd, qdd, tau;
  Inputs<double> inputs(int frame) const {
    return with_others<double>({.q = q, .qd = qd, .qdd = qdd, .tau = tau, .frame = frame}, qdd);
  }
};
Given random_given(Random& random, int joints) {
  const State x = random_state(random, joints);
  Given given{x.q, x.qd, x.qdd, {}};
  for (int j = 0; j < joints; ++j) given.tau.push_back(random.between(-5.0, 5.0));
  return given;
}

// Nothing where the job has no result there.
std::optional<Values> result_of(Call<double>& call, const Inputs<double>& in) {
  Values out(call.size());
  try {
    call(in, out);
  } catch (const std::domain_error&) {
    return std::nullopt;
  }
  return out;
}

// A call of every job, by its standard formulation and another one.
struct Calls {
  std::vector<Call<double>> calls;
  explicit Calls(const Assembly& assembly, Random& random) {
    for (const JobInfo& job : jobs()) {
      calls.emplace_back(assembly.live(), job.name);
      const auto& any =
          job.formulations[static_cast<std::size_t>(random.below(static_cast<int>(job.formulations.size())))];
      calls.emplace_back(assembly.live(), job.name, any.name);
    }
  }
};

void expect_as_from_scratch(Scene& scene, Calls& calls, const std::string& when) {
  const Robot robot = scene.assembly.robot();
  const Mechanism scratch = make_mechanism(robot);
  const Mechanism& live = scene.assembly.mechanism();
  ASSERT_EQ(coordinate_names(live), coordinate_names(scratch)) << when;
  const int here = scene.random.below(static_cast<int>(live.frames.size()));
  const int there = scratch.frame_index(live.frames[static_cast<std::size_t>(here)].name);
  ASSERT_GE(there, 0) << when;
  const Given given = random_given(scene.random, live.nv());
  for (Call<double>& call : calls.calls) {
    Call<double> expected(scratch, call.job().name, call.formulation().name);
    if (expected.formulation().name == "conjugate-gradient") continue;  // to its own tolerance, not to rounding
    ASSERT_EQ(call.size(), expected.size()) << when;
    const auto got = result_of(call, given.inputs(here)), wanted = result_of(expected, given.inputs(there));
    ASSERT_EQ(got.has_value(), wanted.has_value()) << when << ", " << call.job().name;
    if (!got) continue;
    // M⁻¹ multiplies rounding by the condition of M, which random robots have at 1e4 and more.
    EXPECT_TRUE(
        near(*got, *wanted, std::max(1.0, largest(*wanted)), relative(call.job().inverts_inertia ? 1e-10 : 1e-12)))
        << when << ", " << call.job().name << " by " << call.formulation().name;
  }
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
// Every number that a formulation can read.
void expect_the_same_bits(const Mechanism& a, const Mechanism& b, const std::string& when) {
  const auto numbers = [](const Mechanism& robot) {
    std::vector<double> all;
    for (const auto& l : robot.links) {
      const auto put = [&](std::initializer_list<double> values) { all.insert(all.end(), values); };
      put({double(l.parent), double(l.q), double(l.revolute), double(l.frame), double(l.prismatic_child)});
      put({l.tilt.cos_alpha, l.tilt.sin_alpha, l.tilt.cos_gamma, l.tilt.sin_gamma, double(l.tilt.turned), l.theta});
      put({l.fixed_turn.c, l.fixed_turn.s, l.mass, l.augmented_mass});
      for (const Vec3<double>& v : {l.p_parent_to_link, l.z_in_parent, l.com, l.augmented_moment}) put({v.x, v.y, v.z});
      for (const Sym3<double>& s : {l.inertia_com, l.pseudo_com, l.augmented_pseudo})
        put({s.xx, s.yy, s.zz, s.xy, s.xz, s.yz});
    }
    for (const auto& f : robot.frames) {
      const auto& [R, p] = f.in_link;
      all.insert(all.end(), {double(f.link), R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz, p.x, p.y, p.z});
    }
    all.insert(all.end(), {double(robot.flat), double(robot.has_drives), double(robot.has_prismatic)});
    return all;
  };
  EXPECT_TRUE(same_bits(numbers(a), numbers(b))) << when;
  EXPECT_TRUE(same_bits(a.drives.list(), b.drives.list())) << when;
  EXPECT_EQ(a.joint_names.list(), b.joint_names.list()) << when;
  EXPECT_EQ(coordinate_names(a), coordinate_names(b)) << when;
}

TEST(Assembly, AgreesWithAModelFromScratchAfterAnySequence) {
  const auto robots = test::seeds(0, test::some_of<std::uint64_t>(200, 4));
  std::size_t sequences = 0;
  for (const std::uint64_t seed : robots) {
    Scene scene(seed);
    const Mechanism start = scene.assembly.mechanism();
    Calls calls(scene.assembly, scene.random);
    for (int k = 0; k < 20; ++k, ++sequences) {
      const std::string when = "robot " + std::to_string(seed) + ", sequence " + std::to_string(k);
      for (int act = scene.random.below(4); act >= 0; --act) scene.act();
      expect_as_from_scratch(scene, calls, when);
      if (k % 10 == 9) {
        scene.undo_all();
        expect_the_same_bits(scene.assembly.mechanism(), start, when);
      }
      if (HasFatalFailure() || HasFailure()) return;
    }
  }
  EXPECT_EQ(sequences, 20 * robots.size());
}

JointDescription swivel() {
  JointDescription joint;
  joint.name = "swivel";
  joint.axis = {0.0, 1.0, 0.0};
  joint.origin.p = {0.1, 0.0, 0.2};
  return joint;
}
Inertial some_body() { return {1.5, {0.1, -0.05, 0.2}, {0.02, 0.03, 0.025, 0.001, 0.0, -0.002}}; }

// Up to the room that was made no change asks the heap for anything, and neither do the calls that see a robot no
// larger than they have seen before.
TEST(Assembly, ChangesAndTheCallsAfterThemAllocateNothing) {
  for (const int joints : {7, 60}) {
    Random random(9);
    const Robot robot =
        random_robot(random, {.joints = joints, .fixed_links = false, .massless_links = false, .drives = true});
    Assembly assembly(robot);
    const std::string tip = assembly.mechanism().frames.back().name, middle = assembly.mechanism().frames[3].name;
    const auto load = std::make_shared<const Part>("load", some_body());
    const auto link = std::make_shared<const Part>("link", some_body(), swivel());
    const auto arm = std::make_shared<const Part>(random_host(random, 3), swivel());
    std::vector<Call<double>> calls;
    for (const JobInfo& job : jobs()) calls.emplace_back(assembly.live(), job.name);
    const Given given = random_given(random, joints + 8);
    std::vector<ExternalWrench<double>> wrenches{{1, {1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}, Axes::world}};
    Values out(40000);
    const auto call_all = [&] {
      const auto n = static_cast<std::size_t>(assembly.joints());
      for (Call<double>& call : calls) {
        const std::span<const double> q(given.q), qd(given.qd), qdd(given.qdd), tau(given.tau);
        Inputs<double> in = with_others<double>(
            {.q = q.first(n), .qd = qd.first(n), .qdd = qdd.first(n), .tau = tau.first(n)}, qdd.first(n));
        if (call.job().feels_wrenches()) in.wrenches = wrenches;
        call(in, std::span(out).first(call.size()));
      }
    };
    if (out.size() < calls.back().size()) out.resize(calls.back().size() * 2);
    for (Call<double>& call : calls) out.resize(std::max(out.size(), 4 * call.size()));
    const auto change = [&](const auto& look) {
      look();
      const Handle first = assembly.attach(tip, load, "a_");
      look();
      const Handle second = assembly.attach(middle, link, "b_"), third = assembly.attach("b_link", load, "c_");
      look();
      const Handle fourth = assembly.attach("b_link", arm, "d_");
      look();
      assembly.replace_inertia(third, "", {0.5, {0.0, 0.1, 0.0}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}});
      look();
      for (const Handle handle : {first, fourth, third, second}) assembly.detach(handle);
      look();
    };
    {
      const NoAlloc guard;
      change([] {});
    }
    change(call_all);
    const NoAlloc guard;
    for (int k = 0; k < 3; ++k) change(call_all);
  }
}

TEST(Assembly, SaysWhatCannotBeDoneAndStaysAsItWas) {
  const Robot robot = load_robot(CATENA_SOURCE_DIR "/models/pelican.toml");
  Assembly assembly(robot);
  const auto load = std::make_shared<const Part>("load", some_body());
  const auto link = std::make_shared<const Part>("link", some_body(), swivel());
  const Handle first = assembly.attach("link2", link), second = assembly.attach("link", load);
  const Mechanism before = assembly.mechanism();
  const auto message = [&](auto&& act) -> std::string {
    try {
      act();
    } catch (const ModelError& error) {
      expect_the_same_bits(assembly.mechanism(), before, error.what());
      return error.what();
    }
    return {};
  };
  const auto says = [&](const std::string& words, auto&& act) {
    const std::string got = message(act);
    EXPECT_NE(got.find(words), std::string::npos) << got;
  };
  says("no link or frame 'gripper'", [&] { assembly.attach("gripper", load, "x_"); });
  says("there is a link or frame 'load' already", [&] { assembly.attach("link1", load); });
  says("there is a joint 'swivel' already", [&] { assembly.attach("link1", link); });
  says("'link' cannot be detached: 'load' hangs from it", [&] { assembly.detach(first); });
  says("nothing is attached under the handle 77", [&] { assembly.detach(77); });
  says("no link 'lid'", [&] { assembly.replace_inertia(second, "lid", some_body()); });
  says("not positive semidefinite", [&] {
    assembly.replace_inertia(second, "", {1.0, {}, {-1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
  });
  says("mass -1 must not be negative", [&] { assembly.replace_inertia(second, "", {-1.0, {}, {}}); });
  says("finite", [&] { assembly.replace_inertia(second, "", {std::nan(""), {}, {}}); });
  EXPECT_THROW(Part("bad", {1.0, {}, {-1.0, 1.0, 1.0, 0.0, 0.0, 0.0}}), ModelError);
  assembly.detach(second);
  try {
    assembly.detach(second);
    ADD_FAILURE() << "detached twice";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("it was detached"), std::string::npos) << error.what();
  }
  EXPECT_EQ(assembly.joints_of(first).first, 2);
  EXPECT_EQ(assembly.attached(), std::vector<Handle>{first});
}

// A call on float follows too.
TEST(Assembly, FloatFollows) {
  const Robot robot = load_robot(CATENA_SOURCE_DIR "/models/ur5.toml");
  Assembly assembly(robot);
  Call<float> gravity(assembly.live(), "gravity");
  Call<double> exact(assembly.live(), "gravity");
  assembly.attach("tool0", std::make_shared<const Part>("link", some_body(), swivel()));
  const std::vector<float> q{0.1F, -1.0F, 1.0F, 0.2F, 0.3F, 0.4F, 0.5F};
  const Values q_exact(q.begin(), q.end());
  std::vector<float> got(7);
  Values wanted(7);
  gravity({.q = q}, got);
  exact({.q = q_exact}, wanted);
  for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(got[j], wanted[j], 1e-5 * largest(wanted));
}

}  // namespace
}  // namespace catena::test::assembly_test
