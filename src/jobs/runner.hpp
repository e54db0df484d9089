// A formulation of a job with its workspace, for one robot and one scalar, behind one virtual call.
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

  // All outputs of the job in a row. Lengths are the caller's business. What comes back says whether a result is in
  // doubt: not finite, or divided by a pivot that may be rounding.
  virtual Doubt<S> run(const Inputs<S>& in, std::span<S> out) = 0;
  // Of the last run, where it was in doubt: throws std::domain_error that names the cause, or is content after all.
  virtual void check(const Inputs<S>& in, std::span<const S> out) = 0;

  FormulationInfo formulation;

  // Where an arena is open a runner stands in it, as its arrays do (catena/formulation/array.hpp).
  static void* operator new(std::size_t bytes) { return allocate_in_arena(bytes); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
  static void operator delete(void* place) { deallocate_in_arena(place); }
  static void operator delete(void* place, std::align_val_t alignment) { ::operator delete(place, alignment); }

 protected:
  explicit Runner(const FormulationInfo& formulation_) : formulation(formulation_) {}
  Runner(const Runner&) = default;
};

// What some runners can beside that: forward dynamics in two halves, of which the second, for other torques at the same
// state, is cheap; and saying how many steps a search took.
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

// Throws std::invalid_argument when there is no such job or formulation, or none for such a robot. On the robot as it
// is; whoever has it by a pointer keeps it from being copied.
template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, std::shared_ptr<const MechanismFor<S>> robot,
                                       std::string_view formulation);
template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, const MechanismFor<S>& robot,
                                       std::string_view formulation) {
  return make_runner<S>(job, std::make_shared<const MechanismFor<S>>(robot), formulation);
}

// On the tree alone.
template <class S>
std::unique_ptr<Runner<S>> make_tree_runner(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                            std::string_view formulation);

// One job's share of that: nothing where the formulation is not compiled. Instantiated once for a job and a scalar, in
// run/instances/.
template <class Job, class S>
struct RunnersOf {
  static std::unique_ptr<Runner<S>> make(std::shared_ptr<const TreeFor<S>> tree, std::string_view formulation);
};

// Makes a runner on the tree.
template <class S>
using TreeRunnerMaker = std::unique_ptr<Runner<S>> (*)(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                                       std::string_view formulation);

}  // namespace catena
