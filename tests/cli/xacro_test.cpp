// Files in xacro, by the published package in the environment of tools/install_peers.sh; and what is said without it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/program.hpp"

namespace catena::xacro_cli_test {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

const std::string data = std::string(CATENA_SOURCE_DIR) + "/tests/data/xacro/";
const std::string crane = data + "crane_description/urdf/crane.urdf.xacro";
const std::string head = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>";

class XacroCli : public ProgramTest {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "tmp");
    ::setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
    for (const char* variable : {"ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "PYTHONPATH"}) ::unsetenv(variable);
  }
  void TearDown() override {
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    ::unsetenv("TMPDIR");
  }
  void make_program(const std::string& name, const std::string& script) const {
    fs::create_directory(folder_ / "bin");
    fs::permissions(make(name, "#!/bin/sh\n" + script + "\n"), fs::perms::owner_all);
  }
  // Nothing on stdout, one line on stderr.
  std::string refused_by(const std::string& script) const {
    const Result result = shell(script);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }
};

class RealXacroCli : public XacroCli {
 protected:
  void SetUp() override {
    XacroCli::SetUp();
    const fs::path folder = fs::path(CATENA_PEERS) / "bin";
    if (!fs::exists(folder / "xacro")) GTEST_SKIP() << "xacro is not in " << folder;
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder.string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    if (!path_.empty()) ::setenv("PATH", path_.c_str(), 1);
    XacroCli::TearDown();
  }

 private:
  std::string path_;
};

TEST_F(RealXacroCli, MacrosArgumentsIncludesYamlAndConditions) {
  const json info = run_json("info " + crane);
  EXPECT_EQ(info["joints"], (json{"hinge1", "hinge2"}));
  const json torques = run_json("gravity " + crane)["g"];  // rods of 0.6 m, 3 kg and 1.5 kg, along x
  EXPECT_NEAR(torques[0].get<double>(), 9.81 * (3.0 * 0.3 + 1.5 * 0.9), 1e-12);
  EXPECT_NEAR(torques[1].get<double>(), 9.81 * 1.5 * 0.3, 1e-12);
  const json long_one = run_json("info " + crane + " --xacro arm:=long --xacro rods:=3");
  EXPECT_EQ(long_one["dof"], 3);
  EXPECT_NEAR(long_one["mass"].get<double>(), 4.5 * (1.0 + 1.0 / 2.0 + 1.0 / 3.0), 1e-12);
  EXPECT_EQ(run("convert " + crane + " --xacro rods:=1 -o one.toml").status, 0);
  EXPECT_EQ(run_json("info one.toml")["dof"], 1);
}

TEST_F(RealXacroCli, PackagesAreFoundWithoutRos) {
  const std::string clamped = "info " + crane + " --xacro clamp:=true";
  EXPECT_NE(
      refused(clamped).find("crane.urdf.xacro: xacro: package 'crane_clamp' is in none of the folders of --package"),
      std::string::npos);
  for (const char* folder : {"workspace", "workspace/clamp_tool", "."})
    EXPECT_NEAR(run_json(clamped + " --package-path " + data + folder)["mass"].get<double>(), 4.9, 1e-12) << folder;
  const Result listed = shell("ROS_PACKAGE_PATH=/nowhere:" + data + "workspace \"$CATENA\" " + clamped);
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(shell("mkdir -p prefix/share && cp -r " + data + "workspace/clamp_tool prefix/share/crane_clamp && " +
                  "AMENT_PREFIX_PATH=$PWD/prefix \"$CATENA\" " + clamped)
                .status,
            0);
  EXPECT_EQ(refused(clamped + " --package-path /nowhere"), "/nowhere: there is no such folder of packages\n");
}

TEST_F(RealXacroCli, ItsErrorsAreOneLineWithTheFile) {
  EXPECT_NE(
      refused("info " + crane + " --xacro arm:=none").find("crane.urdf.xacro: xacro: The yaml dictionary has no key"),
      std::string::npos);
  make("gone.xacro", head + "<xacro:include filename='nowhere.xacro'/></robot>");
  EXPECT_NE(refused("info gone.xacro").find("gone.xacro: xacro: No such file or directory: "), std::string::npos);
  make("cut.xacro", head + "<xacro:a>");
  EXPECT_NE(refused("info cut.xacro").find("cut.xacro: xacro: no element found: line 1"), std::string::npos);
  make("endless.xacro", head + "<xacro:macro name='a'><xacro:a/></xacro:macro><xacro:a/></robot>");
  EXPECT_NE(refused("info endless.xacro").find("endless.xacro: xacro: maximum recursion"), std::string::npos);
  make("huge.xacro", head + "<xacro:property name='a' value=\"${'a' * 10**8}\"/><link name='${a}'/></robot>");
  EXPECT_EQ(refused("info huge.xacro"), "huge.xacro: xacro expands it to more than 64 MiB; this is not a robot file\n");
  make("heavy.xacro", head +
                          "\n<xacro:property name='m' value='-1'/>\n<link name='a'><inertial><mass value='${m}'/>"
                          "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>");
  EXPECT_EQ(refused("info heavy.xacro").find("heavy.xacro (expanded by xacro):"), 0U);
  EXPECT_NE(refused("info heavy.xacro").find("mass"), std::string::npos);
}

TEST_F(RealXacroCli, ArgumentsAreNeitherOptionsNorShell) {
  for (const char* argument : {"arm", ":=long", "arm:=", "-o:=x", "_arm:=long", "a:=b:=c"})
    EXPECT_NE(
        refused("info " + crane + " --xacro=" + argument).find("an argument for xacro must be NAME:=VALUE, not '"),
        std::string::npos)
        << argument;
  make("it's; a $(touch hacked).xacro", head +
                                            "<xacro:arg name='n' default=''/><link name='$(arg n)'/>"
                                            "<link name='b'/><joint name='j' type='fixed'><parent link='$(arg n)'/>"
                                            "<child link='b'/></joint></robot>");
  const Result result =
      run("info \"it's; a \\$(touch hacked).xacro\" --xacro 'n:=$(touch hacked); `touch hacked`' --json");
  EXPECT_EQ(result.status, 2) << result.out;  // xacro knows no $(touch)
  EXPECT_FALSE(fs::exists(folder_ / "hacked"));
  make("xacro.py", "open('hacked', 'w')");  // is not the package that is asked for
  make_program("bin/python3", "exec " + std::string(CATENA_PEERS) + "/bin/python \"$@\"");
  EXPECT_EQ(shell("PATH=$PWD/bin:/usr/bin:/bin \"$CATENA\" info " + crane).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "hacked"));
}

