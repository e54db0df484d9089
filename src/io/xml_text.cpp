#include "io/xml_text.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <string>

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

}  // namespace

std::optional<Problem> parse_xml(tinyxml2::XMLDocument& document, std::string_view text, std::string_view holds) {
  if (!trimmed(text).starts_with('<') && !text.starts_with("\xEF\xBB\xBF"))
    return Problem{1, fmt::format("this is no XML; {}", holds)};
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    return Problem{std::max(1, document.ErrorLineNum()), "XML syntax: " + syntax_words(document.ErrorID(), holds)};
  if (document.RootElement() == nullptr)
    return Problem{1, "XML syntax: " + syntax_words(tinyxml2::XML_ERROR_EMPTY_DOCUMENT, holds)};
  return std::nullopt;
}

}  // namespace catena::io
