// Code made for one robot: looked up in the cache, else compiled and kept there; loaded, and tested before anybody uses
// it. What differs from one compiler to another is in a CodeMaker.
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
  std::string target;                    // all that decides on the code beside its text: compiler, flags, machine
  SourceText usual;                      // names the entry: the search starts from it and always finds the same
  std::function<SourceText()> search{};  // the cheapest text, asked for where it is not in the cache; none: the usual
  bool only_cached = false;
  std::string made = "code";  // in messages: "not in the cache of compiled code"
  // Makes `output` of a text, which `file` holds too.
  std::function<void(const SourceText& text, const std::string& file, const std::string& output)> compile{};
  // Loads an entry and tests it. Throws std::runtime_error where it cannot be used: one from the cache is made anew.
  std::function<void(const Cache::Entry& entry)> load{};
};

// `generating` runs since before the usual text was made. Throws MakeError, and what the maker's functions throw.
EngineReport make_code(const Cache& cache, const CodeMaker& maker, const Stopwatch& generating);

}  // namespace catena::engines
