#include "logs/clock.hpp"

#include <cstring>
#include <stdexcept>

namespace catena::logs {
namespace {

constexpr double crowded = 0.2;       // of a period: two stamps as near as this are one
constexpr double even_enough = 0.01;  // of a period: stamps that jitter less are taken as even
constexpr std::size_t longest_hold = 50;

struct Entry {
  std::size_t row;
  double t;
  bool breaks = false;  // the clock was set back before it
};

// Counts periods from stamp to stamp. It follows the stamps slowly, so that one that is off does not count twice.
class PeriodCount {
 public:
  PeriodCount(double period, double first) : period_(period), expected_(first) {}
  double next(double t) {
    const double periods = std::max(std::round((t - expected_) / period_), 1.0);
    expected_ += periods * period_;
    expected_ += 0.05 * (t - expected_);
    return periods;
  }

 private:
  double period_, expected_;
};

class Reader {
 public:
  Reader(const Log& log, const BadValues& bad, const PrepareOptions& options, FindingList& findings)
      : log_(log), bad_(bad), options_(options), findings_(findings), n_(log.joints.size()) {}

  Clock read() {
    std::vector<std::vector<Entry>> files;
    for (std::size_t f = 0; f < std::max<std::size_t>(log_.files.size(), 1); ++f) files.push_back(taken(f));
    drop_held(files);
    std::vector<double> steps;
    for (const auto& file : files)
      for (std::size_t i = 1; i < file.size(); ++i)
        if (file[i].t > file[i - 1].t) steps.push_back(file[i].t - file[i - 1].t);
    Clock clock;
    clock.period = quantile(std::move(steps), 0.5);
    if (!(clock.period > 0.0)) throw std::invalid_argument(nothing_left());
    for (auto& file : files) cut(std::exchange(file, {}), clock);
    tell();
    settle(clock);
    return clock;
  }

 private:
  double stamp(std::size_t row, std::size_t first) const {
    return log_.t.empty() ? static_cast<double>(row - first) * log_.period : log_.t[row];
  }
  bool same(std::size_t a, std::size_t b) const {
    for (const std::vector<double>* group : {&log_.q, &log_.qd, &log_.tau})
      if (!group->empty() && std::memcmp(&(*group)[a * n_], &(*group)[b * n_], n_ * sizeof(double)) != 0) return false;
    return true;
  }
  bool usable(std::size_t row) const {
    for (std::size_t j = 0; j < n_; ++j)
      if (bad_.position[row * n_ + j]) return false;
    return true;
  }

  // The rows of a file that lie in the segment, have a stamp and positions; in order, with stamps that increase.
  std::vector<Entry> taken(std::size_t file) {
    const std::size_t first = log_.files.empty() ? 0 : log_.files[file],
                      end = file + 1 < log_.files.size() ? log_.files[file + 1] : log_.rows();
    std::vector<Entry> out;
    double start = 0.0;
    bool started = false;
    for (std::size_t row = first; row < end; ++row) {
      const double t = stamp(row, first);
      if (!std::isfinite(t)) {
        ++unreadable_;
        continue;
      }
      if (!started) start = t, started = true;
      if (t - start < options_.from || t - start > options_.to) {
        ++outside_;
        continue;
      }
      if (!usable(row)) continue;
      bool breaks = false;
      if (!out.empty() && t < out.back().t) {
        const bool goes_on = row + 1 < end && stamp(row + 1, first) >= t && stamp(row + 1, first) < out.back().t;
        ++(goes_on ? set_back_ : backward_);
        if (!goes_on) continue;
        breaks = true;
      }
      out.push_back({row, t, breaks});
    }
    return spread(out);
  }

