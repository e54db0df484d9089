// The result of a reader: as much of a robot as could be read, and all problems found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/robot.hpp"
#include "catena/validate.hpp"

namespace catena::io {

// What a file has and dynamics do not need: an element, or some of its attributes, however often.
struct Note {
  int line = 0;       // of the first
  std::string place;  // where it is included from another file: "hand.xml:12: "
  std::string what;   // "<sensor>"
  std::vector<std::string> attributes{};
  bool known = true;  // of the format, so that it is known not to change the answer
  int times = 1;

  std::string text() const;
};

// There are so many problems that reading stops.
struct TooManyProblems {
  std::vector<Problem> errors;
};

struct Reading {
  Robot robot;
  Findings findings;
  std::vector<Note> notes{};
  bool connected = true;  // every joint found its two links; otherwise checking the tree would only repeat that error

  void error(int line, std::string text);  // throws TooManyProblems
  // Throws TooManyProblems with one that says so where the robot has more links, joints, frames or loops than any. For
  // readers that compare parts with each other.
  void require_few_parts() const;
  // For `catena check`: <what>, or an attribute of it, is passed over.
  void note(int line, const std::string& place, const std::string& what, const std::string& attribute = "");
  void note_unknown(int line, const std::string& what);
  // `who` starts the sentence, "link 2 'rod': "; for the kind see Warning.
  void warning(int line, const std::string& who, std::string_view kind, const std::string& what) {
    findings.warnings.push_back({line, who + what, who.substr(0, who.find_last_not_of(": ") + 1), std::string(kind)});
  }
};

// What a reader is given.
struct RobotText {
  std::string_view text;
  std::string file{};    // where it comes from: names of files inside it are relative to the folder
  bool lenient = false;  // LoadOptions
  std::vector<std::string> package_path{};
};

// An unusable value is reported and replaced by a harmless one, so that reading continues to the next problem.
Reading read_toml(const RobotText& source);
Reading read_urdf(const RobotText& source);
Reading read_mjcf(const RobotText& source);
Reading read_sdf(const RobotText& source);

// The unit vector along a finite vector, none for the zero vector. A vector of length 1 up to rounding is unchanged, so
// that writing and reading it back do not change it.
std::optional<Vec3<double>> normalized(const Vec3<double>& v);

// The type of a closed loop by its name.
std::optional<LoopType> loop_type(std::string_view name);
std::string loop_type_choices();                       // "revolute, prismatic, … or fixed"
std::string unknown_loop_type(std::string_view name);  // what an error says about another name

}  // namespace catena::io
