// A text in XML, or one sentence that says where it is none. Entities that a file defines are not expanded.
#pragma once

#include <optional>
#include <string_view>

#include "catena/validate.hpp"

namespace tinyxml2 {
class XMLDocument;
}

namespace catena::io {

// `holds`: what a file of this format holds, for a text that has no element. None: the document has an outermost one.
std::optional<Problem> parse_xml(tinyxml2::XMLDocument& document, std::string_view text, std::string_view holds);

}  // namespace catena::io
