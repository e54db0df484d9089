// Catena against other libraries: one program, one run, the same robots and states, blocks of calls in turn, the
// fastest block of many rounds. Before a race every contender must give Catena's numbers.
//   catena_peers FOLDER [--rounds N] [--only JOB/ROBOT,...]      JSON on standard output; FOLDER is for what is
//   generated
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "robots.hpp"
#ifdef CATENA_HAS_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace catena::peers {
#ifdef CATENA_HAS_CLANG
std::unique_ptr<Contender> make_generated_clang(const Description& robot, Job job, const Table& table);
std::unique_ptr<Contender> make_generated_batch_clang(const Description& robot, Job job, const Table& table);
#endif
namespace {

struct Entry {
  const char* name;
  Make make;
  double tolerance;  // of its results, relative to the largest entry
};

// Pinocchio's three builds are libraries of their own, loaded here: none sees another's templates.
template <const char* const& variant>
std::unique_ptr<Contender> make_pinocchio(const Description& robot, Job job, const Table& table) {
  using Function = Contender* (*)(const Description&, Job, const Table&);
  static const Function make = [] {
    void* library = dlopen((std::string(CATENA_PINOCCHIO) + variant + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::fprintf(stderr, "no Pinocchio, %s: %s\n", variant, dlerror());
    const std::string name = std::string("make_pinocchio_") + variant;
    return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name.c_str()));
  }();
  return std::unique_ptr<Contender>(make == nullptr ? nullptr : make(robot, job, table));
}
constexpr const char* wheel = "wheel";
constexpr const char* native = "native";
constexpr const char* clang = "clang";

const Entry entries[] = {
    {"catena", make_catena, 0.0},
    {"catena generated", make_generated, 1e-9},
    {"catena generated batch", make_generated_batch, 1e-9},
#ifdef CATENA_HAS_CLANG
    {"catena generated clang", make_generated_clang, 1e-9},
    {"catena generated batch clang", make_generated_batch_clang, 1e-9},
#endif
    {"pinocchio", make_pinocchio<wheel>, 1e-9},
    {"pinocchio native", make_pinocchio<native>, 1e-9},
#ifdef CATENA_HAS_CLANG
    {"pinocchio native clang", make_pinocchio<clang>, 1e-9},
#endif
#ifdef CATENA_HAS_MUJOCO
    {"mujoco", make_mujoco, 1e-9},
#endif
#ifdef CATENA_HAS_KDL
    {"kdl", make_kdl, 1e-9},
#endif
};

struct Options {
  std::string folder;
  int rounds = 60;
  std::vector<std::string> only;
};

bool is_wanted(const Options& options, const std::string& race) {
  return options.only.empty() || std::find(options.only.begin(), options.only.end(), race) != options.only.end();
}

double disagreement(Contender& a, Contender& b) {
  double worst = 0.0;
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, state_count - 1}) {
    const std::vector<double> x = a.result(k), y = b.result(k);
    if (x.size() != y.size()) return INFINITY;
    double scale = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      scale = std::max(scale, std::abs(x[i]));
      difference = std::max(difference, std::abs(x[i] - y[i]));
    }
    worst = std::max(worst, difference / scale);
  }
  return worst;
}

class Runner {
 public:
  Runner(std::string name, std::unique_ptr<Contender> contender)
      : name_(std::move(name)), contender_(std::move(contender)) {
    contender_->run(0, state_count);
    double seconds = 0.0;
    for (count_ = 1; (seconds = time_once()) < block_seconds && count_ < state_count; count_ *= 2) {
    }
    fastest_ = seconds / static_cast<double>(count_);
  }
  void round() { fastest_ = std::min(fastest_, time_once() / static_cast<double>(count_)); }
  const std::string& name() const { return name_; }
  double nanoseconds() const { return fastest_ * 1e9; }
  Contender& contender() { return *contender_; }

 private:
  static constexpr double block_seconds = 2e-4;

  double time_once() {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    contender_->run(first_, count_);
    const std::chrono::duration<double> taken = Clock::now() - start;
    first_ = (first_ + count_) % state_count;
    return taken.count();
  }

  std::string name_;
  std::unique_ptr<Contender> contender_;
  std::size_t first_ = 0, count_ = 1;
  double fastest_ = 0.0;
};

nlohmann::ordered_json race(const Description& robot, Job job, const Table& table, int rounds,
                            nlohmann::ordered_json& disagreements) {
  std::vector<Runner> runners;
  for (const Entry& entry : entries) {
    std::unique_ptr<Contender> contender = entry.make(robot, job, table);
    if (contender == nullptr) continue;
    if (!runners.empty()) {
      const double worst = disagreement(runners.front().contender(), *contender);
      if (!(worst <= entry.tolerance))
        disagreements.push_back({{"job", name_of(job)}, {"robot", robot.name}, {"library", entry.name}, {"by", worst}});
    }
    runners.emplace_back(entry.name, std::move(contender));
  }
  for (int k = 0; k < rounds; ++k)
    for (Runner& runner : runners) runner.round();
  nlohmann::ordered_json times;
  for (const Runner& runner : runners) times[runner.name()] = std::round(runner.nanoseconds() * 10.0) / 10.0;
  return times;
}

Options read(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
      options.rounds = std::stoi(argv[++i]);
    } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      std::string list = argv[++i];
      for (std::size_t comma; !list.empty(); list = comma == std::string::npos ? "" : list.substr(comma + 1)) {
        comma = list.find(',');
        options.only.push_back(list.substr(0, comma));
      }
    } else {
      options.folder = argv[i];
    }
  }
  if (options.folder.empty())
    throw std::invalid_argument("usage: catena_peers FOLDER [--rounds N] [--only JOB/ROBOT,...]");
  return options;
}

int run(const Options& options) {
  nlohmann::ordered_json out{{"compiler", CATENA_COMPILER}, {"flags", CATENA_FLAGS}, {"rounds", options.rounds}};
#ifdef CATENA_HAS_MUJOCO
  out["mujoco"] = mj_versionString();
#endif
#ifdef CATENA_HAS_CLANG
  out["clang"] = CATENA_CLANG_VERSION;
#endif
  out["disagreements"] = nlohmann::ordered_json::array();
  const std::vector<Description> robots = all_robots(options.folder);
  for (const Job job : jobs)
    for (const Description& robot : robots) {
      const std::string name = std::string(name_of(job)) + "/" + robot.name;
      if (!is_wanted(options, name)) continue;
      std::fprintf(stderr, "%s\n", name.c_str());
      out["ns"][name_of(job)][robot.name] = race(robot, job, make_table(robot), options.rounds, out["disagreements"]);
    }
  std::puts(out.dump(1).c_str());
  return 0;
}

}  // namespace
}  // namespace catena::peers

int main(int argc, char** argv) {
  try {
    return catena::peers::run(catena::peers::read(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "catena_peers: %s\n", error.what());
    return 1;
  }
}
