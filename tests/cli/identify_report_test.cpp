// catena identify --report: one page that runs nothing, with the numbers of --json, whatever names say.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/program.hpp"

namespace catena::identify_report_cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class IdentifyReportCli : public ProgramTest {
 protected:
  // A table of motion and torques of a model.
  void measure(const std::string& model, const std::string& to = "measured.csv", const std::string& more = "") const {
    const Result result =
        shell("\"$CATENA\" excite " + model +
              " --quiet --time 8 --starts 1 --steps 10 --samples 150 -o motion.csv && \"$CATENA\" inverse " + model +
              " --quiet --states motion.csv -o torques.csv " + more +
              " && cut -d, -f2- torques.csv | paste -d, motion.csv - > " + to);
    ASSERT_EQ(result.status, 0) << result.err;
  }
  // A log of a planar arm with a clock, positions and torques, at rest in the end.
  void record(const std::string& file, std::size_t rows, double phase = 0.0) const {
    std::string states = "q1,q2,qd1,qd2,qdd1,qdd2\n";
    char line[240];
    for (std::size_t k = 0; k < rows; ++k) {
      const double t = static_cast<double>(std::min(k, rows * 9 / 10)) * 0.004, a = 1.3 + phase, b = 2.1 + phase;
      std::snprintf(line, sizeof line, "%.12g,%.12g,%.12g,%.12g,%.12g,%.12g\n", std::sin(a * t), std::cos(b * t),
                    a * std::cos(a * t), -b * std::sin(b * t), -a * a * std::sin(a * t), -b * b * std::cos(b * t));
      states += line;
    }
    make("states.csv", states);
    make("log.py",
         "import csv, random\n"
         "dice = random.Random(1)\n"
         "states = list(csv.DictReader(open('states.csv')))\n"
         "torques = list(csv.DictReader(open('tau.csv')))\n"
         "print('t,q1,q2,tau1,tau2')\n"
         "for k, (s, f) in enumerate(zip(states, torques)):\n"
         "    tau = [float(f['tau1']) + dice.gauss(0, 0.05), float(f['tau2']) + dice.gauss(0, 0.05)]\n"
         "    print(k * 0.004, s['q1'], s['q2'], *('nan' if k == 100 else x for x in tau), sep=',')\n");
    const Result made = shell(
        "\"$CATENA\" inverse planar2r --friction 'joint1:0.5,2' --quiet --states states.csv -o tau.csv "
        "&& " CATENA_PYTHON " log.py > " +
        file);
    ASSERT_EQ(made.status, 0) << made.err;
  }
  // The page as XML: its sections with the cells of their tables, elements by number, and all text.
  json parsed(const std::string& file) const {
    make("parsed.py",
         "import json, re, sys, xml.etree.ElementTree as tree\n"
         "ns = '{http://www.w3.org/1999/xhtml}'\n"
         "page = tree.parse(sys.argv[1]).getroot()\n"
         "elements, attributes = {}, []\n"
         "for e in page.iter():\n"
         "    name = e.tag.removeprefix(ns)\n"
         "    elements[name] = elements.get(name, 0) + 1\n"
         "    attributes += [k for k in e.attrib]\n"
         "text = lambda e: ''.join(e.itertext()).strip()\n"
         "sections = {s.get('id'): {'tables': [[[text(c) for c in r] for r in t.iter(ns + 'tr')] for t in s.iter(ns + "
         "'table')],\n"
         "                          'figures': [text(f.find(ns + 'figcaption')) for f in s.iter(ns + 'figure')],\n"
         "                          'text': text(s)} for s in page.iter(ns + 'section')}\n"
         "print(json.dumps({'elements': elements, 'attributes': sorted(set(attributes)), 'sections': sections,\n"
         "                  'points': max(len(re.findall(r'-?[0-9]+', e.get('d'))) // 2 for e in page.iter(ns + "
         "'path')),\n"
         "                  'title': text(page.find(ns + 'head').find(ns + 'title'))}))\n");
    const Result result = shell(CATENA_PYTHON " parsed.py " + file);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }
  // A page that reads and asks for nothing, and runs nothing.
  void expect_still(const std::string& file) const {
    const json page = parsed(file);
    for (const char* element : {"script", "link", "img", "iframe", "object", "embed", "form", "base"})
      EXPECT_FALSE(page["elements"].contains(element)) << element;
    for (const json& attribute : page["attributes"])
      EXPECT_FALSE(attribute.get<std::string>().starts_with("on") || attribute == "src") << attribute;
    const std::string text = contents(folder_ / file);
    EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
    EXPECT_EQ(text.find("url("), std::string::npos);
    EXPECT_EQ(text.find("NaN"), std::string::npos);
  }
  // The number of a cell is that of --json, to so many digits.
  static void expect_cell(const json& cell, const json& number, int digits = 6) {
    char text[40] = "–";
    if (number.is_number()) std::snprintf(text, sizeof text, "%.*g", digits, number.get<double>());
    EXPECT_EQ(cell, text);
  }
  static void expect_share(const json& cell, const json& number) {
    char text[40];
    std::snprintf(text, sizeof text, "%.2f %%", 100.0 * number.get<double>());
    EXPECT_EQ(cell, text);
  }
};

