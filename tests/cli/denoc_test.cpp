// catena denoc and catena coriolis --coefficients, run as a person runs them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/program.hpp"

namespace catena::denoc_cli_test {
namespace {

using Values = std::vector<double>;
using Matrix = std::vector<Values>;

class DenocCli : public ProgramTest {};

const std::string rods2 = " --symbols all,cx1=-a1/2,Izz1=m1*a1^2/12,cx2=-a2/2,Izz2=m2*a2^2/12";
const std::string rods3 = rods2 + ",cx3=-a3/2,Izz3=m3*a3^2/12";

void expect_lines(const std::string& text, std::initializer_list<const char*> lines) {
  for (const std::string line : lines)
    EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << "\n" << text;
}

// Section 4 of Saha and Goel: p1, p2, c21 as printed, ċ21 with the sign that its second component needs.
TEST_F(DenocCli, PrintsTheIntermediatesOfThePlanarArmOfTwoLinks) {
  const std::string text = run("denoc planar2r --format text --objects p,c,c_dot,M_tilde" + rods2).out;
  expect_lines(
      text, {"p 1[3] = 1", "p 1[4] = -1/2 a1 s1", "p 1[5] = 1/2 a1 c1", "p 2[3] = 1", "p 2[4] = -1/2 a2 s12",
             "p 2[5] = 1/2 a2 c12", "p 2[6] = 0", "c 2,1[1] = -1/2 (a1 c1 + a2 c12)",
             "c 2,1[2] = -1/2 (a1 s1 + a2 s12)", "c 2,1[3] = 0", "c_dot 2,1[1] = 1/2 (a1 s1 qd1 + a2 s12 (qd1 + qd2))",
             "c_dot 2,1[2] = -1/2 (a1 c1 qd1 + a2 c12 (qd1 + qd2))"});
}

TEST_F(DenocCli, PrintsTheAngularVelocitiesOfThePlanarArmOfTwoLinks) {
  const std::string text = run("denoc planar2r --format text --objects V,W,M_tilde_dot" + rods2).out;
  expect_lines(text, {"V 2[12] = -(qd1 + qd2)", "V 2[21] = qd1 + qd2", "V 2[45] = -(qd1 + qd2)", "W 1[12] = -qd1",
                      "W 1[45] = 0"});
  EXPECT_NE(refused("denoc planar2r --format text --objects Psi").find("no polynomial form"), std::string::npos);
}

TEST_F(DenocCli, PrintsThoseOfThreeLinks) {
  const std::string text = run("denoc planar3r --format text --objects p,c" + rods3).out;
  expect_lines(text, {"p 3[4] = -1/2 a3 s123", "p 3[5] = 1/2 a3 c123", "c 3,2[1] = -1/2 (a2 c12 + a3 c123)",
                      "c 3,1[1] = -(1/2 a1 c1 + a2 c12 + 1/2 a3 c123)"});
}

TEST_F(DenocCli, WritesLatex) {
  const std::string text = run("denoc planar2r --format latex --objects p,B,M_tilde,H_tilde,N_d" + rods2).out;
  EXPECT_EQ(text.find("\\documentclass"), 0u);
  for (const char* head : {"\\mathbf{p}_{1}", "\\mathbf{B}_{2,1}", "\\tilde{\\mathbf{M}}_{1}", "\\mathbf{N}_d"})
    EXPECT_NE(text.find(head), std::string::npos) << head;
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(text.find("Equations of motion"), std::string::npos);
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), Values(b[0].size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}

// N_l N_d takes rates to twists; the last row of blocks is the Jacobian of the last mass centre.
TEST_F(DenocCli, NumbersFitTheOtherCommands) {
  const std::string at = " stanford --q 0.3,-0.4,0.2,0.5,0.6,-0.7";
  const auto all = run_json("denoc" + at + " --qd 0.1,0.2,0.3,-0.1,0.4,0.2");
  for (const char* key :
       {"p",       "c",     "c_dot",   "B",     "B_dot", "V",   "W", "M",         "M_tilde", "M_tilde_dot",
        "H_tilde", "M_hat", "psi_hat", "m_hat", "psi",   "Psi", "U", "U_inverse", "N_l",     "N_d"})
    EXPECT_TRUE(all.contains(key)) << key;
  const Matrix twists = product(all["N_l"].get<Matrix>(), all["N_d"].get<Matrix>());
  const Matrix M = run_json("inertia" + at)["M"].get<Matrix>();
  Matrix own(6, Values(6, 0.0));
  for (int link = 0; link < 6; ++link) {  // Σ Jᵀ M J
    const Matrix body = all["M"][std::to_string(link + 1)].get<Matrix>();
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t r = 0; r < 6; ++r)
          for (std::size_t c = 0; c < 6; ++c)
            own[i][j] += twists[std::size_t(6 * link) + r][i] * body[r][c] * twists[std::size_t(6 * link) + c][j];
  }
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(own[i][j], M[i][j], 1e-12);
  EXPECT_NE(run("denoc ur5 --objects p,N_d").out.find("p 6\n"), std::string::npos);
  const auto pivots = run_json("factor" + at + " --rigid --method denoc")["D"];
  for (std::size_t j = 0; j < 6; ++j)
    EXPECT_NEAR(all["m_hat"][std::to_string(j + 1)].get<double>(), pivots[j].get<double>(), 1e-12);
  EXPECT_TRUE(all["Psi"].contains("2,2") && all["Psi"].contains("2,6") && !all["Psi"].contains("6,2"));
}

TEST_F(DenocCli, RefusesWhatItCannotDo) {
  EXPECT_NE(refused("denoc planar2r --objects p,q").find("no 'q'; known: p, c, c_dot"), std::string::npos);
  EXPECT_NE(refused("denoc planar2r --format text --objects M_hat").find("no polynomial form"), std::string::npos);
  EXPECT_NE(refused("denoc planar2r --format text --json").find("are for numbers"), std::string::npos);
  EXPECT_NE(refused("denoc planar2r --q 1").find("--q"), std::string::npos);
}

// Lin's D_mkj: symmetric in the rates, zero where nothing farther out moves, and of opposite sign for a pair.
TEST_F(DenocCli, CoefficientsHaveTheirSymmetries) {
  const std::string at = " stanford --q 0.3,-0.4,0.2,0.5,0.6,-0.7";
  const auto c = run_json("coriolis" + at + " --coefficients")["coefficients"].get<std::vector<Matrix>>();
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_NEAR(c[i][j][k], c[i][k][j], 1e-14);
        if (k <= j && j == i) {
          EXPECT_NEAR(c[j][k][j], 0.0, 1e-14);
        }
        if (k <= i && k <= j) {
          EXPECT_NEAR(c[j][k][i], -c[i][k][j], 1e-14) << i << j << k;
        }
      }
  for (const char* method : {"denoc-christoffel", "progressive"}) {
    const auto other = run_json("coriolis" + at + " --coefficients --method " + method)["coefficients"];
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(other[i][j][k].get<double>(), c[i][j][k], 1e-13) << method;
  }
  const Values qd{0.1, -0.2, 0.3, 0.4, -0.5, 0.6};
  const Matrix C = run_json("coriolis" + at + " --qd 0.1,-0.2,0.3,0.4,-0.5,0.6")["C"].get<Matrix>();
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 6; ++k) sum += c[i][j][k] * qd[k];
      EXPECT_NEAR(C[i][j], sum, 1e-13);
    }
}

