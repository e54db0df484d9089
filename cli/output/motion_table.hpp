// A motion in a table: rows with a time, streamed, in radians and metres.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/job.hpp"
#include "catena/tables.hpp"
#include "states/position_doubt.hpp"

namespace catena::cli {

class MotionTable {
 public:
  // Each of the inputs must be there, n columns each; the time is the column t, or the row's number over the rate.
  // Throws TableError, InputError and, where a rate comes beside a column t, UsageError.
  MotionTable(const std::string& path, const Robot& robot, const Mechanism& mechanism, const std::vector<Input>& inputs,
              bool degrees, std::optional<double> rate);

  struct Row {
    double t = 0.0;
    std::vector<std::span<const double>> inputs;  // as asked for
  };
  // False at the end. A run that is interrupted ends here: throws Interrupted.
  bool next(Row& row);
  const TableReader& reader() const { return reader_; }
  const std::string& path() const { return path_; }

 private:
  double time_of(std::string_view carried) const;

  std::string path_;
  std::vector<double> units_;
  TableReader reader_;
  std::optional<double> rate_;
  std::optional<std::size_t> time_column_;
  std::vector<double> values_;
  std::vector<std::size_t> counts_;  // numbers of each input
  PositionDoubt doubt_;
  std::uint64_t count_ = 0;
};

void stop_when_interrupted();

// The names of positions where they are not those of the joints: of a robot on a free base.
std::vector<std::string> other_position_names(const Mechanism& mechanism);

}  // namespace catena::cli
