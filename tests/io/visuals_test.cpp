// What is seen of the links, from files in which it is not URDF; those of URDF and MJCF are tested with the page.
#include "io/visuals.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temporary_folder.hpp"

namespace catena::visuals_test {
namespace {

TEST(Visuals, OfSdf) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "hand");
  folder.write("hand/tip.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto link = [](const std::string& name, const std::string& visuals) {
    return "<link name='" + name +
           "'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>" + visuals +
           "</link>";
  };
  const auto visual = [](const std::string& geometry, const std::string& more = "") {
    return "<visual name='v'>" + more + "<geometry>" + geometry + "</geometry></visual>";
  };
  const std::string mesh = "<mesh><uri>tip.obj</uri><scale>2 2 2</scale></mesh>";
  folder.write("hand/model.sdf",
               "<sdf version='1.9'><model name='hand'>" + link("palm", visual(mesh)) + "</model></sdf>");
  const std::string red = "<material><diffuse>1 0 0 1</diffuse></material>";
  folder.write(
      "arm.sdf",
      "<sdf version='1.9'><model name='arm'><frame name='up'><pose>0 0 2 0 0 0</pose></frame>" +
          link("rod", visual("<box><size>.1 .2 .3</size></box>", "<pose relative_to='up'>1 0 0 0 0 0</pose>" + red) +
                          visual("<capsule><radius>.1</radius><length>.5</length></capsule>") + visual("<plane/>")) +
          "<joint name='j' type='revolute'><parent>world</parent><child>rod</child>"
          "<axis><xyz>0 1 0</xyz></axis></joint>"
          "<include><uri>model://hand</uri></include>"
          "<joint name='k' type='revolute'><parent>rod</parent><child>hand::palm</child>"
          "<axis><xyz>0 1 0</xyz></axis></joint></model></sdf>");
  const std::vector<Visual> drawn = read_visuals((folder / "arm.sdf").string());
  ASSERT_EQ(drawn.size(), 3U);
  EXPECT_EQ(drawn[0].shape, Visual::Shape::box);
  EXPECT_EQ(drawn[0].origin.p.x, 1.0);
  EXPECT_EQ(drawn[0].origin.p.z, 2.0);
  EXPECT_EQ(drawn[0].color, (std::array<double, 4>{1.0, 0.0, 0.0, 1.0}));
  EXPECT_EQ(drawn[1].shape, Visual::Shape::capsule);
  EXPECT_EQ(drawn[1].size, (std::array<double, 3>{0.1, 0.5, 0.0}));
  EXPECT_EQ(drawn[2].link, "hand::palm");
  EXPECT_EQ(drawn[2].size, (std::array<double, 3>{2.0, 2.0, 2.0}));
  EXPECT_EQ(drawn[2].path, std::filesystem::weakly_canonical(folder / "hand" / "tip.obj").string());
}

}  // namespace
}  // namespace catena::visuals_test
