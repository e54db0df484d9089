// Runs from many starts, on all cores: each is what a run from that start alone is.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
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

}  // namespace

nb::dict simulate_many(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle times, const nb::dict& law,
                       const nb::list& events, const nb::dict& options, int threads) {
  const std::shared_ptr<const Loaded> robot = at_rest(core);
  const Raised raised = std::make_shared<std::exception_ptr>();
  const RowArray positions = row_array(q, "q", index(robot->sizes.positions)),
                 speeds = row_array(qd, "qd", index(robot->sizes.velocities));
  const std::vector<double> at = numbers(times, "times");
  for (std::size_t k = 0; k < std::min<std::size_t>(positions.count, 1000); ++k)
    if (!robot->plausible.holds(positions.row(k))) {
      question_positions(*robot, positions.row(k), "q");
      break;
    }
  const auto start_of = [&](std::size_t run) {
    const std::span<const double> row = positions.row(run);
    return Start{{row.begin(), row.end()}, at.empty() ? 0.0 : at.back()};
  };
  const Given given{law, events, options};
  const bool each_its_own = depends_on_start(given);
  const nb::object progress = nb::borrow(options["progress"]);
  const std::size_t cores = threads > 0 ? std::size_t(threads) : std::max(1U, std::thread::hardware_concurrency());
  std::vector<Setup> sets;
  const auto workers = int(std::clamp<std::size_t>(positions.count, 1, cores));
  for (int w = 0; w < workers && positions.count > 0; ++w) {
    const nb::object none = nb::none();
    nb::dict quiet = nb::borrow<nb::dict>(options.attr("copy")());
    quiet["progress"] = none;  // runs side by side have no common time
    sets.push_back(set_up({law, events, quiet}, *robot, start_of(0), raised));
  }
  ManyResults results(positions.count, at.size(), robot->sizes);
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> stop = false;
  for (Setup& set : sets)
    set.options.proceed = [&stop, own = set.options.proceed](double t) { return !stop && own(t); };
  const auto work = [&](int w) {
    try {
      for (std::size_t run = next++; run < positions.count && !stop; run = next++) {
        const Start start = start_of(run);
        if (each_its_own) {
          const nb::gil_scoped_acquire held;
          const auto proceed = sets[index(w)].options.proceed;
          sets[index(w)] = set_up(given, *robot, start, raised);
          sets[index(w)].options.proceed = proceed;
        }
        results.put(run, run_one(*robot, sets[index(w)], start, speeds.row(run), at));
        ++done;
        if (w == 0 && !progress.is_none()) guarded(raised, [&] { progress(done.load()); });
        const nb::gil_scoped_acquire held;
        if (*raised) stop = true;
      }
    } catch (...) {
      const nb::gil_scoped_acquire held;
      if (!*raised) *raised = std::current_exception();
      stop = true;
    }
  };
  {
    const nb::gil_scoped_release others_run;
    batch::Pool pool(workers);
    if (positions.count > 0) pool.run(workers, work);
  }
  if (*raised) std::rethrow_exception(*raised);
  nb::dict out = results.dictionary();
  out["not_compiled"] = sets.empty() ? std::string() : *sets.front().not_compiled;
  return out;
}

}  // namespace catena::python
