#include "engines/c/compiler.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "catena/code.hpp"
#include "catena/compile.hpp"
#include "engines/whole_library.hpp"
#include "system/files.hpp"
#include "system/own_process.hpp"
#include "system/process.hpp"

namespace catena::jit {
namespace {

using system::on_path;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The most informative line: the first with "error", else the first that is not empty.
std::string telling_line(const std::string& output) {
  std::istringstream in(output);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

std::string printable(std::string text) {
  constexpr std::size_t longest = 300;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text.size() > longest ? text.substr(0, longest) + "..." : text;
}

std::string in_words(double seconds) {
  std::ostringstream text;
  text << seconds;
  return text.str();
}

// Removes the flags that the compiler complains about; false when it names none of them.
bool drop_refused(std::vector<std::string>& flags, const std::string& output) {
  const auto refused = [&](const std::string& flag) {
    constexpr std::array<std::string_view, 5> can_do_without = {"-march=native", "-fno-tree-slp-vectorize",
                                                                "-fno-schedule-insns", "-ffp-contract=fast",
                                                                "-mprefer-vector-width=512"};
    if (std::find(can_do_without.begin(), can_do_without.end(), flag) == can_do_without.end()) return false;
    // "bad value 'native' for '-march=' switch" names it in two pieces.
    return output.find(flag) != std::string::npos ||
           (flag == "-march=native" && output.find("-march") != std::string::npos);
  };
  return std::erase_if(flags, refused) > 0;
}

system::Finished run_compiler(const std::vector<std::string>& words, double timeout,
                              const std::function<void()>& tick) {
  try {
    return system::run_program({.words = words, .timeout = timeout}, tick);
  } catch (const system::StartError& error) {
    throw CompileError(error.what());
  }
}

void require_library(const std::string& path) {
  system::FileStatus about;
  if (!system::status_of_link(path, about) || about.kind != system::FileStatus::Kind::regular || about.size == 0)
    throw CompileError("the C compiler made no library of the code");
  if (!engines::is_whole_library(path)) throw CompileError("the C compiler made only a part of a library of the code");
}

}  // namespace

Compiler find_compiler(const std::string& asked) {
  const std::string named = !asked.empty() ? asked : system::variable("CC");
  Compiler compiler{words_of(named), ""};
  if (!compiler.words.empty()) {
    const std::string path = on_path(compiler.words[0]);
    if (path.empty())
      throw CompileError("no C compiler: " + std::string(asked.empty() ? "$CC is '" : "'") +
                         printable(compiler.words[0]) + "', which cannot be run");
    compiler.words[0] = path;
  } else {
    for (const char* name : {"cc", "gcc", "clang"})
      if (compiler.words.empty() && !on_path(name).empty()) compiler.words = {on_path(name)};
    if (compiler.words.empty()) throw CompileError("no C compiler: tried $CC, cc, gcc, clang");
  }
  // Asking for the version would start the compiler even when all code is cached: the file's data identify it as well.
  system::FileStatus about;
  system::status_of(compiler.words[0], about);
  std::ostringstream identity;
  for (const std::string& word : compiler.words) identity << word << ' ';
  identity << about.size << ' ' << about.changed_ns;
  compiler.identity = identity.str();
  return compiler;
}

// The generated text sets the same options for GCC; other compilers get them here.
std::vector<std::string> flags_for(long instructions) {
  std::vector<std::string> flags{"-std=gnu99", "-O3", "-ffp-contract=fast"};
  for (const std::string& pass : unhelpful_passes(instructions)) flags.push_back("-f" + pass);
#if defined(__x86_64__)
  if (!processor_identity().empty()) flags.emplace_back("-march=native");
#endif
  flags.insert(flags.end(), {"-fPIC", "-shared", "-w"});
  if (system::on_windows) flags.emplace_back("-static-libgcc");  // no library beside the code
  return flags;
}

double seconds_allowed(double asked) {
  constexpr double usual = 120.0;
  if (asked > 0.0) return asked;
  const std::string text = system::variable("CATENA_COMPILER_TIMEOUT");
  if (text.empty()) return usual;
  double seconds = 0.0;
  std::istringstream number(text);
  if (!(number >> seconds) || !number.eof() || !(seconds > 0.0))
    throw CompileError("CATENA_COMPILER_TIMEOUT is '" + printable(text) + "', not a number of seconds");
  return seconds;
}

void make_library(const Compiler& compiler, std::vector<std::string> flags, const std::string& source,
                  const std::string& output, double timeout, const std::function<void()>& tick) {
  for (;;) {
    std::vector<std::string> words = compiler.words;
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-o", output, source, "-lm"});
    const system::Finished finished = run_compiler(words, timeout, tick);
    if (finished.timed_out)
      throw CompileError("the C compiler '" + compiler.words[0] + "' took longer than " + in_words(timeout) +
                         " s; CATENA_COMPILER_TIMEOUT sets how long it may take");
    if (finished.status == 0) return require_library(output);
    if (drop_refused(flags, finished.output)) continue;
    const std::string line = printable(telling_line(finished.output));
    throw CompileError("the C compiler '" + compiler.words[0] + "' failed" +
                       (finished.status < 0 ? ", killed" : " with status " + std::to_string(finished.status)) +
                       (line.empty() ? "" : ": " + line));
  }
}

std::string processor_identity() {
  constexpr std::array<std::string_view, 6> telling = {"vendor_id",  "cpu family", "model",
                                                       "model name", "stepping",   "flags"};
  std::ifstream in("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(in, line) && !line.empty();) {  // of the first processor only
    const std::string key = line.substr(0, line.find_last_not_of(" \t", line.find(':') - 1) + 1);
    if (std::find(telling.begin(), telling.end(), key) != telling.end()) identity += line + "\n";
  }
  return identity;
}

}  // namespace catena::jit
