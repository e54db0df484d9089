#include "identify/regression_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "catena/signals.hpp"
#include "identify/random_positions.hpp"
#include "model/asking.hpp"

namespace catena::identification {
namespace {

// The filter's answer to an impulse. Its far ends are left out: whatever the weights are, the same ones are on both
// sides, and the equations hold.
std::vector<double> kernel_of(const IdentificationOptions& options, double period) {
  if (!(options.cutoff > 0.0) || !(period > 0.0)) return {1.0};
  const ZeroPhase filter({options.cutoff, options.filter_order}, period);
  const std::size_t half = filter.reach();
  std::vector<double> impulse(4 * half + 1);
  impulse[2 * half] = 1.0;
  filter.apply(impulse);
  std::size_t reach = half;
  while (reach > 0 && std::abs(impulse[2 * half + reach]) < 1e-3 * impulse[2 * half]) --reach;
  const auto middle = impulse.begin() + static_cast<std::ptrdiff_t>(2 * half);
  return {middle - static_cast<std::ptrdiff_t>(reach), middle + static_cast<std::ptrdiff_t>(reach) + 1};
}

// Which columns a joint's torque can have, from a few random states.
std::vector<std::vector<std::size_t>> columns_by_joint(const Mechanism& robot, const std::vector<Column>& columns) {
  const std::size_t n = index(robot.nv()), width = index(robot.joints()) * parameters_per_joint;
  Call<double> regressor(robot, "regressor");
  std::vector<double> q(n), qd(n), qdd(n), Y(regressor.size());
  std::vector<std::vector<char>> shows(n, std::vector<char>(columns.size(), 0));
  std::mt19937_64 engine(3);
  const auto draw = [&] { return 0x1.0p-52 * static_cast<double>(engine() >> 11) - 1.0; };
  RandomPositions positions(robot);
  for (int state = 0; state < 4; ++state) {
    for (std::size_t j = 0; j < n; ++j) q[j] = draw(), qd[j] = draw(), qdd[j] = draw();
    positions(q);
    regressor({.q = q, .qd = qd, .qdd = qdd}, Y);
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t j = 0; j < n; ++j)
        for (const ParameterTerm& term : columns[k].of_Y)
          if (Y[j * width + index(term.parameter)] != 0.0) shows[j][k] = 1;
  }
  std::vector<std::vector<std::size_t>> out(n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (shows[j][k] || (columns[k].curve != Curve::none && columns[k].joint == j)) out[j].push_back(k);
  return out;
}

}  // namespace

RegressionRows::RegressionRows(const Mechanism& robot, const std::vector<Column>& columns, const Measurements& data,
                               const IdentificationOptions& options)
    : robot_(robot),
      columns_(columns),
      data_(data),
      n_(index(robot.nv())),
      threads_(options.threads > 0 ? index(options.threads) : std::max(1U, std::thread::hardware_concurrency())),
      kernel_(kernel_of(options, data.period)) {
  layout_.columns = columns_by_joint(robot, columns);
  for (const auto& own : layout_.columns) {
    layout_.first.push_back(layout_.size);
    layout_.size += own.size() + 1;
  }
  const std::size_t rows = data.q.size() / n_, every = std::max<std::size_t>(options.decimate, 1);
  begins_ = data.stretches.empty() ? std::vector<std::size_t>{0} : data.stretches;
  begins_.push_back(rows);
  for (std::size_t s = 0; s + 1 < begins_.size(); ++s)
    for (std::size_t k = begins_[s]; k < begins_[s + 1]; k += every) samples_.push_back(k), stretch_.push_back(s);
}

// Makes the entries of one sample.
struct RegressionRows::Maker {
  const RegressionRows& rows;
  Call<double> regressor;
  std::size_t width;
  std::vector<double> Y, entries;
  std::vector<char> uses;

  explicit Maker(const RegressionRows& all)
      : rows(all),
        regressor(all.robot_, "regressor"),
        width(index(all.robot_.joints()) * parameters_per_joint),
        Y(regressor.size()),
        entries(all.layout_.size),
        uses(all.n_) {}

