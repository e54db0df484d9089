// From a raw log to what identification takes: bad values, clock, cutoff, derivatives, rest.
#include <numbers>
#include <span>
#include <stdexcept>

#include "logs/even_rows.hpp"

namespace catena {
namespace {

using logs::counted;
using logs::EvenRows;
using logs::FindingList;
using logs::quantile;

constexpr double least_share_of_speed = 0.01;  // of a joint's usual largest speed: below, its sign is not trusted
constexpr double noise_multiple = 4.0;         // of the noise of q̇: below, a joint stands
constexpr double least_speed = 1e-6;           // rad/s or m/s: nothing slower moves
constexpr double most_above = 5.0;             // times where motion ends: friction reaches higher, where noise lets it
constexpr double little_noise = 0.003;         // of accelerations: up to there the cutoff may be above the motion's end
constexpr double speeds_agree = 0.05;          // measured speeds and the positions' derivatives

void require_groups(const Log& log) {
  const std::size_t n = log.joints.size(), rows = log.rows();
  const auto fits = [&](const std::vector<double>& group) { return group.empty() || group.size() == rows * n; };
  if (n == 0 || rows == 0) throw std::invalid_argument("the log has no positions");
  if (log.q.size() != rows * n || !fits(log.qd) || !fits(log.tau) || (!log.t.empty() && log.t.size() != rows))
    throw std::invalid_argument("t, q, qd and tau must have the same number of rows");
  if (log.t.empty() && !(log.period > 0.0))
    throw std::invalid_argument("the log has no clock: give a column t, or the rate at which it was written");
}

class Preparation {
 public:
  Preparation(Log log, const PrepareOptions& options) : options_(options), findings_(out_.findings) {
    require_groups(log);
    out_.rows_read = log.rows();
    for (std::size_t f = 0; f < std::max<std::size_t>(log.files.size(), 1); ++f)
      out_.rows_of_files.push_back((f + 1 < log.files.size() ? log.files[f + 1] : log.rows()) -
                                   (log.files.empty() ? 0 : log.files[f]));
    out_.joints = log.joints;
    n_ = log.joints.size();
    const logs::BadValues bad = logs::find_bad_values(log, findings_);
    const logs::Clock clock = logs::read_clock(log, bad, options, findings_);
    out_.data.period = clock.period;
    rows_ = logs::even_rows(log, bad, clock);
  }

  PreparedLog run() {
    choose_filter();
    const double rows_of_cutoff = 1.0 / (out_.filter.cutoff * out_.data.period);
    const auto fewest = static_cast<std::size_t>(std::max(9.0, std::ceil(4.0 * rows_of_cutoff)));
    const std::size_t dropped = logs::drop_short(rows_, n_, fewest);
    if (dropped > 0)
      findings_.note("short", -1, static_cast<double>(dropped),
                     fmt::format("{} in stretches shorter than {} rows, too short for the filter: left out",
                                 counted(dropped, "row"), fewest));
    if (rows_.t.empty()) throw std::invalid_argument("no stretch without gaps is long enough for the filter");
    out_.t = std::move(rows_.t);
    out_.data.stretches = rows_.stretches;
    out_.data.q = std::move(rows_.q), out_.data.tau = std::move(rows_.tau);
    out_.invented = std::move(rows_.invented);
    differentiate();
    find_rest(rows_of_cutoff);
    mark_used(rows_of_cutoff);
    out_.decimation = options_.decimation > 0
                          ? options_.decimation
                          : std::max<std::size_t>(1, static_cast<std::size_t>(rows_of_cutoff / 5.0));
    return std::move(out_);
  }

 private:
  std::vector<double> column(const std::vector<double>& group, std::size_t joint, std::size_t first,
                             std::size_t end) const {
    std::vector<double> own;
    for (std::size_t i = first; i < end; ++i) own.push_back(group[i * n_ + joint]);
    return own;
  }

