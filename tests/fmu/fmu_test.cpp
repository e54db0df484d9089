// FMUs as the library makes them. tests/python/test_fmu.py loads and simulates them by FMPy.
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <set>

#include "catena/fmu.hpp"
#include "io/zip_archive.hpp"
#include "support/kinds_of_robots.hpp"
#include "support/shared_library.hpp"
#include "support/temporary_folder.hpp"

namespace catena::test {
namespace fmu_test {

FmuOptions options_for(int fmi) {
  FmuOptions options;
  options.fmi = fmi;
  options.search = false;
  return options;
}

// Names of the variables, none twice; what its parser says if the description is no XML.
std::set<std::string> variables_of(const Fmu& fmu) {
  EXPECT_EQ(fmu.files.front().name, "modelDescription.xml");
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.Parse(fmu.files.front().content.c_str()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
  std::set<std::string> names;
  const tinyxml2::XMLElement* variables = document.RootElement()->FirstChildElement("ModelVariables");
  for (auto* one = variables->FirstChildElement(); one != nullptr; one = one->NextSiblingElement())
    EXPECT_TRUE(names.insert(one->Attribute("name")).second) << one->Attribute("name");
  return names;
}

void expect_strict_c(const Fmu& fmu) {
  ASSERT_EQ(fmu.files[1].name, "sources/fmu.c");
  const SharedLibrary library(fmu.files[1].content, "-std=c99 -O0 -Wall -Wextra -Werror -pedantic");
}

TEST(Fmu, EveryKindOfRobotIsStrictCWithItsVariables) {
  for (const Robot& robot : kinds_of_robots()) {
    if (robot.links.size() > 20) continue;  // seconds of a compiler; the others have all that it has
    const Mechanism mechanism = make_mechanism(robot);
    for (const int fmi : {2, 3}) {
      SCOPED_TRACE(robot.name + ", FMI " + std::to_string(fmi));
      const Fmu fmu = make_fmu(mechanism, options_for(fmi));
      const std::set<std::string> names = variables_of(fmu);
      for (const char* wanted : {"time", "tau[1]", "q[1]", "qd[1]", "energy.kinetic", "energy.potential"})
        EXPECT_TRUE(names.contains(wanted)) << wanted;
      EXPECT_EQ(names.contains("payload.mass"), robot.name != "gripper");  // whose tool is on its base
      EXPECT_TRUE(names.contains("qd[" + std::to_string(mechanism.nv()) + "]"));
      expect_strict_c(fmu);
    }
  }
}

TEST(Fmu, EveryLawIsInside) {
  const Mechanism ur5 = make_mechanism(load_robot(find_model("ur5")));
  for (const LawInfo& law : control_laws()) {
    if (law.takes_schedule) continue;  // gains along a motion
    FmuOptions options = options_for(3);
    options.law.emplace();
    options.law->law = law.name;
    if (law.name == "null-space") options.law->directions = Directions::translation;
    if (law.name == "hybrid") options.law->parameters["along"] = {0, 0, 1, 0, 0, 0};
    SCOPED_TRACE(options.law->law);
    const Fmu fmu = make_fmu(ur5, options);
    const std::set<std::string> names = variables_of(fmu);
    EXPECT_TRUE(names.contains("tau[1]"));  // an output now
    expect_strict_c(fmu);
  }
}

// Text of a file is never code: names that would end a comment, a string or an element.
TEST(Fmu, NamesOfAFileStayText) {
  Robot robot = load_robot(find_model("ur5"));
  const std::string wild = "a\"b<c/>&amp;*/ } %s \\";
  robot.name = wild;
  for (std::size_t k = 0; k < robot.joints.size(); ++k) robot.joints[k].name = wild + std::to_string(k);
  for (const int fmi : {2, 3}) {
    const Fmu fmu = make_fmu(make_mechanism(robot), options_for(fmi));
    EXPECT_TRUE(variables_of(fmu).contains("q[6]"));
    EXPECT_EQ(fmu.files[0].content.find("<c/>"), std::string::npos);
    expect_strict_c(fmu);
  }
}

TEST(Fmu, TheArchiveHasWhatWasPutIn) {
  FmuOptions options = options_for(3);
  Fmu fmu = make_fmu(make_mechanism(load_robot(find_model("planar2r"))), options);
  add_binary(fmu, options);
  EXPECT_EQ(fmu.no_binary, "");
  const TemporaryFolder folder;
  const std::string path = folder.write("robot.fmu", archive_of(fmu)).string();
  const io::ZipArchive archive(path);
  ASSERT_EQ(archive.members().size(), fmu.files.size());
  for (std::size_t k = 0; k < fmu.files.size(); ++k) {
    EXPECT_EQ(archive.members()[k].name, fmu.files[k].name);
    EXPECT_EQ(archive.members()[k].size, fmu.files[k].content.size());
  }
  // The same robot gives the same bytes; a compiler that is not there, sources alone.
  Fmu again = make_fmu(make_mechanism(load_robot(find_model("planar2r"))), options);
  CompileOptions none;
  none.compiler = "/no/such/compiler";
  add_binary(again, options, none);
  EXPECT_NE(again.no_binary.find("/no/such/compiler"), std::string::npos) << again.no_binary;
  EXPECT_EQ(again.files.size() + 1, fmu.files.size());
  EXPECT_EQ(again.files[0].content, fmu.files[0].content);
  EXPECT_EQ(again.files[1].content, fmu.files[1].content);
}

TEST(Fmu, SaysWhatItCannotBe) {
  const Mechanism robot = make_mechanism(load_robot(find_model("planar2r")));
  const auto refusal = [](const Mechanism& mechanism, const FmuOptions& options) -> std::string {
    try {
      make_fmu(mechanism, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  FmuOptions options = options_for(3);
  options.name = "two words";
  EXPECT_EQ(refusal(robot, options), "'two words' cannot name an FMU: letters, digits and _ can");
  options = options_for(1);
  EXPECT_EQ(refusal(robot, options), "FMUs are of FMI 3 or 2");
  options = options_for(3);
  options.model_exchange = options.co_simulation = false;
  EXPECT_EQ(refusal(robot, options), "an FMU is for model exchange, for co-simulation, or both");
  options = options_for(3);
  options.law.emplace();
  options.law->law = "no such law";
  EXPECT_NE(refusal(robot, options), "");
  options = options_for(3);
  options.most_operations = 3;
  EXPECT_THROW(make_fmu(robot, options), TooManyOperations);
}

}  // namespace fmu_test
}  // namespace catena::test
