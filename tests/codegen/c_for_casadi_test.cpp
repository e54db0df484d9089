// C with CasADi's calling convention, loaded and called as CasADi does: names, sizes, patterns and values of functions
// and of their derivatives, arguments that are null, results that nobody wants.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "catena/code.hpp"
#include "catena/robot_file.hpp"
#include "support/generic_job.hpp"
#include "support/shared_library.hpp"
#include "support/tolerances.hpp"

namespace catena::c_for_casadi_test {
namespace {

using test::State;
using Matrix = std::vector<double>;  // by columns, dense

struct Pattern {
  std::string name;
  std::size_t rows = 0, columns = 0;
  std::vector<std::size_t> at{};  // where each entry is in the dense matrix
  std::size_t size() const { return rows * columns; }
  Matrix dense(const std::vector<double>& entries) const {
    Matrix out(size());
    for (std::size_t k = 0; k < at.size(); ++k) out[at[k]] = entries[k];
    return out;
  }
};

class Loaded {
 public:
  Loaded(const test::SharedLibrary& library, const std::string& name)
      : call_(reinterpret_cast<Call*>(library.symbol(name))) {
    inputs = patterns(library, name, "in");
    outputs = patterns(library, name, "out");
    long long sizes[4] = {-1, -1, -1, -1};
    reinterpret_cast<Work*>(library.symbol(name + "_work"))(&sizes[0], &sizes[1], &sizes[2], &sizes[3]);
    EXPECT_EQ(sizes[0], static_cast<long long>(inputs.size()));
    EXPECT_EQ(sizes[1], static_cast<long long>(outputs.size()));
    EXPECT_EQ(sizes[2], 0);
    spare_.resize(std::size_t(sizes[3]));
  }

  // Dense matrices. Where an argument is empty the function is given a null pointer; so is a result that is left out.
  std::vector<Matrix> operator()(const std::vector<Matrix>& given, std::size_t left_out = -1) {
    std::vector<const double*> in;
    for (const Matrix& each : given) in.push_back(each.empty() ? nullptr : each.data());
    std::vector<std::vector<double>> entries;
    std::vector<double*> out;
    constexpr double untouched = 12345.0;  // at the end of each, which belongs to somebody else
    for (const Pattern& each : outputs) entries.emplace_back(each.at.size() + 1, untouched);
    for (std::size_t k = 0; k < entries.size(); ++k) out.push_back(k == left_out ? nullptr : entries[k].data());
    EXPECT_EQ(call_(in.data(), out.data(), nullptr, spare_.data(), 0), 0);
    std::vector<Matrix> results;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      EXPECT_EQ(entries[k].back(), untouched);
      results.push_back(k == left_out ? Matrix{} : outputs[k].dense(entries[k]));
    }
    return results;
  }
  std::vector<Pattern> inputs, outputs;

 private:
  using Call = int(const double**, double**, long long*, double*, int);
  using Work = int(long long*, long long*, long long*, long long*);
  using Count = long long();
  using Name = const char*(long long);
  using Sparsity = const long long*(long long);

