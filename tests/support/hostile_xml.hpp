// Robot files that nobody meant: mutated ones, and entities that would fill the memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "catena/robot_file.hpp"
#include "support/temporary_folder.hpp"

namespace catena::test {

// Definitions of an entity m of 10¹³ letters.
inline std::string entity_bomb() {
  std::string bomb = "<?xml version='1.0'?>\n<!DOCTYPE m [\n<!ENTITY a 'aaaaaaaaaa'>\n";
  for (char c = 'b'; c < 'n'; ++c) {
    bomb += std::string("<!ENTITY ") + c + " '";
    for (int k = 0; k < 10; ++k) bomb += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += "'>\n";
  }
  return bomb + "]>\n";
}

inline std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::array<const char*, 5> numbers{"nan ", "1e308 ", "-1 ", "inf ", "0 "};
  const std::array<const char*, 3> names{"world", "__model__", "tip"};
  for (std::size_t times = 1 + below(3); times > 0 && !text.empty(); --times) {
    const std::size_t at = below(text.size()), digit = text.find_first_of("0123456789", at);
    const std::size_t value = text.find_first_of("\">", at), name = text.find("=\"", at);
    switch (below(8)) {
      case 0:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.erase(at, 1 + below(40));
        break;
      case 3:
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
        break;
      case 4:
        if (digit != std::string::npos) text.insert(digit, 1, "+-.e0"[below(5)]);
        break;
      case 5:
        if (value != std::string::npos) text.replace(value + 1, below(4), numbers[below(numbers.size())]);
        break;
      case 6:
        if (name != std::string::npos) text.replace(name + 2, 3, names[below(names.size())]);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), 1 + below(60)));
    }
  }
  return text;
}

// 3000 mutants of the files in a folder with this ending load, or are refused with lines that name file and line.
inline void expect_mutants_load_or_are_refused(const std::filesystem::path& folder, const std::string& ending) {
  std::mt19937 random(20261117);
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ending) texts.push_back(contents(entry.path()));
  std::sort(texts.begin(), texts.end());
  int loaded = 0, refused = 0;
  const std::string file = (folder / ("fuzz" + ending)).string();
  for (std::size_t k = 0; k < 3000; ++k) {
    const std::string text = mutated(texts[k % texts.size()], random);
    try {
      const Robot robot = parse_robot(text, file, {.strict = false, .lenient = k % 2 == 0});
      EXPECT_EQ(parse_toml(to_toml(robot), "again.toml", {.strict = false, .lenient = true}).dof(), robot.dof())
          << text;
      ++loaded;
    } catch (const ModelError& e) {
      std::string lines = e.what();
      for (std::size_t end = 0; !lines.empty(); lines.erase(0, end)) {
        EXPECT_TRUE(lines.starts_with(file + ":") || lines.starts_with("again.toml")) << lines << "\n" << text;
        end = std::min(lines.find('\n'), lines.size() - 1) + 1;
      }
      ++refused;
    }
  }
  EXPECT_GT(loaded, 300);
  EXPECT_GT(refused, 1000);
}

}  // namespace catena::test