  // Rows with the same stamp: the same values again are dropped; other values are spread up to the next stamp where
  // there is room for them.
  std::vector<Entry> spread(const std::vector<Entry>& from) {
    std::vector<Entry> kept;
    for (const Entry& own : from) {
      const bool doubled = !kept.empty() && !own.breaks && own.t == kept.back().t && same(own.row, kept.back().row);
      doubled_ += doubled;
      if (!doubled) kept.push_back(own);
    }
    const auto next_stamp = [&](std::size_t i) {
      std::size_t k = i + 1;
      while (k < kept.size() && kept[k].t == kept[i].t && !kept[k].breaks) ++k;
      return k;
    };
    std::vector<double> steps;
    for (std::size_t i = 0, k; (k = next_stamp(i)) < kept.size(); i = k)
      if (kept[k].t > kept[i].t) steps.push_back((kept[k].t - kept[i].t) / static_cast<double>(k - i));
    const double usual = quantile(std::move(steps), 0.5);
    std::vector<Entry> out;
    for (std::size_t i = 0, k; i < kept.size(); i = k) {
      k = next_stamp(i);
      const bool last = k == kept.size() || kept[k].breaks;
      const double step = last ? usual : (kept[k].t - kept[i].t) / static_cast<double>(k - i);
      const bool room = step > 0.7 * usual && usual > 0.0;
      stale_ += k - i - 1;
      for (std::size_t m = i; m < (room ? k : i + 1); ++m)
        out.push_back({kept[m].row, kept[i].t + static_cast<double>(m - i) * step, m == i && kept[i].breaks});
    }
    return out;
  }

  // Rows whose numbers are all those of the row before, while the clock goes on: written faster than measured.
  void drop_held(std::vector<std::vector<Entry>>& files) {
    std::size_t rows = 0, held = 0;
    const auto run = [&](const std::vector<Entry>& file, std::size_t i) {  // how many follow that are the same as i
      std::size_t k = i + 1;
      while (k < file.size() && !file[k].breaks && same(file[k].row, file[i].row)) ++k;
      return k - i - 1;
    };
    for (const auto& file : files)
      for (std::size_t i = 0; i < file.size();) {
        const std::size_t more = run(file, i);
        rows += more < longest_hold ? more + 1 : 0;
        held += more < longest_hold ? more : 0;
        i += more + 1;
      }
    const bool often = 10 * held > 3 * rows;
    for (auto& file : files) {
      std::vector<Entry> out;
      for (std::size_t i = 0; i < file.size();) {
        const std::size_t more = run(file, i),
                          dropped = more <= (often ? longest_hold : options_.longest_gap) ? more : 0;
        held_ += dropped;
        for (std::size_t k = i; k <= i + more - dropped; ++k) out.push_back(file[k]);
        i += more + 1;
      }
      file = std::move(out);
    }
    if (held_ > 0)
      findings_.note("held", -1, static_cast<double>(held_),
                     fmt::format("{} repeat all numbers of the previous row{}: left out", counted(held_, "row"),
                                 often ? ": the log was written faster than it was measured" : ""));
  }

  void cut(const std::vector<Entry>& file, Clock& clock) {
    Stretch own;
    own.rows.reserve(file.size()), own.times.reserve(file.size());
    PeriodCount count(clock.period, 0.0);
    for (const Entry& entry : file) {
      if (own.times.empty()) count = PeriodCount(clock.period, entry.t);
      if (!own.times.empty() && !entry.breaks && entry.t - own.times.back() < crowded * clock.period) {
        ++crowded_;
        continue;
      }
      if (!own.times.empty()) {
        const auto missing = static_cast<std::size_t>(count.next(entry.t)) - 1;
        if (!entry.breaks) missing_ += missing;
        if (entry.breaks || missing > options_.longest_gap) {
          gaps_ += !entry.breaks;
          clock.stretches.push_back(std::move(own));
          own = {};
          count = PeriodCount(clock.period, entry.t);
        }
      }
      own.rows.push_back(entry.row);
      own.times.push_back(entry.t);
    }
    if (!own.rows.empty()) clock.stretches.push_back(std::move(own));
  }

