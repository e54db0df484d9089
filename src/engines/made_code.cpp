#include "engines/made_code.hpp"

#include <optional>
#include <stdexcept>

#include "engines/sha256.hpp"

namespace catena::engines {
namespace {

std::string key_of(const CodeMaker& maker) {
  return sha256("catena " CATENA_VERSION "\n" + maker.target + (maker.search ? "\ncheapest\n" : "\nusual\n") +
                maker.usual.source);
}

bool load_cached(const std::optional<Cache::Entry>& entry, const CodeMaker& maker) {
  try {
    if (entry) maker.load(*entry);
    return entry.has_value();
  } catch (const std::runtime_error&) {  // the entry was just removed, is for another system, or is wrong
    return false;
  }
}

}  // namespace

EngineReport make_code(const Cache& cache, const CodeMaker& maker, const Stopwatch& generating) {
  EngineReport report;
  report.kind = EngineKind::compiled;
  const std::string key = key_of(maker);
  report.generate_seconds = generating.seconds();
  report.from_cache = load_cached(cache.find(key), maker);
  if (report.from_cache) return report;
  if (maker.only_cached) throw MakeError("not in the cache of compiled " + maker.made);
  const SourceText text = maker.search ? maker.search() : maker.usual;
  report.generate_seconds = generating.seconds();
  const Stopwatch compiling;
  const Cache::Entry entry = cache.add(
      key, text, [&](const std::string& file, const std::string& output) { maker.compile(text, file, output); });
  report.compile_seconds = compiling.seconds();
  maker.load(entry);
  return report;
}

}  // namespace catena::engines
