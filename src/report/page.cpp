#include "report/page.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace catena::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view data_mark = "<!--catena-data-->", engine_sign = "id=\"catena-engine\"";

bool has_once(const std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at != std::string::npos && text.find(mark, at + 1) == std::string::npos;
}

// The payload as script text in an HTML file: nothing in it ends the script. In JSON, '<' occurs only inside strings;
// characters beyond ASCII are escaped anyway.
std::string script_text(const Json& payload) {
  const std::string json = payload.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string page_template(const std::vector<fs::path>& places) {
  std::string names;
  for (const fs::path& place : places) {
    names += (names.empty() ? "" : ", ") + place.string();
    std::ifstream in(place, std::ios::binary);
    if (!in) continue;
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!has_once(text, data_mark))
      throw std::runtime_error(
          fmt::format("{}: this is not a page of catena: it must have {} once", place.string(), data_mark));
    return text;
  }
  throw std::runtime_error(
      fmt::format("the page is missing (looked for {}): 'make page' builds it where Node.js is (Debian: nodejs, npm; "
                  "emscripten for a page that computes)",
                  names));
}

bool computes(const std::string& page) { return page.find(engine_sign) != std::string::npos; }

std::string filled_page(std::string page, const PageContent& content,
                        const std::function<void(const std::string&)>& warn) {
  Json payload = {{"version", 1}, {"program", content.program}, {"title", content.title}, {"scenes", Json::array()}};
  for (const Scene& scene : content.scenes) payload["scenes"].push_back(scene.json(warn));
  if (!content.benchmarks.is_null()) payload["benchmarks"] = content.benchmarks;
  const std::string script =
      "<script type=\"application/json\" id=\"catena-data\">" + script_text(payload) + "</script>";
  page.replace(page.find(data_mark), data_mark.size(), script);
  return page;
}

}  // namespace catena::report
