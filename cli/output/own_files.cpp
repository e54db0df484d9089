#include "output/own_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "catena/code.hpp"
#include "catena/equations.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t enough = 1024;  // bytes: names of robots are cut to less than this

bool is_own(const std::string& file) {
  std::ifstream in(std::filesystem::path(file), std::ios::binary);
  std::string head(enough, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  std::size_t end = 0;
  for (int line = 0; line < 3 && end != std::string::npos; ++line) end = head.find('\n', end + 1);
  head.resize(std::min(end, head.size()));
  return head.empty() || head.find(origin_mark) != std::string::npos || head.find(motion_text) != std::string::npos;
}

}  // namespace

void require_own(const std::vector<std::string>& files, bool force) {
  std::error_code ignored;
  for (const std::string& file : files)
    if (!force && std::filesystem::is_regular_file(file, ignored) && !is_own(file))
      throw UsageError(fmt::format("{} exists and was not written by catena; --force overwrites it", file));
}

}  // namespace catena::cli
