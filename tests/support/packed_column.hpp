// Columns of a page, read by the description in page/src/data.ts, and those of a CSV file.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace catena::test {

using Table = std::map<std::string, std::vector<double>>;

inline std::string bytes_of(const std::string& text) {
  std::string out;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (c == '=') break;
    word = (word << 6U) | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits >= 8) out.push_back(static_cast<char>((word >> (bits -= 8)) & 0xFFU));
  }
  return out;
}

inline std::string inflated(const std::string& packed, std::size_t size) {
  std::string out(size, '\0');
  uLongf length = static_cast<uLongf>(size);
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &length, reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())),
            Z_OK);
  EXPECT_EQ(length, size);
  return out;
}

// By the description in page/src/data.ts.
inline std::vector<double> unpacked(const nlohmann::json& column, std::size_t count) {
  if (column.contains("constant"))
    return std::vector<double>(count, column["constant"].is_null() ? std::nan("") : column["constant"].get<double>());
  if (column.contains("exact")) {
    const std::string bits = inflated(bytes_of(column["exact"]), 8 * count);
    std::vector<double> out(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t word = 0;
      for (std::size_t p = 8; p-- > 0;) word = (word << 8U) | static_cast<unsigned char>(bits[p * count + i]);
      out[i] = std::bit_cast<double>(word);
    }
    return out;
  }
  const std::size_t order = column["order"], planes = column["planes"], rest = count - order;
  const std::string raw = planes == 0 ? "" : inflated(bytes_of(column["bytes"]), planes * rest);
  std::vector<std::int64_t> k(count);
  for (std::size_t i = 0; i < rest; ++i) {
    std::uint64_t zigzag = 0;
    for (std::size_t p = planes; p-- > 0;) zigzag = (zigzag << 8U) | static_cast<unsigned char>(raw[p * rest + i]);
    k[order + i] = static_cast<std::int64_t>(zigzag >> 1U) ^ -static_cast<std::int64_t>(zigzag & 1U);
  }
  for (std::size_t level = order; level-- > 0;) {
    k[level] = column["start"][level];
    for (std::size_t i = level + 1; i < count; ++i) k[i] += k[i - 1];
  }
  std::vector<double> out;
  const int digits = column["digits"];
  for (const std::int64_t v : k)
    out.push_back(digits >= 0 ? static_cast<double>(v) / std::pow(10.0, digits)
                              : static_cast<double>(v) * std::pow(10.0, -digits));
  if (column.contains("gaps"))
    for (const nlohmann::json& gap : column["gaps"])
      for (std::size_t i = 0; i < gap[1].get<std::size_t>(); ++i)
        out[gap[0].get<std::size_t>() + i] = gap[2] == "nan" ? std::nan("") : gap[2] == "inf" ? HUGE_VAL : -HUGE_VAL;
  return out;
}

inline Table csv_of(const std::string& text) {
  std::istringstream in(text);
  std::string line, field;
  std::getline(in, line);
  std::vector<std::string> names;
  std::istringstream head(line);
  while (std::getline(head, field, ',')) names.push_back(field);
  Table table;
  while (std::getline(in, line)) {
    std::istringstream row(line);
    for (const std::string& name : names) {
      std::getline(row, field, ',');
      table[name].push_back(std::strtod(field.c_str(), nullptr));
    }
  }
  return table;
}

}  // namespace catena::test