TEST_F(IdentifyReportCli, ShowsTheNumbersOfJson) {
  record("raw.csv", 4000);
  record("other.csv", 2000, 0.2);
  const json found = run_json(
      "identify planar2r --log raw.csv --offsets --friction tanh --folds 3 --physical --validate other.csv --report "
      "id.html");
  expect_still("id.html");
  const json page = parsed("id.html"), &sections = page["sections"];
  EXPECT_NE(page["title"].get<std::string>().find(found["robot"].get<std::string>()), std::string::npos);
  for (const char* id : {"doubts", "left", "torques", "friction", "parameters", "spectra", "log", "repeat"})
    EXPECT_TRUE(sections.contains(id)) << id;
  const json& rows = sections["parameters"]["tables"][0];
  ASSERT_EQ(rows.size(), found["estimates"].size() + 1);
  for (std::size_t k = 0; k < found["estimates"].size(); ++k) {
    const json &own = found["estimates"][k], &row = rows[k + 1];
    EXPECT_EQ(row[0], own["name"]);
    EXPECT_EQ(row[1], own["unit"]);
    expect_cell(row[2], own["value"]);
    expect_cell(row[3], own["standard_error"], 3);
    expect_cell(row[4], own["interval"][0]);
    expect_cell(row[5], own["interval"][1]);
    expect_cell(row[7], own["nominal"]);
    expect_cell(row[8], found["physical"]["values"][k]);
  }
  ASSERT_EQ(sections["left"]["tables"].size(), 3U);
  for (std::size_t j = 0; j < 2; ++j) {
    const json& row = sections["left"]["tables"][0][j + 1];
    expect_cell(row[2], found["residual_rms"][j], 4);
    expect_share(row[3], found["explained"][j]);
    expect_cell(row[4], found["physical"]["residual_rms"][j], 4);
    expect_cell(row[6], found["physical"]["written"]["residual_rms"][j], 4);
    expect_cell(row[8], found["nominal"]["residual_rms"][j], 4);
    expect_cell(sections["left"]["tables"][1][j + 1][2], found["folds"]["least_squares"]["residual_rms"][j], 4);
    expect_cell(sections["left"]["tables"][2][j + 1][6], found["validation"]["written"]["residual_rms"][j], 4);
    expect_cell(sections["friction"]["tables"][0][j + 1][3], found["friction"][j]["coulomb"]);
  }
  EXPECT_EQ(sections["torques"]["figures"].size(), 4U);
  EXPECT_EQ(sections["friction"]["figures"].size(), 2U);
  EXPECT_EQ(sections["spectra"]["figures"].size(), 2U);
  for (const char* kind : {"rest", "cutoff", "edges"})
    EXPECT_NE(sections["log"]["text"].get<std::string>().find(kind), std::string::npos) << kind;
  for (const json& finding : found["log"]["findings"])
    EXPECT_NE(sections["log"]["text"].get<std::string>().find(finding["text"].get<std::string>()), std::string::npos);
}

TEST_F(IdentifyReportCli, SaysHowToRepeatIt) {
  record("raw.csv", 2000);
  const json found =
      run_json("identify planar2r --log raw.csv --log raw.csv --friction 'joint1=tanh' --report id.html");
  const json &run = found["run"], page = parsed("id.html")["sections"]["repeat"];
  EXPECT_EQ(run["command"],
            "catena identify planar2r --log raw.csv --log raw.csv --friction joint1=tanh --report id.html --json");
  const std::string text = page["text"];
  for (const char* key : {"command", "program", "instructions", "compiler", "date"})
    EXPECT_NE(text.find(run[key].get<std::string>()), std::string::npos) << key;
  ASSERT_EQ(run["files"].size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const json &own = run["files"][k], &row = page["tables"][0][k + 1];
    EXPECT_EQ(row[0], own["use"]);
    EXPECT_EQ(row[1], own["file"]);
    EXPECT_EQ(row[4], own["sha256"]);
    EXPECT_EQ(own["sha256"].get<std::string>() + "  " + own["file"].get<std::string>() + "\n",
              shell("sha256sum '" + own["file"].get<std::string>() + "'").out);
    EXPECT_EQ(own["bytes"], fs::file_size(folder_ / own["file"].get<std::string>()));
  }
  EXPECT_EQ(run["files"][1]["rows"], 2000);
  const json once = parsed("id.html")["sections"]["torques"]["text"];
  EXPECT_NE(once.get<std::string>().find("next log"), std::string::npos);
}

