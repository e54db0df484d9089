// Builds a page: inserts the content into the template that the build created.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/scene.hpp"

namespace catena::report {

// The first of these files that exists. Throws std::runtime_error that says how to get it, or that it is not a page.
std::string page_template(const std::vector<std::filesystem::path>& places);

// Whether the template contains the library.
bool computes(const std::string& page);

// The content of a page. `warn` is called with what cannot be shown properly.
struct PageContent {
  std::string title, program;  // program: who wrote the page, "catena 0.1.0"
  std::vector<Scene> scenes{};
  Json benchmarks{};  // null: none
};
std::string filled_page(std::string page, const PageContent& content,
                        const std::function<void(const std::string&)>& warn);

}  // namespace catena::report
