// Part of the tests in the tree that mutants.py builds. CATENA_REACHED: a file that takes a line for each test, its
// name, its time and the numbers of what it reached.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

class Reached final : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    std::fill(std::begin(catena_mutants::reached), std::end(catena_mutants::reached), 0);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    std::ofstream out(std::getenv("CATENA_REACHED"), std::ios::app);
    out << test.test_suite_name() << '.' << test.name() << ' ' << test.result()->Passed() << ' '
        << test.result()->elapsed_time();
    for (std::size_t k = 0; k < std::size(catena_mutants::reached); ++k)
      if (catena_mutants::reached[k] != 0) out << ' ' << k;
    out << '\n';
  }
};

[[maybe_unused]] const bool is_told = [] {
  if (std::getenv("CATENA_REACHED") != nullptr)
    testing::UnitTest::GetInstance()->listeners().Append(new Reached);  // which owns it
  return true;
}();

}  // namespace
