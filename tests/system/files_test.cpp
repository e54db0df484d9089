// Files, this process and libraries: the same on every system.
#include "system/files.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "support/temporary_folder.hpp"
#include "system/descriptor.hpp"
#include "system/library.hpp"
#include "system/own_process.hpp"
#include "system/replaced_file.hpp"

namespace catena::files_test {
namespace {

using namespace system::opening;
using system::Descriptor;
using system::FileStatus;
namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) { return test::contents(fs::path(path)); }

  test::TemporaryFolder folder_;
};

TEST_F(Files, BytesAreWrittenAsTheyAre) {
  const std::string path = file("Größe und Maß.bin"), bytes("a\nb\r\n\x1a\0c", 8);
  Descriptor made(system::open_file(path, to_read | to_write | make | only_new, system::for_owner));
  ASSERT_TRUE(made.open()) << std::strerror(errno);
  EXPECT_TRUE(system::write_all(made.get(), bytes));
  EXPECT_EQ(system::write_at(made.get(), "B", 1, 2), 1);
  char back[3] = {};
  EXPECT_EQ(system::read_at(made.get(), back, 2, 1), 2);
  EXPECT_EQ(std::string(back), "\nB");
  EXPECT_TRUE(system::flush_to_disk(made.get()));
  EXPECT_TRUE(made.close());
  EXPECT_TRUE(fs::exists(folder_ / "Größe und Maß.bin"));
  std::string expected = bytes;
  expected[2] = 'B';
  EXPECT_EQ(read(path), expected);
  FileStatus status;
  ASSERT_TRUE(system::status_of(path, status));
  EXPECT_EQ(status.kind, FileStatus::Kind::regular);
  EXPECT_EQ(status.size, bytes.size());
  EXPECT_TRUE(status.own);
  EXPECT_LT(system::open_file(path, to_write | make | only_new), 0);
  EXPECT_EQ(errno, EEXIST);
}

TEST_F(Files, AppendingAndCutting) {
  const std::string path = file("a");
  folder_.write("a", "12345");
  const Descriptor end(system::open_file(path, to_write | at_end));
  EXPECT_TRUE(system::write_all(end.get(), "6"));
  EXPECT_EQ(read(path), "123456");
  EXPECT_TRUE(system::set_size(end.get(), 2));
  EXPECT_TRUE(system::write_all(end.get(), "x"));
  EXPECT_EQ(read(path), "12x");
  Descriptor(system::open_file(path, to_write | emptied));
  EXPECT_EQ(read(path), "");
}

TEST_F(Files, FailuresHaveTheirReasons) {
  EXPECT_LT(system::open_file(file("none"), to_read), 0);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_LT(system::open_file(file("no/folder"), to_write | make), 0);
  EXPECT_EQ(errno, ENOENT);
  const Descriptor folder(system::open_file(folder_.string(), to_read));
  ASSERT_TRUE(folder.open());
  FileStatus status;
  ASSERT_TRUE(system::status_of(folder.get(), status));
  EXPECT_EQ(status.kind, FileStatus::Kind::folder);
  char byte = 0;
  EXPECT_LT(system::read_some(folder.get(), &byte, 1), 0);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_FALSE(system::status_of(file("none"), status));
  EXPECT_LT(system::open_folder(folder_.write("a", "").string()), 0);
  EXPECT_EQ(errno, ENOTDIR);
}

TEST_F(Files, AnOpenFileCanBeRemoved) {
  const std::string path = file("a"), other = file("b");
  folder_.write("a", "old");
  folder_.write("b", "new");
  Descriptor open(system::open_file(path, to_read));
  char back[4] = {};
  if (system::on_windows) open.close();  // which lets nobody replace it
  EXPECT_TRUE(system::rename_file(other, path)) << std::strerror(errno);
  EXPECT_EQ(read(path), "new");
  if (open.open()) {
    EXPECT_EQ(system::read_at(open.get(), back, 3, 0), 3);
    EXPECT_EQ(std::string(back), "old");
  }
  const Descriptor second(system::open_file(path, to_read));
  EXPECT_TRUE(system::remove_file(path.c_str())) << std::strerror(errno);
  EXPECT_EQ(system::read_at(second.get(), back, 3, 0), 3);
  EXPECT_EQ(std::string(back), "new");
}

