#include "codegen/escape.hpp"

#include <cstdint>
#include <cstdio>

namespace catena {
namespace {

constexpr char32_t broken = 0xFFFD;  // replaces bytes that are not valid UTF-8

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Removes the next UTF-8 character from the text and returns it.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  const bool can_start = first < 0x80 || (first >= 0xC2 && first <= 0xF4);
  char32_t character = first < 0x80 ? first : first & (0xFFU >> (size + 1));
  std::size_t used = 1;
  for (; can_start && used < size && used < text.size() && (byte(used) & 0xC0U) == 0x80; ++used)
    character = character << 6U | (byte(used) & 0x3FU);
  const bool too_long = (size == 3 && character < 0x800) || (size == 4 && character < 0x10000);
  const bool valid =
      can_start && used == size && !too_long && character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF);
  text.remove_prefix(used);
  return valid ? character : broken;
}

bool is_printable_ascii(char32_t c) { return c >= ' ' && c <= '~'; }

// Control characters of ASCII and Latin-1, line and paragraph separators, and marks that affect direction or joining.
bool is_control(char32_t c) {
  return c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFF) ||
         (c >= 0xE0000 && c <= 0xE0FFF);
}

std::string numbered(char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(c));
  return text;
}

// Replaces every character by what `write` returns for it; `write` can see the output so far.
template <class Write>
std::string each_character(std::string_view text, Write&& write) {
  std::string out;
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = take_character(text);
    write(out, c, before.substr(0, before.size() - text.size()));
  }
  return out;
}

// The LaTeX spelling of a printable ASCII character.
std::string latex_ascii(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '#':
    case '$':
    case '%':
    case '&':
    case '_':
    case '{':
    case '}':
      return std::string("\\") + c;
    default:
      return std::string(1, c);
  }
}

// Letters of Latin-1 that pdflatex prints in its default fonts.
bool is_accented_letter(char32_t c) {
  return c >= 0xC0 && c <= 0xFF && c != 0xD0 && c != 0xD7 && c != 0xDE && c != 0xF0 && c != 0xF7 && c != 0xFE;
}

}  // namespace

std::string c_comment_text(std::string_view text) {
  return each_character(text, [](std::string& out, char32_t c, std::string_view) {
    const char last = out.empty() ? ' ' : out.back();
    const bool ends = (last == '*' && c == '/') || (last == '/' && (c == '*' || c == '/'));
    const bool harmless = is_printable_ascii(c) && c != '\\' && !ends && !(last == '?' && c == '?');
    out += harmless ? static_cast<char>(c) : '_';
  });
}

std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    char octal[8];  // three octal digits always end the escape, unlike \x
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += plain ? std::string(1, c) : octal;
  }
  return out + "\"";
}

std::string python_text(std::string_view text) {
  return each_character(text, [](std::string& out, char32_t c, std::string_view) {
    if (c == '"' || c == '\\') out += '\\';
    out += is_printable_ascii(c) ? static_cast<char>(c) : '_';
  });
}

std::string matlab_comment_text(std::string_view text) {
  return each_character(text, [](std::string& out, char32_t c, std::string_view) {
    out += is_printable_ascii(c) ? static_cast<char>(c) : '_';
  });
}

std::string latex_text(std::string_view text) {
  return each_character(text, [](std::string& out, char32_t c, std::string_view bytes) {
    if (is_printable_ascii(c)) {
      out += latex_ascii(static_cast<char>(c));
    } else if (is_accented_letter(c)) {
      out += bytes;
    } else {
      out += "(" + numbered(c) + ")";
    }
  });
}

std::string plain_text(std::string_view text) {
  return each_character(text, [](std::string& out, char32_t c, std::string_view bytes) {
    if (is_control(c)) {
      out += "(" + numbered(c) + ")";
    } else {
      out += bytes;
    }
  });
}

// All characters except letters and blanks are written as numbers (digits too: gnuplot would read them as part of the
// number before), because gnuplot looks for what it replaces (backquotes, macros, escapes) in the text as written.
std::string gnuplot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : plain_text(text)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = c == ' ' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain)
      out += c;
    else
      for (const int shift : {-1, 6, 3, 0}) out += shift < 0 ? '\\' : static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return out + "\"";
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) name += is_letter_or_digit(c) ? c : '_';
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, 1, '_');
  return name;
}

}  // namespace catena
