#include "report/benchmarks.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace catena::report {
namespace {

// {"catena": 132.6, "pinocchio": 982.8, …}, in ns, as multiples of Catena's time; null where that is missing.
Json ratios(const Json& times) {
  Json out = Json::object();
  if (!times.is_object() || !times.contains("catena") || !times["catena"].is_number()) return out;
  for (const auto& [library, ns] : times.items()) {
    if (library == "catena") continue;
    out[library] = ns.is_number() ? Json(ns.get<double>() / times["catena"].get<double>()) : Json(nullptr);
  }
  return out;
}

}  // namespace

Json benchmarks_json(const std::vector<std::string>& files) {
  if (files.empty()) return nullptr;
  Json out = Json::array();
  for (const std::string& file : files) {
    std::ifstream in{std::filesystem::path(file)};
    if (!in) throw std::runtime_error(file + ": cannot be read");
    const Json run = Json::parse(in, nullptr, false);
    if (!run.is_object() || !run.contains("ns") || !run["ns"].is_object())
      throw std::runtime_error(file + ": is not a file of bench/results/*.json: it has no object 'ns'");
    const auto word = [&](const char* key) {
      return run.contains(key) && run[key].is_string() ? run[key].get<std::string>() : "";
    };
    const std::string source =
        fmt::format("{}; {} {}; {}", word("processor"), word("compiler"), word("flags"), word("date"));
    for (const auto& [job, robots] : run["ns"].items()) {
      Json rows = Json::array();
      for (const auto& [robot, times] : robots.items())
        if (Json values = ratios(times); !values.empty())
          rows.push_back({{"name", robot}, {"values", std::move(values)}});
      out.push_back(
          {{"title", job}, {"unit", "times as long as Catena"}, {"source", source}, {"rows", std::move(rows)}});
    }
  }
  return out;
}

}  // namespace catena::report