  static std::vector<Pattern> patterns(const test::SharedLibrary& library, const std::string& name,
                                       const std::string& side) {
    const long long count = reinterpret_cast<Count*>(library.symbol(name + "_n_" + side))();
    auto* const names = reinterpret_cast<Name*>(library.symbol(name + "_name_" + side));
    auto* const sparsity = reinterpret_cast<Sparsity*>(library.symbol(name + "_sparsity_" + side));
    EXPECT_EQ(names(count), nullptr);
    EXPECT_EQ(sparsity(count), nullptr);
    std::vector<Pattern> all;
    for (long long k = 0; k < count; ++k) {
      const long long* const text = sparsity(k);
      Pattern& own = all.emplace_back(Pattern{names(k), std::size_t(text[0]), std::size_t(text[1])});
      if (text[2] != 0) {  // dense
        for (std::size_t entry = 0; entry < own.size(); ++entry) own.at.push_back(entry);
        continue;
      }
      const long long *const first = text + 2, *const rows = first + own.columns + 1;
      for (std::size_t column = 0; column < own.columns; ++column)
        for (long long entry = first[column]; entry < first[column + 1]; ++entry)
          own.at.push_back(column * own.rows + std::size_t(rows[entry]));
    }
    return all;
  }
  Call* call_;
  std::vector<double> spare_;
};

// Every pattern in the text is as long as its own numbers say; what reads one looks no further.
void expect_whole_patterns(const std::string& source) {
  const std::regex pattern(R"(static const long long int \w+\[\] = \{([^}]*)\};)");
  int seen = 0;
  for (std::sregex_iterator found(source.begin(), source.end(), pattern), end; found != end; ++found, ++seen) {
    std::vector<std::size_t> numbers;
    std::istringstream in((*found)[1].str());
    for (std::string word; std::getline(in, word, ',');) numbers.push_back(std::stoul(word));
    ASSERT_GE(numbers.size(), 3u);
    if (numbers.size() == 3 && numbers[2] == 1) continue;  // dense
    const std::size_t columns = numbers[1];
    ASSERT_GE(numbers.size(), 3 + columns) << found->str();
    EXPECT_EQ(numbers.size(), 3 + columns + numbers[2 + columns]) << found->str();
  }
  EXPECT_GT(seen, 0);
}

std::vector<Matrix> moved(std::vector<Matrix> values, std::size_t input, std::size_t entry, double step) {
  values[input][entry] += step;
  return values;
}

// The blocks of a Jacobian are the differences of the function, and it takes the results of the function behind its
// arguments.
void expect_derivatives(Loaded& jacobian, Loaded& of, const std::vector<Matrix>& values, const std::string& what) {
  ASSERT_EQ(jacobian.inputs.size(), of.inputs.size() + of.outputs.size()) << what;
  ASSERT_EQ(jacobian.outputs.size(), of.outputs.size() * of.inputs.size()) << what;
  std::vector<Matrix> given = values;
  for (std::size_t k = 0; k < of.outputs.size(); ++k) {
    const Pattern& own = jacobian.inputs[of.inputs.size() + k];
    EXPECT_EQ(own.name, "out_" + of.outputs[k].name) << what;
    given.push_back({});
  }
  const std::vector<Matrix> blocks = jacobian(given);
  constexpr double h = 2e-4;
  for (std::size_t in = 0; in < of.inputs.size(); ++in)
    for (std::size_t entry = 0; entry < values[in].size(); ++entry) {
      const auto a = of(moved(values, in, entry, h)), b = of(moved(values, in, entry, -h));
      const auto c = of(moved(values, in, entry, 2 * h)), d = of(moved(values, in, entry, -2 * h));
      for (std::size_t out = 0; out < of.outputs.size(); ++out) {
        const std::size_t block = out * of.inputs.size() + in, rows = of.outputs[out].size();
        ASSERT_EQ(jacobian.outputs[block].rows, rows) << what;
        ASSERT_EQ(jacobian.outputs[block].columns, values[in].size()) << what;
        EXPECT_EQ(jacobian.outputs[block].name, "jac_" + of.outputs[out].name + "_" + of.inputs[in].name) << what;
        std::vector<double> expected(rows);
        for (std::size_t r = 0; r < rows; ++r)
          expected[r] = (8.0 * (a[out][r] - b[out][r]) - (c[out][r] - d[out][r])) / (12.0 * h);
        const auto from = blocks[block].begin() + long(entry * rows);
        EXPECT_TRUE(test::near({from, from + long(rows)}, expected, std::max(1.0, test::largest(expected)),
                               test::relative(1e-6)))
            << what << ' ' << jacobian.outputs[block].name << ' ' << entry;
      }
    }
}

struct Case {
  std::string robot, jobs;
};
class CForCasadi : public testing::TestWithParam<Case> {};

TEST_P(CForCasadi, IsWhatCasadiExpects) {
  test::Random random(31);
  Robot read = test::random_robot(random, {.joints = 4, .drives = true});
  test::couple_some(random, read, 0.5);
  const Mechanism robot =
      make_mechanism(GetParam().robot == "coupled" ? read : load_robot(find_model(GetParam().robot)));
  const State own = test::random_state(random, robot), x = test::with_all_positions(robot, own);
  const std::vector<double> tau = test::generic_job("inverse", robot, own, {}, 0);
  ProgramRequest request{{GetParam().jobs}, {}};
  const Program plain = by_columns(usual_program(robot, request));
  const std::vector<Program> programs = with_derivatives(robot, request, plain, 2, false);
  CodeOptions options;
  options.name = "arm", options.convention = CallingConvention::casadi;
  const Code code = print_code(programs, options);
  expect_whole_patterns(code.source);
  const test::SharedLibrary library(code.source, "-std=c99 -O1");

  const std::string name = "arm_" + GetParam().jobs;
  Loaded f(library, name), jacobian(library, "jac_" + name), adjoint(library, "adj1_" + name),
      second(library, "jac_adj1_" + name);
  std::vector<Matrix> values;
  ASSERT_EQ(f.inputs.size(), plain.inputs.size());
  for (const Argument& input : plain.inputs) values.push_back(test::input_of(input.name, x, tau));
  std::vector<double> all;
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(f.inputs[k].name, plain.inputs[k].name);
    EXPECT_EQ(f.inputs[k].size(), values[k].size());
    all.insert(all.end(), values[k].begin(), values[k].end());
  }
  const std::vector<Matrix> results = f(values);
  std::vector<double> in_sequence;
  for (const Matrix& each : results) in_sequence.insert(in_sequence.end(), each.begin(), each.end());
  const std::vector<double> expected = plain.evaluate(all);
  EXPECT_TRUE(test::near(in_sequence, expected, std::max(1.0, test::largest(expected)), test::relative(1e-12)));

