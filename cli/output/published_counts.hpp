// The operation counts that were published, table by table, as data. M: multiplications, A: additions, for n revolute
// joints.
#pragma once

#include <string_view>
#include <vector>

#include "output/count_polynomial.hpp"

namespace catena::cli {

using Notes = std::vector<std::string_view>;

// One line of a table that compares algorithms.
struct PublishedRow {
  std::string_view algorithm;
  CountPolynomial M, A;                         // as printed
  std::string_view job = {}, formulation = {};  // which of ours is that algorithm; empty: none
  std::string_view beside = {};                 // the paper leaves out what it shares with this job
};
struct PublishedTable {
  std::string_view title;
  bool only_six_joints;  // printed as figures for n = 6
  std::vector<PublishedRow> rows;
  Notes notes;  // a sentence each
};

// One line of a table that splits an algorithm up by equations.
struct BreakdownRow {
  std::string_view equation;
  CountPolynomial M, A;              // general twists
  CountPolynomial M_right, A_right;  // twists of 0° and 90°
};
struct BreakdownTable {
  std::string_view title;
  bool right_twists;  // the columns are there
  std::vector<BreakdownRow> rows;
  BreakdownRow total;  // as printed
  std::string_view job = {}, formulation = {};
  Notes notes;
};

std::vector<PublishedTable> published_tables(std::string_view job);
std::vector<BreakdownTable> breakdown_tables(std::string_view job);

// Why our count of a formulation is another than the published one.
std::string_view why_different(std::string_view job, std::string_view formulation);

// The claims that our formulations are measured by, figures for n = 6.
std::vector<PublishedRow> main_claims();

}  // namespace catena::cli
