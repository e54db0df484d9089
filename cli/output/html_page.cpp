#include "output/html_page.hpp"

#include <fmt/format.h>

#include <cmath>

#include "output/figure.hpp"
#include "output/plot.hpp"

namespace catena::cli {
namespace {

constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1c1c1c;--soft:#5c5c5c;--paper:#fff;--line:#d9d9d9;--tint:#f4f4f2;--warn:#9a3b00;--bright:1;--dots:.55}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e6;--soft:#a8a8a4;--paper:#17181a;--line:#3a3c40;--tint:#212327;--warn:#ffb070;--bright:1.4;--dots:.95}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:0 1rem 3rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:1.4rem 0 .2rem;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2.2rem 0 .5rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.2rem 0 .3rem}p{margin:.4rem 0;max-width:60rem}p.soft,.soft{color:var(--soft)}
nav{margin:.6rem 0;line-height:1.9}nav a{margin-right:.9rem;white-space:nowrap}a{color:inherit}
.warn{color:var(--warn)}ul{margin:.3rem 0;padding-left:1.2rem}li,td,code{overflow-wrap:anywhere}.s{white-space:nowrap}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.5rem;margin:.8rem 0}
dl div{background:var(--tint);padding:.4rem .7rem;border-radius:.3rem}dt{color:var(--soft);font-size:.8rem}dd{margin:0;font-size:1.05rem;white-space:nowrap;font-variant-numeric:tabular-nums}
.box{overflow-x:auto;margin:.5rem 0}table{border-collapse:collapse;font-size:.87rem}
th,td{padding:.15rem .7rem .15rem 0;text-align:left;vertical-align:middle;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;vertical-align:bottom}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td:not(.s,.n){min-width:13rem;max-width:46rem}td:has(svg){min-width:0!important}
code,pre{font:.85rem/1.45 ui-monospace,monospace}pre{background:var(--tint);padding:.6rem .8rem;border-radius:.3rem;white-space:pre-wrap;overflow-wrap:anywhere}
figure{margin:.2rem 0 .6rem;min-width:0}figcaption{font-size:.87rem;font-weight:600;overflow-wrap:anywhere;padding-bottom:.4rem}
.frame{display:grid;grid-template-columns:3.6rem 1fr;grid-template-rows:auto 1.3rem}
.area{position:relative;height:var(--high,11rem);border-left:1px solid var(--line);border-bottom:1px solid var(--line);overflow:hidden}
.area svg{position:absolute;inset:0;width:100%;height:100%;filter:brightness(var(--bright))}
path{fill:none;vector-effect:non-scaling-stroke}.line{stroke-width:1.3;stroke-linejoin:round}.dots{stroke-width:3.2;stroke-linecap:round;stroke-opacity:var(--dots)}
.dash{stroke-dasharray:5 3}.grid{stroke:var(--line);stroke-width:1}.band{fill:#888;fill-opacity:.16}.mark{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:4 3}
.ys,.xs{position:relative;font-size:.72rem;color:var(--soft);font-variant-numeric:tabular-nums}
.ys span{position:absolute;right:.35rem;transform:translateY(50%);line-height:1}
.ys b{position:absolute;left:0;top:50%;transform:translate(-50%,-50%) rotate(-90deg) translateY(.45rem);white-space:nowrap;font-weight:400}
.xs{grid-column:2;min-height:0}.xs span{position:absolute;top:.15rem;transform:translateX(-50%);line-height:1}
.xs .first{transform:none}.xs .last{transform:translateX(-100%)}.xs b{position:absolute;right:0;top:1.05rem;font-weight:400;line-height:1}
.note{position:absolute;top:.2rem;padding:0 .3rem;font-size:.75rem;white-space:nowrap}.note.left{transform:translateX(-100%)}
.legend{font-size:.8rem;font-weight:400;color:var(--soft)}.legend span{white-space:nowrap;margin-right:.6rem}
.legend span::before{content:"";display:inline-block;width:1.1rem;height:0;border-top:3px solid;vertical-align:middle;margin-right:.3rem;filter:brightness(var(--bright))}
.legend .dash::before{border-top-style:dashed}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:.9rem 1.4rem}
.tiles .frame{grid-template-rows:auto 2.4rem}.tall{--high:18rem}.tall .frame{grid-template-rows:auto 2.4rem}
.zoom{display:inline}.zoom+label{cursor:pointer;margin-right:.8rem}
.scroll{--z:1;overflow-x:auto;overflow-y:hidden;padding-bottom:.4rem}.scroll figure{width:calc(100%*var(--z));margin:0}
.scroll figcaption{position:sticky;left:0;width:fit-content;max-width:100%;padding-top:.5rem}
.scroll .ys{position:sticky;left:0;z-index:1;background:var(--paper)}
.scroll .frame{grid-template-rows:auto 0}.scroll .left{--high:5rem;margin-top:.3rem}.scroll .left .frame{grid-template-rows:auto 2.1rem}.scroll .left figcaption{display:none}
.scroll .xs span{display:none}.scroll .xs .t1{display:block}.scroll .xs b{position:sticky;left:4rem;top:auto;display:block;width:fit-content;padding-top:1.05rem}
svg.between{display:block;width:11rem;height:1.3rem}svg.between path{stroke-width:2}.zero{stroke:var(--line)}.ends{stroke-width:5;stroke-linecap:butt}
svg.between .dot{stroke-width:7;stroke-linecap:round}svg.between .nominal{stroke:var(--ink);stroke-width:1.6}
@media(max-width:40rem){body{font-size:14px;padding:0 .7rem 2rem}.frame{grid-template-columns:3rem 1fr}body{--high:9rem}.ys b{display:none}svg.between{width:8rem}td:not(.s,.n){min-width:9rem}}
@media print{:root{--ink:#000;--soft:#444;--paper:#fff;--line:#ccc;--tint:#f4f4f2;--warn:#9a3b00;--bright:1}
body{max-width:none;font-size:10pt;padding:0}nav,.zoom,.zoom+label{display:none}.scroll{--z:1!important;overflow:visible}.scroll .xs span{display:none!important}.scroll .xs .t1{display:block!important}.box{overflow:visible}table{font-size:7.5pt}
figure,tr{break-inside:avoid}h2,h3{break-after:avoid}th,td{padding-right:.35rem}td:not(.s,.n){min-width:0;max-width:11rem}.s{white-space:normal}svg.between{width:6rem}.tiles{grid-template-columns:repeat(3,1fr)}}
)";

// Of the curves, their legends and the zoom.
std::string more_style() {
  std::string out;
  for (std::size_t k = 0; k < plot_colour_count; ++k)
    out += fmt::format(".c{0}{{stroke:{1}}}.legend .k{0}::before{{border-color:{1}}}\n", k, plot_colours[k]);
  for (const int zoom : {4, 16})
    out += fmt::format(
        "#z{0}:checked~.scroll{{--z:{0}}}#z{0}:checked~.scroll .t1{{display:none}}"
        "#z{0}:checked~.scroll .t{0}{{display:block}}\n",
        zoom);
  return out;
}

}  // namespace

