// A page: the template that the build made, with what is to be seen put into it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "report/scene.hpp"

namespace catena::report {

// The first of these files that is there. Throws std::runtime_error that says how to get it, or that it is no page.
std::string page_template(const std::vector<std::filesystem::path>& places);

// The template may have the library in it.
bool computes(const std::string& page);

// The template with the scenes in it. `warn` is told what cannot be shown as it should.
struct PageContent {
  std::string title, program;  // who wrote it: "catena 0.1.0"
  std::vector<Scene> scenes{};
  Json benchmarks{};  // null: none
};
std::string filled_page(std::string page, const PageContent& content,
                        const std::function<void(const std::string&)>& warn);

}  // namespace catena::report
