#include "output/identification_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/html_page.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace identification_page {

constexpr double room_for_curves = 1.3e6;  // bytes, at some six for a point
constexpr std::size_t fewest_points = 300, most_points = 8000;

std::string word(const Json& value) { return value.get<std::string>(); }

std::string tile(const std::string& name, const std::string& value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", html_text(name), value);
}

const Json& scores_of(const Json& result) { return result.contains("payload") ? result["least_squares"] : result; }

std::string head(const Json& result) {
  const Json& run = result["run"];
  std::string out = paragraph(fmt::format("{}, {}", word(run["program"]), word(run["date"])), "soft");
  const std::vector<double> explained = scores_of(result)["explained"];
  const auto [least, most] = std::minmax_element(explained.begin(), explained.end());
  out += "<dl>";
  if (result.contains("payload")) out += tile("mass of the load, kg", number_cell(result["payload"]["mass"], 5).html);
  out += tile("samples", number_cell(result["samples"]).html);
  out += tile("parameters", fmt::format("{}", result["estimates"].size()));
  out += tile("condition number", number_cell(result["condition"], 4).html);
  out += tile("explained, by joint", fmt::format("{:.4g} to {:.4g} %", 100.0 * *least, 100.0 * *most));
  out += tile("doubts", fmt::format("{}", result["doubts"].size()));
  return out + "</dl>\n";
}

// Doubts about the fit and warnings about logs.
std::string doubts(const Json& result) {
  std::string list;
  for (const Json& own : result["doubts"])
    list += fmt::format("<li class=\"warn\"><b>{}</b>: {}</li>\n", html_text(word(own["kind"])),
                        html_text(word(own["text"])));
  for (const char* log : {"log", "loaded_log", "validation_log"})
    for (const Json& own : result.contains(log) ? result[log]["findings"] : Json::array())
      if (own["warning"].get<bool>())
        list += fmt::format("<li class=\"warn\"><b>{}</b>: {}{}</li>\n", html_text(word(own["kind"])),
                            html_text(word(own["text"])),
                            own.contains("cure") ? " <code>" + html_text(word(own["cure"])) + "</code>" : "");
  return list.empty() ? paragraph("None.") : "<ul>\n" + list + "</ul>\n";
}

std::string scores(const Json& result, const std::vector<std::pair<std::string, const Json*>>& columns) {
  std::vector<std::string> titles{"joint", "unit"};
  for (const auto& [title, score] : columns) titles.insert(titles.end(), {title, "explained"});
  HtmlTable table(titles);
  for (std::size_t j = 0; j < result["joints"].size(); ++j) {
    std::vector<HtmlCell> cells{text_cell(word(result["joints"][j])), text_cell(word(result["torque_units"][j]))};
    for (const auto& [title, score] : columns)
      cells.insert(cells.end(), {number_cell((*score)["residual_rms"][j], 4), share_cell((*score)["explained"][j])});
    table.row(cells);
  }
  return table.html();
}

// Training data, then what was held out.
std::string left(const Json& result) {
  std::string out = paragraph(
      "Root mean square of what is left of each joint's torque, and the share of the torque's variance that is "
      "explained. Least squares: the best values. Possible: the nearest values that a robot can have. Written: those "
      "alone that a model file holds, without offsets and curves of friction. Model: as it was before.",
      "soft");
  if (result.contains("payload"))
    return out + scores(result, {{"least squares", &result["least_squares"]},
                                 {"possible", &result["physical"]},
                                 {"without a load", &result["without"]}});
  const auto table = [&](const std::string& title, const Json& own, const Json& possible, const Json& nominal) {
    std::vector<std::pair<std::string, const Json*>> columns{{"least squares", &own}};
    if (!possible.is_null()) columns.insert(columns.end(), {{"possible", &possible}});
    if (!possible.is_null() && possible.contains("written")) columns.emplace_back("written", &possible["written"]);
    columns.emplace_back("model", &nominal);
    out += fmt::format("<h3>{}</h3>\n{}", html_text(title), scores(result, columns));
  };
  table(fmt::format("Fitted to, {} samples", result["samples"].get<std::size_t>()), result,
        result.contains("physical") ? result["physical"] : Json(), result["nominal"]);
  for (const auto& [key, words] : {std::pair{"folds", "Held out in turn"}, {"validation", "Another log"}}) {
    if (!result.contains(key)) continue;
    const Json& own = result[key];
    Json possible = own.contains("physical") ? own["physical"] : Json();
    if (own.contains("written")) possible["written"] = own["written"];
    table(fmt::format("{}, {} samples", words, own["samples"].get<std::size_t>()), own["least_squares"], possible,
          own["nominal"]);
  }
  return out;
}

