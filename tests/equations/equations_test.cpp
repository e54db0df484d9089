// Equations as a person writes them: the matrices of the papers to the letter, and on random robots the value of every
// formula against the run-time path.
#include "catena/equations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "catena/call.hpp"
#include "catena/program.hpp"
#include "catena/robot_file.hpp"
#include "forces/joint_forces.hpp"
#include "support/generic_job.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::equations_test {
namespace {

using test::State;

const std::string rods = "all,cx1=-a1/2,Izz1=m1*a1^2/12,cx2=-a2/2,Izz2=m2*a2^2/12";
const std::vector<std::string> polynomial_jobs{"inertia", "coriolis", "gravity", "inverse", "bias", "pose", "jacobian"};

Equations equations_of(const Robot& robot, const std::string& symbols = "",
                       std::vector<std::string> jobs = {"inertia", "coriolis", "gravity"}) {
  EquationsRequest request;
  request.jobs = std::move(jobs);
  request.symbols = symbols;
  return make_equations(robot, make_mechanism(robot), request);
}
Equations equations_of(const std::string& model, const std::string& symbols = "",
                       std::vector<std::string> jobs = {"inertia", "coriolis", "gravity"}) {
  return equations_of(load_robot(find_model(model)), symbols, std::move(jobs));
}

// The displayed formulas of the document, without its text.
std::string displays(const std::string& latex) {
  std::string out;
  for (std::size_t start = latex.find("\\[\n"); start != std::string::npos; start = latex.find("\\[\n", start)) {
    const std::size_t end = latex.find("\\]\n", start);
    out += latex.substr(start + 3, end - start - 3);
    start = end;
  }
  return out;
}

// ½ (θ̇1 + θ̇2)², not (0.707107 θ̇1 + 0.707107 θ̇2)²: roots that nobody writes leave the number before the square.
TEST(Equations, SquaresHaveNumbersThatAPersonWrites) {
  const std::string text = to_text(equations_of("planar3r", rods + ",cx3=-a3/2,Izz3=m3*a3^2/12", {"inverse"}));
  EXPECT_NE(text.find("m3 a3 (1/2 a1 s23 qd1^2 + 1/2 a2 s3 (qd1 + qd2)^2)"), std::string::npos) << text;
  EXPECT_EQ(text.find("0.707"), std::string::npos) << text;
}

// Saha and Goel, the 2R example, with a for their l.
TEST(Equations, PlanarArmOfSahaAndGoel) {
  EXPECT_EQ(displays(to_latex(equations_of("planar2r", rods))),
            R"(\mathbf{M}(\mathbf{q}) = \begin{bmatrix}
  \tfrac{1}{3} m_1 a_1^2 + m_2 (a_1^2 + \tfrac{1}{3} a_2^2 + a_1 a_2 c_2) & m_2 a_2 (\tfrac{1}{3} a_2 + \tfrac{1}{2} a_1 c_2) \\
  m_2 a_2 (\tfrac{1}{3} a_2 + \tfrac{1}{2} a_1 c_2) & \tfrac{1}{3} m_2 a_2^2
\end{bmatrix}
\mathbf{C}(\mathbf{q}, \dot{\mathbf{q}}) = \tfrac{1}{2} m_2 a_1 a_2 s_2 \begin{bmatrix}
  -\dot\theta_2 & -(\dot\theta_1 + \dot\theta_2) \\
  \dot\theta_1 & 0
\end{bmatrix}
\mathbf{g}(\mathbf{q}) = g \begin{bmatrix}
  \tfrac{1}{2} m_1 a_1 c_1 + m_2 (a_1 c_1 + \tfrac{1}{2} a_2 c_{12}) \\
  \tfrac{1}{2} m_2 a_2 c_{12}
\end{bmatrix}
)");
}

// Laus, Simoni and Martins, the sum of M_1 and M_2, of C_1 and C_2, of g_1 and g_2.
TEST(Equations, PelicanOfLaus) {
  EXPECT_EQ(displays(to_latex(equations_of("pelican"))),
            R"(\mathbf{M}(\mathbf{q}) = \begin{bmatrix}
  m_1 l_1^2 + m_2 (a_1^2 + l_2^2 + 2 a_1 l_2 c_2) + I_{zz1} + I_{zz2} & m_2 l_2 (l_2 + a_1 c_2) + I_{zz2} \\
  m_2 l_2 (l_2 + a_1 c_2) + I_{zz2} & m_2 l_2^2 + I_{zz2}
\end{bmatrix}
\mathbf{C}(\mathbf{q}, \dot{\mathbf{q}}) = m_2 a_1 l_2 s_2 \begin{bmatrix}
  -\dot\theta_2 & -(\dot\theta_1 + \dot\theta_2) \\
  \dot\theta_1 & 0
\end{bmatrix}
\mathbf{g}(\mathbf{q}) = g \begin{bmatrix}
  m_1 l_1 c_1 + m_2 (a_1 c_1 + l_2 c_{12}) \\
  m_2 l_2 c_{12}
\end{bmatrix}
)");
}

TEST(Equations, TextOfThePelican) {
  EXPECT_EQ(to_text(equations_of("pelican")),
            R"(Pelican: M(q) qdd + C(q, qd) qd + g(q) = tau
c1 = cos(q1), s1 = sin(q1), c12 = cos(q1 + q2), ...

M11 = m1 l1^2 + m2 (a1^2 + l2^2 + 2 a1 l2 c2) + Izz1 + Izz2
M12 = M21 = m2 l2 (l2 + a1 c2) + Izz2
M22 = m2 l2^2 + Izz2

C11 = -m2 a1 l2 s2 qd2
C12 = -m2 a1 l2 s2 (qd1 + qd2)
C21 = m2 a1 l2 s2 qd1
C22 = 0

g1 = g (m1 l1 c1 + m2 (a1 c1 + l2 c12))
g2 = m2 g l2 c12

m1    mass of link 1                                6.5225 kg
m2    mass of link 2                                2.0458 kg
g     acceleration of gravity, along -y             9.81 m/s^2
a1    length of link 1                              0.26 m
l1    mass centre of link 1, distance from joint 1  0.0983 m
l2    mass centre of link 2, distance from joint 2  0.0229 m
Izz1  moment of inertia of link 1, zz               0.1213 kg m^2
Izz2  moment of inertia of link 2, zz               0.0116 kg m^2
)");
}

// Crossed axes: squares instead of double angles, squares of sums, a name of the user's.
TEST(Equations, ThreeJointsInSpace) {
  Robot robot;
  robot.name = "arm";
  robot.add_link("base");
  const DhRow rows[] = {{0, M_PI / 2, 0.4, 0}, {0.5, 0, 0, 0}, {0.3, 0, 0, 0}};
  const Inertial inertials[] = {{3, {0, -0.2, 0}, {0.1, 0.05, 0.1}},
                                {2, {-0.25, 0, 0}, {0.01, 0.1, 0.1}},
                                {1, {-0.15, 0, 0}, {0.001, 0.02, 0.02}}};
  for (int i = 0; i < 3; ++i) {
    JointDescription joint = classic_dh(rows[i], JointType::revolute);
    joint.name = std::string("j").append(1, char('1' + i));
    joint.child = robot.add_link("link" + joint.name, inertials[i]);
    joint.parent = joint.child - 1;
    robot.add_joint(joint);
  }
  const std::string text = to_text(equations_of(robot, "all,Iyy1=J", {"inertia", "gravity"}));
  EXPECT_NE(text.find("M11 = m3 (a2 c2 + l3 c23)^2 + J + Ixx2 s2^2 + Ixx3 s23^2 + Iyy3 c23^2 + c2^2 (m2 l2^2 + Iyy2)\n"
                      "M12 = M21 = 0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("g2 = g (m2 l2 c2 + m3 (a2 c2 + l3 c23))\n"), std::string::npos) << text;
  EXPECT_NE(text.find("J     Iyy1 = J                                      0.05 kg m^2\n"), std::string::npos) << text;
}

// Every formula of the equations, and the same with the common factor of the matrix taken out, by the run-time path.
void check_values(const Robot& robot, const State& x, const std::string& symbols) {
  const Mechanism mechanism = make_mechanism(robot);
  for (const std::string& job : polynomial_jobs) {
    SCOPED_TRACE(job + ", symbols " + symbols);
    const Equations equations = equations_of(robot, symbols, {job});
    const auto expected = test::generic_job(job, mechanism, x, {}, mechanism.tool);
    const double scale = std::max(1.0, test::largest(expected));
    auto all = expected;
    if (job == "coriolis" && equations.has_friction)  // f stands beside C
      for (const TreeJoint j : mechanism.all_joints())
        all.push_back(joint_torque<double>(mechanism, j, {x.q, x.qd, {}}) -
                      joint_torque<double>(mechanism, j, {x.q, {}, {}}));  // springs are in g
    EXPECT_TRUE(test::near(equations.evaluate(x.q, x.qd, x.qdd), all, scale, test::relative(1e-11)));
    const auto values = equations.symbol_values(x.q, x.qd, x.qdd);
    std::vector<double> with_factor;
    for (const Formula& inside : equations.equations[0].inside)
      with_factor.push_back(evaluate({equations.equations[0].common}, equations.alphabet, values, x.q) *
                            evaluate(inside, equations.alphabet, values, x.q));
    EXPECT_TRUE(test::near(with_factor, expected, scale, test::relative(1e-11)));
  }
}

TEST(Equations, RandomRobotsInSpace) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int joints = 1 + static_cast<int>(seed % 4);
    const auto [robot, x] = test::sample(7100 + seed, joints);
    check_values(robot, x, "none");
    if (joints <= 2) check_values(robot, x, "all");
    if (joints == 3) check_values(robot, x, "mass:1,com:2,inertia:3,gravity");
  }
}

// What is printed for a formulation is what it computes; velocity torques of every matrix C are the same.
TEST(Equations, EveryFormulationPrintsItsOwnResult) {
  for (const std::uint64_t seed : test::seeds(0, 6)) {
    const auto [robot, x] = test::sample(7200 + seed, 1 + static_cast<int>(seed % 3));
    const Mechanism mechanism = make_mechanism(robot);
    std::vector<double> velocity_torques;
    for (const std::string& job : polynomial_jobs)
      for (const FormulationInfo& formulation : formulations(job)) {
        SCOPED_TRACE(job + ", " + std::string(formulation.name) + ", seed " + std::to_string(seed));
        EquationsRequest request{.jobs = {job}, .formulations = {{job, std::string(formulation.name)}}};
        request.symbols = "none";
        auto printed = make_equations(robot, mechanism, request).evaluate(x.q, x.qd, x.qdd);
        Call<double> call(mechanism, job, formulation.name);
        std::vector<double> expected(call.size());
        call({.q = x.q, .qd = x.qd, .qdd = x.qdd, .frame = mechanism.tool}, expected);
        const double scale = std::max(1.0, test::largest(expected));
        printed.resize(expected.size());  // without the friction beside C
        EXPECT_TRUE(test::near(printed, expected, scale, test::relative(1e-11)));
        if (job != "coriolis") continue;
        std::vector<double> torques(x.qd.size());
        for (std::size_t k = 0; k < expected.size(); ++k)
          torques[k / torques.size()] += printed[k] * x.qd[k % torques.size()];
        if (velocity_torques.empty()) velocity_torques = torques;
        EXPECT_TRUE(
            test::near(torques, velocity_torques, std::max(1.0, test::largest(torques)), test::relative(1e-11)));
      }
  }
}

TEST(Equations, FormulationsThatCannotBeMetAreRefused) {
  const Robot robot = load_robot(find_model("pelican"));
  const auto message = [&](const std::string& job, const std::string& formulation) {
    EquationsRequest request{.jobs = {"inertia"}, .formulations = {{job, formulation}}};
    try {
      make_equations(robot, make_mechanism(robot), request);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("gravity", "denoc"), "a formulation of gravity is named, but gravity is not among the jobs");
  EXPECT_EQ(message("inertia", "nosuch").find("no formulation 'nosuch' of inertia; known: "), 0u);
  EXPECT_EQ(message("inertia", "walker-orin").find("walker-orin of inertia: "), 0u);
  EXPECT_EQ(message("inertia", "renaud"), "accepted");
}

TEST(Equations, RandomPlanarRobots) {
  test::Random random(31);
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int joints = 1 + static_cast<int>(seed % 4);
    Robot robot;
    robot.add_link("base");
    robot.gravity = {random.between(-1, 1), seed % 2 == 0 ? 0.0 : -9.81, 0.0};
    for (int i = 0; i < joints; ++i) {
      const DhRow row{random.between(0.1, 1), seed % 3 == 0 && i == 1 ? M_PI : 0.0, random.between(-1, 1),
                      random.between(-3, 3)};
      const bool slides = seed % 5 == 4 && i == 1;
      JointDescription joint =
          (seed % 2 == 0 ? classic_dh : modified_dh)(row, slides ? JointType::prismatic : JointType::revolute);
      joint.name = std::string("j").append(1, char('1' + i));
      joint.child = robot.add_link("link" + joint.name, test::random_inertial(random));
      joint.parent = joint.child - 1;
      robot.add_joint(joint);
    }
    const State x = test::random_state(random, joints);
    check_values(robot, x, "none");
    if (joints <= 3) check_values(robot, x, "all");
  }
}

TEST(Equations, ShippedRobotsWithNumbers) {
  test::Random random(37);
  for (const char* model : {"ur5", "stanford", "puma560"}) {
    SCOPED_TRACE(model);
    const Robot robot = load_robot(find_model(model));
    check_values(robot, test::random_state(random, robot.dof()), "none");
  }
}

TEST(Equations, GravityOfALargeArmTakesSeconds) {
  const auto start = std::chrono::steady_clock::now();
  const Equations equations = equations_of("panda", "", {"gravity"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  test::Random random(41);
  const State x = test::random_state(random, 7);
  const Mechanism mechanism = make_mechanism(load_robot(find_model("panda")));
  EXPECT_TRUE(test::near(equations.evaluate(x.q, x.qd, x.qdd), test::generic_job("gravity", mechanism, x, {}, 0),
                         test::relative(1e-11)));
}

// The open tree's model and the equations that close it, at a place where they are closed.
TEST(Equations, ClosedLoopsAreThoseOfTheTreeAndWhatClosesIt) {
  for (const char* name : {"fourbar_press", "slider_crank", "five_bar", "parallelogram", "delta"}) {
    const Robot robot = load_robot(find_model(name));
    const Mechanism mechanism = make_mechanism(robot);
    EquationsRequest request;
    request.jobs = {"inertia"};
    const Equations equations = make_equations(robot, mechanism, request);
    ASSERT_EQ(equations.equations.size(), 3U) << name;
    test::Random random(3);
    const State x = test::with_all_positions(mechanism, test::random_state(random, mechanism));
    const std::vector<double> none(x.q.size()), values = equations.evaluate(x.q, none, none);
    const std::size_t n = x.q.size(), rows = std::size_t(equations.equations[1].rows), v = equations.independent.size();
    const double* const M = values.data();
    const double* const phi = M + n * n;
    const double* const J = phi + rows;
    for (std::size_t r = 0; r < rows; ++r) EXPECT_NEAR(phi[r], 0.0, 1e-12) << name;
    // Rates of all joints, by differences of their positions: J G = 0 and Gᵀ M G is the robot's inertia.
    std::vector<double> G(n * v);
    const auto place = [&](std::size_t c, double by) {
      State moved = x;
      moved.q.clear();
      for (const int joint : equations.independent) moved.q.push_back(x.q[std::size_t(joint)]);
      moved.q[c] += by;
      return test::with_all_positions(mechanism, moved).q;
    };
    for (std::size_t c = 0; c < v; ++c)
      for (std::size_t j = 0; j < n; ++j) G[j * v + c] = (place(c, 1e-5)[j] - place(c, -1e-5)[j]) / 2e-5;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < v; ++c) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n; ++j) sum += J[r * n + j] * G[j * v + c];
        EXPECT_NEAR(sum, 0.0, 1e-8) << name;
      }
    State own;
    for (const int joint : equations.independent) own.q.push_back(x.q[std::size_t(joint)]);
    const std::vector<double> inertia = test::generic_job("inertia", mechanism, own, {}, 0);
    for (std::size_t a = 0; a < v; ++a)
      for (std::size_t b = 0; b < v; ++b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) sum += G[i * v + a] * M[i * n + j] * G[j * v + b];
        EXPECT_NEAR(sum, inertia[a * v + b], 1e-7 * (1.0 + std::abs(sum))) << name;
      }
    request.jobs = {"place"};
    EXPECT_THROW(make_equations(robot, mechanism, request), std::invalid_argument);
  }
}

