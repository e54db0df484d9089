#include "fuzz/support/input_file.hpp"

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "support/temporary_folder.hpp"

namespace catena::fuzz {

const std::string& own_folder() {
  static const test::TemporaryFolder folder;
  static const std::string path = folder.string();
  return path;
}

std::string as_file(Input input, const std::string& name) {
  std::string path = own_folder() + "/" + name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  return path;
}

std::string as_text_of_folder(Input input) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> changes{{{"..", "__"},
                                                                                  {"\"/", "\"_"},
                                                                                  {"'/", "'_"},
                                                                                  {">/", ">_"},
                                                                                  {" /", " _"},
                                                                                  {"\n/", "\n_"},
                                                                                  {"&#", "&_"},
                                                                                  {":///", "://_"}}};
  std::string text = as_text(input);
  for (const auto& [from, to] : changes)
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      if (text.substr(at + from.size(), 1) != ">") text.replace(at, from.size(), to);  // "/> ends an element
  return text;
}

}  // namespace catena::fuzz
