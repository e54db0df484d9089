// Text that came from outside (the name of a robot in a file) as it may stand in what is written: one function a
// target. Whatever writes C, Python, LaTeX or lines for a terminal takes its own of these for every word that is not
// its own.
#pragma once

#include <string>
#include <string_view>

namespace catena {

// Inside of a C or C++ comment of either kind: printable ASCII in one line that neither ends the comment nor opens
// another, has no backslash and no trigraph.
std::string c_comment_text(std::string_view text);

// A C string literal, quotes included.
std::string c_string(std::string_view text);

// Inside of a Python string between """ and """, and of a comment: printable ASCII in one line.
std::string python_text(std::string_view text);

// LaTeX text: no character of it means anything to LaTeX. Letters with accents stay, what pdflatex cannot print is
// written by its number.
std::string latex_text(std::string_view text);

// A line for people: no control characters, no line breaks, none that turn the direction of writing.
std::string plain_text(std::string_view text);

// A gnuplot string, quotes included: one line in which nothing is replaced, where text is not "enhanced".
std::string gnuplot_string(std::string_view text);

// Cut to a length that fits a heading, between two characters, with "..." where something is missing.
std::string shortened(std::string_view text, std::size_t longest = 100);

// A C identifier made of any text.
std::string identifier(std::string_view text);

}  // namespace catena