  // One period for all, the mean; which stretches are even, and whether the jitter is in the sampling or the stamps.
  void settle(Clock& clock) const {
    double time = 0.0, periods = 0.0, jitter = 0.0, counted_steps = 0.0;
    for (const Stretch& own : clock.stretches) {
      PeriodCount count(clock.period, own.times.front());
      for (std::size_t i = 1; i < own.times.size(); ++i) {
        const double step = own.times[i] - own.times[i - 1], whole = count.next(own.times[i]);
        time += step, periods += whole;
        const double off = step / clock.period - whole;
        jitter += off * off, counted_steps += 1.0;
      }
    }
    if (periods > 0.0) clock.period = time / periods;
    jitter = counted_steps > 0.0 ? std::sqrt(jitter / counted_steps) : 0.0;
    bool index = false;
    if (jitter > even_enough) {
      index = smoother_by_count(clock);
      findings_.note("jitter", -1, jitter,
                     fmt::format("the clock jitters by {:.2g} % of a period: {}", 100.0 * jitter,
                                 index ? "positions are smoother if rows are counted, so that is what was done"
                                       : "resampled to an even clock"));
    }
    for (Stretch& own : clock.stretches) {
      if (index) own.times = by_count(own, clock.period);
      for (std::size_t i = 1; i < own.times.size() && own.even; ++i)
        own.even = std::abs((own.times[i] - own.times[i - 1]) / clock.period - 1.0) < 10.0 * even_enough;
      const double last = own.times.back() - own.times.front();
      own.even = own.even && std::abs(last / clock.period - static_cast<double>(own.times.size() - 1)) < 0.5 &&
                 (jitter <= even_enough || index);
    }
  }

  static std::vector<double> by_count(const Stretch& own, double period) {
    std::vector<double> times{own.times.front()};
    PeriodCount count(period, own.times.front());
    for (std::size_t i = 1; i < own.times.size(); ++i)
      times.push_back(times.back() + period * count.next(own.times[i]));
    return times;
  }

  // Compares the second differences of positions by the stamps with those by counting, in stretches without gaps.
  bool smoother_by_count(const Clock& clock) const {
    double by_stamps = 0.0, by_counting = 0.0;
    for (const Stretch& own : clock.stretches)
      for (std::size_t i = 1; i + 1 < own.times.size(); ++i) {
        const double before = (own.times[i] - own.times[i - 1]) / clock.period,
                     after = (own.times[i + 1] - own.times[i]) / clock.period;
        if (std::abs(before - 1.0) > 0.5 || std::abs(after - 1.0) > 0.5) continue;
        for (std::size_t j = 0; j < n_; ++j) {
          const double a = log_.q[own.rows[i - 1] * n_ + j], b = log_.q[own.rows[i] * n_ + j],
                       c = log_.q[own.rows[i + 1] * n_ + j];
          const double stamped = b - (a * after + c * before) / (before + after), plain = b - 0.5 * (a + c);
          by_stamps += stamped * stamped, by_counting += plain * plain;
        }
      }
    return by_counting < by_stamps;
  }

  void tell() {
    const auto say = [&](const char* kind, std::size_t count, const std::string& rest) {
      if (count > 0) findings_.note(kind, -1, static_cast<double>(count), counted(count, "row") + " " + rest);
    };
    say("outside", outside_, "outside the segment: left out");
    say("unreadable", unreadable_, "without a stamp: left out");
    say("doubled", doubled_, "twice in the log: left out");
    say("stale", stale_,
        "with the stamp of the previous row but other values: spread up to the next stamp, or left out");
    say("crowded", crowded_, "less than a fifth of a period after the previous row: left out");
    say("backward", backward_, "with a stamp earlier than the previous row: left out");
    if (set_back_ > 0)
      findings_.note("set-back", -1, static_cast<double>(set_back_),
                     fmt::format("the clock goes back {}: a new stretch begins there", counted(set_back_, "time")));
    say("missing", missing_,
        fmt::format("missing by the clock; {} longer than {} periods, where a new stretch begins",
                    counted(gaps_, "gap"), options_.longest_gap));
  }

  std::string nothing_left() const {
    if (outside_ > 0 && outside_ + 2 > log_.rows())
      return "no row lies in the segment; from and to are seconds since the first row";
    std::size_t unusable = 0;
    for (std::size_t row = 0; row < log_.rows(); ++row) unusable += !usable(row);
    if (unusable + 2 > log_.rows()) return "no two rows have positions of all joints";
    return "the clock does not advance: no two rows have different stamps";
  }

  const Log& log_;
  const BadValues& bad_;
  const PrepareOptions& options_;
  FindingList& findings_;
  std::size_t n_;
  std::size_t unreadable_ = 0, outside_ = 0, set_back_ = 0, backward_ = 0, doubled_ = 0, stale_ = 0, held_ = 0,
              crowded_ = 0, missing_ = 0, gaps_ = 0;
};

}  // namespace

Clock read_clock(const Log& log, const BadValues& bad, const PrepareOptions& options, FindingList& findings) {
  return Reader(log, bad, options, findings).read();
}

}  // namespace catena::logs
