// A formulation of a job with its workspace, for one robot and one scalar, behind a virtual call.
#pragma once

#include <memory>
#include <new>
#include <span>

#include "catena/job.hpp"
#include "jobs/doubt.hpp"

namespace catena {

template <class S>
class Runner {
 public:
  virtual ~Runner() = default;
  Runner& operator=(const Runner&) = delete;
  virtual std::unique_ptr<Runner> clone() const = 0;

  // All outputs of the job in sequence. The caller must check lengths. The return value says whether a result is in
  // doubt: not finite, or divided by a pivot that may be rounding error.
  virtual Doubt<S> run(const Inputs<S>& in, std::span<S> out) = 0;
  // If the latest run was in doubt: throws std::domain_error that names the cause, or accepts the result after all.
  virtual void check(const Inputs<S>& in, std::span<const S> out) = 0;

  FormulationInfo formulation;

  // If an arena is open, a runner lives in it, as its arrays do (catena/formulation/array.hpp).
  static void* operator new(std::size_t bytes) { return allocate_in_arena(bytes); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
  static void operator delete(void* place) { deallocate_in_arena(place); }
  static void operator delete(void* place, std::align_val_t alignment) { ::operator delete(place, alignment); }

 protected:
  explicit Runner(const FormulationInfo& formulation_) : formulation(formulation_) {}
  Runner(const Runner&) = default;
};

// Optional abilities of a runner: forward dynamics in two halves, of which the second, for other torques in the same
// state, is cheap; and reporting how many steps a search took.
template <class S>
class TwoHalves {
 public:
  virtual ~TwoHalves() = default;
  TwoHalves& operator=(const TwoHalves&) = delete;
  virtual Doubt<S> factor(const Inputs<S>& in) = 0;
  virtual Doubt<S> solve(const Inputs<S>& in, std::span<S> out) = 0;

 protected:
  TwoHalves() = default;
  TwoHalves(const TwoHalves&) = default;
};
class Search {
 public:
  virtual ~Search() = default;
  Search& operator=(const Search&) = delete;
  virtual int iterations() const = 0;  // of the latest run

 protected:
  Search() = default;
  Search(const Search&) = default;
};

// Throws std::invalid_argument if there is no such job or formulation, or none for such a robot. Runs on the robot as
// it is; pass a pointer to avoid a copy.
template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, std::shared_ptr<const MechanismFor<S>> robot,
                                       std::string_view formulation);
template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, const MechanismFor<S>& robot,
                                       std::string_view formulation) {
  return make_runner<S>(job, std::make_shared<const MechanismFor<S>>(robot), formulation);
}

// On the tree alone, without a chart.
template <class S>
std::unique_ptr<Runner<S>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                            std::string_view formulation);

// The same for one job: null if the formulation is not compiled. Instantiated once per job and scalar, in
// run/instances/.
template <class Job, class S>
struct RunnersOf {
  static std::unique_ptr<Runner<S>> make(std::shared_ptr<const TreeFor<S>> tree, std::string_view formulation);
};

// Creates a runner on the tree.
template <class S>
using TreeRunnerMaker = std::unique_ptr<Runner<S>> (*)(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                                       std::string_view formulation);

}  // namespace catena
