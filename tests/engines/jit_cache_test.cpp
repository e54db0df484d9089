// The cache of compiled code and the compiler's failures: entries are used again, verified, rebuilt when damaged, safe
// with several writers, and never half written; what goes wrong is said in one line.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "catena/compile.hpp"
#include "catena/robot_file.hpp"
#include "support/cache_folder.hpp"
#include "support/processes.hpp"

namespace catena::jit_cache_test {
namespace {

namespace fs = std::filesystem;

class JitCache : public testing::Test {
 protected:
  JitCache() : robot_(make_mechanism(load_robot(find_model("planar2r")))) {}

  Call<double> make(const CompileOptions& options) const { return compile_or_generic(robot_, "gravity", options); }
  Call<double> make() const { return make(cache_.options()); }

  // Its one line; the calls work nevertheless.
  std::string failure(const CompileOptions& options) const {
    const Call<double> calls = make(options);
    EXPECT_EQ(calls.engine().kind, EngineKind::generic);
    EXPECT_TRUE(works(calls));
    EXPECT_EQ(calls.engine().why.find('\n'), std::string::npos);
    try {
      compile(robot_, "gravity", options);
      ADD_FAILURE() << "compile() should have failed";
    } catch (const CompileError& error) {
      EXPECT_EQ(error.what(), calls.engine().why);
    }
    return calls.engine().why;
  }
  bool works(Call<double> calls) const {
    const std::vector<double> q{0.3, -0.4};
    std::vector<double> g(2), expected(2);
    calls({.q = q}, g);
    Call<double>(robot_, "gravity")({.q = q}, expected);
    return std::abs(g[0] - expected[0]) < 1e-9 && std::abs(g[1] - expected[1]) < 1e-9;
  }
  fs::path entry() const {
    const auto files = cache_.files();
    EXPECT_EQ(files.size(), 1U);
    return files.empty() ? fs::path() : files.front();
  }
  // A change of the entry that a loaded library must not see: the calls are gone before.
  void expect_rebuilt(const std::function<void(const fs::path&)>& damage) const {
    make();
    damage(entry());
    const Call<double> again = make();
    EXPECT_EQ(again.engine().kind, EngineKind::compiled) << again.engine().why;
    EXPECT_FALSE(again.engine().from_cache);
    EXPECT_TRUE(works(again));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(entry())));
    EXPECT_TRUE(make().engine().from_cache);
  }

  // As somebody does who empties the cache; files that others are about to write stay.
  void take_away() const {
    for (const fs::path& file : cache_.files())
      if (file.string().find(".tmp.") == std::string::npos) fs::remove(file);
  }

  test::CacheFolder cache_;
  Mechanism robot_;
};

testing::AssertionResult says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
}

TEST_F(JitCache, TheSecondTimeNoCompilerIsStarted) {
  CompileOptions options = cache_.options();
  const std::string log = (cache_.path().parent_path() / "log").string();
  options.compiler = cache_.script("counting_cc", "echo started >> " + log + "\nexec cc \"$@\"\n");
  const Call<double> first = make(options);
  ASSERT_EQ(first.engine().kind, EngineKind::compiled) << first.engine().why;
  EXPECT_FALSE(first.engine().from_cache);
  EXPECT_GT(first.engine().compile_seconds, 0.0);
  const auto starts = fs::file_size(log);
  EXPECT_GT(starts, 0U);
  const Call<double> second = make(options);
  EXPECT_TRUE(second.engine().from_cache);
  EXPECT_EQ(second.engine().compile_seconds, 0.0);
  EXPECT_TRUE(works(second));
  EXPECT_EQ(fs::file_size(log), starts);
  EXPECT_EQ(cache_.files().size(), 1U);
}

