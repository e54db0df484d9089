// Code generated for one robot: looked up in the cache, else compiled and stored there; loaded, and tested before it is
// used. A CodeMaker supplies what differs between compilers.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "catena/call.hpp"
#include "engines/cache.hpp"

namespace catena::engines {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct CodeMaker {
  std::string target;                    // everything else that determines the code: compiler, flags, machine
  SourceText usual;                      // identifies the entry: the search starts from it and is deterministic
  std::function<SourceText()> search{};  // finds the cheapest text, called if the cache lacks it; none: the usual text
  bool only_cached = false;
  std::string made = "code";  // in messages: "not in the cache of compiled code"
  // Compiles a text, which `file` also contains, to `output`.
  std::function<void(const SourceText& text, const std::string& file, const std::string& output)> compile{};
  // Loads an entry and tests it. Throws std::runtime_error where it cannot be used: a cached one is then built again.
  std::function<void(const Cache::Entry& entry)> load{};
};

// `generating` was started before the usual text was generated. Throws MakeError, and what the maker's functions throw.
EngineReport make_code(const Cache& cache, const CodeMaker& maker, const Stopwatch& generating);

}  // namespace catena::engines
