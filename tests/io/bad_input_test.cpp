// Every file in models/bad is refused, or warned about, with exactly the text beside it, and hostile input of any kind
// ends in a ModelError.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot_file.hpp"
#include "support/temporary_folder.hpp"

namespace catena::bad_input_test {
namespace {

namespace fs = std::filesystem;

const fs::path bad_folder = fs::path(CATENA_SOURCE_DIR) / "models" / "bad";

using test::contents;

std::vector<fs::path> bad_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(bad_folder))
    if (entry.path().extension() != ".expected") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// What loading says, warnings or errors, with the folder taken off: FILE is named as it was given.
std::string report(const fs::path& file, bool strict, bool& refused) {
  const fs::path before = fs::current_path();
  fs::current_path(bad_folder);
  std::string text;
  refused = false;
  try {
    for (const Warning& warning : load_robot(file.filename().string(), {strict}).warnings) text += warning.text + "\n";
  } catch (const ModelError& e) {
    text = std::string(e.what()) + "\n";
    refused = true;
  }
  fs::current_path(before);
  return text;
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

TEST(BadInput, EveryFileHasItsExpectedText) {
  const std::vector<fs::path> files = bad_files();
  EXPECT_GE(files.size(), 30U);
  for (const fs::path& file : files) EXPECT_TRUE(fs::exists(file.string() + ".expected")) << file;
  for (const auto& entry : fs::directory_iterator(bad_folder)) {
    const bool orphan =
        entry.path().extension() == ".expected" && !fs::exists(fs::path(entry.path()).replace_extension());
    EXPECT_FALSE(orphan) << entry.path();
  }
}

TEST(BadInput, MessagesAreExact) {
  for (const fs::path& file : bad_files()) {
    const bool is_warning = file.filename().string().starts_with("warn_");
    bool refused = false;
    EXPECT_EQ(report(file, false, refused), contents(file.string() + ".expected"));
    EXPECT_EQ(refused, !is_warning) << file;
  }
}

TEST(BadInput, StrictTurnsWarningsIntoErrors) {
  for (const fs::path& file : bad_files()) {
    if (!file.filename().string().starts_with("warn_")) continue;
    bool refused = false;
    EXPECT_EQ(report(file, true, refused), without(contents(file.string() + ".expected"), "warning: "));
    EXPECT_TRUE(refused) << file;
  }
}

TEST(BadInput, FilesThatCannotBeRead) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      load_robot(path);
    } catch (const ModelError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message("no/such/robot.toml"), "no/such/robot.toml: cannot read this file: No such file or directory");
  EXPECT_EQ(message(bad_folder.string()), bad_folder.string() + ": cannot read this file: Is a directory");
  EXPECT_EQ(message("/dev/zero"), "/dev/zero: larger than 64 MiB; this is not a robot file");
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int k = 0; k < times; ++k) out += text;
  return out;
}

TEST(BadInput, DepthCannotExhaustTheStack) {
  constexpr int depth = 100000;
  const std::string head = "convention = \"classic\"\n";
  EXPECT_THROW(parse_toml(head + "gravity = " + repeated("[", depth), "deep.toml"), ModelError);
  EXPECT_THROW(parse_toml(repeated("[", depth), "deep.toml"), ModelError);
  EXPECT_THROW(parse_toml(head + "x = " + repeated("{a=", depth), "deep.toml"), ModelError);
  EXPECT_THROW(parse_toml(head + repeated("a.", depth) + "a = 1\n", "deep.toml"), ModelError);
  EXPECT_THROW(parse_toml(head + "[" + repeated("a.", depth) + "a]\n", "deep.toml"), ModelError);
  EXPECT_THROW(parse_toml(head + repeated("\"#\".", depth) + "a = 1\n", "deep.toml"), ModelError);
  EXPECT_THROW(parse_urdf("<robot>" + repeated("<a>", depth), "deep.urdf"), ModelError);
  EXPECT_THROW(parse_urdf("<robot>" + repeated("<a>", depth) + repeated("</a>", depth) + "</robot>", "deep.urdf"),
               ModelError);
}

TEST(BadInput, ManyLinksAreNoProblem) {
  constexpr int count = 9000;
  std::string text = "convention = \"classic\"\n";
  for (int k = 0; k < count; ++k)
    text += "[[link]]\njoint = \"revolute\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n";
  EXPECT_EQ(parse_toml(text, "long.toml").dof(), count);
}

