#include "output/motion_table.hpp"

#include <fmt/format.h>

#include <charconv>

#include "options/numbers.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"

namespace catena::cli {
namespace {

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  std::size_t start = 0;
  bool quoted = false;
  for (std::size_t k = 0; k <= text.size(); ++k) {
    if (k < text.size() && text[k] == '"') quoted = !quoted;
    if (k < text.size() && (quoted || text[k] != ',')) continue;
    std::string_view field = text.substr(start, k - start);
    while (!field.empty() && (field.front() == ' ' || field.front() == '"')) field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '"')) field.remove_suffix(1);
    fields.push_back(field);
    start = k + 1;
  }
  return fields;
}

std::vector<InputInfo> infos_of(const std::vector<Input>& inputs) {
  std::vector<InputInfo> infos;
  for (const Input input : inputs) infos.push_back(info_of(input));
  return infos;
}

// Columns of groups that were not asked for are ignored, not carried: a table may have more columns than are read.
TableFormat format_of(const Mechanism& mechanism, const std::vector<Input>& inputs) {
  TableFormat format{.joints = mechanism.nv(),
                     .joint_names = coordinate_names(mechanism),
                     .groups = {},
                     .required = static_cast<int>(inputs.size()),
                     .batches = false,
                     .stop = interrupted,
                     .position_names = other_position_names(mechanism)};
  for (const InputInfo& info : all_inputs) {
    if (!info.by_joint()) continue;
    const bool read = std::find(inputs.begin(), inputs.end(), info.input) != inputs.end();
    (read ? format.groups : format.results).emplace_back(info.name);
  }
  return format;
}

}  // namespace

std::vector<std::string> other_position_names(const Mechanism& mechanism) {
  return mechanism.coordinates.is_free() ? position_names(mechanism) : std::vector<std::string>{};
}

void stop_when_interrupted() {
  if (interrupted()) throw Interrupted("interrupted: the table is incomplete");
}

MotionTable::MotionTable(const std::string& path, const Robot& robot, const Mechanism& mechanism,
                         const std::vector<Input>& inputs, bool degrees, std::optional<double> rate)
    : path_(path),
      units_(column_units(infos_of(inputs), robot, degrees)),
      reader_(path, format_of(mechanism, inputs)),
      rate_(rate),
      values_(units_.size()),
      doubt_(robot, degrees || inputs.front() != Input::q) {
  const Sizes sizes = sizes_of(mechanism);
  for (const Input input : inputs) counts_.push_back(index(info_of(input).size(sizes)));
  const std::vector<std::string_view> names = fields_of(reader_.carried_header());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == "t") time_column_ = k;
  if (!time_column_ && !rate_) throw InputError(path + ": has no column t; give --rate, the rows per second");
  if (time_column_ && rate_) throw UsageError("the table has its times in column t; leave out --rate");
}

bool MotionTable::next(Row& row) {
  TableRow read;
  stop_when_interrupted();
  if (!reader_.next(read)) {
    stop_when_interrupted();
    return false;
  }
  row.inputs.clear();
  for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = read.values[k] * units_[k];
  doubt_.look(values_, [&] { return reader_.place(); });
  std::span<const double> rest = values_;
  for (const std::size_t count : counts_) {
    row.inputs.push_back(rest.first(count));
    rest = rest.subspan(count);
  }
  row.t = time_column_ ? time_of(read.carried) : static_cast<double>(count_) / *rate_;
  ++count_;
  return true;
}

double MotionTable::time_of(std::string_view carried) const {
  const std::vector<std::string_view> fields = fields_of(carried);
  const std::string_view text = *time_column_ < fields.size() ? fields[*time_column_] : std::string_view{};
  double t = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), t);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("{}: column t: '{}' is not a number", reader_.place(), printable(text)));
  return t;
}

}  // namespace catena::cli