TEST_F(Files, OneLocks) {
  const std::string path = folder_.write("a", "text").string();
  Descriptor one(system::open_file(path, to_read | to_write)), two(system::open_file(path, to_read | to_write));
  EXPECT_TRUE(system::lock(one.get(), system::Lock::exclusive));
  EXPECT_FALSE(system::lock(two.get(), system::Lock::shared));
  EXPECT_EQ(read(path), "text");  // a lock keeps nobody from reading
  EXPECT_TRUE(one.close());
  EXPECT_TRUE(system::lock(two.get(), system::Lock::shared));
}

TEST_F(Files, WindowsOfAFileInMemory) {
  const std::uint64_t step = system::mapping_step();
  std::string text(3 * step + 17, '.');
  for (std::size_t k = 0; k < text.size(); ++k) text[k] = static_cast<char>('a' + k / step);
  const Descriptor open(system::open_file(folder_.write("a", text).string(), to_read));
  void* mapped = system::map_file(open.get(), step, step + 5);
  ASSERT_NE(mapped, nullptr) << std::strerror(errno);
  EXPECT_EQ(std::memcmp(mapped, text.data() + step, step + 5), 0);
  system::unmap_file(mapped, step + 5);
}

TEST_F(Files, TheOldFileStaysUntilTheNewOneIsComplete) {
  const std::string path = folder_.write("a", "old").string();
  {
    system::ReplacedFile half(path);
    ASSERT_TRUE(half.open());
    EXPECT_TRUE(system::write_all(half.get(), "ne"));
    EXPECT_EQ(read(path), "old");
  }
  EXPECT_EQ(read(path), "old");
  system::ReplacedFile whole(path);
  EXPECT_TRUE(system::write_all(whole.get(), "new"));
  EXPECT_TRUE(whole.take_place()) << std::strerror(errno);
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}), 1);
}

TEST_F(Files, Folders) {
  EXPECT_TRUE(system::make_folder(file("inner")));
  EXPECT_FALSE(system::make_folder(file("inner")));
  EXPECT_EQ(errno, EEXIST);
  folder_.write("inner/a", "text");
  const Descriptor inner(system::open_folder(file("inner")));
  ASSERT_TRUE(inner.open());
  EXPECT_TRUE(Descriptor(system::open_in(inner.get(), "a", to_read | no_link)).open());
  EXPECT_FALSE(Descriptor(system::open_in(inner.get(), "b", to_read)).open());
  std::string one = file("own.XXXXXX"), two = file("own.XXXXXX");
  EXPECT_TRUE(system::make_unique_folder(one) && system::make_unique_folder(two));
  EXPECT_NE(one, two);
  EXPECT_TRUE(system::remove_folder(one.c_str()));
  EXPECT_FALSE(fs::exists(one));
}

TEST(OwnProcess, KnowsItself) {
  EXPECT_TRUE(fs::exists(fs::path(system::program_file())));
  EXPECT_TRUE(system::process_exists(system::number_of_process()));
  EXPECT_EQ(system::variable("CATENA_NO_SUCH_VARIABLE"), "");
  EXPECT_NE(system::variable("PATH"), "");
  EXPECT_TRUE(fs::exists(fs::path(system::library_file_with(reinterpret_cast<const void*>(&system::utc)))));
  EXPECT_EQ(system::utc(86400 * 365).tm_year, 71);
  EXPECT_FALSE(system::machine().processor.empty());
}

TEST(Library, ThatIsMissingSaysSo) {
  std::string why;
  bool is_missing = false;
  EXPECT_EQ(system::load_library("no_such_library_of_catena", why, is_missing), nullptr);
  EXPECT_TRUE(is_missing);
  EXPECT_NE(why.find("no_such_library_of_catena"), std::string::npos);
  EXPECT_EQ(why.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace catena::files_test
