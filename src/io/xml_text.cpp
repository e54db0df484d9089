#include "io/xml_text.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "io/limits.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

std::string syntax_words(tinyxml2::XMLError error, std::string_view holds) {
  switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return fmt::format("there is no element; {}", holds);
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "the element that starts here is not closed, or is closed by another name";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is malformed or cut off; write name=\"value\"";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment is not closed by -->";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return fmt::format("elements are nested more than {} deep", TINYXML2_MAX_ELEMENT_DEPTH);
    default:
      return "an element is malformed or cut off";
  }
}

// Whether there are so many that the tree of elements would take gigabytes.
bool has_too_many(std::string_view text, char mark) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), mark)) > limits::marks;
}

// Looks for names, and parts of names, that are too long: readers put them before others.
class NameCheck final : public tinyxml2::XMLVisitor {
 public:
  bool VisitEnter(const tinyxml2::XMLElement& element, const tinyxml2::XMLAttribute*) override {
    for (const char* attribute : {"name", "sep", "prefix"})
      if (const char* value = element.Attribute(attribute); value != nullptr && std::strlen(value) > limits::name)
        found = Problem{element.GetLineNum(), overlong_name(value)};
    return !found;
  }
  std::optional<Problem> found;
};

}  // namespace

std::optional<Problem> parse_xml(tinyxml2::XMLDocument& document, std::string_view text, std::string_view holds) {
  if (!trimmed(text).starts_with('<') && !text.starts_with("\xEF\xBB\xBF"))
    return Problem{1, fmt::format("this is no XML; {}", holds)};
  if (has_too_many(text, '<') || has_too_many(text, '='))
    return Problem{1, fmt::format("more than {} elements or attributes; this is not a robot file", limits::marks)};
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    return Problem{std::max(1, document.ErrorLineNum()), "XML syntax: " + syntax_words(document.ErrorID(), holds)};
  if (document.RootElement() == nullptr)
    return Problem{1, "XML syntax: " + syntax_words(tinyxml2::XML_ERROR_EMPTY_DOCUMENT, holds)};
  NameCheck names;
  document.Accept(&names);
  return names.found;
}

}  // namespace catena::io
