#include "states/state_stream.hpp"

#include <fmt/format.h>

#include <optional>

#include "catena/tables.hpp"
#include "options/numbers.hpp"
#include "output/motion_table.hpp"
#include "states/position_doubt.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"

namespace catena::cli {
namespace {

// Where the results go: a table, or the rows of a JSON object, which is printed completely or not at all.
class Results {
 public:
  Results(const StateStream& stream, const TableReader& reader, const JobPass& pass) : stream_(stream), pass_(pass) {
    path_ = stream.output.empty() ? "-" : stream.output;
    if (stream.json && path_ == "-") return;
    writer_.emplace(path_, pass.columns(reader.named()), reader.carried_header());
  }
  void add(const std::vector<double>& values, std::string_view carried) {
    if (writer_) {
      writer_->write(values, carried);
      return;
    }
    const Json row = pass_.to_json(values);
    for (const auto& [name, value] : row.items()) rows_[name].push_back(value);
    ++count_;
  }
  std::uint64_t count() const { return writer_ ? writer_->rows() : count_; }
  // Returns where the rows are: beside the file where some are missing.
  std::string finish(bool whole) {
    std::string place = path_;
    if (writer_ && whole) writer_->finish();
    if (writer_ && !whole) place = writer_->keep();
    if (!stream_.json) return place;
    Json out = rows_;
    if (writer_) out = {{"output", place}, {"rows", count()}};
    out.update(pass_.about());
    emit(json_line(out));
    return place;
  }

 private:
  const StateStream& stream_;
  const JobPass& pass_;
  std::string path_;
  std::optional<TableWriter> writer_;
  Json rows_ = Json::object();
  std::uint64_t count_ = 0;
};

// Computes one row; a failure is reported with the row's place in the file.
void compute_row(JobPass& pass, const TableReader& reader, std::span<const double> values, std::span<double> results) {
  try {
    pass.require_read(values, false);
    pass.run(values, results);
  } catch (const std::domain_error& error) {
    throw FailedAt(reader.place() + ": " + error.what());
  } catch (const std::invalid_argument& error) {
    throw InputError(reader.place() + ": " + error.what());
  }
}

}  // namespace

void StateStream::run(JobPass& pass, bool degrees) const {
  const std::size_t n = index(pass.mechanism().nv());
  if (n == 0) throw UsageError(fmt::format("{} has no moving joints: --states has nothing to read", pass.robot().name));
  const InterruptGuard interrupt;
  const TableFormat format{.joints = static_cast<int>(n),
                           .joint_names = coordinate_names(pass.mechanism()),
                           .groups = pass.groups(),
                           .results = pass.vectors(),
                           .columns = pass.columns(),
                           .stop = interrupted,
                           .position_names = other_position_names(pass.mechanism())};
  const std::vector<double> units = column_units(pass.inputs(), pass.robot(), degrees);
  try {
    TableReader reader(input, format);
    Results results(*this, reader, pass);
    Progress progress(reader.bytes_total());
    std::vector<double> values(units.size()), row_results(pass.size());
    PositionDoubt doubt(pass.robot(), degrees);
    const bool has_positions = pass.inputs().front().input == Input::q;
    for (TableRow row; !interrupted() && reader.next(row); progress.update(reader.bytes_read())) {
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = row.values[k] * units[k];
      if (has_positions) doubt.look(values, [&] { return reader.place(); });
      compute_row(pass, reader, values, row_results);
      results.add(row_results, row.carried);
      if (watch) watch(pass, {values, row_results, reader.carried_header(), row.carried});
    }
    progress.clear();
    const bool whole = !interrupted();
    const std::string place = results.finish(whole);
    if (!whole)
      throw Interrupted(fmt::format("interrupted: {} complete rows written to {}", results.count(),
                                    place == "-" ? "standard output" : place));
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
}

}  // namespace catena::cli
