// Reads logs: which columns of which files are t, q, q̇ and τ, in which units.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "catena/log.hpp"
#include "catena/tables.hpp"
#include "io/column_file.hpp"
#include "io/text.hpp"
#include "logs/column_terms.hpp"

namespace catena {
namespace {

using io::ColumnFile;
using logs::ColumnTerms;
using logs::Recorded;

// What programs call them, the likeliest first; with a joint's number (from 1 or 0) or name behind or before.
const std::array<std::pair<std::string_view, std::vector<std::string_view>>, 3> usual_names{{
    {"q", {"q", "actual_q", "position", "pos", "joint_position", "joint_pos", "q_meas", "theta", "angle"}},
    {"qd", {"qd", "dq", "actual_qd", "velocity", "vel", "joint_velocity", "joint_vel", "qdot", "speed"}},
    {"tau", {"tau", "torque", "effort", "joint_torque", "tau_j", "tau_meas", "actual_current", "current", "i"}},
}};
const std::array<std::pair<std::string_view, double>, 9> usual_clocks{{{"t", 1.0},
                                                                       {"time", 1.0},
                                                                       {"timestamp", 1.0},
                                                                       {"stamp", 1.0},
                                                                       {"time_s", 1.0},
                                                                       {"t_ms", 1e-3},
                                                                       {"time_ms", 1e-3},
                                                                       {"time_us", 1e-6},
                                                                       {"time_ns", 1e-9}}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// A number behind a name: q3, q_3, q[3], q.3, q:3.
bool is_numbered(std::string_view column, std::string_view name, std::size_t number) {
  const std::string digits = std::to_string(number);
  for (const std::string_view between : {"", "_", ".", ":", "[", "(", " ", "-"})
    for (const std::string_view after : {"", "]", ")"})
      if (column == fmt::format("{}{}{}{}", name, between, digits, after)) return true;
  return false;
}
bool is_named(std::string_view column, std::string_view name, std::string_view joint) {
  for (const std::string_view between : {":", "_", ".", "/"})
    if (column == fmt::format("{}{}{}", name, between, joint) || column == fmt::format("{}{}{}", joint, between, name))
      return true;
  return false;
}

class Reader {
 public:
  Reader(const std::vector<std::string>& paths, const LogFormat& format) : format_(format), n_(format.joints.size()) {
    if (paths.empty() || n_ == 0) throw std::invalid_argument("a log needs a file and a robot with joints");
    if (!format.gears.empty() && format.gears.size() != n_)
      throw std::invalid_argument(fmt::format("{} gears for {} joints", format.gears.size(), n_));
    for (const std::string& path : paths) files_.emplace_back(path, format.header);
    for (std::size_t f = 0; f < files_.size(); ++f)
      for (std::size_t c = 0; c < files_[f].names().size(); ++c) add_recorded(f, c);
    columns_.resize(1 + 3 * n_);
    units_.assign(1 + 3 * n_, 1.0);
    offsets_.assign(1 + 3 * n_, 0.0);
    find_usual();
    for (const std::string& given : format.columns) take_column(given);
    for (const std::string& given : format.units) take_unit(given);
    for (const std::string& given : format.offsets) take_offset(given);
    for (const std::string& given : format.swaps) take_swap(given);
    require_complete();
  }

  Log read() {
    Log log{.joints = format_.joints, .t = {}, .period = format_.period, .q = {}, .qd = {}, .tau = {}};
    std::vector<double>* groups[] = {&log.q, &log.qd, &log.tau};
    for (std::size_t g = 0; g < 3; ++g)
      if (has(g)) groups[g]->reserve(files_[0].rows() * n_);
    for (const ColumnTerms& own : columns_)
      for (const auto& term : own.terms) files_[term.file].want(term.column);
    std::vector<std::vector<double>> rows(files_.size());
    for (std::size_t count = 0; next(rows, count); ++count) {
      if (clocked()) log.t.push_back(value(0, rows));
      for (std::size_t g = 0; g < 3; ++g)
        for (std::size_t j = 0; has(g) && j < n_; ++j) groups[g]->push_back(value(slot(g, j), rows));
    }
    if (log.q.empty()) throw TableError(fmt::format("{}: has no rows", files_[0].path()));
    return log;
  }

 private:
  std::size_t slot(std::size_t group, std::size_t joint) const { return 1 + group * n_ + joint; }
  bool given(std::size_t at) const { return !columns_[at].terms.empty() || columns_[at].constant != 0.0; }
  bool has(std::size_t group) const { return given(slot(group, 0)); }
  bool clocked() const { return given(0) && !(format_.period > 0.0); }

  // By its name if no other file has that, and with the number of its file.
  void add_recorded(std::size_t file, std::size_t column) {
    const std::string& name = files_[file].names()[column];
    bool alone = true;
    for (std::size_t f = 0; f < files_.size(); ++f)
      alone = alone && (f == file ||
                        std::find(files_[f].names().begin(), files_[f].names().end(), name) == files_[f].names().end());
    if (alone) recorded_.push_back({name, file, column});
    recorded_.push_back({fmt::format("{}:{}", file + 1, name), file, column});
  }

  void find_usual() {
    for (const auto& [clock, unit] : usual_clocks)
      for (const Recorded& own : recorded_)
        if (!given(0) && lower(own.name) == clock) columns_[0] = {{{own.file, own.column, 1.0}}, 0.0}, units_[0] = unit;
    for (std::size_t g = 0; g < 3; ++g)
      for (const std::string_view name : usual_names[g].second)
        if (!has(g)) find_group(g, name);
  }
  // All joints by this name, numbered from 1, from 0, or with the joints' names.
  void find_group(std::size_t group, std::string_view name) {
    for (int way = 0; way < 3; ++way) {
      std::vector<const Recorded*> found;
      for (std::size_t j = 0; j < n_; ++j)
        for (const Recorded& own : recorded_) {
          const std::string column = lower(own.name);
          const bool fits = way == 2 ? is_named(column, name, lower(format_.joints[j]))
                                     : is_numbered(column, name, j + (way == 0 ? 1 : 0));
          if (!fits) continue;
          found.push_back(&own);
          break;
        }
      if (found.size() != n_) continue;
      for (std::size_t j = 0; j < n_; ++j) columns_[slot(group, j)] = {{{found[j]->file, found[j]->column, 1.0}}, 0.0};
      return;
    }
  }

  // The entries that "t", "q", "tau3" or "q:elbow" means.
  std::vector<std::size_t> slots_of(std::string_view target) const {
    if (target == "t") return {0};
    for (std::size_t g = 3; g-- > 0;) {
      const std::string_view group = usual_names[g].first;
      if (!target.starts_with(group)) continue;
      std::vector<std::size_t> all;
      for (std::size_t j = 0; j < n_; ++j) {
        if (is_numbered(target, group, j + 1) || is_named(target, group, format_.joints[j])) return {slot(g, j)};
        all.push_back(slot(g, j));
      }
      if (target == group) return all;
    }
    throw std::invalid_argument(fmt::format("{} is not a column of a log: t, q1 to q{}, qd1 …, tau1 … or q:{}",
                                            io::quoted(target), n_, format_.joints[0]));
  }

  static std::pair<std::string, std::string> split(const std::string& text) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos)
      throw std::invalid_argument(fmt::format("{} has no =, as in tau3=i_3", io::quoted(text)));
    return {std::string(io::trimmed(text.substr(0, at))), std::string(io::trimmed(text.substr(at + 1)))};
  }
  void take_column(const std::string& text) {
    const auto [target, source] = split(text);
    if (target.find('#') == std::string::npos) {
      const std::vector<std::size_t> slots = slots_of(target);
      if (slots.size() != 1)
        throw std::invalid_argument(fmt::format("{} stands for all joints: write {}#=name_#, where # is 1 to {}",
                                                io::quoted(target), target, n_));
      columns_[slots[0]] = logs::parse_terms(source, recorded_);
      return;
    }
    for (std::size_t j = 0; j < n_; ++j) {
      const auto numbered = [&](std::string own) {
        for (const auto& [mark, number] : {std::pair{'#', j + 1}, std::pair{'@', j}})
          for (std::size_t at; (at = own.find(mark)) != std::string::npos;) own.replace(at, 1, std::to_string(number));
        return own;
      };
      for (const std::size_t at : slots_of(numbered(target)))
        columns_[at] = logs::parse_terms(numbered(source), recorded_);
    }
  }
  // Angles in degrees are not lengths, and lengths in mm are not angles: a unit of one is not used for joints of the
  // other.
  void take_unit(const std::string& text) {
    const auto [target, name] = split(text);
    const double unit = logs::parse_unit(name);
    const bool angle = name.starts_with("deg") || name.starts_with("rev") || name == "rpm" || name == "mrad",
               length = name.starts_with("mm") || name == "cm";
    const std::vector<std::size_t> slots = slots_of(target);
    for (const std::size_t at : slots) {
      const bool slides = at > 0 && !format_.slides.empty() && format_.slides[(at - 1) % n_];
      if (slots.size() == 1 || !(slides ? angle : length)) units_[at] = unit;
    }
  }