TEST_F(DenocCli, CoefficientsRefuseWhatTheyDoNotRead) {
  EXPECT_NE(refused("coriolis ur5 --coefficients --method denoc").find("not a matrix of Christoffel symbols"),
            std::string::npos);
  EXPECT_NE(refused("coriolis ur5 --coefficients --qd 1,0,0,0,0,0").find("leave out --qd"), std::string::npos);
  EXPECT_NE(refused("coriolis ur5 --coefficients --states x.csv").find("leave out --states"), std::string::npos);
  EXPECT_NE(run("coriolis planar2r --coefficients --q 0,1").out.find("c_jk at"), std::string::npos);
}

// Conjugate gradients say how many steps they took.
TEST_F(DenocCli, ConjugateGradientsReportIterations) {
  const auto solved = run_json("forward ur5 --q 0,-1,1,0,0.3,0 --tau 1,2,3,0.1,0.2,0.3 --method conjugate-gradient");
  EXPECT_GE(solved["iterations"].get<int>(), 4);
  EXPECT_LE(solved["iterations"].get<int>(), 18);
  EXPECT_FALSE(run_json("forward ur5 --tau 1,2,3,0.1,0.2,0.3").contains("iterations"));
}

}  // namespace
}  // namespace catena::denoc_cli_test