TEST_F(RealXacroCli, StandardInputAndOtherFormats) {
  make("arm.xacro",
       head +
           "<xacro:property name='m' value='2'/><!-- <xacro:a/> --><link name='a'/><link name='b'><inertial>"
           "<mass value='${m}'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
           "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>");
  for (const char* model : {"arm.xacro", "- < arm.xacro"})
    EXPECT_EQ(run_json(std::string("info ") + model)["mass"], 2.0);
  make("mj.xacro",
       "<mujoco xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:arg name='m' default='2'/><worldbody><body>"
       "<joint type='slide'/><inertial pos='0 0 0' mass='$(arg m)' diaginertia='1 1 1'/></body></worldbody>"
       "</mujoco>");
  EXPECT_EQ(run_json("info mj.xacro --xacro m:=5")["mass"], 5.0);
}

TEST_F(XacroCli, WithoutItOneLineSaysHowToGetIt) {
  make("arm.xacro", head + "<xacro:a/></robot>");
  const std::string hint = "install it with: pip install xacro\n";
  EXPECT_EQ(refused_by("PATH= \"$CATENA\" info arm.xacro"),
            "arm.xacro: this is xacro, and neither xacro nor python3 is in PATH; " + hint);
  make_program("bin/python3", "exit 97");
  EXPECT_EQ(refused_by("PATH=$PWD/bin \"$CATENA\" info arm.xacro"),
            "arm.xacro: this is xacro, which is not installed; " + hint);
}

TEST_F(XacroCli, AProgramThatMisbehavesIsEnded) {
  make("arm.xacro", head + "<xacro:a/></robot>");
  make_program("bin/xacro", "exec yes");
  EXPECT_NE(refused_by("PATH=$PWD/bin:/usr/bin:/bin \"$CATENA\" info arm.xacro").find("more than 64 MiB"),
            std::string::npos);
  make_program("bin/xacro", "echo 'Traceback:' >&2; echo 'KeyError: 3' >&2; exit 1");
  EXPECT_EQ(refused_by("PATH=$PWD/bin \"$CATENA\" info arm.xacro"), "arm.xacro: xacro: KeyError: 3\n");
  make_program("bin/xacro", "echo '<robot><xacro:a/></robot>'");
  EXPECT_EQ(refused_by("PATH=$PWD/bin \"$CATENA\" info arm.xacro"),
            "arm.xacro: xacro left xacro elements in its result\n");
}

}  // namespace
}  // namespace catena::xacro_cli_test
