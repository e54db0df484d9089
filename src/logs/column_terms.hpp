// What a column of a log is made of: sums of recorded columns with factors, written as people write them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena::logs {

// A column of one of the files side by side.
struct Recorded {
  std::string name;
  std::size_t file = 0, column = 0;
};

struct ColumnTerms {
  struct Term {
    std::size_t file = 0, column = 0;
    double factor = 1.0;
  };
  std::vector<Term> terms;
  double constant = 0.0;
};

// "i_3", "2:Joint_1/32", "a - 0.5*b + pi/2". Throws std::invalid_argument that names what is wrong.
ColumnTerms parse_terms(std::string_view text, std::span<const Recorded> recorded);

// A unit by name ("deg", "ms", "mNm") or as a number ("0.12", "2*pi/4096"), in s, rad, m, N m and A.
double parse_unit(const std::string& text);

}  // namespace catena::logs
