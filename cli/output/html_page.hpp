// Pieces of a static page: sections, tables, and how it looks. All text goes through html_text().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/output.hpp"

namespace catena::cli {

struct HtmlCell {
  enum class Kind { text, word, number };  // a word is not broken
  std::string html;
  Kind kind = Kind::text;
};
HtmlCell text_cell(const std::string& text);
// As many digits as asked; "–" for what is not a finite number.
HtmlCell number_cell(const Json& value, int digits = 6);
HtmlCell share_cell(const Json& value);  // 0.9 is 90 %
HtmlCell raw_cell(std::string html);

class HtmlTable {
 public:
  explicit HtmlTable(std::vector<std::string> titles) : titles_(std::move(titles)) {}
  void row(std::vector<HtmlCell> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string html() const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<HtmlCell>> rows_;
};

class HtmlPage {
 public:
  explicit HtmlPage(std::string title) : title_(std::move(title)) {}
  // `id` is a word of this program; `html` is ready.
  void section(const std::string& id, const std::string& title, std::string html);
  void head(std::string html) { head_ = std::move(html); }
  std::string html() const;

 private:
  struct Section {
    std::string id, title, html;
  };
  std::string title_, head_;
  std::vector<Section> sections_;
};

std::string paragraph(const std::string& text, const std::string& kind = "");

}  // namespace catena::cli