  void take_offset(const std::string& text) {
    const auto [target, amount] = split(text);
    const ColumnTerms terms = logs::parse_terms(amount, {});
    for (const std::size_t at : slots_of(target)) offsets_[at] = terms.constant;
  }
  void take_swap(const std::string& text) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::vector<std::size_t> a = slots_of(io::trimmed(std::string_view(text).substr(0, comma))),
                                   b = comma < text.size()
                                           ? slots_of(io::trimmed(std::string_view(text).substr(comma + 1)))
                                           : std::vector<std::size_t>{};
    if (a.size() != 1 || b.size() != 1)
      throw std::invalid_argument(fmt::format("{}: a swap is two columns, as in q1,q2", io::quoted(text)));
    std::swap(columns_[a[0]], columns_[b[0]]);
  }

  void require_complete() const {
    std::vector<std::string> names;
    for (const ColumnFile& file : files_)
      for (const std::string& name : file.names()) names.push_back(io::printable(name));
    if (names.size() > 40) names.resize(40), names.emplace_back("…");
    const std::string there = fmt::format("; there are {}", fmt::join(names, ", "));
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t j = 0; j < n_; ++j) {
        const bool any = std::any_of(columns_.begin() + static_cast<std::ptrdiff_t>(slot(g, 0)),
                                     columns_.begin() + static_cast<std::ptrdiff_t>(slot(g, 0) + n_),
                                     [](const ColumnTerms& own) { return !own.terms.empty(); });
        if (given(slot(g, j)) || (!any && g > 0)) continue;
        throw std::invalid_argument(fmt::format("{}: no column for {}{} (--column {}#=NAME_#){}", files_[0].path(),
                                                usual_names[g].first, j + 1, usual_names[g].first, there));
      }
    if (!given(0) && !(format_.period > 0.0))
      throw std::invalid_argument(fmt::format(
          "{}: no clock: name its column (--column t=NAME) or the rate (--rate HZ){}", files_[0].path(), there));
  }

  bool next(std::vector<std::vector<double>>& rows, std::size_t count) {
    std::size_t ended = 0;
    for (std::size_t f = 0; f < files_.size(); ++f) ended += !files_[f].next(rows[f]);
    if (ended > 0 && ended < files_.size())
      throw TableError(fmt::format("{} and {} are side by side, but one of them ends after {} rows", files_[0].path(),
                                   files_[1].path(), count));
    return ended == 0;
  }
  double value(std::size_t at, const std::vector<std::vector<double>>& rows) const {
    double sum = columns_[at].constant;
    for (const auto& term : columns_[at].terms) sum += term.factor * rows[term.file][term.column];
    sum *= units_[at];
    if (at > 0 && !format_.gears.empty()) {
      const double gear = format_.gears[(at - 1) % n_];
      sum = at >= slot(2, 0) ? sum * gear : sum / gear;
    }
    return sum + offsets_[at];
  }

  const LogFormat& format_;
  std::size_t n_;
  std::vector<ColumnFile> files_;
  std::vector<Recorded> recorded_;
  std::vector<ColumnTerms> columns_;  // t, then q, qd, tau by joint
  std::vector<double> units_, offsets_;
};

}  // namespace

Log read_log(const std::vector<std::string>& files, const LogFormat& format) { return Reader(files, format).read(); }

void append(Log& log, Log other) {
  if (log.q.empty()) {
    log = std::move(other);
    return;
  }
  if (log.t.empty() != other.t.empty() || log.qd.empty() != other.qd.empty() || log.tau.empty() != other.tau.empty())
    throw std::invalid_argument("the logs do not have the same columns");
  if (log.files.empty()) log.files = {0};
  log.files.push_back(log.rows());
  for (const auto& [to, from] : {std::pair{&log.t, &other.t}, std::pair{&log.q, &other.q},
                                 std::pair{&log.qd, &other.qd}, std::pair{&log.tau, &other.tau}})
    to->insert(to->end(), from->begin(), from->end());
}

}  // namespace catena
