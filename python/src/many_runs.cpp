// Runs from many starts, on all cores: each is what a run from that start alone is.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "arrays.hpp"
#include "bindings.hpp"
#include "engines/batch/pool.hpp"
#include "evaluate.hpp"
#include "simulation.hpp"

namespace catena::python {
namespace {

// Arrays of all runs; rows that a run did not reach stay nan.
class ManyResults {
 public:
  ManyResults(std::size_t runs, std::size_t samples, const Sizes& sizes)
      : n_(index(sizes.velocities)),
        nq_(index(sizes.positions)),
        samples_(samples),
        q_(nans({runs, samples, nq_})),
        qd_(nans({runs, samples, n_})),
        tau_(nans({runs, samples, n_})),
        turned_(nans({runs, samples, 4})),
        results(runs) {
    for (const auto& [name, field] : columns) columns_.push_back(nans({runs, samples}));
  }

  // Called by any thread, each run once.
  void put(std::size_t run, SimulationResult&& result) {
    for (std::size_t k = 0; k < result.samples.size(); ++k) {
      const Sample& sample = result.samples[k];
      const std::size_t row = run * samples_ + k;
      const auto copy = [&](const auto& from, const NewArray& to, std::size_t size) {
        std::copy(from.begin(), from.end(), to.values.begin() + std::ptrdiff_t(row * size));
      };
      copy(sample.q, q_, nq_), copy(sample.qd, qd_, n_), copy(sample.tau, tau_, n_);
      copy(sample.base_orientation, turned_, 4);
      for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].values[row] = sample.*columns[c].second;
    }
    result.samples.clear();
    results[run] = std::move(result);
  }

  nb::dict dictionary() const {
    nb::dict out;
    out["q"] = q_.object, out["qd"] = qd_.object, out["tau"] = tau_.object, out["base_orientation"] = turned_.object;
    for (std::size_t c = 0; c < columns_.size(); ++c) out[columns[c].first] = columns_[c].object;
    nb::list events, steps, evaluations, balance, complete, stopped, ended_by;
    for (const SimulationResult& run : results) {
      nb::list own;
      for (const EventRecord& event : run.events) own.append(nb::make_tuple(event.t, event.what));
      events.append(own), steps.append(run.steps), evaluations.append(run.evaluations), balance.append(run.balance);
      complete.append(run.complete), stopped.append(run.stopped), ended_by.append(run.ended_by);
    }
    out["events"] = events, out["steps"] = steps, out["evaluations"] = evaluations, out["balance"] = balance;
    out["complete"] = complete, out["stopped"] = stopped, out["ended_by"] = ended_by;
    return out;
  }

 private:
  static NewArray nans(std::initializer_list<std::size_t> shape) {
    NewArray made = new_array(shape);
    std::fill(made.values.begin(), made.values.end(), std::nan(""));
    return made;
  }
  static constexpr std::pair<const char*, double Sample::*> columns[] = {{"kinetic_energy", &Sample::kinetic},
                                                                         {"potential_energy", &Sample::potential},
                                                                         {"work", &Sample::work},
                                                                         {"losses", &Sample::losses},
                                                                         {"external_work", &Sample::external},
                                                                         {"base_work", &Sample::base_work}};

  std::size_t n_, nq_, samples_;
  NewArray q_, qd_, tau_, turned_;
  std::vector<NewArray> columns_;