  for (std::size_t k = 0; k < results.size(); ++k) {  // each result alone left out: the others stay
    const std::vector<Matrix> others = f(values, k);
    for (std::size_t other = 0; other < results.size(); ++other)
      EXPECT_EQ(others[other], other == k ? Matrix{} : results[other]);
  }
  std::vector<Matrix> with_zeros = values, with_null = values;
  for (double& entry : with_zeros.back()) entry = 0.0;
  with_null.back().clear();
  EXPECT_EQ(f(with_null), f(with_zeros));

  expect_derivatives(jacobian, f, values, "jac");
  // Weighted results: arguments, results, weights.
  ASSERT_EQ(adjoint.inputs.size(), f.inputs.size() + 2 * f.outputs.size());
  ASSERT_EQ(adjoint.outputs.size(), f.inputs.size());
  std::vector<Matrix> weighted = values;
  for (std::size_t k = 0; k < f.outputs.size(); ++k) {
    EXPECT_EQ(adjoint.inputs[f.inputs.size() + k].name, "out_" + f.outputs[k].name);
    EXPECT_EQ(adjoint.inputs[f.inputs.size() + f.outputs.size() + k].name, "adj_" + f.outputs[k].name);
    weighted.push_back(results[k]);
  }
  for (const Pattern& out : f.outputs) {
    weighted.emplace_back(out.size());
    for (double& entry : weighted.back()) entry = random.between(-1.0, 1.0);
  }
  std::vector<Matrix> for_jacobian = values;
  for (std::size_t k = 0; k < f.outputs.size(); ++k) for_jacobian.push_back({});
  const std::vector<Matrix> blocks = jacobian(for_jacobian), gradients = adjoint(weighted);
  for (std::size_t in = 0; in < f.inputs.size(); ++in) {
    EXPECT_EQ(adjoint.outputs[in].name, "adj_" + f.inputs[in].name);
    std::vector<double> sums(values[in].size());
    for (std::size_t out = 0; out < f.outputs.size(); ++out) {
      const Matrix &block = blocks[out * f.inputs.size() + in], &w = weighted[f.inputs.size() + f.outputs.size() + out];
      for (std::size_t c = 0; c < sums.size(); ++c)
        for (std::size_t r = 0; r < w.size(); ++r) sums[c] += w[r] * block[c * w.size() + r];
    }
    EXPECT_TRUE(test::near(gradients[in], sums, std::max(1.0, test::largest(sums)), test::relative(1e-10)));
  }
  expect_derivatives(second, adjoint, weighted, "jac_adj1");
}

INSTANTIATE_TEST_SUITE_P(Each, CForCasadi,
                         testing::Values(Case{"planar3r", "inverse"}, Case{"planar3r", "inertia"},
                                         Case{"stanford", "forward"}, Case{"coupled", "gravity"},
                                         Case{"parallelogram", "inverse"}, Case{"planar3r", "energy"}),
                         [](const auto& tried) { return tried.param.robot + "_" + tried.param.jobs; });

}  // namespace
}  // namespace catena::c_for_casadi_test