std::string torques(const IdentificationCurves& curves) {
  const std::size_t n = curves.joints.size(), each = curves.torques.physical.empty() ? 3 : 5;
  const auto points = std::clamp(static_cast<std::size_t>(room_for_curves / (6.0 * static_cast<double>(n * each))),
                                 fewest_points, most_points);
  std::vector<int> zooms{1};
  for (const int zoom : {4, 16})
    if (curves.rows() > static_cast<std::size_t>(100 * zoom)) zooms.push_back(zoom);
  std::string out = paragraph(
      "Each joint's torque, and below it what the fit leaves. Measured and predicted torques have passed the same "
      "filter. Shaded: rows of the joint that do not count; there is no curve where none near them does.",
      "soft");
  std::vector<std::pair<std::string, std::size_t>> names{{"measured", 0}, {"least squares", 1}};
  if (!curves.torques.physical.empty()) names.emplace_back("possible", 2);
  out += "<p>" + legend_html(names) + "</p>\n<div class=\"zoomed\">";
  for (const int zoom : zooms)
    if (zooms.size() > 1)
      out += fmt::format(
          "<input type=\"radio\" class=\"zoom\" name=\"zoom\" id=\"z{0}\"{1}/><label for=\"z{0}\">{2}</label>", zoom,
          zoom == 1 ? " checked=\"checked\"" : "", zoom == 1 ? "whole log" : fmt::format("{} times wider", zoom));
  out += "<div class=\"scroll\">\n";
  for (std::size_t j = 0; j < n; ++j) {
    Figure residuals = curves.residuals_of(j, points);
    residuals.zooms = zooms;
    out += figure_html(curves.torques_of(j, points)) + "<div class=\"left\">" + figure_html(residuals) + "</div>\n";
  }
  return out + "</div></div>\n";
}

std::string friction(const Json& result, const IdentificationCurves& curves) {
  if (!result.contains("friction") || result["friction"].empty()) return {};
  std::string figures;
  for (std::size_t j = 0; j < curves.joints.size(); ++j)
    if (curves.has_friction(j)) figures += figure_html(curves.friction_of(j));
  if (figures.empty()) return paragraph("No friction was fitted.");
  HtmlTable table({"joint", "kind", "viscous", "dry", "viscous, speed < 0", "dry, speed < 0", "excess at rest",
                   "speed of its decay", "offset"});
  for (std::size_t j = 0; j < result["friction"].size(); ++j) {
    const Json& own = result["friction"][j];
    std::vector<HtmlCell> cells{text_cell(word(result["joints"][j])), text_cell(word(own["kind"]))};
    for (const char* key : {"viscous", "coulomb", "viscous_back", "coulomb_back", "excess", "width", "offset"})
      cells.push_back(number_cell(own.contains(key) ? own[key] : Json()));
    table.row(cells);
  }
  return paragraph(
             "Points: filtered torque less the rigid part and the offset, over the speed. Where a joint turns back, "
             "the filter mixes both directions. Units: N m, rad/s; of sliding joints N, m/s.",
             "soft") +
         "<p>" + legend_html({{"measured", 0}, {"fitted", 1}}) + "</p>\n<div class=\"tiles\">\n" + figures +
         "</div>\n" + table.html();
}

