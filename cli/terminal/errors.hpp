// What can go wrong in the program itself, and how it is reported: one line per problem on stderr.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model_options.hpp"
#include "io/option_texts.hpp"
#include "io/text.hpp"

namespace catena::cli {

// The command line is wrong: exit status 2, with a pointer to --help.
using UsageError = OptionError;

// A file is wrong; what() starts with "FILE:LINE: ". Exit status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The computation failed at a known place in a file; what() starts with that place. Exit status 1.
class FailedAt : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nobody reads standard output any more: no message is printed.
class ClosedPipe : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Ctrl-C: what() says what was kept.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writes the lines to stderr; for errors.
void complain(const std::string& lines);
// The same for warnings and notes, which --quiet suppresses.
void note(const std::string& lines);
bool& quiet();  // --quiet was given
// One line about input that is probably a mistake: a warning, with --strict a UsageError.
void doubt(const std::string& line);
bool& strict();  // --strict was given

using io::printable;
using io::suggest;

}  // namespace catena::cli
