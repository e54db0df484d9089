#include "support/state_stream.hpp"

#include <fmt/format.h>

#include <optional>

#include "catena/io/state_table.hpp"
#include "support/errors.hpp"
#include "support/interrupt.hpp"
#include "support/numbers.hpp"
#include "support/progress.hpp"

namespace catena::cli {
namespace {

std::vector<std::string> numbered(const std::string& group, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t j = 1; j <= n; ++j) names.push_back(fmt::format("{}{}", group, j));
  return names;
}

// Where the results go: a table, or the rows of a JSON object, which is printed whole or not at all.
class Results {
 public:
  Results(const StateStream& stream, const TableReader& reader, std::size_t n) : stream_(stream) {
    path_ = stream.output.empty() ? "-" : stream.output;
    if (stream.json && path_ == "-") return;
    writer_.emplace(path_, numbered(stream.result, n), reader.carried_header());
  }
  void add(const std::vector<double>& values, std::string_view carried) {
    if (writer_) {
      writer_->write(values, carried);
    } else {
      rows_.push_back(values);
    }
  }
  std::uint64_t count() const { return writer_ ? writer_->rows() : rows_.size(); }
  const std::string& path() const { return path_; }
  void finish(const Json& about) {
    if (writer_) writer_->finish();
    if (!stream_.json) return;
    Json out;
    if (writer_) {
      out = {{"output", path_}, {"rows", count()}};
    } else {
      out[stream_.result] = rows_;
    }
    out.update(about);
    emit(json_line(out));
  }

 private:
  const StateStream& stream_;
  std::string path_;
  std::optional<TableWriter> writer_;
  Rows rows_;
};

// The computation of one row; its failure is reported with the row's place.
void compute_row(const StateStream::Compute& compute, const TableReader& reader, std::span<const double> values,
                 std::span<double> result) {
  try {
    compute(values, result);
  } catch (const std::domain_error& error) {
    throw FailedAt(reader.place() + ": " + error.what());
  }
}

}  // namespace

void StateStream::run(const Robot& robot, bool degrees, const Json& about, const Compute& compute) const {
  const std::vector<double> units = joint_units(robot, degrees);
  const std::size_t n = units.size();
  if (n == 0) throw UsageError(fmt::format("{} has no moving joints: --states has nothing to read", robot.name));
  const InterruptGuard interrupt;
  const TableFormat format{.joints = static_cast<int>(n), .groups = groups, .result = result, .stop = interrupted};
  try {
    TableReader reader(input, format);
    Results results(*this, reader, n);
    Progress progress(reader.bytes_total());
    std::vector<double> values(groups.size() * n), row_result(n);
    for (TableRow row; !interrupted() && reader.next(row); progress.update(reader.bytes_read())) {
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = row.values[k] * units[k % n];
      compute_row(compute, reader, values, row_result);
      results.add(row_result, row.carried);
    }
    progress.clear();
    results.finish(about);
    if (interrupted())
      throw Interrupted(fmt::format("interrupted: {} complete rows written to {}", results.count(),
                                    results.path() == "-" ? "standard output" : results.path()));
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
}

}  // namespace catena::cli
