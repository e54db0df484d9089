#include "terminal/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <numeric>

namespace catena::cli {
namespace {

// The number of insertions, deletions and replacements that turn a into b.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// A word used elsewhere, and its names here: the first one that is valid in the given place is suggested.
struct Synonym {
  std::string_view word;
  std::array<std::string_view, 2> here;
};
constexpr Synonym synonyms[] = {{"rnea", {"luh-walker-paul", "inverse"}},
                                {"newton-euler", {"luh-walker-paul", "inverse"}},
                                {"lagrange", {"christoffel", "equations"}},
                                {"id", {"inverse"}},
                                {"crba", {"walker-orin", "inertia"}},
                                {"composite-rigid-body", {"walker-orin", "inertia"}},
                                {"mass-matrix", {"inertia"}},
                                {"aba", {"articulated-body", "forward"}},
                                {"featherstone", {"articulated-body", "forward"}},
                                {"fd", {"forward"}},
                                {"fk", {"pose", "kinematics"}},
                                {"ik", {"kinematics"}},
                                {"ode", {"simulate"}},
                                {"pid", {"pd"}},
                                {"computed-torque", {"computed"}},
                                {"inverse-dynamics", {"computed", "inverse"}}};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

void complain(const std::string& lines) {
  std::fputs(lines.c_str(), stderr);
  if (!lines.ends_with('\n')) std::fputc('\n', stderr);
}

bool& quiet() {
  static bool given = false;
  return given;
}

void note(const std::string& lines) {
  if (!quiet()) complain(lines);
}

bool& strict() {
  static bool given = false;
  return given;
}

void doubt(const std::string& line) {
  if (strict()) throw UsageError(line);
  note("catena: warning: " + line);
}

std::string suggest(const std::string& word, const std::vector<std::string>& known) {
  for (const Synonym& synonym : synonyms)
    for (const std::string_view here : synonym.here)
      if (lower_case(word) == synonym.word && std::find(known.begin(), known.end(), here) != known.end())
        return fmt::format("; did you mean '{}'?", here);
  const std::string* nearest = nullptr;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (word.size() > 100) break;
    std::size_t distance = edit_distance(lower_case(word), lower_case(candidate));
    // --degrees for --deg, --accel for --accelerations, inv for inverse
    constexpr std::size_t telling = 3;
    const std::size_t dashes = word.starts_with("--") ? 2 : 0;
    const bool begins = word.starts_with(candidate) || candidate.starts_with(word);
    if (begins && std::min(word.size(), candidate.size()) >= telling + dashes)
      distance = std::min<std::size_t>(distance, 1);
    if (distance < best) best = distance, nearest = &candidate;
  }
  if (nearest) return fmt::format("; did you mean '{}'?", *nearest);
  return fmt::format("; known: {}", fmt::join(known, ", "));
}

}  // namespace catena::cli
