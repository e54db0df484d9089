// What engines that make code share: checksums, entries of the cache, the test of code before it is used.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include "engines/cache.hpp"
#include "engines/self_test.hpp"
#include "engines/sha256.hpp"
#include "support/cache_folder.hpp"

namespace catena::made_code_test {
namespace {

using engines::Cache;
using engines::sha256;

// The examples of FIPS 180-4.
TEST(Sha256, PublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqr"
             "stnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// In pieces of any size.
TEST(Sha256, PiecesAreTheWhole) {
  std::string text;
  for (int k = 0; k < 1000; ++k) text += static_cast<char>(k * 7);
  for (const std::size_t piece : {1U, 3U, 55U, 64U, 65U, 129U, 1000U}) {
    engines::Sha256 all;
    for (std::size_t k = 0; k < text.size(); k += piece) all.add(std::string_view(text).substr(k, piece));
    EXPECT_EQ(all.digest(), sha256(text)) << piece;
  }
}

// Where the length still fits the last block, and where it does not; by sha256sum.
TEST(Sha256, LengthsAroundABlock) {
  EXPECT_EQ(sha256(std::string(55, 'a')), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(sha256(std::string(56, 'a')), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(sha256(std::string(63, 'a')), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  EXPECT_EQ(sha256(std::string(64, 'a')), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  EXPECT_EQ(sha256(std::string(65, 'a')), "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
  EXPECT_EQ(sha256(std::string(119, 'a')), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
  EXPECT_EQ(sha256(std::string(120, 'a')), "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
void build(const std::string& source, const std::string& output) { write(output, "code of " + content_of(source)); }

TEST(Cache, AnEntryHasTheCodeAndAFormulationForEachJob) {
  const test::CacheFolder folder;
  const Cache cache(folder.path().string(), ".code");
  for (const std::vector<std::string>& formulations :
       {std::vector<std::string>{}, {"tensor-augmented"}, {"a+b", "articulated-body"}}) {
    const Cache::Entry made = cache.add("key", {"text", formulations}, build);
    EXPECT_EQ(made.formulations, formulations);
    EXPECT_EQ(made.path, (folder.path() / "key.code").string());
    EXPECT_TRUE(content_of(made.path).starts_with("code of text\ncatena-compiled-2\n"));
    const auto found = cache.find("key");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->formulations, formulations);
    EXPECT_EQ(found->path, made.path);
  }
  EXPECT_FALSE(cache.find("another"));
}

// Of the format before this one, whose code began behind the formulations or had them inside.
TEST(Cache, AnEntryOfAnotherFormatIsNotRead) {
  const test::CacheFolder folder;
  const Cache cache(folder.path().string(), ".code");
  const std::string path = cache.add("key", {"text", {"tensor"}}, build).path;
  const std::string code("tensor+composite-body\0code", 26);
  write(path, code + "\ncatena-compiled-1 " + sha256(code + "key"));
  EXPECT_FALSE(cache.find("key"));
  const std::string future = code + "\ncatena-compiled-3\ntensor\n";
  write(path, future + sha256(future + "key"));
  EXPECT_FALSE(cache.find("key"));
  const std::string now = code + "\ncatena-compiled-2\ntensor\n";
  write(path, now + sha256(now + "key"));
  EXPECT_TRUE(cache.find("key"));
  write(path, now + sha256(now + "another"));
  EXPECT_FALSE(cache.find("key"));
}

Program product(double factor) {
  Program program;
  program.jobs = {"gravity"};
  program.inputs.push_back({"q", 2, 1, false, ""});
  const Expr q1 = Expr::input(program.graph, "q[0]"), q2 = Expr::input(program.graph, "q[1]");
  Program::Output g;
  g.name = "g";
  g.rows = 1;
  g.entries.push_back((q1 * Expr(factor) * (q2 * Expr(factor)) * Expr(factor)).in(program.graph));
  program.outputs.push_back(g);
  return program;
}

// Code that cannot be tested is not used: where its expectation is finite nowhere, nothing could be found wrong with
// it.
TEST(SelfTest, CodeIsComparedWhereItsProgramIsFinite) {
  const Program program = product(2.0);
  const engines::StateRows states = engines::test_states<double>(program, 5);
  engines::StateRows results;
  for (const auto& state : states) results.push_back({8.0 * state[0] * state[1]});
  EXPECT_EQ(engines::disagreement<double>(program, states, results), "");
  results.back()[0] *= 1.001;
  EXPECT_EQ(engines::disagreement<double>(program, states, results), "gives wrong results");
  EXPECT_EQ(engines::disagreement<float>(program, states, results), "") << "as loose as the precision";
  EXPECT_EQ(engines::disagreement<double>(program, states, results, 1), "") << "the first state is right";
  results.front()[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(engines::disagreement<double>(program, states, results, 1), "gives wrong results");
  EXPECT_EQ(engines::disagreement<double>(product(1e300), states, results),
            "has no finite result at any state that was tried");
}

}  // namespace
}  // namespace catena::made_code_test