std::string spectra(const Json& result, const IdentificationCurves& curves) {
  if (curves.log.positions.empty())
    return paragraph(
        "The table has no clock: there are no spectra, nothing was filtered, and rows are taken as "
        "independent.");
  const Json& log = result["log"];
  return paragraph(fmt::format(
                       "Power spectral densities of the longest stretch without gaps. Both sides of the regression "
                       "pass a low-pass filter of {:.4g} Hz; positions are differentiated behind one of {:.4g} Hz (the "
                       "second line).",
                       log["cutoff"].get<double>(), log["position_cutoff"].get<double>()),
                   "soft") +
         "<div class=\"tall\">\n" + figure_html(curves.spectra_of_positions()) +
         figure_html(curves.spectra_of_torques()) + "</div>\n";
}

double number_or(const Json& value, double other) {
  return value.is_number() && std::isfinite(value.get<double>()) ? value.get<double>() : other;
}

// An interval with its value, the model's and the possible one, on a scale of its own.
std::string between(const Json& own, const Json& nominal, const Json& possible) {
  const double value = number_or(own["value"], 0.0), lower = number_or(own["interval"][0], value),
               upper = number_or(own["interval"][1], value);
  const double other = number_or(nominal, value), third = number_or(possible, value);
  double low = std::min({lower, other, third}), high = std::max({upper, other, third});
  const double room = std::max(0.06 * (high - low), 1e-12 + 1e-9 * std::abs(high));
  low -= room, high += room;
  const auto at = [&](double x) { return fmt::format("{:.0f}", 1000.0 * (x - low) / (high - low)); };
  std::string out = "<svg class=\"between\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">";
  if (low < 0.0 && high > 0.0) out += fmt::format("<path class=\"zero\" d=\"M{} 0v100\"/>", at(0.0));
  out += fmt::format("<path class=\"c1\" d=\"M{0} 50H{1}M{0} 25v50M{1} 25v50\"/>", at(lower), at(upper));
  out += fmt::format("<path class=\"c1 dot\" d=\"M{} 50h0\"/>", at(value));
  if (possible.is_number()) out += fmt::format("<path class=\"c2 dot\" d=\"M{} 82h0\"/>", at(third));
  if (nominal.is_number()) out += fmt::format("<path class=\"nominal\" d=\"M{} 5v90\"/>", at(other));
  return out + "</svg>";
}

std::string estimates(const Json& list, bool nominal, const Json& prior, const Json& possible) {
  std::vector<std::string> titles{"parameter", "unit", "value", "std. error", "95 % from", "to", "interval"};
  if (nominal) titles.emplace_back("model");
  if (!prior.is_null()) titles.emplace_back("prior");
  if (!possible.is_null()) titles.emplace_back("possible");
  HtmlTable table(titles);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Json& own = list[k];
    const Json other = nominal ? own["nominal"] : Json(), third = possible.is_null() ? Json() : possible[k];
    std::vector<HtmlCell> cells{text_cell(word(own["name"])),        text_cell(word(own["unit"])),
                                number_cell(own["value"]),           number_cell(own["standard_error"], 3),
                                number_cell(own["interval"][0]),     number_cell(own["interval"][1]),
                                raw_cell(between(own, other, third))};
    if (nominal) cells.push_back(number_cell(other));
    if (!prior.is_null()) cells.push_back(number_cell(prior[k]));
    if (!possible.is_null()) cells.push_back(number_cell(third));
    table.row(cells);
  }
  return table.html();
}

std::string held(const Json& result, const std::string& words) {
  if (result["held"].empty()) return {};
  HtmlTable table({"parameter", "unit", "value"});
  for (const Json& own : result["held"])
    table.row({text_cell(word(own["name"])), text_cell(word(own["unit"])), number_cell(own["value"])});
  return fmt::format("<h3>Not determined</h3>\n{}{}", paragraph(words, "soft"), table.html());
}

