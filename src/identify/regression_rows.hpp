// The rows of a regression of torques, made one after the other from a log of any length: filtered on both sides alike,
// decimated, without the samples that do not count. Memory does not grow with the log.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "identify/columns.hpp"

namespace catena::identification {

// Entries that can differ from zero, joint by joint: those of its columns, then its torque.
struct RowLayout {
  std::vector<std::vector<std::size_t>> columns;  // by joint
  std::vector<std::size_t> first;                 // by joint, in a row
  std::size_t size = 0;

  std::size_t torque(std::size_t joint) const { return first[joint] + columns[joint].size(); }
};

struct RegressionRow {
  std::size_t number = 0;           // among all rows
  std::span<const double> entries;  // by the layout
  std::span<const char> counts;     // by joint
};

class RegressionRows {
 public:
  // Measurements and columns must outlive it.
  RegressionRows(const Mechanism& robot, const std::vector<Column>& columns, const Measurements& data,
                 const IdentificationOptions& options);

  const RowLayout& layout() const { return layout_; }
  std::size_t size() const { return samples_.size(); }
  // The sample that row k stands for.
  std::size_t sample(std::size_t k) const { return samples_[k]; }
  // Whether row k continues row k - 1 without a gap.
  bool continues(std::size_t k) const { return k > 0 && stretch_[k] == stretch_[k - 1]; }

  using Visit = std::function<void(const RegressionRow&)>;
  // Rows from..to-1, in order. Safe to call from several threads at once.
  void each(std::size_t from, std::size_t to, const Visit& visit) const;
  // All rows in `parts` ranges of about the same length, each a multiple of `grain` rows; several threads take them.
  using Work = std::function<void(std::size_t part, std::size_t from, std::size_t to)>;
  void in_parts(std::size_t parts, std::size_t grain, const Work& work) const;

 private:
  struct Maker;
  void stretch(Maker& maker, std::size_t from, std::size_t to, const Visit& visit) const;

  const Mechanism& robot_;
  const std::vector<Column>& columns_;
  const Measurements& data_;
  std::size_t n_, threads_;
  RowLayout layout_;
  std::vector<double> kernel_;                           // of the filter, from -reach to reach; a single 1 without
  std::vector<std::size_t> samples_, stretch_, begins_;  // by row: the sample it stands for, its stretch
};

}  // namespace catena::identification