  // From the spectra of the longest stretch.
  void choose_filter() {
    std::size_t first = 0, end = 0;
    for (std::size_t s = 0; s < rows_.stretches.size(); ++s) {
      const std::size_t last = s + 1 < rows_.stretches.size() ? rows_.stretches[s + 1] : rows_.t.size();
      if (last - rows_.stretches[s] > end - first) first = rows_.stretches[s], end = last;
    }
    for (std::size_t j = 0; j < n_; ++j)
      out_.spectra.push_back(spectrum(column(rows_.q, j, first, end), out_.data.period));
    const double rate = 1.0 / out_.data.period;
    out_.filter = options_.filter;
    const CutoffChoice choice = choose_cutoff(out_.spectra);
    out_.noise = choice.noise;
    if (!rows_.qd.empty()) {
      std::vector<Spectrum> speeds;
      for (std::size_t j = 0; j < n_; ++j)
        speeds.push_back(spectrum(column(rows_.qd, j, first, end), out_.data.period));
      speed_noise_ = choose_cutoff(speeds).noise;
    }
    const bool given = out_.filter.cutoff > 0.0;
    const double worst = choice.error.empty() ? 0.0 : *std::max_element(choice.error.begin(), choice.error.end());
    const double above = std::clamp(std::min({most_above, std::pow(little_noise / std::max(worst, 1e-12), 0.4),
                                              0.1 * rate / std::max(choice.cutoff, 1e-300)}),
                                    1.0, most_above);
    const double suggested = choice.cutoff > 0.0 ? above * choice.cutoff : 0.02 * rate;
    if (!given) out_.filter.cutoff = suggested;
    out_.position_filter = out_.filter;
    out_.position_filter.cutoff =
        std::min(options_.headroom * out_.filter.cutoff, std::max(out_.filter.cutoff, 0.4 * rate));
    findings_.note(
        "cutoff", -1, out_.filter.cutoff,
        given ? fmt::format("cutoff {:.4g} Hz as given, at {:.6g} rows per second; the spectra suggest {:.3g} Hz",
                            out_.filter.cutoff, rate, suggested)
              : fmt::format("cutoff {:.4g} Hz, {} motion ends in the spectra of the positions, at {:.6g} rows per "
                            "second; accelerations have up to {:.2g} % of noise below it",
                            out_.filter.cutoff,
                            above > 1.01 ? fmt::format("{:.2g} times where", above) : std::string("where"), rate,
                            100.0 * worst * std::pow(above, 2.5)));
    if (given && (out_.filter.cutoff > 10.0 * suggested || out_.filter.cutoff < 0.5 * suggested) && choice.cutoff > 0.0)
      findings_.warn("cutoff-far", -1, out_.filter.cutoff,
                     out_.filter.cutoff > suggested ? "the cutoff lets noise through where there is no motion"
                                                    : "the cutoff removes part of the motion",
                     fmt::format("--cutoff {:.3g}", suggested));
    if (worst > 0.3)
      findings_.warn("noisy", -1, worst,
                     "the accelerations of some joint are mostly noise: move faster, or measure more finely");
  }

  void differentiate() {
    out_.data.qd.resize(out_.data.q.size()), out_.data.qdd.resize(out_.data.q.size());
    const ZeroPhase low_pass(out_.position_filter, out_.data.period);
    const bool filtered = options_.derivative == DerivativeBy::filter;
    const SavitzkyGolay by = filtered ? SavitzkyGolay(7, 6, out_.data.period) : smoother();
    const auto derive = [&](std::vector<double>& from, int order, std::vector<double>& to) {
      for (std::size_t s = 0; s < out_.data.stretches.size(); ++s)
        for (std::size_t j = 0; j < n_; ++j) {
          const std::size_t first = out_.first_row(s), end = out_.end_row(s);
          const std::vector<double> own = by.derivative(column(from, j, first, end), order);
          for (std::size_t i = first; i < end; ++i) to[i * n_ + j] = own[i - first];
        }
    };
    const auto smooth = [&](std::vector<double>& group) {
      if (!filtered) return derive(group, 0, group);
      for (std::size_t s = 0; s < out_.data.stretches.size(); ++s)
        low_pass.apply_rows(
            std::span(group).subspan(out_.first_row(s) * n_, (out_.end_row(s) - out_.first_row(s)) * n_), n_);
    };
    if (filtered) smooth(out_.data.q);
    derive(out_.data.q, 1, out_.data.qd);
    derive(out_.data.q, 2, out_.data.qdd);
    if (!filtered) smooth(out_.data.q);
    if (rows_.qd.empty() || !options_.measured_speeds) return;
    smooth(rows_.qd);
    if (!measured_speeds_agree()) return;
    out_.data.qd = std::move(rows_.qd);
    derive(out_.data.qd, 1, out_.data.qdd);
    measured_ = true;
  }

