// catena equations as a person runs it.
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace catena {
namespace {

class EquationsCli : public ProgramTest {};

TEST_F(EquationsCli, WritesTheFile) {
  const Result written = run("equations pelican -o pelican.tex");
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.out, "");
  const std::string text = contents(folder_ / "pelican.tex");
  EXPECT_EQ(text, run("equations pelican").out);
  EXPECT_EQ(text.find("\\documentclass"), 0u);
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(shell("ls").out, "pelican.tex\nstderr.txt\nstdout.txt\n");
  EXPECT_NE(refused("equations pelican -o nowhere/pelican.tex").find("nowhere/pelican.tex: cannot write this file"),
            std::string::npos);
}

TEST_F(EquationsCli, ChoosesJobsSymbolsFormatAndDigits) {
  EXPECT_NE(run("equations pelican --compute gravity --format text --symbols none --digits 4")
                .out.find("g1 = 11.51 c1 + 0.4596 c12\ng2 = 0.4596 c12\n"),
            std::string::npos);
  EXPECT_NE(run("equations --compute gravity pelican --format text --symbols mass:2")
                .out.find("g1 = m2 (2.5506 c1 + 0.224649 c12) + 6.2898 c1\n"),
            std::string::npos);
  EXPECT_NE(run("equations planar2r --compute inertia --format text --symbols "
                "all,cx1=-a1/2,Izz1=m1*a1^2/12,cx2=-a2/2,Izz2=m2*a2^2/12")
                .out.find("M11 = 1/3 m1 a1^2 + m2 (a1^2 + 1/3 a2^2 + a1 a2 c2)\n"),
            std::string::npos);
}

TEST_F(EquationsCli, SaysWhatIsWrongInOneLine) {
  EXPECT_NE(refused("equations pelican --compute forward").find("solve M qdd = tau - C qd - g"), std::string::npos);
  EXPECT_NE(refused("equations pelican --compute inertai").find("did you mean 'inertia'?"), std::string::npos);
  EXPECT_NE(refused("equations pelican --symbols mass").find("--symbols 'mass': write QUANTITY:JOINT"),
            std::string::npos);
  EXPECT_NE(refused("equations pelican --symbols cx1=-a1/2").find("of the model is -0.1617"), std::string::npos);
  EXPECT_NE(refused("equations panda --compute inertia --limit 50").find("or raise --limit"), std::string::npos);
  EXPECT_NE(refused("equations pelican --format word").find("--format"), std::string::npos);
  EXPECT_NE(refused("equations pelican --digits 0").find("--digits"), std::string::npos);
  refused("equations nosuchrobot");
}

}  // namespace
}  // namespace catena