std::string parameters(const Json& result) {
  if (result.contains("payload")) return {};
  const Json possible = result.contains("physical") ? result["physical"]["values"] : Json(),
             given = result.contains("physical") ? result["physical"]["prior"] : Json();
  bool another = false;  // than the model itself
  for (std::size_t k = 0; k < given.size(); ++k)
    another = another || (given[k].is_number() && given[k] != result["estimates"][k]["nominal"]);
  const Json prior = another ? given : Json();
  std::string out = paragraph(
      "Base parameters: what torques can tell, as combinations of the links' parameters. In the pictures, each on a "
      "scale of its own: the interval and its value, the model's value as an upright line, zero as a faint one.",
      "soft");
  std::vector<std::pair<std::string, std::size_t>> names{{"least squares and 95 % interval", 1}};
  if (!possible.is_null()) names.emplace_back("possible", 2);
  out += "<p>" + legend_html(names) + "</p>\n" + estimates(result["estimates"], true, prior, possible);
  if (!possible.is_null())
    out += paragraph(fmt::format("The possible values are {:.4g} standard errors away, as a root mean square.",
                                 result["physical"]["distance"].get<double>()));
  return out + held(result, "The motion does not show these: they are held at the model's values.");
}

std::string gains(const Json& result) {
  if (!result.contains("gains")) return {};
  return paragraph("Torque for a unit of current, from the runs without and with a load that was weighed.", "soft") +
         estimates(result["gains"], false, {}, {});
}