  // Whether the sample counts for any joint.
  bool make(std::size_t sample) {
    const std::size_t n = rows.n_, at = sample * n;
    bool any = false;
    for (std::size_t j = 0; j < n; ++j)
      any = (uses[j] = rows.data_.used.empty() || rows.data_.used[at + j] != 0) || any;
    if (!any) return false;
    const auto row = [&](const std::vector<double>& values) { return std::span(values).subspan(at, n); };
    regressor({.q = row(rows.data_.q), .qd = row(rows.data_.qd), .qdd = row(rows.data_.qdd)}, Y);
    for (std::size_t j = 0; j < n; ++j) {
      double* next = &entries[rows.layout_.first[j]];
      for (const std::size_t k : rows.layout_.columns[j]) *next++ = uses[j] ? entry(rows.columns_[k], j, at) : 0.0;
      *next = uses[j] ? rows.data_.tau[at + j] : 0.0;
    }
    return true;
  }
  double entry(const Column& column, std::size_t j, std::size_t at) const {
    if (column.curve != Curve::none) return curve_at(column.curve, rows.data_.qd[at + j], column.width);
    double sum = 0.0;
    if (at < column.from * rows.n_) return sum;
    for (const auto& [parameter, factor] : column.of_Y) sum += factor * Y[j * width + index(parameter)];
    return sum;
  }
};

void RegressionRows::each(std::size_t from, std::size_t to, const Visit& visit) const {
  Maker maker(*this);
  while (from < to) {
    std::size_t end = from + 1;
    while (end < to && stretch_[end] == stretch_[from]) ++end;
    stretch(maker, from, end, visit);
    from = end;
  }
}

// Each sample is added to all rows that it reaches, which stand in a ring.
void RegressionRows::stretch(Maker& maker, std::size_t from, std::size_t to, const Visit& visit) const {
  const std::size_t reach = kernel_.size() / 2, begin = begins_[stretch_[from]], end = begins_[stretch_[from] + 1];
  const std::size_t every = to - from > 1 ? samples_[from + 1] - samples_[from] : 1;
  const std::size_t ring = std::min(2 * reach / every + 2, to - from);
  std::vector<double> sums(ring * layout_.size), gains(ring * n_);
  std::vector<char> counts(n_);
  double full = 0.0;
  for (const double h : kernel_) full += h * h;
  const auto finish = [&](std::size_t row) {
    const std::size_t slot = row % ring;
    const std::span<double> entries(&sums[slot * layout_.size], layout_.size);
    for (std::size_t j = 0; j < n_; ++j) counts[j] = gains[slot * n_ + j] >= 0.4999 * full;
    visit({row, entries, counts});
    std::fill(entries.begin(), entries.end(), 0.0);
    std::fill_n(&gains[slot * n_], n_, 0.0);
  };
  std::size_t open = from, reached = from;  // rows that are not finished, rows that have begun
  const std::size_t first = samples_[from] > begin + reach ? samples_[from] - reach : begin;
  const std::size_t last = std::min(samples_[to - 1] + reach + 1, end);
  const std::size_t step = reach == 0 ? every : 1;
  for (std::size_t sample = first; sample < last; sample += step) {
    while (reached < to && samples_[reached] <= sample + reach) ++reached;
    for (; open < reached && samples_[open] + reach < sample; ++open) finish(open);
    ask();
    if (!maker.make(sample)) continue;
    for (std::size_t row = open; row < reached; ++row) {
      const double h = kernel_[sample + reach - samples_[row]];
      double* to_row = &sums[(row % ring) * layout_.size];
      for (std::size_t k = 0; k < layout_.size; ++k) to_row[k] += h * maker.entries[k];
      for (std::size_t j = 0; j < n_; ++j) gains[(row % ring) * n_ + j] += maker.uses[j] ? h * h : 0.0;
    }
  }
  for (; open < to; ++open) finish(open);
}

void RegressionRows::in_parts(std::size_t parts, std::size_t grain, const Work& work) const {
  const std::size_t grains = (size() + grain - 1) / grain;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failed;
  std::mutex guard;
  std::atomic<bool> stopped{false};
  const auto take = [&] {
    try {
      for (std::size_t part; (part = next++) < parts;)
        work(part, std::min(part * grains / parts * grain, size()),
             std::min((part + 1) * grains / parts * grain, size()));
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failed) failed = std::current_exception();
      stopped = true;
    }
  };
  std::vector<std::thread> others;
  const auto help = [&] {
    const Answer stop_too = [&](double) {
      if (stopped) throw std::runtime_error("interrupted");
    };
    const Answering answering(&stop_too);
    take();
  };
  try {
    for (std::size_t k = 1; k < std::min(threads_, parts); ++k) others.emplace_back(help);
  } catch (const std::system_error&) {  // no more threads are to be had: those that there are do all
  }
  take();
  for (std::thread& other : others) other.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace catena::identification
