// Every kept input of every fuzz target: those of the corpora, and those that once were findings. docs/reliability.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/targets.hpp"

namespace catena::fuzz {
namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*run)(Input input);
};
constexpr Target targets[] = {
#define FUZZ_TARGET(name, words, seeds) {#name, fuzz_##name},
#include "fuzz/targets.def"
};

std::vector<fs::path> inputs_in(const fs::path& folder) {
  std::vector<fs::path> all;
  if (fs::exists(folder))
    for (const auto& file : fs::directory_iterator(folder)) all.push_back(file.path());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::uint8_t> bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class KeptInputs : public testing::TestWithParam<Target> {};

TEST_P(KeptInputs, AreTakenOrRefusedInWords) {
  const fs::path folder = CATENA_SOURCE_DIR "/tests/fuzz";
  const std::vector<fs::path> corpus = inputs_in(folder / "corpus" / GetParam().name);
  ASSERT_FALSE(corpus.empty()) << "a fuzz target without a corpus";
  std::vector<fs::path> all = inputs_in(folder / "found" / GetParam().name);
  all.insert(all.end(), corpus.begin(), corpus.end());
  GetParam().run({});
  for (const fs::path& file : all) EXPECT_NO_THROW(GetParam().run(bytes_of(file))) << file;
}

INSTANTIATE_TEST_SUITE_P(Fuzz, KeptInputs, testing::ValuesIn(targets),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(KeptInputs, AreOfATargetThatIsListed) {
  for (const char* kind : {"corpus", "found"})
    for (const fs::path& folder : inputs_in(fs::path(CATENA_SOURCE_DIR "/tests/fuzz") / kind))
      EXPECT_TRUE(std::any_of(std::begin(targets), std::end(targets), [&](const Target& target) {
        return folder.filename() == target.name;
      })) << folder;
}

}  // namespace
}  // namespace catena::fuzz
