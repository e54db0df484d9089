// What a reader hands over: as much of a robot as could be read, and everything that was wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catena/robot.hpp"
#include "catena/validate.hpp"

namespace catena::io {

struct Reading {
  Robot robot;
  Findings findings;
  bool connected = true;  // every joint found its two links; if not, checking the tree would only repeat that

  void error(int line, std::string text) { findings.errors.push_back({line, std::move(text)}); }
  // `who` starts the sentence, "link 2 'rod': "; the kind is that of Warning.
  void warning(int line, const std::string& who, std::string_view kind, const std::string& what) {
    findings.warnings.push_back({line, who + what, who.substr(0, who.find_last_not_of(": ") + 1), std::string(kind)});
  }
};

// A value that cannot be used is reported and replaced by a harmless one, so that reading goes on to the next problem.
Reading read_toml(std::string_view text);
Reading read_urdf(std::string_view text);

// The unit vector along a finite vector, nothing for the zero vector. A vector of length 1 to rounding stays as it is,
// so that writing and reading do not change it.
std::optional<Vec3<double>> normalized(const Vec3<double>& v);

}  // namespace catena::io
