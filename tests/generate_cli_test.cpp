// catena generate as a person uses it.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "catena/io/robot_file.hpp"
#include "support/program.hpp"

namespace catena {
namespace {

using Generate = ProgramTest;

TEST_F(Generate, WritesSourceAndPrototypes) {
  const auto result = run_json("generate ur5 --compute inverse,inertia,forward --name arm -o arm.c");
  EXPECT_EQ(result["files"], (std::vector<std::string>{"arm.c", "arm.h"}));
  ASSERT_EQ(result["functions"].size(), 3u);
  EXPECT_EQ(result["functions"][0]["function"], "arm_inverse");
  EXPECT_LE(result["functions"][0]["multiplications"], 180);
  EXPECT_LE(result["functions"][0]["additions"], 150);
  const std::string header = contents(folder_ / "arm.h");
  for (const char* prototype : {"void arm_inverse(const double *q, const double *qd, const double *qdd, double *tau);",
                                "void arm_inertia(const double *q, double *M);",
                                "void arm_forward(const double *q, const double *qd, const double *tau, double *qdd);"})
    EXPECT_NE(header.find(prototype), std::string::npos) << prototype;
  // A person's program against it, and the same torques as the command line.
  make("main.c",
       "#include <stdio.h>\n#include \"arm.h\"\nint main(void) { double q[6] = {0.1, -1.2, 0.8, 0.4, 0.5, 0}, v[6] = "
       "{1, 1, 1, 1, 1, "
       "1}, tau[6];\n int j; arm_inverse(q, v, v, tau); for (j = 0; j < 6; ++j) printf(\"%.17g\\n\", tau[j]); return "
       "0; }\n");
  const auto program = shell("cc -std=c99 -Wall -Wextra -Werror -pedantic arm.c main.c -lm -o main && ./main");
  ASSERT_EQ(program.status, 0) << program.err;
  const auto tau = run_json("inverse ur5 --q 0.1,-1.2,0.8,0.4,0.5,0 --qd 1,1,1,1,1,1 --qdd 1,1,1,1,1,1")["tau"];
  std::istringstream lines(program.out);
  for (const double expected : tau) {
    double actual = 0.0;
    lines >> actual;
    EXPECT_NEAR(actual, expected, 1e-11);
  }
}

TEST_F(Generate, PrintsWithoutAFile) {
  const auto result = run("generate planar2r --compute gravity --lang python --name planar");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("def planar_gravity(q):"), std::string::npos);
}

TEST_F(Generate, WritesFormulasToRead) {
  const auto text = run("generate pelican --compute inertia --lang text");
  EXPECT_NE(text.out.find("M22 = m2 l2^2 + Izz2"), std::string::npos) << text.out << text.err;
  ASSERT_EQ(run("generate pelican --compute inertia --lang latex -o pelican.tex").status, 0);
  EXPECT_NE(contents(folder_ / "pelican.tex").find("m_2 l_2^2 + I_{zz2}"), std::string::npos);
}

TEST_F(Generate, TakesUnderASecondWithoutASearch) {
  for (const std::string& model : shipped_models()) {
    const auto start = std::chrono::steady_clock::now();
    const auto result =
        run("generate " + model +
            " --compute inverse,gravity,inertia,bias,coriolis,forward,pose,jacobian --no-search --name arm -o arm.c");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << model;  // all eight jobs together
  }
}

TEST_F(Generate, SearchesSevenJointsWithinFiveSeconds) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run("generate panda --compute inverse -o arm.c").status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(Generate, SaysWhatIsWrong) {
  EXPECT_NE(refused("generate ur5 --compute dance").find("--compute: no job 'dance'"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --keep mass:9").find("joints are numbered 1 to 6"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --name 'two words'").find("cannot name functions"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --method nonsense").find("no formulation 'nonsense'"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute inverse,inertia --method denoc").find("single --compute job"),
            std::string::npos);
  EXPECT_NE(refused("generate ur5 --lang c-batch --lanes 3").find("lanes are 2, 4, 8 or 16"), std::string::npos);
  EXPECT_NE(refused("generate ur5 -o arm.h").find(".h"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute pose --frame nowhere").find("has no frame 'nowhere'"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --json").find("--json needs -o"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute inverse,inverse --fuse").find("asked for twice"), std::string::npos);
  EXPECT_NE(refused("generate ur5 --compute inverse,inverse").find("asked for twice"), std::string::npos);
}

TEST_F(Generate, LeavesNoHalfWrittenFile) {
  EXPECT_NE(refused("generate ur5 -o missing/arm.c").find("missing/arm"), std::string::npos);
  make("arm.c", "mine\n");
  // A file of at most 4 kB may be written: the disk is as good as full.
  const auto result = shell("ulimit -f 8; trap '' XFSZ; \"$CATENA\" generate ur5 --compute coriolis -o arm.c");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(contents(folder_ / "arm.c"), "mine\n");
  EXPECT_EQ(shell("ls *.tmp 2>/dev/null").out, "");
}

TEST_F(Generate, KeptParametersAndGravityAreArguments) {
  ASSERT_EQ(run("generate ur5 --keep mass:6 --gravity-input --name arm -o arm.c").status, 0);
  EXPECT_NE(contents(folder_ / "arm.h")
                .find("void arm_inverse(const double *q, const double *qd, const double *qdd, const double *gravity, "
                      "const double *parameters, double *tau);"),
            std::string::npos);
}

}  // namespace
}  // namespace catena