  // A window whose polynomials of degree 4 let half the amplitude pass at about the cutoff.
  SavitzkyGolay smoother() const {
    const double half = (5.0 / (2.0 * out_.position_filter.cutoff * out_.data.period) + 4.6) / 3.2;
    std::size_t window = options_.window > 0 ? options_.window : 2 * static_cast<std::size_t>(std::max(half, 3.0)) + 1;
    for (std::size_t s = 0; s < out_.data.stretches.size(); ++s)
      window = std::min(window, (out_.end_row(s) - out_.first_row(s) - 1) | 1);
    return {window, 4, out_.data.period};
  }

  bool measured_speeds_agree() {
    bool agree = true;
    for (std::size_t j = 0; j < n_; ++j) {
      double both = 0.0, square = 0.0, measured = 0.0;
      for (std::size_t i = j; i < out_.data.qd.size(); i += n_)
        both += rows_.qd[i] * out_.data.qd[i], square += out_.data.qd[i] * out_.data.qd[i],
            measured += rows_.qd[i] * rows_.qd[i];
      const double ratio = square > 0.0 ? both / square : 1.0;
      const bool moves = square > 1e-12 || measured > 1e-12;
      out_.speeds.push_back(moves ? ratio : 1.0);
      const double noise = std::pow(velocity_noise(j, false), 2) * static_cast<double>(out_.rows());
      agree = agree && (std::abs(ratio - 1.0) < speeds_agree || square < 100.0 * noise);
    }
    return agree;
  }

  // Of the filtered speeds, for white noise in what was measured.
  double velocity_noise(std::size_t joint, bool measured) const {
    const double cutoff = out_.position_filter.cutoff, highest = 0.5 / out_.data.period;
    if (measured) return speed_noise_[joint] * std::sqrt(cutoff / highest);
    return out_.noise[joint] * 2.0 * std::numbers::pi * cutoff * std::sqrt(cutoff / (3.0 * highest));
  }

  void find_rest(double rows_of_cutoff) {
    out_.resting.assign(out_.data.q.size(), 0);
    for (std::size_t j = 0; j < n_; ++j) {
      std::vector<double> speeds;
      for (std::size_t i = j; i < out_.data.qd.size(); i += n_) speeds.push_back(std::abs(out_.data.qd[i]));
      const double usual = quantile(speeds, 0.95);
      out_.dead_band.push_back(options_.dead_band.empty() ? std::max({noise_multiple * velocity_noise(j, measured_),
                                                                      least_share_of_speed * usual, least_speed})
                                                          : options_.dead_band.at(j));
      std::size_t standing = 0;
      for (std::size_t s = 0; s < out_.data.stretches.size(); ++s) standing += mark_rest(s, j, rows_of_cutoff);
      const double share = static_cast<double>(standing) / static_cast<double>(out_.rows());
      const char* done = options_.rest == Rest::leave_out ? "left out"
                         : options_.rest == Rest::hold    ? "friction there is held between its limits"
                                                          : "kept";
      if (standing > 0)
        findings_.note(
            "rest", static_cast<int>(j), share,
            fmt::format("{} is at rest in {:.1f} % of the rows (slower than {:.3g}, and neighbouring rows): {}",
                        out_.joints[j], 100.0 * share, out_.dead_band[j], done));
    }
  }