// A chain of followers of any length, and followers of two that double the ways back with every joint.
TEST(BadInput, ManyCouplingsAreNoProblem) {
  constexpr int count = 9000;
  const std::string link = "[[link]]\njoint = \"revolute\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n";
  std::string chain = "convention = \"classic\"\n" + link, pairs = chain + link;
  for (int k = 2; k <= count; ++k) chain += link + "mimic = \"joint" + std::to_string(k - 1) + "\"\n";
  EXPECT_EQ(parse_toml(chain, "chain.toml").dof(), 1);
  for (int k = 3; k <= 200; ++k)
    pairs += link + "coupling = { joints = { joint" + std::to_string(k - 1) + " = 0.5, joint" + std::to_string(k - 2) +
             " = 0.5 } }\n";
  const Mechanism robot = make_mechanism(parse_toml(pairs, "pairs.toml"));
  EXPECT_EQ(robot.nv(), 2);
  const auto& terms = robot.coordinates.following.list().back().terms;
  EXPECT_NEAR(terms[0].factor + terms[1].factor, 1.0, 1e-12);
  EXPECT_THROW(parse_toml(chain + "[[link]]\njoint = \"fixed\"\nmass = 0\njoint_name = \"joint1\"\n", "x.toml"),
               ModelError);
  const std::string back = "convention = \"classic\"\n" + link + "mimic = \"joint20000\"\n" +
                           chain.substr(chain.find("[[link]]", chain.find("[[link]]") + 1));
  EXPECT_THROW(parse_toml(back, "circle.toml"), ModelError);
}

// ---- fuzzing: what a person, a disk or a transfer can do to a file ----

const std::string small_toml = R"(name = "arm"
convention = "modified"
angles = "deg"
gravity = [0.0, 0.0, -9.81]
tool = "tcp"

[[link]]
name = "upper"
joint = "revolute"
alpha = 90
d = 0.3
mass = 2.5
com = [0.1, 0, 0]
inertia = [[0.01, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]
limits = { lower = -90, upper = 90, velocity = 180 }
friction = { viscous = 0.1 }

[[link]]
name = "rail"
joint = "prismatic"
parent = "upper"
mass = 1
com = [0, 0, 0.1]
inertia = [0.01, 0.01, 0.01, 0, 0, 0.001]

[[link]]
name = "gear"
joint = "revolute"
parent = "upper"
coupling = { joints = { joint1 = 0.5, joint2 = -2 }, offset = 10 }
mass = 0

[[frame]]
name = "tcp"
link = "rail"
rpy = [0, 90, 0]
)";

const std::string small_urdf = R"(<?xml version="1.0"?>
<robot name="arm">
  <catena gravity="0 0 -1.62" tool="rail"/>
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 0.3"/>
      <mass value="2.5"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0.001" izz="0.02"/>
    </inertial>
  </link>
  <link name="rail"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <origin xyz="0 0 0.3" rpy="1.57 0 0"/>
    <axis xyz="0 1 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/>
    <child link="rail"/>
    <mimic joint="shoulder"/>
  </joint>
</robot>
)";

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t times = 1 + below(3); times > 0 && !text.empty(); --times) {
    const std::size_t at = below(text.size());
    const std::size_t digit = text.find_first_of("0123456789", at);
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
        break;
      case 1:
        text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.erase(at, 1 + below(40));
        break;
      case 4:
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
        break;
      case 5:
        if (digit != std::string::npos) text.insert(digit, 1, "+-.e0"[below(5)]);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), 1 + below(40)));
    }
  }
  return text;
}

TEST(BadInput, MutatedFilesLoadOrAreRefused) {
  std::mt19937 random(20240229);
  int loaded = 0, refused = 0;
  for (int k = 0; k < 2000; ++k) {
    const bool toml = k % 2 == 0;
    const std::string text = mutated(toml ? small_toml : small_urdf, random);
    try {
      const Robot robot = toml ? parse_toml(text, "fuzz.toml") : parse_urdf(text, "fuzz.urdf");
      // What was accepted can be written, and is accepted again.
      EXPECT_EQ(parse_toml(to_toml(robot), "again.toml").dof(), robot.dof()) << text;
      EXPECT_EQ(parse_urdf(to_urdf(robot), "again.urdf").dof(), robot.dof()) << text;
      ++loaded;
    } catch (const ModelError& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("fuzz.")) << e.what() << "\n" << text;
      ++refused;
    }
  }
  EXPECT_GT(loaded, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace catena::bad_input_test
