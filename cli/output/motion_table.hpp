// A motion read from a table: rows with a time, streamed, in radians and metres.
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
  // Each of the inputs must have n columns; the time is the column t, or the row number divided by the rate. Throws
  // TableError, InputError and, where a rate is given in addition to a column t, UsageError.
  MotionTable(const std::string& path, const Robot& robot, const Mechanism& mechanism, const std::vector<Input>& inputs,
              bool degrees, std::optional<double> rate);

  struct Row {
    double t = 0.0;
    std::vector<std::span<const double>> inputs;  // in the requested order
  };
  // False at the end. Throws Interrupted where the run is interrupted.
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
  std::vector<std::size_t> counts_;  // how many numbers each input has
  PositionDoubt doubt_;
  std::uint64_t count_ = 0;
};

void stop_when_interrupted();

// The names of the positions where they differ from those of the joints: for a robot on a free base.
std::vector<std::string> other_position_names(const Mechanism& mechanism);

}  // namespace catena::cli
