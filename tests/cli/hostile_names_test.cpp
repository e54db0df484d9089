// Names in a robot's file are anybody's words. Whatever they are, what is written for the robot is the same text but
// for the place of the name: it compiles, imports and parses, nothing of the name runs, and results agree. Every target
// that the library lists is tested by being listed.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "catena/code.hpp"
#include "catena/compile.hpp"
#include "catena/equations.hpp"
#include "catena/robot_file.hpp"
#include "codegen/escape.hpp"
#include "support/cache_folder.hpp"
#include "support/generic_job.hpp"
#include "support/plain_cuda.hpp"
#include "support/program.hpp"
#include "support/shared_library.hpp"
#include "support/tolerances.hpp"

namespace catena::hostile_names_cli_test {
namespace {

using test::State;

// What a file can hold; files with control characters are refused.
std::vector<std::string> hostile_names() {
  const std::string run = "__import__('os').system('touch ran'); print('X')";
  std::vector<std::string> names{
      "\"\"\"; " + run + "; \"\"\"",
      "'''; " + run + "; '''",
      "\\\"\"\"; " + run + " #",
      "\"\"\"\"\"\"\"",
      "\"",
      "'",
      "'; " + run + "; '",
      "*/ int evil(void) { return 1; } /*",
      "**//* int x;",
      "/* // */",
      "// \\",
      "\\",
      "\\\\",
      "ends in ?\?/",
      "?\?/?\?/ ?\?' ?\?! ?\?>",
      "\\end{document}",
      "\\end{align}\\end{align*}",
      "\\input{/etc/passwd}",
      "\\immediate\\write18{touch ran}",
      "100 % $x$ #1 & a_b ^ ~ {}",
      "}{\\bf $",
      "</script><script>alert(1)</script>",
      "]]>",
      "<!-- --> <?xml",
      "& &amp; < >",
      "$(touch ran) `touch ran` ${IFS}",
      "%s %n %d {} {0}",
      "@name @real @lanes @type",
      "\\u0041 \\N{DIGIT ONE} \\x41 \\012",
      "K\xC3\xBChlk\xC3\xB6rper \xC3\x9F \xC3\x90 \xC3\x97",
      "\xE6\x9C\xBA\xE5\x99\xA8\xE4\xBA\xBA",
      "right\xE2\x80\xAEtfel",
      "line\xE2\x80\xA8paragraph\xE2\x80\xA9 end",
      "\xF0\x9F\xA4\x96",
      " leading and trailing ",
      "int",
      "2R",
      std::string(990, 'x'),
      "\xC3\xA9" + std::string(990, '"'),
  };
  return names;
}

// What a program may call its robot beside that.
std::vector<std::string> hostile_names_in_memory() {
  std::vector<std::string> names = hostile_names();
  for (const char* more :
       {"\n\"\"\"\nimport os\n\"\"\"", "a\rb", "a\r\n*/ int x;\n/*", "// \\\nint x;", "\xFF\xFE broken \xC3",
        "\x1b[31mred\x1b[0m", "\t\v\f\b\x7f", "", "\xC0\xAF\xED\xA0\x80\xF8\x88"})
    names.emplace_back(more);
  names.push_back(std::string("a\0b", 3));
  return names;
}

const std::string harmless = "PLAIN";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The text is that of a harmless name, but in the lines that have the name.
void expect_same_but_for_the_name(const std::string& text, const std::string& plain) {
  const std::vector<std::string> own = lines_of(text), expected = lines_of(plain);
  ASSERT_EQ(own.size(), expected.size());
  int with_name = 0;
  for (std::size_t k = 0; k < own.size(); ++k) {
    const std::size_t at = expected[k].find(harmless);
    if (at == std::string::npos) {
      EXPECT_EQ(own[k], expected[k]);
      continue;
    }
    ++with_name;
    const std::string before = expected[k].substr(0, at), after = expected[k].substr(at + harmless.size());
    const bool shortened = own[k].find("...", before.size()) != std::string::npos;  // with what followed the name
    EXPECT_TRUE(own[k].starts_with(before) && (shortened || own[k].ends_with(after))) << own[k];
    EXPECT_LT(own[k].size(), 3000u) << "a name of any length stands in a line";
    for (const char c : own[k]) EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' && c != 0x7F) << own[k];
  }
  EXPECT_GE(with_name, 1);
}

// What LaTeX makes of this is text: every character of its own is escaped, the rest it can print.
void expect_latex_text(const std::string& text) {
  const std::string words[] = {"textbackslash{}", "textasciitilde{}", "textasciicircum{}",
                               "textless{}",      "textgreater{}",    "textbar{}"};
  for (std::size_t k = 0; k < text.size(); ++k) {
    ASSERT_EQ(std::string("#$%&_{}~^<>|").find(text[k]), std::string::npos) << text.substr(k);
    const auto byte = static_cast<unsigned char>(text[k]);
    if (byte >= 0x80) {
      ASSERT_EQ(byte, 0xC3) << text.substr(k);  // U+00C0 to U+00FF
      ++k;
    }
    if (text[k] != '\\') continue;
    const auto word = std::find_if(std::begin(words), std::end(words),
                                   [&](const std::string& w) { return text.compare(k + 1, w.size(), w) == 0; });
    if (word != std::end(words)) {
      k += word->size();
    } else {
      ASSERT_TRUE(k + 1 < text.size() && std::string("#$%&_{}").find(text[k + 1]) != std::string::npos)
          << text.substr(k);
      ++k;
    }
  }
}

std::string section_of(const std::string& latex) {
  const std::string start = "\\section*{";
  const std::size_t at = latex.find(start) + start.size();
  return latex.substr(at, latex.find('\n', at) - at - 1);
}

const std::vector<std::string> jobs{"inverse", "inertia"};

struct Named {
  std::string function;  // prefix
  std::vector<Program> programs;
  Code code;
};

std::vector<Named> print_all(const LanguageInfo& language) {
  std::vector<Named> all;
  Mechanism robot = make_mechanism(load_robot(find_model("planar2r")));
  for (const std::string& name : hostile_names_in_memory()) {
    robot.name = name;
    Named named{"arm" + std::to_string(all.size()), {}, {}};
    for (const std::string& job : jobs) {
      const ProgramRequest request{{job}, {}};
      named.programs.push_back(make_program(robot, request, usual_choices(robot, request)));
    }
    CodeOptions options{named.function, language.language};
    options.version = "1.2.3";
    named.code = print_code(named.programs, options);
    for (Program& program : named.programs) program.robot_name = harmless;
    const Code plain = print_code(named.programs, options);
    SCOPED_TRACE(std::string(language.name) + ": " + name.substr(0, 60));
    expect_same_but_for_the_name(named.code.source, plain.source);
    if (language.has_header) expect_same_but_for_the_name(named.code.header, plain.header);
    all.push_back(std::move(named));
  }
  return all;
}

constexpr const char* strict = "-Wall -Wextra -Werror -pedantic -Wtrigraphs -Wbidi-chars=any -Winvalid-utf8";

std::string strict_flags() {  // those that this compiler knows
  static std::string flags;
  if (!flags.empty()) return flags;
  std::istringstream words(strict);
  for (std::string word; words >> word;) {
    try {
      test::run_command("echo 'int x;' | cc -Werror " + word + " -x c -fsyntax-only - 2>&1");
      flags += " " + word;
    } catch (const std::runtime_error&) {
    }
  }
  return flags;
}

const State state{{0.3, -0.8}, {1.1, 0.4}, {-0.6, 2.0}};

std::vector<double> expected_of(const std::string& job) {
  return test::generic_job(job, make_mechanism(load_robot(find_model("planar2r"))), state, {}, 0);
}

std::vector<const double*> inputs_of(const Program& program) {
  std::vector<const double*> inputs;
  for (const Argument& a : program.inputs) inputs.push_back(test::input_of(a.name, state, {}).data());
  return inputs;
}

// Compiled alone under strict flags, header and all, then called.
void check_c(const std::vector<Named>& all, const LanguageInfo& language) {
  const test::TemporaryFolder folder;
  std::string together, includes;
  std::vector<Named> called;  // some are enough: the text is the same but for the name
  for (const Named& named : all) {
    folder.write(named.function + ".c", named.code.source);
    folder.write(named.function + ".h", named.code.header);
    includes += "#include \"" + named.function + ".h\"\n";
    if ((&named - all.data()) % 7 == 0) {
      together += named.code.source;
      called.push_back(named);
    }
  }
  folder.write("user.cpp", includes + "int main() { return 0; }\n");
  const std::string in_folder = "cd '" + folder.string() + "' && ";
  EXPECT_NO_THROW(test::run_command(in_folder + "cc -std=c99 -fsyntax-only" + strict_flags() + " *.c"));
  EXPECT_NO_THROW(test::run_command(in_folder + "c++ -std=c++17 -fsyntax-only" + strict_flags() + " user.cpp"));
  const test::SharedLibrary library(together, "-std=c99 -O0 -Dalways_inline=unused");
  for (const Named& named : called)
    for (const Program& program : named.programs) {
      const std::vector<double> expected = expected_of(program.jobs[0]);
      std::vector<double> result(expected.size());
      const std::string function = function_name(program, {named.function});
      if (language.takes_lanes) {
        library.call_batch<double>(function + "_batch", 1, 1, inputs_of(program), {result.data()});
      } else {
        library.call<double>(function, inputs_of(program), result.data());
      }
      EXPECT_TRUE(test::near(result, expected, test::relative(1e-12))) << function;
    }
}

// With a few words defined, CUDA C is C.
void check_cuda(const std::vector<Named>& all) {
  const test::TemporaryFolder folder;
  for (const Named& named : all) folder.write(named.function + ".c", test::plain_cuda(named.code.source));
  EXPECT_NO_THROW(
      test::run_command("cd '" + folder.string() + "' && cc -std=gnu99 -fsyntax-only" + strict_flags() + " arm*.c"));
}

// Imported, and called where they are functions of arrays; where they are CasADi's: tests/python/test_casadi.py.
void check_python(const std::vector<Named>& all, bool of_arrays) {
  const test::TemporaryFolder folder;
  nlohmann::json calls = nlohmann::json::array();
  if (!of_arrays) folder.write("casadi.py", "");
  for (const Named& named : all) {
    folder.write(named.function + ".py", named.code.source);
    for (const Program& program : named.programs) {
      nlohmann::json arguments = nlohmann::json::array();
      for (const Argument& a : program.inputs) arguments.push_back(test::input_of(a.name, state, {}));
      calls.push_back(
          {named.function, function_name(program, {named.function}), arguments, expected_of(program.jobs[0])});
    }
  }
  folder.write("calls.json", calls.dump());
  folder.write("run.py", std::string("arrays = ") + (of_arrays ? "True" : "False") + R"(
import importlib, json, numpy as np
with open("calls.json") as file:
    calls = json.load(file)
for module, function, arguments, expected in calls:
    made = importlib.import_module(module)
    assert made.__doc__.startswith("Dynamics of the robot '"), made.__doc__
    if arrays:
        assert np.allclose(getattr(made, function)(*arguments).ravel(), expected, rtol=1e-12, atol=1e-12), function
)");
  EXPECT_EQ(test::run_command("cd '" + folder.string() + "' && " CATENA_PYTHON " -W error run.py"), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
}

// Parsed and called by Octave, without a word of its own.
void check_matlab(const std::vector<Named>& all) {
  const test::TemporaryFolder folder;
  std::string calls;
  for (const Named& named : all)
    for (const Program& program : named.programs) {
      CodeOptions options{named.function, Language::matlab};
      const std::string function = function_name(program, options);
      const auto listed = [](const std::vector<double>& values) {
        std::string text = "[";
        for (const double v : values) text += " " + std::to_string(v);
        return text + "]";
      };
      std::string arguments;
      for (const Argument& a : program.inputs)
        arguments += (arguments.empty() ? "" : ", ") + listed(test::input_of(a.name, state, {}));
      Program own = program;
      own.robot_name = hostile_names_in_memory()[std::size_t(&named - all.data())];
      folder.write(function + ".m", print_code({own}, options).source);
      calls += "x = " + function + "(" + arguments + ").'; assert(norm(x(:).' - " +
               listed(expected_of(program.jobs[0])) + ") < 1e-5);\n";
    }
  folder.write("calls.m", calls);
  // Octave 7.3 may complain as it ends, whatever it has run.
  EXPECT_EQ(test::run_command("cd '" + folder.string() +
                              "' && octave-cli --norc calls.m 2>&1 | sed '/while preparing to exit/d'"),
            "");
  EXPECT_FALSE(std::filesystem::exists(folder / "ran"));
}

TEST(HostileNames, EveryLanguage) {
  for (const LanguageInfo& language : languages()) {
    SCOPED_TRACE(language.name);
    const std::vector<Named> all = print_all(language);
    if (language.extension == ".c") {
      check_c(all, language);
    } else if (language.extension == ".cu") {
      check_cuda(all);
    } else if (language.extension == ".py") {
      check_python(all, language.language == Language::python);
    } else if (language.extension == ".m") {
      check_matlab(all);
    } else {
      ADD_FAILURE() << "a language that is not tested here: say how names in it are checked";
    }
  }
}

TEST(HostileNames, EveryFormatOfEquations) {
  const Robot robot = load_robot(find_model("planar2r"));
  Equations equations = make_equations(robot, make_mechanism(robot), {});
  equations.robot_name = harmless;
  for (const EquationFormat& format : equation_formats()) {
    equations.robot_name = harmless;
    const std::string plain = format.print(equations, 6);
    for (const std::string& name : hostile_names_in_memory()) {
      SCOPED_TRACE(std::string(format.name) + ": " + name.substr(0, 60));
      equations.robot_name = name;
      const std::string text = format.print(equations, 6);
      expect_same_but_for_the_name(text, plain);
      for (const char* mark : {"\xE2\x80\xAE", "\xE2\x80\xA8", "\xE2\x80\xA9"})
        EXPECT_EQ(text.find(mark), std::string::npos);
      if (format.name == "latex") expect_latex_text(section_of(text));
    }
  }
}

TEST(HostileNames, StringsOfC) {
  for (const std::string& name : hostile_names_in_memory()) {
    if (name.size() > 4000 || name.find('\0') != std::string::npos) continue;  // longer than C99 promises
    const test::SharedLibrary library("void copy(const char *ignored, char *out) { const char *in = " + c_string(name) +
                                          "; (void)ignored; while ((*out++ = *in++)) {} }\n",
                                      "-std=c99 -Wall -Werror -pedantic");
    std::string copied(name.size() + 1, 'z');
    library.call<char>("copy", {nullptr}, copied.data());
    EXPECT_EQ(copied, name + '\0');
  }
}

TEST(HostileNames, TheCompiledEngine) {
  const test::CacheFolder cache;
  Mechanism robot = make_mechanism(load_robot(find_model("planar2r")));
  for (const char* name : {"*/ #error no\n/*", "\"; int x[-1]; \"", "?\?/\n", "$(touch ran)"}) {
    robot.name = name;
    for (std::string& joint : robot.joint_names) joint = name;
    Call<double> call = compile(robot, "inverse", cache.options());
    std::vector<double> tau(2);
    call({.q = state.q, .qd = state.qd, .qdd = state.qdd}, tau);
    EXPECT_TRUE(test::near(tau, expected_of("inverse"), test::relative(1e-12)));
  }
}

// --- the program, on files ---

class HostileFile : public ProgramTest {
 protected:
  static std::string toml_string(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
  }
  // Robot, base, links, joints and frame are all called so.
  void write_robot(const std::string& name) const {
    const auto own = [&](const char* more) { return toml_string(name + more) + "\n"; };
    std::string text = "name = " + toml_string(name) + "\nconvention = \"modified\"\ntool = " + own("frame");
    text += "[base]\nname = " + own("base");
    for (const char* number : {"1", "2"})
      text += "[[link]]\nname = " + own(number) + "joint_name = " + own(number) +
              "joint = \"revolute\"\na = 0.5\nmass = 2.0\ncom = [0.2, 0, 0]\ninertia = [0.1, 0.2, 0.25]\n"
              "friction = { viscous = 0.3, coulomb = 0.1 }\nrotor = { inertia = 1e-3, gear_ratio = 10 }\n";
    make("robot.toml", text + "[[frame]]\nname = " + own("frame") + "link = " + own("2"));
  }
};

TEST_F(HostileFile, NeverRunsAndNeverEndsWhatItStandsIn) {
  std::vector<std::string> targets;
  for (const LanguageInfo& language : languages()) targets.emplace_back(language.name);
  for (const EquationFormat& format : equation_formats()) targets.emplace_back(format.name);
  const auto is_code = [](const std::string& target) {
    return std::any_of(languages().begin(), languages().end(), [&](const LanguageInfo& l) { return l.name == target; });
  };
  const auto generate = [&](const std::string& target) {
    const Result result = run("generate robot.toml --compute inverse,pose --lang " + target +
                              (is_code(target) ? " --name arm --keep mass:2,friction:1" : ""));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  write_robot(harmless);
  std::map<std::string, std::string> plain;
  for (const std::string& target : targets) plain[target] = generate(target);
  const std::string tau = run("inverse robot.toml --q 1,2 --qd 1,-1 --json").out;
  for (const std::string& name : hostile_names()) {
    SCOPED_TRACE(name.substr(0, 60));
    write_robot(name);
    for (const std::string& target : targets) expect_same_but_for_the_name(generate(target), plain[target]);
    EXPECT_EQ(run("inverse robot.toml --q 1,2 --qd 1,-1 --json").out, tau);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

TEST_F(HostileFile, DefaultNamesOfFunctionsAreIdentifiers) {
  for (const std::string& name : hostile_names()) {
    write_robot(name);
    const auto made =
        shell("\"$CATENA\" generate robot.toml -o own.c --force && cc -std=c99 -fsyntax-only -Wall -Werror own.c");
    EXPECT_EQ(made.status, 0) << name.substr(0, 60) << made.err;
    EXPECT_LT(made.out.size(), 1000u);
  }
}

// A shell expands the words that it completes.
TEST_F(HostileFile, FilesInFoldersOfModelsDoNotRunInCompletions) {
  make("$(touch ran).toml", "");
  make("it's.toml", "");
  make("good_robot-2.toml", "");
  for (const char* language : {"bash", "zsh", "fish"}) {
    const auto script = shell("CATENA_MODELS=. \"$CATENA\" completion " + std::string(language));
    EXPECT_NE(script.out.find("good_robot-2"), std::string::npos);
    EXPECT_EQ(script.out.find("touch ran"), std::string::npos);
    EXPECT_EQ(script.out.find("it's"), std::string::npos);
  }
}

}  // namespace
}  // namespace catena::hostile_names_cli_test
