// The definitions for along.hpp: one file for each order, since each compiles every job once more.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "catena/model/regroup.hpp"
#include "catena/scalar/dual.hpp"
#include "coordinates/charts.hpp"
#include "coordinates/placement.hpp"
#include "jobs/all_jobs.hpp"
#include "run/along.hpp"
#include "run/make_runner.hpp"
#include "run/runner_of.hpp"

namespace catena {

using Directions = std::span<const Inputs<double>>;

namespace detail {

// The formulation that runs on dual numbers, as on packs one for each job.
template <class Job>
constexpr std::string_view on_duals() {
  constexpr std::string_view in_lanes = Job::template in_lanes<Job>();
  return in_lanes.empty() ? Job::standard(6) : in_lanes;
}
template <class S>
struct DualMaker {
  template <class Job>
  struct Of {
    static std::unique_ptr<Runner<S>> make(std::shared_ptr<const TreeFor<S>> tree) {
      std::unique_ptr<Runner<S>> made;
      Job::Formulations::for_each([&](auto f) {
        if constexpr (decltype(f)::info.name == on_duals<Job>())
          made = make_runner_by<Job, decltype(f), S>(std::move(tree));
      });
      return made;
    }
    static constexpr auto value = &make;
  };
};
template <class S>
std::unique_ptr<Runner<S>> make_on_duals(std::string_view job, std::shared_ptr<const TreeFor<S>> tree,
                                         std::string_view) {
  static constexpr auto makers = AllJobs::each<DualMaker<S>::template Of>();
  return makers[std::size_t(&job_info(job) - jobs().data())](std::move(tree));
}

// A number that moves: along the last direction with the derivative of the outermost dual number.
template <class S>
struct Moving {
  static S number(double x, Directions, Input, std::size_t) { return x; }
  static double change(const S& x) { return x; }
};
template <class T>
struct Moving<Dual<T>> {
  static Dual<T> number(double x, Directions along, Input input, std::size_t k) {
    const std::span<const double> last = along.back()[input];
    return {Moving<T>::number(x, along.first(along.size() - 1), input, k), T(last.empty() ? 0.0 : last[k])};
  }
  static double change(const Dual<T>& x) { return Moving<T>::change(x.derivative); }
};

// q while it moves; of closed loops that of every joint, which is found first and then follows: q̇_t = G v on the
// scalar that the dual numbers are made of.
template <class S>
class MovingPositions {
 public:
  explicit MovingPositions(const std::shared_ptr<const Mechanism>& robot) : placement_(robot) {}
  std::span<const S> operator()(std::span<const double> q, Directions) { return placement_(q); }

 private:
  PlacementOf<double> placement_;
};
template <class T>
class MovingPositions<Dual<T>> {
 public:
  explicit MovingPositions(const std::shared_ptr<const Mechanism>& robot)
      : robot_(robot), still_(robot), placed_(with_all_positions(*robot)), speed_(index(robot->nv())) {
    if (robot->coordinates.is_closed()) chart_.emplace(placed_.coordinates, placed_);
  }
  std::span<const Dual<T>> operator()(std::span<const double> q, Directions along) {
    const std::span<const T> all = still_(q, along.first(along.size() - 1));
    const std::span<const double> v = along.back().q;
    moving_.assign(all.begin(), all.end());
    const std::size_t own = !chart_ ? q.size() : robot_->coordinates.is_free() ? 7 : 0;  // that are not found
    if (v.empty()) return moving_;
    for (std::size_t k = 0; k < own; ++k) moving_[k].derivative = T(v[k]);
    if (chart_) follow(all, v);
    return moving_;
  }

 private:
  void follow(std::span<const T> all, std::span<const double> v) {
    const auto& coordinates = robot_->coordinates;
    const int first = coordinates.is_free() ? base_joints : 0;
    for (int c = first; c < robot_->nv(); ++c) speed_[index(c)] = T(v[coordinates.position_of(Coordinate(c))]);
    const std::span<const T> rates = chart_->place({.q = all, .qd = speed_}).qd;
    const auto& movers = coordinates.closure.movers;
    for (std::size_t m = index(first); m < movers.size(); ++m)
      moving_[m + (first > 0 ? 1 : 0)].derivative = rates[index(static_cast<int>(movers[m]))];
  }

  std::shared_ptr<const Mechanism> robot_;
  MovingPositions<T> still_;
  Mechanism placed_;
  std::optional<Chart<T>> chart_;
  std::vector<T> speed_;
  std::vector<Dual<T>> moving_;
};

}  // namespace detail

template <class S>
class AlongOn final : public Along::Base {
 public:
  AlongOn(const Mechanism& given, std::string_view name)
      : job_(&job_info(name)), robot_(std::make_shared<const Mechanism>(optimize(given))), positions_(robot_) {
    const auto placed = std::make_shared<const Mechanism>(with_all_positions(*robot_));
    const std::string_view usual = job_->in_lanes.empty() ? job_->standard(6) : job_->in_lanes;
    const bool by_matrix = !job_->serves(*placed, usual);
    runner_ = make_runner_around<S>(name, placed, by_matrix ? job_->by_matrix : usual, detail::make_on_duals<S>);
    inputs_ = job_->inputs_for(*robot_);
    size = index(job_->size(sizes_of(*robot_)));
    out_.resize(size);
  }

  void run(const Inputs<double>& at, Directions along, std::span<double> out) override {
    Inputs<S> in{.frame = at.frame};
    for (const Input input : inputs_) {
      if (input == Input::q) {
        in.q = positions_(at.q, along);
        continue;
      }
      std::vector<S>& list = lists_[std::size_t(input)];
      list.clear();
      for (std::size_t k = 0; k < at[input].size(); ++k)
        list.push_back(detail::Moving<S>::number(at[input][k], along, input, k));
      in[input] = list;
    }
    runner_->run(in, out_);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = detail::Moving<S>::change(out_[k]);
  }

 private:
  const JobInfo* job_;
  std::shared_ptr<const Mechanism> robot_;
  detail::MovingPositions<S> positions_;
  std::unique_ptr<Runner<S>> runner_;
  std::vector<Input> inputs_;
  std::array<std::vector<S>, std::size(all_inputs)> lists_;
  std::vector<S> out_;
};

}  // namespace catena
