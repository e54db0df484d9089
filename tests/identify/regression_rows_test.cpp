// Rows of a regression: those of a log with gaps are those of its stretches, each a log of its own; any range of them
// is a part of all. And what a fit holds because the motion does not determine it.
#include "identify/regression_rows.hpp"

#include <gtest/gtest.h>

#include "support/simulated_log.hpp"

namespace catena::test::regression_rows_test {
namespace {

using identification::RegressionRow;
using identification::RegressionRows;

struct Kept {
  std::size_t sample;
  std::vector<double> entries;
  std::vector<char> counts;
  bool operator==(const Kept&) const = default;
};

std::vector<Kept> kept(const RegressionRows& rows, std::size_t from, std::size_t to, std::size_t first_sample = 0) {
  std::vector<Kept> all;
  rows.each(from, to, [&](const RegressionRow& row) {
    EXPECT_EQ(row.number, from + all.size());
    all.push_back({first_sample + rows.sample(row.number),
                   {row.entries.begin(), row.entries.end()},
                   {row.counts.begin(), row.counts.end()}});
  });
  EXPECT_EQ(all.size(), to - from);
  return all;
}

// The rows from..to-1 of a log, as a log.
Measurements part_of(const Measurements& data, std::size_t n, std::size_t from, std::size_t to) {
  const auto cut = [&](const auto& all) {
    using List = std::decay_t<decltype(all)>;
    return all.empty() ? List{} : List(all.begin() + long(from * n), all.begin() + long(to * n));
  };
  return {cut(data.q), cut(data.qd), cut(data.qdd), cut(data.tau), data.period, {}, cut(data.used)};
}

TEST(RegressionRows, OfALogWithGapsAreThoseOfItsStretches) {
  LogOfArm log = log_of(arm("planar3r"), {.duration = 4.0, .rest = 0.2});
  leave_out_rest(log);
  const std::size_t length = log.data.q.size() / log.n;
  const std::vector<std::size_t> begins{0,  90,  91,
                                        95, 260, length};  // one of a single row, one shorter than the filter
  log.data.stretches.assign(begins.begin(), begins.end() - 1);
  const std::vector<identification::Column> columns = identification::columns_of(base_parameters(log.robot));
  for (const double cutoff : {0.0, 8.0})
    for (const std::size_t decimate : {1, 4}) {
      IdentificationOptions options;
      options.cutoff = cutoff, options.decimate = decimate;
      const RegressionRows rows(log.robot, columns, log.data, options);
      const std::vector<Kept> all = kept(rows, 0, rows.size());
      std::vector<Kept> by_stretch;
      for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
        const Measurements own = part_of(log.data, log.n, begins[s], begins[s + 1]);
        const RegressionRows alone(log.robot, columns, own, options);
        for (Kept& row : kept(alone, 0, alone.size(), begins[s])) by_stretch.push_back(std::move(row));
      }
      ASSERT_EQ(all.size(), by_stretch.size());
      for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], by_stretch[k]) << k << ' ' << cutoff;
      for (std::size_t from = 0; from + 1 < rows.size(); from += 17)
        for (const std::size_t to : {from + 1, std::min(from + 60, rows.size()), rows.size()})
          EXPECT_EQ(kept(rows, from, to), std::vector<Kept>(all.begin() + long(from), all.begin() + long(to)))
              << from << ' ' << to << ' ' << cutoff;
    }
}

// While a joint turns one way, its dry friction and its offset are one number. Whichever is held at the model's value,
// the other is found.
TEST(Subset, HoldsWhatIsNotDeterminedAtTheModelsValue) {
  Robot robot = arm("planar3r");
  for (JointDescription& joint : robot.joints) joint.drive.coulomb = 1.5, joint.drive.viscous = 0.4;
  robot.joints[1].drive.offset = 0.7;
  LogOfArm log = log_of(robot, {.duration = 8.0});
  Call<double> inverse(log.robot, "inverse");
  for (std::size_t k = 0; k < log.data.q.size(); k += log.n) {
    for (std::size_t j = 0; j < log.n; ++j) log.data.qd[k + j] = 0.1 + std::abs(log.data.qd[k + j]);
    const auto row = [&](std::vector<double>& all) { return std::span<double>(&all[k], log.n); };
    inverse({.q = row(log.data.q), .qd = row(log.data.qd), .qdd = row(log.data.qdd)}, row(log.data.tau));
  }
  IdentificationOptions options;
  options.offsets = true, options.subset = true;
  const Identification found = identify(log.robot, log.data, options);
  EXPECT_EQ(found.held.size(), log.n);
  for (const HeldParameter& held : found.held) EXPECT_EQ(held.value, held.parameter.nominal) << held.parameter.text;
  for (const Estimate& own : found.estimates) EXPECT_NEAR(own.value, own.parameter.nominal, 1e-8) << own.parameter.text;
}

}  // namespace
}  // namespace catena::test::regression_rows_test
