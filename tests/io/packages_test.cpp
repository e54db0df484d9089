// ROS packages without ROS: by package.xml, by folder, around a file; meshes in them.
#include "io/packages.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "catena/validate.hpp"
#include "io/visuals.hpp"
#include "support/temporary_folder.hpp"

namespace catena::packages_test {
namespace {

namespace fs = std::filesystem;

std::string manifest(const std::string& name) { return "<package><name> " + name + " </name></package>"; }

class Packages : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("ROS_PACKAGE_PATH");
    ::unsetenv("AMENT_PREFIX_PATH");
    make("src/repo/one/package.xml", manifest("one_description"));
    make("src/repo/one/meshes/a.stl", "a");
    make("src/repo/two/package.xml", manifest("two"));
    make("src/repo/off/CATKIN_IGNORE", "");
    make("src/repo/off/package.xml", manifest("off"));
    make("src/plain/meshes/b.stl", "b");
    fs::permissions(folder_ / "src/repo", fs::perms::owner_all);
  }
  void make(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    folder_.write(name, text);
  }
  std::string at(const std::string& name) const { return fs::absolute(folder_ / name).string(); }

  test::TemporaryFolder folder_;
};

TEST_F(Packages, InAndBelowAFolderAndByItsName) {
  const auto found = io::find_packages({at("src")}, "");
  EXPECT_EQ(found.at("one_description"), at("src/repo/one"));
  EXPECT_EQ(found.at("two"), at("src/repo/two"));
  EXPECT_EQ(found.at("plain"), at("src/plain"));
  EXPECT_FALSE(found.contains("off"));
  EXPECT_EQ(io::find_packages({at("src/repo/one")}, "").at("one_description"), at("src/repo/one"));
  EXPECT_THROW(io::find_packages({at("gone")}, ""), ModelError);
}

TEST_F(Packages, AroundAFileUnlessEverybodyMayWriteThere) {
  const std::string file = at("src/repo/one/urdf/arm.urdf");
  EXPECT_EQ(io::find_packages({}, file).at("one_description"), at("src/repo/one"));
  EXPECT_EQ(io::find_packages({}, file).at("two"), at("src/repo/two"));
  fs::permissions(folder_ / "src/repo", fs::perms::all);
  EXPECT_EQ(io::find_packages({}, file).at("one_description"), at("src/repo/one"));
  EXPECT_FALSE(io::find_packages({}, file).contains("two"));
}

TEST_F(Packages, AFolderThatLeadsBackEnds) {
  fs::create_directory_symlink(folder_ / "src", folder_ / "src/plain/again");
  EXPECT_EQ(io::find_packages({at("src")}, "").at("two"), at("src/repo/two"));
}

TEST_F(Packages, MeshesAreLookedForInThem) {
  make("elsewhere/arm.urdf",
       "<robot name='r'><link name='l'><visual><geometry><mesh filename='package://one_description/meshes/a.stl'/>"
       "</geometry></visual><visual><geometry><mesh filename='package://plain/meshes/b.stl'/></geometry></visual>"
       "</link></robot>");
  const std::vector<Visual> nowhere = read_visuals(at("elsewhere/arm.urdf"));
  ASSERT_EQ(nowhere.size(), 2U);
  EXPECT_EQ(nowhere[0].path + nowhere[1].path, "");
  const std::vector<Visual> found = read_visuals(at("elsewhere/arm.urdf"), {.package_path = {at("src")}});
  EXPECT_EQ(found[0].path, at("src/repo/one/meshes/a.stl"));
  EXPECT_EQ(found[1].path, at("src/plain/meshes/b.stl"));
}

}  // namespace
}  // namespace catena::packages_test