TEST_F(IdentifyReportCli, TextFromFilesStaysText) {
  const std::string name = "<script>alert(1)</script>", quoted = "\"' onload='alert(2)' & ]]> <!--";
  std::string toml = "name = '''</title><script>x</script>'''\nconvention = \"classic\"\n";
  for (const std::string& own : {name, quoted}) {
    std::string escaped;
    for (const char c : own) escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
    toml += "[[link]]\nname = \"" + escaped + "\"\njoint_name = \"" + escaped +
            "\"\njoint = \"revolute\"\na = 0.5\nmass = 1.0\nr = [-0.2, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n";
  }
  make("a<b>&.toml", toml);
  measure("'a<b>&.toml'");
  const Result result = run("identify 'a<b>&.toml' --states measured.csv --subset --physical --report id.html");
  ASSERT_EQ(result.status, 0) << result.err;
  expect_still("id.html");
  const json page = parsed("id.html");
  EXPECT_EQ(page["sections"]["left"]["tables"][0][1][0], name);
  EXPECT_EQ(page["sections"]["left"]["tables"][0][2][0], quoted);
  EXPECT_EQ(page["sections"]["torques"]["figures"][0], name + ", N m");
  EXPECT_NE(page["title"].get<std::string>().find("</title><script>x</script>"), std::string::npos);
  EXPECT_NE(page["sections"]["repeat"]["text"].get<std::string>().find("a<b>&.toml"), std::string::npos);
}

TEST_F(IdentifyReportCli, KindsOfRobotsAndFits) {
  for (const std::string model : {"planar2r", "stanford", "gripper", "fourbar_press", "panda"}) {
    SCOPED_TRACE(model);
    measure(model);
    const Result result = run("identify " + model + " --states measured.csv --subset --report " + model + ".html");
    ASSERT_EQ(result.status, 0) << result.err;
    expect_still(model + ".html");
    const json page = parsed(model + ".html")["sections"];
    EXPECT_NE(page["spectra"]["text"].get<std::string>().find("no clock"), std::string::npos);
    EXPECT_NE(page["log"]["text"].get<std::string>().find("All rows of the table count"), std::string::npos);
  }
  measure("ur5", "held.csv", "--payload tool0:3,0,0.02,0.1");
  measure("ur5");
  const json load = run_json("identify ur5 --states held.csv --payload-at tool0 --report load.html");
  expect_still("load.html");
  const json page = parsed("load.html")["sections"];
  EXPECT_FALSE(page.contains("parameters"));
  expect_cell(page["load"]["tables"][0][1][1], load["payload"]["mass"]);
  expect_cell(page["load"]["tables"][1][1][2], load["mass"]["value"]);
  const json gains =
      run_json("identify ur5 --states measured.csv --loaded held.csv --load tool0:3,0,0.02,0.1 --report gains.html");
  const json shown = parsed("gains.html")["sections"]["gains"]["tables"][0];
  ASSERT_EQ(shown.size(), 7U);
  for (std::size_t j = 0; j < 6; ++j) expect_cell(shown[j + 1][2], gains["gains"][j]["value"]);
}

TEST_F(IdentifyReportCli, LongLogsStaySmall) {
  record("raw.csv", 15000);
  const Result result = run("identify planar2r --log raw.csv --cutoff 40 --decimate 1 --physical --report id.html");
  ASSERT_EQ(result.status, 0) << result.err;
  expect_still("id.html");
  EXPECT_LT(fs::file_size(folder_ / "id.html"), 2000000U);
  const json page = parsed("id.html");
  EXPECT_EQ(page["elements"]["input"], 3);  // whole, 4 and 16 times wider
  EXPECT_GT(page["points"], 4000);
  EXPECT_LT(page["points"], 8100);
}

TEST_F(IdentifyReportCli, ReplacesNothingUnasked) {
  measure("planar2r");
  make("id.html", "mine");
  EXPECT_NE(refused("identify planar2r --states measured.csv --report id.html").find("--force"), std::string::npos);
  EXPECT_EQ(contents(folder_ / "id.html"), "mine");
  EXPECT_EQ(run("identify planar2r --states measured.csv --report id.html --force").status, 0);
  EXPECT_NE(contents(folder_ / "id.html").find("</html>"), std::string::npos);
  EXPECT_NE(refused("identify planar2r --states measured.csv --report id.txt").find(".html"), std::string::npos);
  EXPECT_NE(refused("identify planar2r --states gone.csv --report gone.html").find("gone.csv"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "gone.html"));
  EXPECT_NE(
      refused("identify planar2r --states measured.csv --report no/where.html --quiet", 1).find("cannot be written"),
      std::string::npos);
  for (const auto& entry : fs::directory_iterator(folder_.string()))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

}  // namespace
}  // namespace catena::identify_report_cli_test
