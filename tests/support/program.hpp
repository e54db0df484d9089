// Runs the built program as a person does, in an empty folder of its own. For *_cli_test.cpp, which know
// CATENA_PROGRAM.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace catena {

class ProgramTest : public testing::Test {
 protected:
  struct Result {
    int status = 0;
    std::string out, err;
  };

  static std::string contents(const std::filesystem::path& file) { return test::contents(file); }
  std::filesystem::path make(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  // Runs `catena ARGUMENTS`; the arguments are a shell's, redirections included.
  Result run(const std::string& arguments) const { return shell("\"$CATENA\" " + arguments); }
  Result shell(const std::string& script) const {
    ::setenv("CATENA", CATENA_PROGRAM, 1);
    const std::string line = "cd '" + folder_.string() + "' && { " + script + "\n} >stdout.txt 2>stderr.txt";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder_ / "stdout.txt"),
            without_remark(contents(folder_ / "stderr.txt"))};
  }
  nlohmann::json run_json(const std::string& arguments, int status = 0) const {
    const Result result = run(arguments + " --json");
    EXPECT_EQ(result.status, status) << result.err;
    return nlohmann::json::parse(result.out);
  }
  // Nothing on stdout, one line on stderr, which comes back; by default bad usage or input, status 2.
  std::string refused(const std::string& arguments, int status = 2) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, status) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }

  // AddressSanitizer says once that it does not follow the lanes of the CUDA stub from one stack to another.
  static std::string without_remark(std::string err) {
    const std::size_t at = err.find("==WARNING: ASan doesn't fully support makecontext/swapcontext");
    if (at == std::string::npos) return err;
    const std::size_t begin = err.rfind('\n', at) + 1, end = err.find('\n', at);  // the first line begins at npos + 1
    return err.erase(begin, end == std::string::npos ? end : end + 1 - begin);
  }

  // All of them, as the program lists them.
  std::vector<std::string> commands() const {
    std::vector<std::string> names;
    std::istringstream help(run("--help").out);
    std::string line;
    for (bool inside = false; std::getline(help, line);) {
      if (line == "Commands:") inside = true;
      if (line == "Examples:") inside = false;
      if (inside && line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  }

  test::TemporaryFolder folder_;
};

}  // namespace catena
