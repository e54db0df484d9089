// MJCF that names other files: what it includes, and meshes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot_file.hpp"
#include "support/hostile_xml.hpp"
#include "support/temporary_folder.hpp"

namespace catena::mjcf_files_test {
namespace {

namespace fs = std::filesystem;

class MjcfFiles : public testing::Test {
 protected:
  std::string said(const std::string& name, const std::string& text) const {
    const fs::path file = folder_.write(name, text);
    try {
      load_robot(file.string());
    } catch (const ModelError& e) {
      const std::string what = e.what();
      return what.substr(folder_.string().size() + 1);
    }
    return "";
  }
  test::TemporaryFolder folder_;
};

TEST_F(MjcfFiles, IncludesStayInTheFolderAndEnd) {
  const auto including = [](const std::string& file) {
    return "<mujoco>\n<include file='" + file +
           "'/>\n<worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>";
  };
  folder_.write("fine.xml", "<mujocoinclude><option gravity='0 0 -1'/></mujocoinclude>");
  EXPECT_EQ(said("a.xml", including("fine.xml")), "");
  for (const char* out : {"../secret.xml", "/etc/passwd", "x/../../secret.xml"})
    EXPECT_EQ(said("a.xml", including(out)),
              std::string("a.xml:2: <include> '") + out + "' is outside the folder of the model");
  fs::create_symlink("/etc", folder_ / "elsewhere");
  EXPECT_EQ(said("a.xml", including("elsewhere/passwd")),
            "a.xml:2: <include> 'elsewhere/passwd' is outside the folder of the model");
  EXPECT_EQ(said("a.xml", including("a.xml")),
            "a.xml:2: <include> 'a.xml': a file may be included only once, and never in itself");
  folder_.write("loop.xml", "<mujocoinclude>\n<include file='a.xml'/></mujocoinclude>");
  EXPECT_EQ(said("a.xml", including("loop.xml")),
            "a.xml:2: loop.xml:2: <include> 'a.xml': a file may be included only once, and never in itself");
  EXPECT_EQ(said("a.xml", including("none.xml")), "a.xml:2: <include> 'none.xml': there is no such file");
  fs::create_directory(folder_ / "parts");  // beside the file that includes it
  folder_.write("parts/outer.xml", "<mujocoinclude><include file='inner.xml'/></mujocoinclude>");
  folder_.write("parts/inner.xml", "<mujocoinclude><option gravity='0 0 -3'/></mujocoinclude>");
  EXPECT_EQ(said("a.xml", including("parts/outer.xml")), "");
  EXPECT_EQ(load_robot((folder_ / "a.xml").string()).gravity.z, -3.0);
  folder_.write("bad.xml", "<mujocoinclude>\n<option gravity='x'/></mujocoinclude>");
  EXPECT_EQ(said("a.xml", including("bad.xml")),
            "a.xml:2: bad.xml:2: <option> gravity 'x' must be 3 numbers separated by blanks, not 1");
}

TEST_F(MjcfFiles, EntitiesAreNotExpanded) {
  const std::string what =
      said("bomb.xml", test::entity_bomb() + "<mujoco model='&m;'><worldbody><body/></worldbody></mujoco>");
  EXPECT_LT(what.size(), 300U);
  EXPECT_EQ(what.find('\n'), std::string::npos);
}

TEST_F(MjcfFiles, MeshesThatNobodyCanWeigh) {
  const auto meshed = [&](const std::string& file) {
    return said("a.xml",
                "<mujoco><asset>\n<mesh name='m' file='" + file +
                    "'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  };
  const std::string start = "a.xml:2: mesh 'm': its mass cannot be found: ";
  const auto starts = [&](const std::string& file, const std::string& why) {
    const std::string what = meshed(file);
    EXPECT_EQ(what.substr(0, start.size() + why.size()), start + why);
    EXPECT_EQ(what.find('\n'), std::string::npos);
  };
  starts("none.stl", "there is no such file");
  folder_.write("huge.stl", "x");
  fs::resize_file(folder_ / "huge.stl", std::uintmax_t{1} << 30U);
  starts("huge.stl", "the file is larger than 64 MiB");
  folder_.write("short.stl", "solid");
  starts("short.stl", "a text STL file has three vertices for each face");
  folder_.write("cut.stl", "soli");
  starts("cut.stl", "the file is too short for an STL file");
  folder_.write("words.stl", "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n");
  starts("words.stl", "vertex 0 is not three numbers");
  folder_.write("lies.stl", std::string(80, ' ') + std::string("\xff\xff\xff\xff", 4) + std::string(100, ' '));
  starts("lies.stl", "a binary STL file of 4294967295 faces has");
  folder_.write("lies.msh", std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16));
  starts("lies.msh", "an MSH file of these counts has");
  folder_.write("nan.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  starts("nan.obj", "a vertex is not a finite number");
  folder_.write("outside.obj", "v 0 0 0\nf 1 2 3\n");
  starts("outside.obj", "line 2 cannot be read");
  folder_.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  starts("flat.obj", "the mesh encloses no volume");
  starts("robot.dae", "there is no such file");
}

// The same wedge as text and as points: both are read, the first where MuJoCo would not.
TEST_F(MjcfFiles, TextStlAndPointsWeighAsMuch) {
  const std::string text =
      "solid\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 2 0 vertex 1 0 0 endloop endfacet\n"
      "facet outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 3 endloop endfacet\n"
      "facet outer loop vertex 0 0 0 vertex 0 0 3 vertex 0 2 0 endloop endfacet\n"
      "facet outer loop vertex 1 0 0 vertex 0 2 0 vertex 0 0 3 endloop endfacet\nendsolid\n";
  folder_.write("wedge.stl", text);
  folder_.write("wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nv 0.1 0.1 0.1\n");
  for (const char* mesh : {"wedge.stl", "wedge.obj"}) {
    const fs::path file = folder_.write(
        "a.xml", std::string("<mujoco><asset><mesh name='m' inertia='exact' file='") + mesh +
                     "'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
    const Inertial body = load_robot(file.string()).links[1].inertial;
    EXPECT_NEAR(body.mass, 1000.0, 1e-9);
    EXPECT_NEAR(body.com.z, 0.75, 1e-12);
    EXPECT_NEAR(body.inertia.xx, 1000.0 * 3.0 / 80.0 * (4.0 + 9.0), 1e-9);  // m 3/80 (b² + c²)
  }
}

}  // namespace
}  // namespace catena::mjcf_files_test
