// Logs of measured motions: read, cleaned, filtered and differentiated for identification, and told what is wrong with
// them. docs/identification.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/identify.hpp"
#include "catena/mechanism.hpp"
#include "catena/signals.hpp"

namespace catena {

// What was recorded: columns with a clock, in s, rad, m and N m at the joints. Groups are stored by rows, with one
// number for each joint.
struct Log {
  std::vector<std::string> joints;   // their names
  std::vector<double> t;             // s; empty: rows are `period` apart
  double period = 0.0;               // s
  std::vector<double> q, qd, tau;    // qd and tau may be empty; NaN where nothing was measured
  std::vector<std::size_t> files{};  // the first row of each file; empty: one

  std::size_t rows() const { return joints.empty() ? 0 : q.size() / joints.size(); }
};

// How the columns of files make a log.
struct LogFormat {
  std::vector<std::string> joints{};  // their names
  std::vector<bool> slides{};         // by joint: prismatic; empty: none is
  std::vector<std::string> header{};  // names of the columns, for files that do not start with them
  // "tau3=i_3", "q#=joint_#_pos" for all joints, "q6=motor6/32-motor5/45", "q2=a2-pi/2", "t=stamp". A column of the
  // second of several files side by side is 2:NAME. What is not given is looked for by its usual names.
  std::vector<std::string> columns{};
  // "t=ms", "q=deg", "tau=0.12", "tau3=mNm": what one unit of the log is.
  std::vector<std::string> units{};
  std::vector<double> gears{};         // by joint: positions and torques are those of motors that turn this much faster
  std::vector<std::string> offsets{};  // "q2=-pi/2", "tau=0.3": added last, at the joint
  std::vector<std::string> swaps{};    // "q1,q2": columns that were recorded under each other's names
  double period = 0.0;                 // s between rows; instead of a clock
};

// Reads CSV (separated by commas, semicolons, tabs or blanks) and .npy. The files are side by side: parts of the same
// rows. Fields that are not numbers are NaN. Throws TableError that names the file, and std::invalid_argument that
// names a column or unit.
Log read_log(const std::vector<std::string>& files, const LogFormat& format);
// Puts another run of the same robot behind a log.
void append(Log& log, Log other);

enum class Rest { leave_out, hold, keep };
enum class DerivativeBy { filter, savitzky_golay };

struct PrepareOptions {
  double from = 0.0, to = std::numeric_limits<double>::infinity();  // s since the first row of each file
  LowPass filter{};                                                 // of both sides of a regression; cutoff 0: chosen
  double headroom = 2.0;  // the cutoff for positions over that one, so that it changes nothing within
  DerivativeBy derivative = DerivativeBy::filter;
  std::size_t window = 0;       // of Savitzky-Golay; 0: from the cutoff
  bool measured_speeds = true;  // those of the log, where it has them and they agree with the positions
  std::size_t decimation = 0;   // 0: chosen, such that five rows are left for a period of the cutoff
  Rest rest = Rest::leave_out;
  std::vector<double> dead_band{};  // by joint, rad/s or m/s; empty: found
  std::size_t longest_gap = 5;      // rows that may be missing and are interpolated
};

// Something that was found, done or left out.
struct LogFinding {
  enum class Weight { note, warning };
  std::string kind;  // one word, the same in every version: "doubled", "rest", "degrees"
  Weight weight = Weight::note;
  int joint = -1;       // -1: not one joint
  double number = 0.0;  // what was counted or measured
  std::string text;     // one line
  std::string cure;     // what would mend it, as an option: "--unit q=deg"; empty: nothing to do
};

struct PreparedLog {
  // Filtered q, q̇, q̈ on an even clock, with gaps and what counts; tau as it was measured. Both sides of a regression
  // are then filtered alike: tau and the regressor's columns, by `filter`, and every `decimation`-th row is taken.
  Measurements data;
  std::vector<double> t;  // s, by row
  LowPass filter, position_filter;
  std::size_t decimation = 1;
  std::vector<std::string> joints;
  std::vector<double> dead_band;       // by joint
  std::vector<std::uint8_t> resting;   // by row and joint: 1 where the joint stands
  std::vector<std::uint8_t> invented;  // by row and joint: 1 where tau was not measured but interpolated
  std::vector<double> noise;           // by joint: standard deviation of the noise of q
  std::vector<Spectrum> spectra;       // of q, by joint
  std::vector<double> speeds;          // by joint: measured speeds over differentiated positions; empty: none measured
  std::size_t rows_read = 0;
  std::vector<std::size_t> rows_of_files{};  // read, by file
  std::vector<LogFinding> findings;

  std::size_t rows() const { return t.size(); }
  std::size_t first_row(std::size_t stretch) const { return data.stretches[stretch]; }
  std::size_t end_row(std::size_t stretch) const {
    return stretch + 1 < data.stretches.size() ? data.stretches[stretch + 1] : rows();
  }
};

// Cleans, filters and differentiates. Throws std::invalid_argument, with the reason, if nothing is left of a log.
PreparedLog prepare(Log log, const PrepareOptions& options = {});
// What seems wrong with a log of this robot: nothing moves, angles in degrees or of motors, swapped or turned joints,
// a clock in ms, … Torques are compared with those of the model, up to a factor, an offset and friction for each joint.
// `gears`: how much faster each joint's motor turns, where that is known.
std::vector<LogFinding> diagnose(const PreparedLog& log, const Mechanism& robot, std::span<const double> gears = {});

// tau filtered as q was, for tables.
void filter_torques(PreparedLog& log);

}  // namespace catena
