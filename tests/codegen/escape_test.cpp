// Characters that must not reach a terminal or a file, at the ends of every range of them.
#include "codegen/escape.hpp"

#include <gtest/gtest.h>

namespace catena::test::escape_test {
namespace {

std::string in_utf8(char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  const auto rest = [&](int shift) { return byte(0x80U | (c >> shift & 0x3FU)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0U | c >> 6U), rest(0)};
  if (c < 0x10000) return {byte(0xE0U | c >> 12U), rest(6), rest(0)};
  return {byte(0xF0U | c >> 18U), rest(12), rest(6), rest(0)};
}

TEST(Escape, LinesForPeopleHaveNoControlCharacters) {
  struct Range {
    char32_t first, last;
  };
  const Range hidden[] = {{0x1, 0x1F},      {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x200B, 0x200F},
                          {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFF}, {0xE0000, 0xE0FFF}};
  const auto is_kept = [](char32_t c) { return plain_text("a" + in_utf8(c) + "b") == "a" + in_utf8(c) + "b"; };
  for (const auto& [first, last] : hidden) {
    for (const char32_t c : {first, last}) {
      char number[16];
      std::snprintf(number, sizeof number, "(U+%04X)", static_cast<unsigned>(c));
      EXPECT_EQ(plain_text("a" + in_utf8(c) + "b"), std::string("a") + number + "b");
    }
    if (first > 1) {
      EXPECT_TRUE(is_kept(first - 1)) << static_cast<unsigned>(first);
    }
    EXPECT_TRUE(is_kept(last + 1)) << static_cast<unsigned>(last);
  }
  for (const char32_t c : {0x80 + 0x21, 0x7FF, 0x800, 0xD7FF, 0xE000, 0x10000, 0x10FFFF})  // of two, three, four bytes
    EXPECT_TRUE(is_kept(c)) << static_cast<unsigned>(c);
  EXPECT_TRUE(is_kept(U'ä') && is_kept(U'関') && is_kept(0x1F600));
}

// Bytes that are no UTF-8 are shown as what cannot be shown.
TEST(Escape, BrokenBytesAreReplaced) {
  for (const std::string broken : {"\x80", "\xC1\x81", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                                   "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82"}) {
    const std::string shown = latex_text("a" + broken + "b");
    EXPECT_EQ(shown.front(), 'a');
    EXPECT_EQ(shown.back(), 'b');
    EXPECT_EQ(shown.find(broken), std::string::npos);
  }
}

}  // namespace
}  // namespace catena::test::escape_test
