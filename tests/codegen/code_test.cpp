// What generated source promises beside right results: it compiles under strict flags, alone; the same bytes each time;
// single precision; kept parameters; angles of any size; no state, no heap, a stack as stated.
#include "catena/code.hpp"
#include "codegen/escape.hpp"

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cmath>

#include "catena/count.hpp"
#include "catena/robot_file.hpp"
#include "support/generic_job.hpp"
#include "support/nightly.hpp"
#include "support/plain_cuda.hpp"
#include "support/shared_library.hpp"
#include "support/tolerances.hpp"

namespace catena::code_test {
namespace {

using test::State;

constexpr const char* strict = "-std=c99 -O1 -Wall -Wextra -Werror -pedantic";

Mechanism shipped(const char* name) { return make_mechanism(load_robot(find_model(name))); }

std::vector<std::string> all_jobs() {
  std::vector<std::string> jobs;
  for (const JobInfo& job : catena::jobs()) jobs.emplace_back(job.name);
  return jobs;
}

std::vector<Program> programs(const Mechanism& robot, const std::vector<std::string>& jobs) {
  std::vector<Program> list;
  for (const std::string& job : jobs) list.push_back(find_cheapest(robot, {{job}, {}}));
  return list;
}

// A file in a folder of its own, for compilers and other tools.
class SourceFile {
 public:
  SourceFile(const std::string& name, const std::string& text) { add(name, text); }
  void add(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  // Runs in the folder.
  std::string run(const std::string& command) const {
    return test::run_command("cd '" + folder_.string() + "' && " + command);
  }

 private:
  test::TemporaryFolder folder_;
};

// Every variant by the parser, and the two that most people take as far as the warnings go that need a look at values.
TEST(Code, CompilesUnderStrictFlagsInEveryVariant) {
  for (const char* name : {"ur5", "stanford", "planar2r"}) {
    if (name == std::string_view("ur5") && !test::nightly()) continue;
    const auto list = programs(shipped(name), all_jobs());
    for (const auto language : {Language::c, Language::c_batch})
      for (const auto sines : {SineSource::built_in, SineSource::library, SineSource::freestanding})
        for (const bool single : {false, true}) {
          CodeOptions options{"arm", language, single, sines};
          const Code code = print_code(list, options);
          const SourceFile file("arm.c", code.source);
          file.add("arm.h", code.header);
          file.add("user.cpp", "#include \"arm.h\"\nint main() { return ARM_JOINTS == 0; }\n");
          const bool usual = sines == SineSource::built_in && !single;
          EXPECT_NO_THROW(file.run(std::string("cc ") + strict + (usual ? " -c arm.c" : " -fsyntax-only arm.c")))
              << name;
          EXPECT_NO_THROW(file.run("c++ -std=c++17 -Wall -Wextra -Werror -pedantic -fsyntax-only user.cpp")) << name;
        }
  }
}

TEST(Code, NeedsNothingOnBareMetal) {
  CodeOptions options{"arm"};
  options.sines = SineSource::freestanding;
  for (const bool single : {false, true}) {
    options.single_precision = single;
    const Code code = print_code(programs(shipped("ur5"), all_jobs()), options);
    EXPECT_EQ(code.source.find("#include"), std::string::npos);
    EXPECT_EQ(code.source.find("malloc"), std::string::npos);
    const SourceFile file("arm.c", code.source);
    file.run(std::string("cc ") + strict + " -ffreestanding -nostdinc -fno-builtin -fstack-usage -c arm.c");
    EXPECT_EQ(file.run("nm --undefined-only arm.o"), "");              // no function is called
    EXPECT_EQ(file.run("nm arm.o | grep -i ' [bcds] ' || true"), "");  // no variable outlives a call
  }
}

// The stack that the comment states is an upper bound for what the compiler takes without optimizing.
TEST(Code, StaysWithinItsStack) {
  for (const char* name : {"ur5", "panda"}) {
    const auto list = programs(shipped(name), {"inverse", "forward", "coriolis"});
    CodeOptions options{"arm"};
    const SourceFile file("arm.c", print_code(list, options).source);
    for (const char* level : {"-O0", "-O2", "-O3"}) {
      file.run(std::string("cc -std=c99 ") + level + " -fstack-usage -c arm.c");
      for (const Program& program : list) {
        const std::string function = function_name(program, options);
        const long used = std::stol(file.run("awk '$1 ~ /:" + function + "$/ {print $2}' arm.su"));
        EXPECT_LE(used, stack_bound(program, options)) << function << ' ' << level;
        EXPECT_GT(used, 0);
      }
    }
  }
}

TEST(Code, GivesTheSameBytesEachTime) {
  for (const LanguageInfo& language : languages()) {
    CodeOptions options{"arm", language.language};
    const auto print = [&] { return print_code(programs(shipped("panda"), {"inverse", "inertia"}), options); };
    const Code a = print(), b = print();
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(a.header, b.header);
    EXPECT_FALSE(a.source.empty());
    EXPECT_EQ(a.header.empty(), !language.has_header);
    EXPECT_NE(a.source.substr(0, a.source.find('\n')).find(origin_mark), std::string::npos);
  }
}

TEST(Code, SaysWhatItIs) {
  CodeOptions options{"arm"};
  options.version = "1.2.3";
  const std::string text = print_code(programs(shipped("ur5"), {"inverse"}), options).source;
  for (const char* part : {"'UR5'", "Catena 1.2.3", "inverse by tensor-augmented", "140 multiplications",
                           "113 additions", "5 sine and cosine pairs", "qdd[6]  in:", "tau[6]  out:"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

// Names of robots: hostile_names_cli_test.cpp.
TEST(Code, NamesOfFunctionsAreIdentifiers) {
  EXPECT_THROW(print_code(programs(shipped("planar2r"), {"inverse"}), {"two words"}), std::invalid_argument);
  EXPECT_EQ(identifier("2R arm-é"), "_2R_arm___");
}

TEST(Code, SinglePrecisionAgrees) {
  test::Random random(3);
  for (const char* name : {"ur5", "panda", "stanford"}) {
    const Mechanism robot = shipped(name);
    const auto list = programs(robot, {"inverse", "inertia", "gravity", "pose", "jacobian"});
    CodeOptions options{"arm", Language::c, true};
    const test::SharedLibrary library(print_code(list, options).source, "-O2");
    for (int trial = 0; trial < 20; ++trial) {
      const State x = test::random_state(random, robot.nv());
      for (const Program& program : list) {
        const auto expected = test::generic_job(program.jobs[0], robot, x, {}, robot.tool);
        std::vector<std::vector<float>> inputs;
        std::vector<const float*> pointers;
        for (const Argument& a : program.inputs) {
          const auto& source = test::input_of(a.name, x, {});
          inputs.emplace_back(source.begin(), source.end());
          pointers.push_back(inputs.back().data());
        }
        std::vector<float> result(expected.size());
        library.call(function_name(program, options), pointers, result.data());
        EXPECT_TRUE(
            test::near(test::to_values(result), expected, std::max(1.0, test::largest(expected)), test::relative(2e-5)))
            << name << ' ' << program.jobs[0];
      }
    }
  }
}

// pose of a single turning joint has sine and cosine of q as entries.
std::vector<Program> turning_pose() {
  Robot robot;
  robot.add_link("base");
  robot.add_link("arm", {1.0, {0.1, 0.0, 0.0}, {1, 1, 1, 0, 0, 0}});
  JointDescription joint = modified_dh({}, JointType::revolute);
  joint.name = "turn";
  joint.parent = 0;
  joint.child = 1;
  robot.add_joint(joint);
  return programs(make_mechanism(robot), {"pose"});
}

TEST(Code, SinesOfAnglesOfEverySize) {
  const auto list = turning_pose();
  test::Random random(5);
  struct Variant {
    SineSource sines;
    const char* flags;
    double largest;
  };
  const Variant variants[] = {{SineSource::built_in, "-O2", 1e300},
                              {SineSource::library, "-O2", 1e300},
                              {SineSource::freestanding, "-O2", 1e12},
                              {SineSource::built_in, "-O2 -U__SSE2__", 1e20},
                              {SineSource::freestanding, "-O2 -U__SSE2__", 1e12}};
  for (const auto& [sines, flags, largest] : variants) {
    CodeOptions options{"arm", Language::c, false, sines};
    const test::SharedLibrary library(print_code(list, options).source, flags);
    CodeOptions single{"arm", Language::c, true, sines};
    const test::SharedLibrary single_library(print_code(list, single).source, flags);
    double worst = 0.0, worst_single = 0.0;  // so far
    const auto sweep = [&](double size) {
      const double q = random.between(-size, size);
      double T[16];
      library.call<double>("arm_pose", {&q}, T);
      worst = std::max({worst, std::abs(T[0] - std::cos(q)), std::abs(T[4] - std::sin(q))});
      const float q1 = static_cast<float>(q);
      float T1[16];
      if (std::abs(q1) > 1e8f) return;
      single_library.call<float>("arm_pose", {&q1}, T1);
      worst_single = std::max({worst_single, std::abs(double(T1[0]) - std::cos(double(q1))),
                               std::abs(double(T1[4]) - std::sin(double(q1)))});
    };
    for (int k = 0; k < 20000; ++k)
      for (const double size : {1.0, 4.0, 100.0, 8192.0}) sweep(size);
    EXPECT_LT(worst, 2.3e-16) << flags << int(sines);
    EXPECT_LT(worst_single, 1.5e-7) << flags << int(sines);
    for (int k = 0; k < 1000; ++k)
      for (double size = 1e5; size <= largest; size *= 10.0) sweep(size);
    EXPECT_LT(worst, 1e-15) << flags << int(sines);
    EXPECT_LT(worst_single, 3e-7) << flags << int(sines);
    double T[16];
    for (const double q : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      library.call<double>("arm_pose", {&q}, T);
      EXPECT_TRUE(std::isnan(T[0])) << q;  // no answer, and it shows
    }
  }
}

// Small angles and large ones in one vector, in both precisions, from every source of sines.
template <class T>
void expect_sines_in_batches(SineSource sines, T far, double allowed) {
  CodeOptions options{"arm", Language::c_batch, std::is_same_v<T, float>, sines};
  const test::SharedLibrary library(print_code(turning_pose(), options).source, "-O1");
  const std::vector<T> q{T(0.3), T(-2), far, T(3), T(-1.1), T(100), T(4000), -far, T(7), T(0), T(1)};
  std::vector<T> poses(16 * q.size());
  for (const std::size_t count : {q.size(), q.size() - 3}) {
    library.call_batch<T>("arm_pose_batch", count, q.size(), {q.data()}, {poses.data()});
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_NEAR(double(poses[k]), std::cos(double(q[k])), allowed) << int(sines) << ' ' << q[k];
      EXPECT_NEAR(double(poses[4 * q.size() + k]), std::sin(double(q[k])), allowed) << int(sines) << ' ' << q[k];
    }
  }
}
TEST(Code, SinesInBatches) {
  for (const auto sines : {SineSource::built_in, SineSource::library, SineSource::freestanding}) {
    expect_sines_in_batches<double>(sines, 3.7e9, 1e-15);
    expect_sines_in_batches<float>(sines, 3.7e5f, 3e-7);
  }
}

TEST(Code, TakesKeptParameters) {
  const Robot robot = load_robot(find_model("ur5"));
  const Mechanism mechanism = make_mechanism(robot);
  ProgramRequest request{{"inverse"}, {}};
  request.keep = parse_kept("mass:6,com:6", robot, mechanism);
  const Program program = find_cheapest(mechanism, request);
  const Code code = print_code({program}, {"arm"});
  EXPECT_NE(code.header.find("const double *parameters, double *tau"), std::string::npos);
  EXPECT_NE(code.header.find("in: m6, cx6, cy6, cz6"), std::string::npos);
  for (std::size_t k = 0; k < 4; ++k) {  // with what the model says, in every language
    char line[100];
    std::snprintf(line, sizeof line, "parameters[%zu] is %s, in the model %.15g\n", k, request.keep[k].name.c_str(),
                  std::abs(request.keep[k].nominal) < 1e-15 ? 0.0 : request.keep[k].nominal);
    for (const LanguageInfo& language : languages())
      EXPECT_NE(print_code({program}, {"arm", language.language}).source.find(line), std::string::npos)
          << language.name << ": " << line;
  }
  EXPECT_NE(code.header.find("is m6, in the model 0.1879"), std::string::npos) << code.header;
  const test::SharedLibrary library(code.source, strict);
  Robot loaded = robot;
  Inertial& last = loaded.links[std::size_t(loaded.joints[std::size_t(loaded.moving_joints()[5])].child)].inertial;
  last.mass = 3.5;
  last.com = {0.02, -0.03, 0.1};
  test::Random random(6);
  const State x = test::random_state(random, 6);
  // The tool flange is fixed to the link without a mass of its own: the parameters are the link's.
  const double parameters[] = {last.mass, last.com.x, last.com.y, last.com.z};
  std::vector<double> tau(6);
  library.call<double>("arm_inverse", {x.q.data(), x.qd.data(), x.qdd.data(), parameters}, tau.data());
  const auto expected = test::generic_job("inverse", make_mechanism(loaded), x, {}, 0);
  EXPECT_TRUE(test::near(tau, expected, test::relative(1e-11)));
}

TEST(Code, JobsOfOneCall) {
  const Mechanism robot = shipped("ur5");
  const Program program = find_cheapest(robot, {{"inverse", "forward", "inertia"}, {}});
  const Code code = print_code({program}, {"arm"});
  EXPECT_NE(code.header.find("void arm_inverse_forward_inertia(const double *q, const double *qd, const double *qdd, "
                             "const double *tau, double *tau_inverse, double *qdd_forward, double *M)"),
            std::string::npos)
      << code.header;
}

TEST(Code, RefusesBatchesOfOddWidth) {
  CodeOptions options{"arm", Language::c_batch};
  options.lanes = 3;
  EXPECT_THROW(print_code(programs(shipped("planar2r"), {"inverse"}), options), std::invalid_argument);
}

#ifndef _WIN32
// An array that ends where the process's memory does.
class AtTheEdge {
 public:
  explicit AtTheEdge(std::size_t count) : page_(std::size_t(::sysconf(_SC_PAGESIZE))) {
    memory_ =
        static_cast<char*>(::mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::mprotect(memory_ + page_, page_, PROT_NONE);
    values = reinterpret_cast<double*>(memory_ + page_) - count;
  }
  ~AtTheEdge() { ::munmap(memory_, 2 * page_); }
  AtTheEdge(const AtTheEdge&) = delete;
  AtTheEdge& operator=(const AtTheEdge&) = delete;
  double* values = nullptr;

 private:
  std::size_t page_;
  char* memory_ = nullptr;
};

TEST(Code, BatchesTouchNothingBeyondTheirStates) {
  const auto list = programs(shipped("planar2r"), {"inverse"});
  CodeOptions options{"arm", Language::c_batch};
  const test::SharedLibrary library(print_code(list, options).source, "-O1");
  for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 7u, 8u}) {
    const AtTheEdge q(2 * count), qd(2 * count), qdd(2 * count), tau(2 * count);
    for (std::size_t k = 0; k < 2 * count; ++k) q.values[k] = qd.values[k] = qdd.values[k] = 0.1 * double(k);
    library.call_batch<double>("arm_inverse_batch", count, count, {q.values, qd.values, qdd.values}, {tau.values});
    EXPECT_TRUE(std::isfinite(tau.values[2 * count - 1]));
  }
}
#endif

// One thread per state: with a few words defined, CUDA C is C++ that runs here.
TEST(Code, CudaAgreesWhenRunAsPlainCode) {
  test::Random random(8);
  for (const char* name : {"ur5", "stanford"}) {
    if (name == std::string_view("ur5") && !test::nightly()) continue;
    const Mechanism robot = shipped(name);
    const auto list = programs(robot, all_jobs());
    const test::SharedLibrary library(test::plain_cuda(print_code(list, {"arm", Language::cuda}).source),
                                      "-std=gnu99 -O1");
    const State x = test::random_state(random, robot.nv());
    const auto tau = test::generic_job("inverse", robot, x, {}, 0);
    for (const Program& program : list) {
      const auto expected = test::generic_job(program.jobs[0], robot, x, tau, robot.tool);
      std::vector<const double*> inputs;
      for (const Argument& a : program.inputs) inputs.push_back(test::input_of(a.name, x, tau).data());
      std::vector<double> result(expected.size());
      library.call_batch(function_name(program, {"arm"}), 1, 1, inputs, test::outputs_in_a_row(program, result.data()));
      EXPECT_TRUE(test::near(result, expected, std::max(1e-3, test::largest(expected)), test::relative(1e-11)))
          << program.jobs[0];
    }
  }
}

TEST(Code, TwentyFourJointsCompile) {
  const Mechanism robot = make_mechanism(general_arm(24));
  const ProgramRequest request{{"inverse"}, {}};
  const Program program = make_program(robot, request, usual_choices(robot, request));
  const test::SharedLibrary library(print_code({program}, {"arm"}).source, "-O1");
  test::Random random(9);
  const State x = test::random_state(random, 24);
  std::vector<double> tau(24);
  library.call<double>("arm_inverse", {x.q.data(), x.qd.data(), x.qdd.data()}, tau.data());
  EXPECT_TRUE(test::near(tau, test::generic_job("inverse", robot, x, {}, 0), test::relative(1e-11)));
}

}  // namespace
}  // namespace catena::code_test