  // Rows in the dead band; where it lasts, the filter carries it to the rows beside too. Returns how many.
  std::size_t mark_rest(std::size_t stretch, std::size_t joint, double rows_of_cutoff) {
    const std::size_t first = out_.first_row(stretch), end = out_.end_row(stretch);
    const auto lasting = static_cast<std::size_t>(std::max(3.0, 0.25 * rows_of_cutoff)),
               beside = static_cast<std::size_t>(0.5 * rows_of_cutoff + 1.0);
    const auto slow = [&](std::size_t i) { return std::abs(out_.data.qd[i * n_ + joint]) <= out_.dead_band[joint]; };
    for (std::size_t i = first; i < end;) {
      std::size_t k = i;
      while (k < end && slow(k)) ++k;
      if (k > i) {
        const std::size_t more = k - i >= lasting ? beside : 0, from = i - std::min(i - first, more),
                          to = std::min(k + more, end);
        for (std::size_t m = from; m < to; ++m) out_.resting[m * n_ + joint] = 1;
      }
      i = k + 1;
    }
    std::size_t count = 0;
    for (std::size_t i = first; i < end; ++i) count += out_.resting[i * n_ + joint];
    return count;
  }

  // Leaves out rest, torques that were not measured and what the filter mixes with them, and the edges of stretches.
  void mark_used(double rows_of_cutoff) {
    out_.data.used.assign(out_.data.q.size(), 1);
    const auto edge = static_cast<std::size_t>(rows_of_cutoff + 1.0),
               beside = static_cast<std::size_t>(0.5 * rows_of_cutoff + 1.0);
    std::size_t edges = 0;
    for (std::size_t s = 0; s < out_.data.stretches.size(); ++s) {
      const std::size_t first = out_.first_row(s), end = out_.end_row(s);
      for (std::size_t i = first; i < end; ++i) {
        const bool at_edge = i - first < edge || end - i <= edge;
        edges += at_edge;
        for (std::size_t j = 0; j < n_; ++j)
          if (at_edge || (options_.rest == Rest::leave_out && out_.resting[i * n_ + j])) out_.data.used[i * n_ + j] = 0;
      }
      for (std::size_t j = 0; j < n_; ++j) leave_out_invented(first, end, j, beside);
    }
    findings_.note(
        "edges", -1, static_cast<double>(edges),
        fmt::format("{} at the ends of {} (1/cutoff each): left out, because the filter does not know what lies beyond",
                    counted(edges, "row"),
                    out_.data.stretches.size() == 1 ? std::string("the log")
                                                    : fmt::format("{} stretches", out_.data.stretches.size())));
  }

  // Torques that were not measured, and around a run of them what the filter mixes with it.
  void leave_out_invented(std::size_t first, std::size_t end, std::size_t joint, std::size_t beside) {
    for (std::size_t i = first; i < end; ++i) {
      std::size_t k = i;
      while (k < end && out_.invented[k * n_ + joint]) ++k;
      const std::size_t more = std::min(beside, 5 * (k - i));
      for (std::size_t m = i - std::min(i - first, more); k > i && m < std::min(k + more, end); ++m)
        out_.data.used[m * n_ + joint] = 0;
      i = k;
    }
  }

  const PrepareOptions& options_;
  PreparedLog out_;
  FindingList findings_;
  std::size_t n_ = 0;
  EvenRows rows_;
  std::vector<double> speed_noise_;
  bool measured_ = false;
};

}  // namespace

PreparedLog prepare(Log log, const PrepareOptions& options) { return Preparation(std::move(log), options).run(); }

void filter_torques(PreparedLog& log) {
  if (log.data.tau.empty()) return;
  const ZeroPhase low_pass(log.filter, log.data.period);
  const std::size_t n = log.joints.size();
  for (std::size_t s = 0; s < log.data.stretches.size(); ++s)
    low_pass.apply_rows(std::span(log.data.tau).subspan(log.first_row(s) * n, (log.end_row(s) - log.first_row(s)) * n),
                        n);
}

}  // namespace catena
