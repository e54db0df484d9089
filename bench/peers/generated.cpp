// C that Catena prints for one robot and one job, compiled when the program starts and loaded: one state a call, and
// vector code over batches.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "catena/catena.hpp"
#include "catena/code.hpp"
#include "contender.hpp"

namespace catena::peers {
namespace {

// Longer robots make functions of hundreds of kilobytes, which nobody would use.
constexpr std::size_t longest = 12, longest_derivatives = 8;
constexpr const char* flags = " -O3 -march=native -ffp-contract=fast -fno-tree-slp-vectorize -shared -fPIC -w ";

constexpr const char* job_of(Job job) {
  constexpr const char* names[] = {"inverse", "inertia", "forward", "linearize", "response"};
  return names[static_cast<int>(job)];
}
bool is_short(const Description& robot, Job job) {
  return !is_second_derivative(job) && robot.n() <= (is_derivative(job) ? longest_derivatives : longest);
}

void* load(const Description& robot, Job job, Language language, const std::string& compiler) {
  const Program program =
      find_cheapest(make_mechanism(load_robot(robot.file), {.rigid = true}), {.jobs = {job_of(job)}});
  const std::string stem =
      robot.file.substr(0, robot.file.rfind('.')) + "_" + job_of(job) + (language == Language::c_batch ? "_batch" : "");
  std::ofstream(stem + ".c") << print_code({program}, {.name = "arm", .language = language}).source;
  const std::string command = compiler + flags + stem + ".c -o " + stem + ".so -lm";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot compile " + stem + ".c");
  void* library = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const std::string function = std::string("arm_") + job_of(job) + (language == Language::c_batch ? "_batch" : "");
  return dlsym(library, function.c_str());
}

std::size_t outputs(Job job, std::size_t n) {
  if (job == Job::inverse || job == Job::forward) return n;
  return job == Job::inertia ? n * n : 3 * n * n;
}

using In = const double*;
using Out = double*;

class One {
 public:
  One(const Description& robot, Job job, const Table& table, const char* compiler)
      : function_(load(robot, job, Language::c, compiler)), job_(job), out_(outputs(job, robot.n())), table_(table) {}

  void call(std::size_t k) {
    const In q = table_.q_of(k), qd = table_.qd_of(k), x = table_.x_of(k);
    const Out a = out_.data(), b = a + table_.n * table_.n, c = b + table_.n * table_.n;
    if (job_ == Job::inertia) return reinterpret_cast<void (*)(In, Out)>(function_)(q, a);
    if (job_ == Job::inverse || job_ == Job::forward)
      return reinterpret_cast<void (*)(In, In, In, Out)>(function_)(q, qd, x, a);
    reinterpret_cast<void (*)(In, In, In, Out, Out, Out)>(function_)(q, qd, x, a, b, c);
  }
  std::vector<double> read() const { return out_; }

 private:
  void* function_;
  Job job_;
  std::vector<double> out_;
  const Table& table_;
};

// Entry j of state k stands at [j * stride + k].
std::vector<double> turned(const std::vector<double>& rows, std::size_t n) {
  std::vector<double> columns(rows.size());
  for (std::size_t k = 0; k < state_count; ++k)
    for (std::size_t j = 0; j < n; ++j) columns[j * state_count + k] = rows[k * n + j];
  return columns;
}

class Batch final : public Contender {
 public:
  Batch(const Description& robot, Job job, const Table& table, const char* compiler)
      : function_(load(robot, job, Language::c_batch, compiler)),
        job_(job),
        n_(table.n),
        q_(turned(table.q, table.positions)),
        qd_(turned(table.qd, n_)),
        x_(turned(table.x, n_)),
        out_(outputs(job, n_) * state_count) {}

  void run(std::size_t first, std::size_t count) override {
    for (std::size_t k = first % state_count; count > 0;) {
      const std::size_t now = std::min(count, state_count - k);
      call(k, now);
      count -= now;
      k = 0;
    }
  }
  std::vector<double> result(std::size_t k) override {
    call(0, state_count);
    std::vector<double> row(out_.size() / state_count);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = out_[j * state_count + k % state_count];
    return row;
  }

 private:
  void call(std::size_t first, std::size_t count) {
    const std::size_t square = n_ * n_ * state_count;
    const In q = &q_[first], qd = &qd_[first], x = &x_[first];
    const Out a = &out_[first];
    using Size = std::size_t;
    if (job_ == Job::inertia)
      return reinterpret_cast<void (*)(Size, Size, In, Out)>(function_)(count, state_count, q, a);
    if (job_ == Job::inverse || job_ == Job::forward)
      return reinterpret_cast<void (*)(Size, Size, In, In, In, Out)>(function_)(count, state_count, q, qd, x, a);
    reinterpret_cast<void (*)(Size, Size, In, In, In, Out, Out, Out)>(function_)(count, state_count, q, qd, x, a,
                                                                                 a + square, a + 2 * square);
  }

  void* function_;
  Job job_;
  std::size_t n_;
  std::vector<double> q_, qd_, x_, out_;
};

}  // namespace

std::unique_ptr<Contender> make_generated(const Description& robot, Job job, const Table& table) {
  if (!is_short(robot, job)) return nullptr;
  return std::make_unique<Looped<One>>(robot, job, table, CATENA_C_COMPILER);
}

std::unique_ptr<Contender> make_generated_batch(const Description& robot, Job job, const Table& table) {
  if (!is_short(robot, job)) return nullptr;
  return std::make_unique<Batch>(robot, job, table, CATENA_C_COMPILER);
}

#ifdef CATENA_HAS_CLANG
std::unique_ptr<Contender> make_generated_clang(const Description& robot, Job job, const Table& table) {
  if (!is_short(robot, job)) return nullptr;
  return std::make_unique<Looped<One>>(robot, job, table, CATENA_CLANG_C);
}

std::unique_ptr<Contender> make_generated_batch_clang(const Description& robot, Job job, const Table& table) {
  if (!is_short(robot, job)) return nullptr;
  return std::make_unique<Batch>(robot, job, table, CATENA_CLANG_C);
}
#endif

}  // namespace catena::peers
