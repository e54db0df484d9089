// --plot: every command that offers it draws, in both formats; names are text, whatever they say.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "support/program.hpp"

namespace catena::plot_cli_test {
namespace {

namespace fs = std::filesystem;

class PlotCli : public ProgramTest {
 protected:
  // The text of an SVG, element by element, as a parser of XML reads it.
  std::string words_in(const std::string& file) const {
    make("words.py",
         "import sys, xml.etree.ElementTree as tree\n"
         "for element in tree.parse(sys.argv[1]).iter():\n"
         "    if element.tag.endswith('}text'):\n"
         "        print(''.join(element.itertext()).strip())\n");
    const Result result = shell(CATENA_PYTHON " words.py " + file);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
  // A planar arm whose robot, links and joints are called so.
  void write_robot(const std::string& name) const {
    std::string quoted;
    for (const char c : name) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    make("robot.toml", "name = \"" + quoted + "\"\nconvention = \"classic\"\n[[link]]\nname = \"" + quoted +
                           "\"\njoint_name = \"" + quoted +
                           "\"\njoint = \"revolute\"\nmass = 1.0\nr = [-0.5, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n"
                           "limits = { lower = -0.5, upper = 0.5, velocity = 2.0 }\n");
  }
};

// A joint has one colour, in a plot as on the page.
TEST_F(PlotCli, DrawsInTheColoursOfThePage) {
  const std::string theme = contents(CATENA_SOURCE_DIR "/page/src/theme.ts");
  const std::size_t start = theme.find("const light = [");
  ASSERT_NE(start, std::string::npos);
  ASSERT_EQ(run("trajectory panda --from 0,0,0,-1,0,1,0 --to 1,1,1,-2,1,2,1 --time 2 --plot drawn.svg").status, 0);
  const std::string drawn = contents(folder_ / "drawn.svg");
  int colours = 0;
  for (std::size_t at = theme.find('#', start); at < theme.find(']', start); at = theme.find('#', at + 1), ++colours) {
    unsigned r = 0, g = 0, b = 0;
    ASSERT_EQ(std::sscanf(theme.c_str() + at, "#%2x%2x%2x", &r, &g, &b), 3);
    char rgb[40];
    std::snprintf(rgb, sizeof rgb, "rgb(%3u, %3u, %3u)", r, g, b);
    EXPECT_NE(drawn.find(rgb), std::string::npos) << rgb;
  }
  EXPECT_EQ(colours, 7);
}

TEST_F(PlotCli, EveryCommandThatOffersItDrawsBothFormats) {
  ASSERT_EQ(run("trajectory stanford --to 1,1,0.1,0,1,0 --time 1 -o motion.csv").status, 0);
  const std::map<std::string, std::string> commands{
      {"inverse", "inverse stanford --trajectory motion.csv -o out.csv"},
      {"simulate", "simulate stanford --time 0.2 --samples 11 -o out.csv"},
      {"trajectory", "trajectory stanford --to 1,1,0.1,0,1,0 --time 1 -o out.csv"},
      {"linearize", "linearize stanford --trajectory motion.csv -o out.csv"},
      {"count", "count --n 3 --compute bias"},
      {"compare", "compare planar2r"},
      {"identify", "identify planar2r --states measured.csv"}};
  ASSERT_EQ(shell("\"$CATENA\" excite planar2r --quiet --time 8 --starts 1 --steps 5 --samples 60 -o free.csv && "
                  "\"$CATENA\" inverse planar2r --states free.csv -o tau.csv && cut -d, -f2- tau.csv | paste -d, "
                  "free.csv - > measured.csv")
                .status,
            0);
  std::istringstream help(run("--help").out);
  std::set<std::string> offered;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  ") || line.size() < 3 || line[2] == ' ' || line[2] == '-') continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (run(name + " --help").out.find("--plot FILE.svg|FILE.png") != std::string::npos) offered.insert(name);
  }
  for (const auto& [name, line] : commands) {
    EXPECT_TRUE(offered.erase(name) == 1) << name;
    for (const char* file : {"a.svg", "a.png"}) {
      const Result result = run(line + " --plot " + file);
      EXPECT_EQ(result.status, 0) << line << result.err;
      const std::string picture = contents(folder_ / file);
      EXPECT_GT(picture.size(), 2000U) << line;
      EXPECT_TRUE(std::string(file).ends_with("png") ? picture.starts_with("\x89PNG")
                                                     : picture.find("<svg") != std::string::npos);
    }
  }
  EXPECT_TRUE(offered.empty()) << *offered.begin();
}

TEST_F(PlotCli, AxesHaveUnitsAndEveryJointItsCurve) {
  ASSERT_EQ(run("simulate stanford --time 0.2 --samples 11 --plot a.svg -o out.csv").status, 0);
  const std::string words = words_in("a.svg");
  for (const char* word : {"Stanford arm", "time, s", "positions, rad", "positions, m", "velocities, rad/s",
                           "velocities, m/s", "torques and forces, N m", "torques and forces, N", "energies, J",
                           "kinetic", "losses", "joint1", "joint2", "joint3", "joint4", "joint5", "joint6"})
    EXPECT_NE(words.find(word), std::string::npos) << word << " in\n" << words;
  EXPECT_EQ(words.find("external"), std::string::npos);
  ASSERT_EQ(run("simulate planar2r --time 0.2 --wrench link2:1,0,0,0,0,0 --plot a.svg -o out.csv").status, 0);
  EXPECT_NE(words_in("a.svg").find("external"), std::string::npos);
  ASSERT_EQ(run("linearize stanford --q 0,0,0.1,0,0,0 --state-space --lqr --plot a.svg").status, 0);
  EXPECT_NE(words_in("a.svg").find("poles of the closed loop"), std::string::npos);
}

// A limit that is near is shaded; one that is far is not shown.
TEST_F(PlotCli, LimitsAreShaded) {
  write_robot("arm");
  const auto shades = [&](const std::string& to) {
    EXPECT_EQ(run("trajectory robot.toml --to " + to + " --time 1 --plot a.svg -o out.csv").status, 0);
    const std::string svg = contents(folder_ / "a.svg");
    const std::string shade = "fill-opacity = '0.18";
    std::size_t count = 0;
    for (std::size_t at = svg.find(shade); at != std::string::npos; at = svg.find(shade, at + 1)) ++count;
    return count;
  };
  EXPECT_GT(shades("0.6"), shades("0.01"));
  EXPECT_EQ(shades("0.01"), 0U);
}

TEST_F(PlotCli, NamesAreTextWhateverTheySay) {
  for (const char* name :
       {"'; system('touch ran'); '", "`touch ran`", "\"`touch ran`\"", "$(touch ran)", "@touch", "\\", "ends in \\",
        "'", "''", "END", "<b>&amp;</b> ]] >", "a_b^{c}~d", "K\xC3\xBChlk\xC3\xB6rper", "%s %d", "!touch ran",
        "{/Symbol=50 a}", "x\" ; !touch ran ; \""}) {
    SCOPED_TRACE(name);
    write_robot(name);
    const Result result = run("simulate robot.toml --time 0.1 --samples 3 -o out.csv --plot a.svg");
    ASSERT_EQ(result.status, 0) << result.err;
    const std::string words = words_in("a.svg");
    EXPECT_NE(words.find(name), std::string::npos) << words;
  }
  write_robot("]]>");
  ASSERT_EQ(run("simulate robot.toml --time 0.1 --samples 3 -o out.csv --plot a.svg").status, 0);
  EXPECT_NE(words_in("a.svg").find("]] >"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  // Nor do names of files.
  ASSERT_EQ(run("count --n 2 --plot '|touch ran.svg'").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "|touch ran.svg"));
  EXPECT_FALSE(fs::exists(folder_ / "ran.svg"));
}

TEST_F(PlotCli, WithoutGnuplotTheCommandSaysSoFirst) {
  const Result result =
      shell("PATH=/nowhere \"$CATENA\" trajectory ur5 --to 1,1,1,1,1,1 --time 1 -o out.csv --plot a.svg");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "catena: --plot: gnuplot is not installed; Debian's package is gnuplot-nox\n");
  EXPECT_FALSE(fs::exists(folder_ / "out.csv"));
  // One that fails is quoted.
  make("gnuplot", "#!/bin/sh\necho 'no terminal' >&2\nexit 3\n");
  const Result failed = shell("chmod +x gnuplot; PATH=$PWD:$PATH \"$CATENA\" count --n 2 --plot a.svg");
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.err, "catena: --plot: gnuplot failed: no terminal?\n");
  EXPECT_FALSE(fs::exists(folder_ / "a.svg"));
}

TEST_F(PlotCli, WhatCannotBeDrawnIsRefused) {
  EXPECT_NE(refused("count --n 2 --plot a.pdf").find(".svg or .png"), std::string::npos);
  EXPECT_NE(refused("linearize planar2r --cartesian --trajectory m.csv --plot a.svg").find("--plot draws"),
            std::string::npos);
  EXPECT_NE(refused("trajectory planar2r --to 1,1 --time 1 --plot /nowhere/a.svg", 1).find("/nowhere/a.svg"),
            std::string::npos);
}

}  // namespace
}  // namespace catena::plot_cli_test
