#include "output/timed_table.hpp"

#include "terminal/errors.hpp"

namespace catena::cli {

TimedTable::TimedTable(const std::string& output, const std::vector<std::string>& groups, std::size_t n, bool json,
                       const std::vector<std::string>& names)
    : path_(output.empty() ? "-" : output),
      groups_(groups),
      n_(n),
      json_(json),
      npy_(path_.ends_with(".npy")),
      gathered_(groups.size()) {
  if (json && path_ == "-") return;
  std::vector<std::string> columns;
  if (!npy_) columns.emplace_back("t");
  for (const std::string& group : groups)
    for (std::size_t j = 0; j < n; ++j) columns.push_back(joint_column(group, j, names));
  try {
    writer_.emplace(path_, columns);
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
}

void TimedTable::add(double t, std::span<const double> values) {
  if (!writer_) {
    times_.push_back(t);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::span<const double> part = values.subspan(g * n_, n_);
      gathered_[g].emplace_back(part.begin(), part.end());
    }
    return;
  }
  row_.clear();
  if (!npy_) row_.push_back(t);
  row_.insert(row_.end(), values.begin(), values.end());
  writer_->write(row_);
}

void TimedTable::finish(const Json& about) {
  if (writer_) writer_->finish();
  if (!json_) return;
  Json out;
  if (writer_) {
    out = {{"output", path_}, {"rows", writer_->rows()}};
  } else {
    out["t"] = times_;
    for (std::size_t g = 0; g < groups_.size(); ++g) out[groups_[g]] = gathered_[g];
  }
  out.update(about);
  emit(json_line(out));
}

}  // namespace catena::cli
