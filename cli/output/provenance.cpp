#include "output/provenance.hpp"

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "engines/sha256.hpp"
#include "pages/report_option.hpp"
#include "run/level.hpp"
#include "system/own_process.hpp"

namespace catena::cli {
namespace {

#ifdef __clang__
constexpr const char* compiler = __VERSION__;
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

std::string now() {
  const std::tm parts = system::utc(std::time(nullptr));
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

Json to_json(const ReadFile& read) {
  Json out = {{"use", read.use}, {"file", read.file}};
  if (read.rows) out["rows"] = *read.rows;
  std::error_code ignored;
  std::ifstream in(std::filesystem::path(read.file), std::ios::binary);
  if (read.file == "-" || !std::filesystem::is_regular_file(read.file, ignored) || !in) return out;
  engines::Sha256 digest;
  std::uint64_t bytes = 0;
  std::vector<char> buffer(1 << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
    digest.add({buffer.data(), static_cast<std::size_t>(in.gcount())});
    bytes += static_cast<std::uint64_t>(in.gcount());
  }
  out["bytes"] = bytes, out["sha256"] = digest.digest();
  return out;
}

}  // namespace

Json run_json(const std::vector<ReadFile>& files) {
  Json list = Json::array();
  for (const ReadFile& read : files) list.push_back(to_json(read));
  return {{"command", typed_command()},
          {"program", "catena " CATENA_VERSION},
          {"instructions", level().name},
          {"compiler", compiler},
          {"date", now()},
          {"files", list}};
}

}  // namespace catena::cli