HtmlCell text_cell(const std::string& text) {
  constexpr std::size_t longest_word = 26;
  return {html_text(text), text.size() > longest_word ? HtmlCell::Kind::text : HtmlCell::Kind::word};
}
HtmlCell raw_cell(std::string html) { return {std::move(html)}; }
HtmlCell number_cell(const Json& value, int digits) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return {"–", HtmlCell::Kind::number};
  if (value.is_number_integer()) return {fmt::format("{}", value.get<std::int64_t>()), HtmlCell::Kind::number};
  return {fmt::format("{:.{}g}", value.get<double>(), digits), HtmlCell::Kind::number};
}
HtmlCell share_cell(const Json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return {"–", HtmlCell::Kind::number};
  return {fmt::format("{:.2f} %", 100.0 * value.get<double>()), HtmlCell::Kind::number};
}

std::string HtmlTable::html() const {
  constexpr const char* kinds[] = {"", " class=\"s\"", " class=\"n\""};
  std::string out = "<div class=\"box\"><table>\n<thead><tr>";
  for (std::size_t k = 0; k < titles_.size(); ++k)
    out +=
        fmt::format("<th{}>{}</th>", !rows_.empty() && rows_[0][k].kind == HtmlCell::Kind::number ? " class=\"n\"" : "",
                    html_text(titles_[k]));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows_) {
    out += "<tr>";
    for (const HtmlCell& cell : row)
      out += fmt::format("<td{}>{}</td>", kinds[static_cast<std::size_t>(cell.kind)], cell.html);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string paragraph(const std::string& text, const std::string& kind) {
  return kind.empty() ? fmt::format("<p>{}</p>\n", html_text(text))
                      : fmt::format("<p class=\"{}\">{}</p>\n", kind, html_text(text));
}

void HtmlPage::section(const std::string& id, const std::string& title, std::string html) {
  if (!html.empty()) sections_.push_back({id, title, std::move(html)});
}

std::string HtmlPage::html() const {
  std::string nav, body;
  for (const Section& own : sections_) {
    nav += fmt::format("<a href=\"#{}\">{}</a> ", own.id, html_text(own.title));
    body += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", own.id, html_text(own.title), own.html);
  }
  const std::string title = html_text(title_);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>{}{}</style>\n</head>\n<body>\n<h1>{}</h1>\n{}<nav>{}</nav>\n{}</body>\n</html>\n",
      title, style, more_style(), title, head_, nav, body);
}

}  // namespace catena::cli