TEST_F(JitCache, EntriesArePrivate) {
  fs::remove(cache_.path());
  make();  // makes the folder too
  struct stat about {};
  ASSERT_EQ(::stat(cache_.path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat(entry().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(JitCache, AnotherRobotMethodOrCompilerIsAnotherEntry) {
  make();
  CompileOptions options = cache_.options();
  options.formulation = "luh-walker-paul";
  make(options);
  EXPECT_EQ(cache_.files().size(), 2U);
  options = cache_.options();
  options.compiler = "cc -g0";
  make(options);
  EXPECT_EQ(cache_.files().size(), 3U);
  robot_.gravity = 0.5 * robot_.gravity;
  make();
  EXPECT_EQ(cache_.files().size(), 4U);
}

TEST_F(JitCache, OnlyWhatIsCached) {
  CompileOptions options = cache_.options();
  options.only_cached = true;
  EXPECT_TRUE(says(failure(options), "not in the cache"));
  make();
  EXPECT_EQ(make(options).engine().kind, EngineKind::compiled);
}

TEST_F(JitCache, ADamagedEntryIsRebuilt) {
  expect_rebuilt([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); });
  expect_rebuilt([](const fs::path& file) { fs::resize_file(file, 0); });
  for (const double place : {0.0, 0.3, 0.6, 0.999}) {
    expect_rebuilt([&](const fs::path& file) {
      std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
      const auto at = static_cast<std::streamoff>(place * static_cast<double>(fs::file_size(file)));
      bytes.seekg(at);
      const int old = bytes.get();
      bytes.seekp(at);
      bytes.put(static_cast<char>(old ^ 1));
    });
  }
}

TEST_F(JitCache, AnEntryOfAnotherKeyIsNotTaken) {
  CompileOptions other = cache_.options();
  other.formulation = "luh-walker-paul";
  make(other);
  const fs::path wrong = entry().string() + ".kept";
  fs::rename(entry(), wrong);
  make();
  for (const fs::path& file : cache_.files())
    if (file != wrong) {
      fs::rename(wrong, file);
      break;
    }
  EXPECT_FALSE(make().engine().from_cache);
}

TEST_F(JitCache, LinksAndFilesThatOthersCanWriteAreRebuilt) {
  const fs::path elsewhere = cache_.path().parent_path() / "elsewhere";
  expect_rebuilt([&](const fs::path& file) {
    fs::rename(file, elsewhere);
    fs::create_symlink(elsewhere, file);
  });
  EXPECT_TRUE(fs::exists(elsewhere));
  expect_rebuilt([](const fs::path& file) { fs::permissions(file, fs::perms::group_write, fs::perm_options::add); });
  expect_rebuilt([](const fs::path& file) { fs::permissions(file, fs::perms::others_write, fs::perm_options::add); });
  if (::geteuid() != 0) return;  // only root can give a file away
  expect_rebuilt([](const fs::path& file) { ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0); });
}

TEST_F(JitCache, AFolderThatIsNotOursAloneIsRefused) {
  fs::permissions(cache_.path(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_TRUE(says(failure(cache_.options()), "can be written by others"));
  fs::permissions(cache_.path(), fs::perms::owner_all);
  fs::permissions(cache_.path(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_TRUE(says(failure(cache_.options()), "can be written by others"));
  fs::permissions(cache_.path(), fs::perms::owner_all);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(cache_.path().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(says(failure(cache_.options()), "belongs to another user"));
  ASSERT_EQ(::chown(cache_.path().c_str(), 0, 0), 0);
}

// Where everybody may rename what is in a folder, everybody may put another in its place. In /tmp nobody may.
TEST_F(JitCache, AFolderInOneOfEverybodyIsRefused) {
  const fs::path above = cache_.path() / "above";
  fs::create_directory(above);
  fs::permissions(above, fs::perms::all);
  CompileOptions options;
  options.cache_folder = above / "cache";
  EXPECT_TRUE(says(failure(options), "in which that for compiled code is, can be written by others"));
  fs::permissions(above, fs::perms::sticky_bit, fs::perm_options::add);
  EXPECT_EQ(make(options).engine().why, "");
}

TEST_F(JitCache, AFolderThatCannotBe) {
  CompileOptions options;
  options.cache_folder = "/proc/no/such/folder";  // root cannot make it either
  EXPECT_TRUE(says(failure(options), "cannot make the folder '/proc/no/such/folder': "));
  options.cache_folder = cache_.script("a_file", "");
  EXPECT_TRUE(says(failure(options), "cannot open the folder"));
  if (::geteuid() == 0) return;  // root may write everywhere
  fs::permissions(cache_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_TRUE(says(failure(cache_.options()), "cannot write"));
  fs::permissions(cache_.path(), fs::perms::owner_all);
}

TEST_F(JitCache, CompilersThatFail) {
  CompileOptions options = cache_.options();
  options.compiler = "/nonexistent/cc";
  EXPECT_EQ(failure(options), "no C compiler: '/nonexistent/cc', which cannot be run");
  options.compiler = cache_.script("broken", "echo first line; echo 'fatal error: out of cheese' >&2; exit 1\n");
  EXPECT_EQ(failure(options),
            "the C compiler '" + options.compiler + "' failed with status 1: fatal error: out of cheese");
  options.compiler = cache_.script("silent", "exit 3\n");
  EXPECT_TRUE(says(failure(options), "failed with status 3"));
  options.compiler = cache_.script("idle", "exit 0\n");  // makes nothing
  EXPECT_TRUE(says(failure(options), "made no library"));
  options.compiler = cache_.script("liar", "while [ \"$1\" != -o ]; do shift; done; echo no library > \"$2\"\n");
  EXPECT_TRUE(says(failure(options), "cannot load compiled code"));
  // A loader would map what is not there, and the process would end.
  options.compiler =
      cache_.script("half", "cc \"$@\"; while [ \"$1\" != -o ]; do shift; done; truncate -s 8000 \"$2\"\n");
  EXPECT_TRUE(says(failure(options), "made only a part of a library"));
  options.compiler = cache_.script("dead", "kill -9 $$\n");
  EXPECT_TRUE(says(failure(options), "failed, killed"));
  options.compiler = cache_.script("slow", "sleep 100 & sleep 100\n");
  options.timeout = 0.2;
  EXPECT_TRUE(says(failure(options), "took longer than"));
  for (const fs::path& file : cache_.files()) EXPECT_EQ(file.extension(), ".so") << file;
}

// Whole and loadable, but not what was asked for: a compiler's mistake, or an entry of a generator that had one.
TEST_F(JitCache, WrongCodeIsFoundOutBeforeItIsUsed) {
  const std::string wrong = cache_.script("wrong.c", "");
  std::ofstream(wrong) << "void robot_call(const double *const *in, double *g) { g[0] = in[0][0]; g[1] = 2.0; }\n";
  CompileOptions options = cache_.options();
  options.compiler = cache_.script("sometimes_wrong_cc", "if [ ! -e " + wrong + R"( ]; then exec cc "$@"; fi
while [ "$1" != -o ]; do shift; done; exec cc -fPIC -shared -o "$2" )" +
                                                             wrong + "\n");
  EXPECT_EQ(failure(options), "compiled code for gravity gives wrong results");
  EXPECT_EQ(cache_.files().size(), 1U);
  fs::remove(wrong);
  const Call<double> calls = make(options);
  EXPECT_EQ(calls.engine().why, "");
  EXPECT_FALSE(calls.engine().from_cache);
  EXPECT_TRUE(works(calls));
  EXPECT_TRUE(make(options).engine().from_cache);
}

TEST_F(JitCache, RefusedFlagsAreLeftOut) {
  CompileOptions options = cache_.options();
  options.compiler = cache_.script("simple", R"(for word in "$@"; do case $word in
-march=native) echo "error: bad value 'native' for '-march=' switch" >&2; exit 1;;
-fno-tree-slp-vectorize) echo "unknown argument: '-fno-tree-slp-vectorize'" >&2; exit 1;; esac; done
exec cc "$@"
)");
  EXPECT_EQ(make(options).engine().why, "");
}

TEST_F(JitCache, TheEnvironmentNamesCompilerAndFolder) {
  const auto with = [](const char* name, const char* value, const auto& run) {
    const char* old = std::getenv(name);
    const std::string kept = old != nullptr ? old : "";
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
    run();
    old != nullptr ? ::setenv(name, kept.c_str(), 1) : ::unsetenv(name);
  };
  with("CC", "/nonexistent/cc",
       [&] { EXPECT_EQ(failure(cache_.options()), "no C compiler: $CC is '/nonexistent/cc', which cannot be run"); });
  with("CC", nullptr, [&] {
    with("PATH", "/nonexistent",
         [&] { EXPECT_EQ(failure(cache_.options()), "no C compiler: tried $CC, cc, gcc, clang"); });
  });
  CompileOptions slow = cache_.options();
  slow.compiler = cache_.script("slow", "sleep 100\n");
  with("CATENA_COMPILER_TIMEOUT", "0.2",
       [&] { EXPECT_TRUE(says(make(slow).engine().why, "took longer than 0.2 s; CATENA_COMPILER_TIMEOUT sets")); });
  with("CATENA_COMPILER_TIMEOUT", "soon",
       [&] { EXPECT_EQ(failure(slow), "CATENA_COMPILER_TIMEOUT is 'soon', not a number of seconds"); });
  with("CATENA_CACHE_DIR", cache_.path().c_str(), [&] { EXPECT_EQ(make(CompileOptions{}).engine().why, ""); });
  EXPECT_EQ(cache_.files().size(), 1U);
  const fs::path home = cache_.path().parent_path() / "home";
  fs::create_directory(home);
  with("CATENA_CACHE_DIR", nullptr, [&] {
    with("XDG_CACHE_HOME", home.c_str(), [&] { EXPECT_EQ(make(CompileOptions{}).engine().why, ""); });
    EXPECT_TRUE(fs::is_directory(home / "catena"));
    with("XDG_CACHE_HOME", nullptr, [&] {
      with("HOME", home.c_str(), [&] { EXPECT_EQ(make(CompileOptions{}).engine().why, ""); });
      EXPECT_TRUE(fs::is_directory(home / ".cache" / "catena"));
      with("HOME", nullptr, [&] { EXPECT_TRUE(says(failure(CompileOptions{}), "set CATENA_CACHE_DIR")); });
    });
  });
}

TEST_F(JitCache, ThreadsThatCompileTheSameRobot) {
  std::vector<std::string> whys(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < whys.size(); ++k)
    threads.emplace_back([&, k] {
      const Call<double> calls = make();
      whys[k] = works(calls) ? calls.engine().why : "wrong result";
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(whys, std::vector<std::string>(4));
  EXPECT_EQ(cache_.files().size(), 1U);
}

// Runs in a process of its own, so that limits and crashes stay there.
int in_child(const std::function<bool()>& run) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(JitCache, ProcessesThatCompileTheSameRobot) {
  std::vector<pid_t> children;
  for (int k = 0; k < 4; ++k) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 3; ++round) {
        const Call<double> calls = make();
        // Taken away between the writing and the loading, the generic path serves.
        const bool gone = calls.engine().why.find("cannot load compiled code") != std::string::npos;
        good = good && (calls.engine().kind == EngineKind::compiled || gone) && works(calls);
        if (k == 0 && round < 2) take_away();
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const fs::path& file : cache_.files()) EXPECT_EQ(file.string().find(".tmp."), std::string::npos) << file;
}

// A full disk, as a limit on the size of files: whatever the size at which it strikes, the reason is told and no part
// of a file stays.
TEST_F(JitCache, AFullDiskLeavesNothingBehind) {
  make();
  const rlim_t whole = fs::file_size(entry());
  take_away();
  CompileOptions spared = cache_.options();  // the compiler may write what it likes: our own writing fails
  spared.compiler = cache_.script("spared_cc", "ulimit -S -f unlimited; exec cc \"$@\"\n");
  const auto fails = [&](const CompileOptions& options, rlim_t most, const char* expected) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{most, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Call<double> calls = make(options);
    if (calls.engine().kind == EngineKind::compiled || !works(calls)) return false;
    return calls.engine().why.find(expected) != std::string::npos;
  };
  for (const rlim_t most : {rlim_t(0), rlim_t(1000), whole - 10})  // the source's first byte, more of it, the seal
    EXPECT_EQ(in_child([&] { return fails(spared, most, "File too large"); }), 0) << most;
  EXPECT_EQ(in_child([&] { return fails(cache_.options(), whole / 2, ""); }), 0);  // the compiler's own writing
  EXPECT_TRUE(cache_.files().empty());
}

// Of processes that are gone; what one that lives, or one on another machine, is about to write stays.
TEST_F(JitCache, LeftoversOfKilledProcessesAreRemoved) {
  pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const auto file = [&](pid_t owner, int number, const char* ending) {
    const fs::path path = cache_.path() / ("0123." + std::to_string(owner) + "." + std::to_string(number) + ending);
    std::ofstream(path) << "half";
    return path;
  };
  const fs::path left[] = {file(gone, 0, ".tmp.c"), file(gone, 0, ".tmp.so"), file(gone, 1, ".tmp.so")};
  const fs::path written[] = {file(::getppid(), 0, ".tmp.c"), file(::getppid(), 0, ".tmp.so"), file(gone, 2, ".tmp.c"),
                              file(gone, 2, ".tmp.so")};
  const int elsewhere = ::open(written[2].c_str(), O_RDONLY);
  ASSERT_EQ(::flock(elsewhere, LOCK_EX), 0);
  make();
  ::close(elsewhere);
  for (const fs::path& path : left) EXPECT_FALSE(fs::exists(path)) << path;
  for (const fs::path& path : written) EXPECT_TRUE(fs::exists(path)) << path;
}

// A compiler that takes too long goes with all that it started.
TEST_F(JitCache, NothingOfASlowCompilerStays) {
  CompileOptions options = cache_.options();
  const fs::path started = cache_.path().parent_path() / "started";
  options.compiler = cache_.script("slow_cc", "sleep 300 & echo $! > " + started.string() + "; wait\n");
  options.timeout = 1.0;
  EXPECT_TRUE(says(make(options).engine().why, "took longer than 1 s"));
  pid_t part = 0;
  std::ifstream(started) >> part;
  ASSERT_GT(part, 0);
  for (int k = 0; k < 200 && test::is_running(part); ++k) ::usleep(10'000);
  EXPECT_FALSE(test::is_running(part));
}

// Straight-line code of a large robot: it is said before anything is compiled.
TEST_F(JitCache, CodeThatIsTooLongIsNotCompiled) {
  CompileOptions options = cache_.options();
  options.most_operations = 3;
  const std::string why = failure(options);
  EXPECT_TRUE(says(why, "code for gravity would have ")) << why;
  EXPECT_TRUE(says(why, "; the limit is 3")) << why;
  EXPECT_TRUE(cache_.files().empty());
}

TEST_F(JitCache, ProgressIsTold) {
  CompileOptions options = cache_.options();
  std::vector<CompileProgress> told;
  options.progress = [&](const CompileProgress& now) { told.push_back(now); };
  make(options);
  ASSERT_FALSE(told.empty());
  EXPECT_FALSE(told.front().compiling);
  EXPECT_TRUE(told.back().compiling);
  EXPECT_GT(told.back().operations, 0);
  EXPECT_GT(told.back().seconds, 0.0);
  told.clear();
  make(options);  // from the cache
  EXPECT_TRUE(told.empty());
}

}  // namespace
}  // namespace catena::jit_cache_test