std::string load(const Json& result) {
  if (!result.contains("payload")) return {};
  const Json& body = result["payload"];
  HtmlTable table({"of the possible body", "value", "unit"});
  table.row({text_cell("mass"), number_cell(body["mass"]), text_cell("kg")});
  const char *axes[] = {"x", "y", "z"}, *products[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  for (std::size_t k = 0; k < 3; ++k)
    table.row({text_cell(fmt::format("mass centre, {}", axes[k])), number_cell(body["com"][k]), text_cell("m")});
  for (std::size_t k = 0; k < 6; ++k)
    table.row({text_cell(fmt::format("inertia about it, {}", products[k])), number_cell(body["inertia"][k]),
               text_cell("kg m^2")});
  Json list = Json::array({result["mass"]});
  for (const Json& own : result["centre"]) list.push_back(own);
  for (const Json& own : result["estimates"])
    if (own["name"] != "m") list.push_back(own);
  return paragraph(fmt::format("In the frame {}.", word(result["frame"])), "soft") + table.html() +
         "<h3>Least squares</h3>\n" + estimates(list, false, {}, {}) +
         held(result, "Known, or not shown by the motion: these are held.");
}

// What was found in a log, done to it and left out of it.
std::string findings(const Json& result) {
  std::string out;
  for (const auto& [key, title] :
       {std::pair{"log", "The log"}, {"loaded_log", "The log with the load"}, {"validation_log", "The other log"}}) {
    if (!result.contains(key)) continue;
    const Json& log = result[key];
    HtmlTable table({"what", "found"});
    for (const Json& own : log["findings"])
      table.row({text_cell(word(own["kind"])),
                 raw_cell(html_text(word(own["text"])) +
                          (own.contains("cure") ? " <code>" + html_text(word(own["cure"])) + "</code>" : ""))});
    out += fmt::format("<h3>{}</h3>\n", title) +
           paragraph(fmt::format(
               "{} rows were read; {} are left on an even clock of {:.6g} ms, in {}.",
               log["rows_read"].get<std::size_t>(), log["rows"].get<std::size_t>(), 1e3 * log["period"].get<double>(),
               log["stretches"].size() == 1 ? std::string("one stretch")
                                            : fmt::format("{} stretches without gaps", log["stretches"].size()))) +
           table.html();
  }
  return out.empty() ? paragraph("All rows of the table count.") : out;
}

std::string settings(const Json& result) {
  HtmlTable table({"setting", "value"});
  const auto add = [&](const std::string& name, const Json& value, const char* unit = "") {
    table.row({text_cell(name), raw_cell(number_cell(value).html + unit)});
  };
  if (result.contains("log")) {
    const Json& log = result["log"];
    add("cutoff of both sides", log["cutoff"], " Hz");
    add("cutoff of positions", log["position_cutoff"], " Hz");
    add("order of one pass of the filter", log["order"]);
    add("every so many rows", log["decimation"]);
  }
  add("rows of a block of the covariance", result["block"]);
  if (result.contains("equations")) add("torques", result["equations"]);
  if (result.contains("reweightings")) add("rounds of weights", result["reweightings"]);
  if (result.contains("physical") && result["physical"].contains("prior_weight"))
    add("weight of the prior", result["physical"]["prior_weight"]);
  std::string out = table.html();
  std::vector<std::string> titles{"joint"};
  std::vector<const Json*> columns;
  const auto by_joint = [&](const char* title, const Json& from, const char* key) {
    if (from.is_object() && from.contains(key) && !from[key].empty())
      titles.emplace_back(title), columns.push_back(&from[key]);
  };
  const Json none, &log = result.contains("log") ? result["log"] : none;
  by_joint("weight", result, "weights");
  by_joint("rows that say as much as one", result, "correlation");
  by_joint("dead band, rad/s or m/s", log, "dead_band");
  by_joint("noise of positions, rad or m", log, "noise");
  if (columns.empty()) return out;
  HtmlTable joints(titles);
  for (std::size_t j = 0; j < result["joints"].size(); ++j) {
    std::vector<HtmlCell> cells{text_cell(word(result["joints"][j]))};
    for (const Json* column : columns) cells.push_back(number_cell((*column)[j], 5));
    joints.row(cells);
  }
  return out + joints.html();
}

std::string repeat(const Json& result) {
  const Json& run = result["run"];
  HtmlTable files({"use", "file", "rows", "bytes", "SHA-256"});
  for (const Json& own : run["files"]) {
    const auto get = [&](const char* key) { return own.contains(key) ? own[key] : Json(); };
    files.row({text_cell(word(own["use"])), text_cell(word(own["file"])), number_cell(get("rows")),
               number_cell(get("bytes")),
               HtmlCell{own.contains("sha256") ? "<code>" + html_text(word(own["sha256"])) + "</code>" : "–",
                        HtmlCell::Kind::word}});
  }
  std::string command;  // lines break between words only
  for (const std::string& own : split(word(run["command"]), ' '))
    command += (command.empty() ? "" : " ") +
               (own.size() > 40 ? html_text(own) : "<span class=\"s\">" + html_text(own) + "</span>");
  return "<pre>" + command + "</pre>\n" + files.html() + settings(result) +
         paragraph(fmt::format("{}, instructions {}, compiled by {}; {}.", word(run["program"]),
                               word(run["instructions"]), word(run["compiler"]), word(run["date"])));
}

}  // namespace identification_page

std::string identification_report(const Json& result, const IdentificationCurves& curves) {
  using namespace identification_page;
  const bool payload = result.contains("payload");
  HtmlPage page(fmt::format("{} {}", payload ? "A load identified on" : "Identification of", word(result["robot"])));
  page.head(head(result));
  page.section("doubts", "Doubts", doubts(result));
  page.section("load", "The load", load(result));
  page.section("left", "What is left", left(result));
  page.section("torques", "Torques", torques(curves));
  page.section("friction", "Friction", friction(result, curves));
  page.section("gains", "Gains", gains(result));
  page.section("parameters", "Parameters", parameters(result));
  page.section("spectra", "Spectra", spectra(result, curves));
  page.section("log", "What was left out", findings(result));
  page.section("repeat", "To repeat it", repeat(result));
  return page.html();
}

}  // namespace catena::cli