TEST(Equations, DocumentsAreBalanced) {
  for (const std::string& model : shipped_models()) {
    const Robot robot = load_robot(find_model(model));
    if (model == "gripper") continue;  // couplings beside loops are not printed
    for (const std::string& symbols : {std::string("none"), std::string("mass:1,gravity")}) {
      const std::string latex = to_latex(equations_of(robot, symbols, {"gravity", "inertia"}));
      int depth = 0, parentheses = 0;
      for (std::size_t k = 0; k < latex.size(); ++k) {
        if (k > 0 && latex[k - 1] == '\\') continue;
        depth += (latex[k] == '{') - (latex[k] == '}');
        parentheses += (latex[k] == '(') - (latex[k] == ')');
        ASSERT_GE(depth, 0) << model;
      }
      EXPECT_EQ(depth, 0) << model;
      EXPECT_EQ(parentheses, 0) << model;
      EXPECT_EQ(latex.find('\x1f'), std::string::npos);
      for (const char* part : {"\\begin{document}", "\\end{document}", "\\usepackage{amsmath}"})
        EXPECT_NE(latex.find(part), std::string::npos);
    }
  }
}

TEST(Equations, CanonicalFormDecidesIdentities) {
  TrigSpace space{{{"m", SymbolKind::mass, 1}}, {0, 0, 1}, 2};
  TermLimit limit;
  const auto turn = [&](std::vector<int> factors, double offset = 0.0) {
    return TrigPolynomial::cosine_and_sine(space, factors, offset);
  };
  const auto times = [&](const TrigPolynomial& a, const TrigPolynomial& b) { return a.times(b, space, limit); };
  const auto [c1, s1] = turn({1, 0, 0});
  const auto [c2, s2] = turn({0, 1, 0});
  const auto [c3, s3] = turn({0, 0, 1});
  const auto [c12, s12] = turn({1, 1, 0});
  EXPECT_TRUE((times(c1, c2) - times(s1, s2) - c12).is_zero());
  EXPECT_TRUE((times(s1, c2) + times(c1, s2) - s12).is_zero());
  EXPECT_TRUE((times(c1, c1) + times(s1, s1) - TrigPolynomial::constant(space, 1.0)).is_zero());
  EXPECT_EQ(times(c1, c3).terms().size(), 1u);  // not parallel: stays a product
  EXPECT_EQ(times(c1, c2).terms().size(), 2u);
  EXPECT_TRUE((turn({1, 0, 1}).first - times(c1, c3) + times(s1, s3)).is_zero());
  EXPECT_TRUE((turn({1, 0, 0}, M_PI / 2).first + s1).is_zero());
  EXPECT_TRUE((turn({-1, 0, 0}).second + s1).is_zero());
}

