#include "io/option_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>

#include "catena/model_options.hpp"
#include "io/text.hpp"

namespace catena::io {
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

std::vector<std::string> link_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const LinkDescription& link : robot.links) names.push_back(link.name);
  return names;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
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

double parse_number(std::string_view text, std::string_view option) {
  std::string_view digits = trimmed(text);
  if (digits.starts_with('+')) digits.remove_prefix(1);  // from_chars accepts only the minus sign
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range)
    throw OptionError(fmt::format("{}: '{}' is too large for a double", option, printable(text)));
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    throw OptionError(
        fmt::format("{}: '{}' is not a number; write them like 0.1,-2,3e-4", option, printable(trimmed(text))));
  if (!std::isfinite(value)) throw OptionError(fmt::format("{}: '{}' is not finite", option, printable(text)));
  return value;
}

std::vector<double> parse_numbers(std::string_view text, std::string_view option) {
  std::vector<double> numbers;
  if (trimmed(text).empty()) return numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    numbers.push_back(parse_number(text.substr(start, comma - start), option));
    start = comma + 1;
  }
  return numbers;
}

Vec3<double> parse_vec3(std::string_view text, std::string_view option) {
  const std::vector<double> v = parse_numbers(text, option);
  if (v.size() != 3) throw OptionError(fmt::format("{} takes 3 numbers x,y,z, not {}", option, v.size()));
  return {v[0], v[1], v[2]};
}

std::vector<NamedNumber> parse_named(std::string_view text, std::string_view option) {
  std::vector<NamedNumber> parts;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.rfind('=');
    if (equals == std::string::npos)
      throw OptionError(fmt::format("{}: '{}' does not name a joint; write JOINT=NUMBER for each, {}", option,
                                    printable(part), "or plain numbers for all"));
    parts.push_back({std::string(trimmed(std::string_view(part).substr(0, equals))),
                     parse_number(std::string_view(part).substr(equals + 1), option)});
  }
  return parts;
}

double joint_unit(const JointDescription& joint, bool degrees) {
  return degrees && joint.type == JointType::revolute ? std::numbers::pi / 180.0 : 1.0;
}

std::vector<std::string> joint_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const int j : robot.moving_joints()) names.push_back(robot.joints[index(j)].name);
  return names;
}

std::string coupled_words(const JointDescription& joint) {
  std::vector<std::string> masters;
  for (const CouplingTerm& term : joint.coupling.terms) masters.push_back("'" + printable(term.joint) + "'");
  return fmt::format("joint '{}' is coupled to {}", printable(joint.name), fmt::join(masters, ", "));
}

std::size_t joint_position(const std::string& name, std::string_view option, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw OptionError(fmt::format("{}: no moving joint '{}'{}", option, printable(name), suggest(name, names)));
  return static_cast<std::size_t>(found - names.begin());
}

int require_link(const Robot& robot, const std::string& name, std::string_view option) {
  if (const int k = robot.link_index(name); k >= 0) return k;
  throw OptionError(fmt::format("{}: {} has no link '{}'{}", option, printable(robot.name), printable(name),
                                suggest(name, link_names(robot))));
}

std::string frame_to_hang_on(const Robot& robot, const std::string& name, std::string_view option) {
  std::vector<std::string> names = link_names(robot);
  for (const FrameDescription& frame : robot.frames) names.push_back(frame.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  if (name == "tool") return robot.tool_name();
  throw OptionError(fmt::format("{}: {} has no link or frame '{}'{}", option, printable(robot.name), printable(name),
                                suggest(name, names)));
}

}  // namespace catena::io
