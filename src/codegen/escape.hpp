// Makes text from outside (the name of a robot in a file) safe to include in output: one function per target. Code
// that writes C, Python, LaTeX or lines for a terminal passes every text that is not its own through the matching
// function.
#pragma once

#include <string>
#include <string_view>

namespace catena {

// For the inside of a C or C++ comment of either kind: printable ASCII in one line that neither ends the comment nor
// opens another, without backslashes and trigraphs.
std::string c_comment_text(std::string_view text);

// A C string literal, quotes included.
std::string c_string(std::string_view text);

// For the inside of a Python string between """ and """, and of a comment: printable ASCII in one line.
std::string python_text(std::string_view text);

// For a line comment of MATLAB and Octave, after a blank: printable ASCII in one line.
std::string matlab_comment_text(std::string_view text);

// LaTeX text: none of its characters has a special meaning to LaTeX. Accented letters are kept, characters that
// pdflatex cannot print are written by their number.
std::string latex_text(std::string_view text);

// A line for people: no control characters, no line breaks, none that change the direction of writing.
std::string plain_text(std::string_view text);

// A gnuplot string, quotes included: one line in which nothing is substituted, where text is not "enhanced".
std::string gnuplot_string(std::string_view text);

// Cut to a length that fits a heading, at a character boundary, with "..." where something is cut off.
std::string shortened(std::string_view text, std::size_t longest = 100);

// A C identifier made of any text.
std::string identifier(std::string_view text);

}  // namespace catena