TEST(Equations, RefusesInOneLine) {
  const auto message = [](const std::string& symbols, std::vector<std::string> jobs = {"inertia"},
                          std::size_t limit = 20000) {
    const Robot robot = load_robot(find_model("pelican"));
    EquationsRequest request;
    request.jobs = std::move(jobs);
    request.symbols = symbols;
    request.limit = TermLimit(limit);
    try {
      make_equations(robot, make_mechanism(robot), request);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("mass:9"), "'mass:9': joints are numbered 1 to 2");
  EXPECT_EQ(message("cx1=-a1/2"), "'cx1=-a1/2': gives -0.13, but cx1 of the model is -0.1617");
  EXPECT_EQ(message("cx1=l1*"), "'cx1=l1*': expected a number, a name or '(' at the end");
  EXPECT_EQ(message("cx1=l1 a1"), "'cx1=l1 a1': expected an operator at 'a1'");
  EXPECT_EQ(message("cx1=m1^x"), "'cx1=m1^x': expected a whole power from 0 to 9 at the end");
  EXPECT_EQ(message("cx1=1/l1"), "'cx1=1/l1': only numbers can divide");
  EXPECT_EQ(message("cx1=s1-a1"), "'cx1=s1-a1': 's1' has a meaning of its own; choose another name");
  EXPECT_EQ(message("a1=2*a2,a2=a1/2"), "'a1=2*a2': gives 0.52, but a1 of the model is 0.26");
  EXPECT_EQ(message("a1=a2,a2=a1"), "'a2=a1': goes in a circle");
  EXPECT_EQ(message("a1=a1"), "'a1=a1': goes in a circle");
  EXPECT_EQ(message("m1=m,m1=n"), "'m1=n': m1 is given twice");
  EXPECT_EQ(message("cx1=" + std::string(500, '(')).find('\n'), std::string::npos);
  EXPECT_EQ(message("knee=1"),
            "'knee=1': the left side is a constant of the robot: m1, cx1, cy1, cz1, Ixx1, …, a1, d1, x1, y1, z1, fv1, "
            "fc1, fs1, Ir1, G1, k1, qr1, to1");
  EXPECT_EQ(message("all", {"forward"}),
            "forward divides by expressions in q and has no polynomial form: solve M qdd = tau - C qd - g");
  EXPECT_EQ(message("all", {"inertia"}, 3), "Pelican: a formula on the way has more than 3 terms");
}

}  // namespace
}  // namespace catena::equations_test