 public:
  std::vector<SimulationResult> results;  // without their samples
};

SimulationResult run_one(const Loaded& robot, const Setup& set, const Start& start, std::span<const double> speed,
                         const std::vector<double>& times) {
  try {
    Simulation simulation(robot.mechanism, set.law, set.options);
    for (const Event& event : set.events) simulation.add_event(event);
    return simulation.run(start.q, speed, times);
  } catch (const std::invalid_argument& error) {  // a start beyond a stop
    SimulationResult none;
    none.ended_by = error.what();
    return none;
  }
}

// The runs that are left, shared by workers; each worker has laws, events and options of its own.
class ManyRuns {
 public:
  ManyRuns(std::shared_ptr<const Loaded> robot, Given given, RowArray q, RowArray qd, std::vector<double> times)
      : robot_(std::move(robot)),
        given_(std::move(given)),
        q_(std::move(q)),
        qd_(std::move(qd)),
        times_(std::move(times)),
        progress_(nb::borrow(given_.options["progress"])),
        results_(q_.count, times_.size(), robot_->sizes) {
    given_.options = nb::borrow<nb::dict>(given_.options.attr("copy")());
    given_.options["progress"] = nb::none();  // runs side by side have no common time
  }

  nb::dict on(int workers) {
    for (int w = 0; w < workers; ++w) {
      sets_.push_back(set_up(given_, *robot_, start_of(0), raised_));
      watch(sets_.back());
    }
    {
      const nb::gil_scoped_release others_run;
      batch::Pool(workers).run(workers, [this](int w) { work(w); });
    }
    if (*raised_) std::rethrow_exception(*raised_);
    nb::dict out = results_.dictionary();
    out["not_compiled"] = *sets_.front().not_compiled;
    return out;
  }
  nb::dict none() const {
    nb::dict out = results_.dictionary();
    out["not_compiled"] = "";
    return out;
  }

 private:
  Start start_of(std::size_t run) const {
    const std::span<const double> row = q_.row(run);
    return {{row.begin(), row.end()}, times_.empty() ? 0.0 : times_.back()};
  }
  void watch(Setup& set) {
    set.options.proceed = [this, own = set.options.proceed](double t) { return !stop_ && own(t); };
  }
  void work(int w) {
    try {
      for (std::size_t run = next_++; run < q_.count && !stop_; run = next_++) one(w, run);
    } catch (...) {
      const nb::gil_scoped_acquire held;
      if (!*raised_) *raised_ = std::current_exception();
      stop_ = true;
    }
  }
  void one(int w, std::size_t run) {
    const Start start = start_of(run);
    Setup& set = sets_[index(w)];
    if (each_its_own_) {
      const nb::gil_scoped_acquire held;
      set = set_up(given_, *robot_, start, raised_);
      watch(set);
    }
    results_.put(run, run_one(*robot_, set, start, qd_.row(run), times_));
    ++done_;
    if (w == 0 && !progress_.is_none()) guarded(raised_, [&] { progress_(done_.load()); });
    const nb::gil_scoped_acquire held;
    if (*raised_) stop_ = true;
  }

  std::shared_ptr<const Loaded> robot_;
  Given given_;
  RowArray q_, qd_;
  std::vector<double> times_;
  nb::object progress_;
  ManyResults results_;
  bool each_its_own_ = depends_on_start(given_);
  Raised raised_ = std::make_shared<std::exception_ptr>();
  std::vector<Setup> sets_;
  std::atomic<std::size_t> next_ = 0, done_ = 0;
  std::atomic<bool> stop_ = false;
};

}  // namespace

nb::dict simulate_many(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle times, const nb::dict& law,
                       const nb::list& events, const nb::dict& options, int threads) {
  const std::shared_ptr<const Loaded> robot = at_rest(core);
  const RowArray positions = row_array(q, "q", index(robot->sizes.positions));
  for (std::size_t k = 0; k < std::min<std::size_t>(positions.count, 1000); ++k)
    if (!robot->plausible.holds(positions.row(k))) {
      question_positions(*robot, positions.row(k), "q");
      break;
    }
  ManyRuns runs(robot, {law, events, options}, positions, row_array(qd, "qd", index(robot->sizes.velocities)),
                numbers(times, "times"));
  const std::size_t cores = threads > 0 ? std::size_t(threads) : std::max(1U, std::thread::hardware_concurrency());
  return positions.count == 0 ? runs.none() : runs.on(int(std::min(positions.count, cores)));
}

}  // namespace catena::python
