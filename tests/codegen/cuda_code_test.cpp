// What generated CUDA promises: its sine and cosine, angles of any size, both layouts, and that CUDA's own compiler
// takes it for the architectures that are in use.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "catena/code.hpp"
#include "catena/robot_file.hpp"
#include "engines/cuda/nvrtc.hpp"
#include "jobs/derivatives.hpp"
#include "support/generic_job.hpp"
#include "support/nightly.hpp"
#include "support/plain_cuda.hpp"
#include "support/random_robot.hpp"
#include "support/shared_library.hpp"
#include "support/tolerances.hpp"

namespace catena::cuda_code_test {
namespace {

Mechanism shipped(const char* name) { return make_mechanism(load_robot(find_model(name))); }

Program usual(const Mechanism& robot, const std::string& job) {
  const ProgramRequest request{{job}, {}};
  return make_program(robot, request, usual_choices(robot, request));
}

CodeOptions cuda(bool single, bool in_rows = false) {
  CodeOptions options{"arm", Language::cuda, single};
  options.in_rows = in_rows;
  return options;
}

// The largest error of sine and cosine, in units of the last place of 1, up to a size.
template <class S>
double worst_sincos(double size) {
  const bool single = sizeof(S) == 4;
  const std::string real = single ? "float" : "double";
  const std::string all = "\nvoid both(unsigned long count, unsigned long stride, const " + real + " *x, " + real +
                          " *s, " + real + " *c)\n{\n  unsigned long k;\n" +
                          "  for (k = 0; k < count; ++k) arm_sincos(x[k], s + k, c + k);\n  (void)stride;\n}\n";
  const test::SharedLibrary library(
      test::plain_cuda(print_code({usual(shipped("planar2r"), "pose")}, cuda(single)).source + all),
      "-std=gnu99 -O1 -ffp-contract=off");
  test::Random random(4);
  std::vector<S> x, s, c;
  for (int k = 0; k < 200000; ++k) x.push_back(S(random.between(-size, size)));
  for (int k = -2000; k <= 2000; ++k)  // around quarter turns
    for (const double off : {-1e-9, 0.0, 1e-9, 0.5})
      if (std::abs(k * M_PI_2) < size) x.push_back(S(k * M_PI_2 + off * M_PI_2));
  s.resize(x.size());
  c.resize(x.size());
  library.call_batch<S>("both", x.size(), x.size(), {x.data()}, {s.data(), c.data()});
  double worst = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const long double right = x[k];
    worst = std::max({worst, double(std::abs(static_cast<long double>(s[k]) - std::sin(right))),
                      double(std::abs(static_cast<long double>(c[k]) - std::cos(right)))});
  }
  return worst / double(std::numeric_limits<S>::epsilon());
}

TEST(CudaCode, SinesAreRightUpToTheirLimit) {
  for (const double size : {1.0, 10.0, 1e5, 1e12}) EXPECT_LT(worst_sincos<double>(size), 1.0) << size;
  for (const double size : {1.0, 10.0, 1e5, 1e6}) EXPECT_LT(worst_sincos<float>(size), 1.25) << size;
}

#ifdef __x86_64__
constexpr const char* fused = "-std=gnu99 -O1 -mfma";
#else  // other processors have fused products without being asked
constexpr const char* fused = "-std=gnu99 -O1";
#endif

// Parallel axes share a frame, whose angle is a sum: of large angles it must not round before whole turns are gone.
template <class S>
double worst_torque(const Mechanism& robot, double angles, double rates) {
  const int n = robot.nv();
  const Program program = find_cheapest(robot, {{"inverse"}, {}});
  const test::SharedLibrary library(test::plain_cuda(print_code({program}, cuda(sizeof(S) == 4)).source), fused);
  test::Random random(6);
  double worst = 0.0, scale = 0.0;
  for (int k = 0; k < 300; ++k) {
    std::vector<S> x[3], tau(std::size_t(n), S(0));
    test::State state;
    for (int j = 0; j < n; ++j) {
      x[0].push_back(S(random.between(-angles, angles)));
      x[1].push_back(S(random.between(-rates, rates)));
      x[2].push_back(S(random.between(-rates, rates)));
    }
    state.q.assign(x[0].begin(), x[0].end());
    state.qd.assign(x[1].begin(), x[1].end());
    state.qdd.assign(x[2].begin(), x[2].end());
    library.call_batch<S>("arm_inverse", 1, 1, {x[0].data(), x[1].data(), x[2].data()}, {tau.data()});
    const std::vector<double> expected = test::generic_job("inverse", robot, state, {}, 0);
    for (std::size_t j = 0; j < expected.size(); ++j) {
      scale = std::max(scale, std::abs(expected[j]));
      worst = std::max(worst, std::abs(double(tau[j]) - expected[j]));
    }
  }
  return worst / scale;
}

TEST(CudaCode, LargeAnglesAreAsGoodAsSmallOnes) {
  for (const char* name : {"ur5", "panda"}) {
    for (const double angles : {3.0, 1e3, 1e5, 1e9})
      EXPECT_LT(worst_torque<double>(shipped(name), angles, 3.0), 1e-13) << angles;
    for (const double angles : {3.0, 1e3, 1e5})
      EXPECT_LT(worst_torque<float>(shipped(name), angles, 3.0), 5e-6) << angles;
  }
  EXPECT_LT(worst_torque<double>(shipped("ur5"), 1e14, 3.0), 1e-13);  // beyond the limit of the sines without a branch
  EXPECT_LT(worst_torque<float>(shipped("ur5"), 1e8, 3.0), 5e-6);
}

// Whole turns of a master are whole turns of a joint that turns twice as far.
TEST(CudaCode, LargeAnglesOfAMasterAreAsGoodIfItsJointTurnsTwiceAsFar) {
  Robot robot = load_robot(find_model("planar3r"));
  robot.joints[1].coupling.terms = {{robot.joints[2].name, 2.0}};
  for (const double angles : {3.0, 1e5, 1e9})
    EXPECT_LT(worst_torque<double>(make_mechanism(robot), angles, 3.0), 1e-13) << angles;
}

// A coupled joint turns by a multiple of its master: whole turns of the master are none of its own.
TEST(CudaCode, TurnsOfAMasterAreNotTakenOff) {
  test::Random random(11);
  for (int k = 0; k < 6; ++k) {
    Robot robot = test::random_robot(random, {.joints = 5, .mix = test::JointMix::revolute, .massless_links = false});
    test::couple_some(random, robot, 0.6);
    const Mechanism mechanism = make_mechanism(robot);
    const Program program = usual(mechanism, "inertia");
    const test::SharedLibrary library(test::plain_cuda(print_code({program}, cuda(false)).source), "-std=gnu99 -O1");
    test::State x = test::random_state(random, mechanism.nv());
    for (double& q : x.q) q *= 20.0;
    std::vector<double> M(index(mechanism.nv()) * index(mechanism.nv()));
    library.call_batch<double>("arm_inertia", 1, 1, {x.q.data()}, {M.data()});
    EXPECT_TRUE(test::near(M, test::generic_job("inertia", mechanism, x, {}, 0), test::relative(1e-11)));
  }
}

// Instead of writing its results, a kernel in tiles adds 1 to each.
void count_writes(std::string& source) {
  for (const std::string value : {"x[j];\n    }\n    to +=", "(float)0;\n  }\n}", "(double)0;\n  }\n}"}) {
    const std::size_t at = source.find(" = " + value);
    if (at != std::string::npos) source.replace(at, value.find(';') + 3, " += 1");
  }
}

// The kernel of a job over all threads of some warps, the last of which is not full.
template <class S>
std::vector<S> of_many_states(const Program& program, bool in_rows, std::size_t states, bool counted = false) {
  std::string source = print_code({program}, cuda(sizeof(S) == 4, in_rows)).source;
  EXPECT_EQ(source.find("__syncwarp") != std::string::npos, in_rows) << program.jobs.front();
  if (counted) count_writes(source);
  const std::string real = sizeof(S) == 4 ? "float" : "double", name = "arm_" + program.jobs.front();
  std::string parameters = "unsigned long count, unsigned long stride", arguments = "&count, &stride";
  std::vector<std::vector<S>> in, out;
  const auto add = [&](const Argument& a) {
    parameters += ", " + real + " *" + a.name;
    arguments += ", &" + a.name;
    return std::vector<S>(std::size_t(a.size()) * states, counted ? S(0) : S(-7));
  };
  std::vector<const S*> from;
  std::vector<S*> to;
  const auto at = [&](std::size_t entries, std::size_t j, std::size_t k) {
    return in_rows ? k * entries + j : j * states + k;
  };
  for (const Argument& input : program.inputs) {
    in.push_back(add(input));
    const std::size_t entries = std::size_t(input.size());
    for (std::size_t k = 0; k < states; ++k)
      for (std::size_t j = 0; j < entries; ++j)
        in.back()[at(entries, j, k)] = S(std::remainder(0.7 * double(j + 1) + 1.3 * double(k + in.size()), 3.0));
  }
  for (const Program::Output& output : program.outputs) out.push_back(add(output));
  for (const auto& array : in) from.push_back(array.data());
  for (auto& array : out) to.push_back(array.data());
  source = test::plain_cuda(source) + test::plain_callers(source) + "void many(" + parameters +
           ")\n{\n  void *p[] = {" + arguments + "};\n  all_" + name + "((unsigned)(count + 63)/64, 64, p);\n}\n";
  test::SharedLibrary(source, "-std=gnu99 -O0 -w").call_batch<S>("many", states, states, from, to);
  std::vector<S> all;
  for (std::size_t o = 0; o < out.size(); ++o) {
    const std::size_t entries = out[o].size() / states;
    for (std::size_t k = 0; k < states; ++k)
      for (std::size_t j = 0; j < entries; ++j) all.push_back(out[o][at(entries, j, k)]);
  }
  return all;
}

TEST(CudaCode, RowsAndColumnsGiveTheSame) {
  for (const char* name : {"ur5", "panda"})  // results of even and odd size
    for (const char* job : {"inertia", "linearize", "jacobian", "factor"}) {
      const Program program = usual(shipped(name), job);
      EXPECT_EQ(of_many_states<double>(program, false, 75), of_many_states<double>(program, true, 75)) << name << job;
      EXPECT_EQ(of_many_states<float>(program, false, 3), of_many_states<float>(program, true, 3)) << name << job;
    }
}

struct LargeRobot {
  Mechanism robot;
  std::vector<const char*> jobs;
};
std::vector<LargeRobot> large_robots() {
  test::Random random(8);
  const Robot chain = test::random_robot(random, {.joints = 21, .massless_links = false});
  const Robot tree = test::random_robot(random, {.joints = 21, .shape = test::Shape::tree, .massless_links = false});
  Robot coupled = test::random_robot(random, {.joints = 32, .shape = test::Shape::tree, .massless_links = false});
  test::couple_some(random, coupled, 0.2);
  const Robot free = test::random_free(random, 15, false);
  return {{make_mechanism(chain), {"inertia"}},
          {make_mechanism(tree), {"inertia", "linearize"}},
          {make_mechanism(coupled), {"inertia", "regressor"}},
          {make_mechanism(free), {"inertia", "coriolis"}}};
}

// Results too long for shared memory leave tile by tile: each number is written, once, and is that of the other layout.
TEST(CudaCode, LongRowsAreWrittenInTiles) {
  for (const auto& [robot, jobs] : large_robots())
    for (const char* job : jobs) {
      if (job == jobs.back() && jobs.size() > 1 && !test::nightly()) continue;
      SCOPED_TRACE(std::to_string(robot.nv()) + " joints, " + job);
      const Program program = usual(robot, job);
      EXPECT_EQ(of_many_states<double>(program, false, 75), of_many_states<double>(program, true, 75));
      EXPECT_EQ(of_many_states<float>(program, false, 37), of_many_states<float>(program, true, 37));
      const auto times = of_many_states<float>(program, true, 75, true);
      EXPECT_EQ(std::count(times.begin(), times.end(), 1.0F), std::ptrdiff_t(times.size()));
      const auto both = of_many_states<double>(program, true, 33, true);
      EXPECT_EQ(std::count(both.begin(), both.end(), 1.0), std::ptrdiff_t(both.size()));
    }
}

// CUDA's compiler needs no device. From the package index: nvidia-cuda-nvrtc-cu12, in the environment of the peers.
#ifdef CATENA_SANITIZED
// AddressSanitizer looks for libraries on behalf of the program: NVRTC does not find the one beside it, unless it is
// there already. And what NVRTC keeps until the end counts as lost once it is unloaded.
void keep_library_of(const gpu::Nvrtc& compiler) {
  const std::filesystem::path library = compiler.library();
  ASSERT_NE(::dlopen(library.c_str(), RTLD_NOW | RTLD_NODELETE), nullptr);
  for (const auto& beside : std::filesystem::directory_iterator(library.parent_path()))
    if (beside.path().filename().string().starts_with("libnvrtc-builtins")) {
      ASSERT_NE(::dlopen(beside.path().c_str(), RTLD_NOW | RTLD_NODELETE), nullptr);
    }
}
#endif

TEST(CudaCode, CompilesForEveryArchitecture) {
  ::setenv("VIRTUAL_ENV", CATENA_PEERS, 0);
  std::shared_ptr<const gpu::Nvrtc> compiler;
  try {
    compiler = gpu::Nvrtc::load();
  } catch (const GpuError& error) {
    GTEST_SKIP() << error.what();
  }
  if (compiler->library().find("stub") != std::string::npos) GTEST_SKIP() << "a stub serves in this process";
#ifdef CATENA_SANITIZED
  keep_library_of(*compiler);
#endif
  std::vector<std::string> sources;
  for (const char* name : {"ur5", "planar2r"}) {
    const bool single = sources.empty();
    const Mechanism robot = shipped(name);
    std::vector<Program> programs;
    for (const JobInfo& job : jobs()) programs.push_back(usual(robot, std::string(job.name)));
    for (const DerivativesInfo& known : all_derivatives) {
      ProgramRequest request{{std::string(known.derivatives)}, {}};
      request.weighted = true;
      programs.push_back(make_program(robot, request, usual_choices(robot, request)));
    }
    sources.push_back(print_code(programs, cuda(single, single)).source);
  }
  CodeOptions pairs = cuda(true);
  pairs.together = 2;
  sources.push_back(print_code({usual(shipped("ur5"), "forward"), usual(shipped("ur5"), "inertia")}, pairs).source);
  const Mechanism small = shipped("planar2r");
  for (const RolloutLawInfo& law : rollout_laws())
    for (const RolloutScheme scheme : {RolloutScheme::semi_implicit_euler, RolloutScheme::rk4})
      sources.push_back(print_cuda_rollout(usual(small, "forward"), usual(small, "inverse"), law.law, scheme,
                                           cuda(scheme == RolloutScheme::rk4)));
  for (const char* architecture : {"80", "90", "100"}) {
    if (architecture != std::string_view("90") && !test::nightly()) continue;
    if (std::find(compiler->architectures().begin(), compiler->architectures().end(), std::stoi(architecture)) ==
        compiler->architectures().end())
      continue;
    for (const std::string& source : sources) {
      std::string code;
      EXPECT_NO_THROW(code = compiler->compile(source, architecture)) << architecture;
      EXPECT_EQ(code.substr(1, 3), "ELF");
    }
  }
  EXPECT_THROW(compiler->compile("nonsense", "90"), GpuError);
}

}  // namespace
}  // namespace catena::cuda_code_test
