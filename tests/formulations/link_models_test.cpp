// Models of single links: their sum is the model of the robot, on chains and trees; what a link adds is the robot with
// that link's mass alone; and the pelican with its crucible, put together in three ways.
#include "catena/link_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "catena/changes.hpp"
#include "catena/count.hpp"
#include "catena/dynamics.hpp"
#include "catena/robot_file.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/validate.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/same_robot.hpp"
#include "support/temporary_folder.hpp"
#include "support/tolerances.hpp"

namespace catena::test::link_models_test {
namespace {

struct Model {
  Values M, C, g;
};

Model zeros(std::size_t n) { return {Values(n * n), Values(n * n), Values(n)}; }

Model sum_of(std::span<const LinkModel<double>> links, std::size_t n) {
  Model sum = zeros(n);
  for (const auto& link : links) scatter_add<double>(link, sum.M, sum.C, sum.g);
  return sum;
}

// By the jobs, rigid links alone.
Model by_jobs(const Robot& robot, const State& x) {
  const Mechanism mechanism = make_mechanism(robot, {.rigid = true});
  Model out = zeros(x.q.size());
  Call<double>(mechanism, "inertia", "progressive")({.q = x.q}, out.M);
  Call<double>(mechanism, "coriolis", "progressive")({.q = x.q, .qd = x.qd}, out.C);
  Call<double>(mechanism, "gravity")({.q = x.q}, out.g);
  return out;
}

void expect_same_model(const Model& a, const Model& b, Tolerance tolerance = relative(1e-12)) {
  EXPECT_TRUE(near(a.M, b.M, std::max(1e-3, largest(b.M)), tolerance));
  EXPECT_TRUE(near(a.C, b.C, std::max(1e-3, largest(b.C)), tolerance));
  EXPECT_TRUE(near(a.g, b.g, std::max(1e-3, largest(b.g)), tolerance));
}

TEST(LinkModels, AddUpToTheModelOnChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 300)) {
    SCOPED_TRACE(seed);
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 25));
    LinkModels<double> links(robot);
    const auto all = links(x.q, x.qd);
    ASSERT_EQ(all.size(), robot.links.size());
    expect_same_model(sum_of(all, x.q.size()), by_jobs(robot, x));
  }
}

// The least eigenvalue of a symmetric matrix is not below -tolerance x its trace: Cholesky of M + that does not stop.
bool is_semidefinite(const Values& M, std::size_t k) {
  double trace = 0.0;
  for (std::size_t i = 0; i < k; ++i) trace += M[i * k + i];
  Values L = M;
  for (std::size_t i = 0; i < k; ++i) L[i * k + i] += 1e-12 * trace;
  for (std::size_t j = 0; j < k; ++j) {
    for (std::size_t m = 0; m < j; ++m) L[j * k + j] -= L[j * k + m] * L[j * k + m];
    if (L[j * k + j] < 0.0) return false;
    if (L[j * k + j] == 0.0) continue;
    L[j * k + j] = std::sqrt(L[j * k + j]);
    for (std::size_t i = j + 1; i < k; ++i) {
      for (std::size_t m = 0; m < j; ++m) L[i * k + j] -= L[i * k + m] * L[j * k + m];
      L[i * k + j] /= L[j * k + j];
    }
  }
  return true;
}

// The joints that move a link, walked from the Robot's own description.
std::vector<int> movers(const Robot& robot, int link) {
  const std::vector<int> moving = robot.moving_joints();
  std::vector<int> out;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      if (robot.joints[j].child != link) continue;
      const auto q = std::find(moving.begin(), moving.end(), static_cast<int>(j));
      if (q != moving.end()) out.insert(out.begin(), static_cast<int>(q - moving.begin()));
      link = robot.joints[j].parent;
      found = true;
      break;
    }
  }
  return out;
}

TEST(LinkModels, AreSymmetricSemidefiniteAtTheJointsThatMoveTheLink) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    SCOPED_TRACE(seed);
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    LinkModels<double> links(robot);
    for (const auto& link : links(x.q, x.qd)) {
      const std::size_t k = link.joints.size();
      EXPECT_EQ(link.joints, movers(robot, link.link));
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < k; ++j) EXPECT_EQ(link.M[i * k + j], link.M[j * k + i]);
      EXPECT_TRUE(is_semidefinite(link.M, k));
    }
  }
}

// What a link adds is the model of a robot in which nothing else has mass; and of several links, their sum.
TEST(LinkModels, AreTheRobotWithThatLinksMassAlone) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    SCOPED_TRACE(seed);
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 10));
    LinkModels<double> links(robot);
    Model some = zeros(x.q.size());
    std::vector<std::string> names;
    for (const auto& link : links(x.q, x.qd)) {
      const std::string& name = robot.links[static_cast<std::size_t>(link.link)].name;
      Model one = zeros(x.q.size());
      scatter_add<double>(link, one.M, one.C, one.g);
      const Robot only = only_links(robot, {name});
      expect_same_model(one, by_jobs(only, x));
      const Mechanism mechanism = make_mechanism(only);
      EXPECT_FALSE(mechanism.has_drives);
      if (link.link % 2 == 0) continue;
      names.push_back(name);
      scatter_add<double>(link, some.M, some.C, some.g);
    }
    expect_same_model(some, by_jobs(only_links(robot, names), x));
  }
}

TEST(LinkModels, ExtendWhatIsThere) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    const auto [robot, x] = sample(seed, 3 + static_cast<int>(seed % 8));
    LinkModels<double> links(robot), again(robot);
    for (const auto& link : links(x.q, x.qd)) {
      State before = x;  // only what the link hangs on stands where it will
      if (!link.joints.empty()) before.q[static_cast<std::size_t>(link.joints.back())] += 1.0;
      if (!link.joints.empty()) before.qd[static_cast<std::size_t>(link.joints.back())] -= 1.0;
      again(before.q, before.qd);
      const auto& one = again.extend(link.link, x.q, x.qd);
      EXPECT_TRUE(near(one.M, link.M, relative(1e-13)));
      EXPECT_TRUE(near(one.C, link.C, std::max(1e-3, largest(link.C)), relative(1e-13)));
      EXPECT_TRUE(near(one.g, link.g, std::max(1e-3, largest(link.g)), relative(1e-13)));
    }
  }
}

TEST(LinkModels, AllocateNothing) {
  const auto [robot, x] = sample(7, 12);
  LinkModels<double> links(robot);
  Model sum = zeros(x.q.size());
  NoAlloc guard;
  for (const auto& link : links(x.q, x.qd)) scatter_add<double>(link, sum.M, sum.C, sum.g);
  links.extend(static_cast<int>(robot.links.size()) - 1, x.q, x.qd);
}

TEST(LinkModels, RefuseWrongLengths) {
  const auto [robot, x] = sample(7, 4);
  LinkModels<double> links(robot);
  const Values three(3), four(4);
  EXPECT_THROW(links(three, four), std::invalid_argument);
  EXPECT_THROW(links(four, three), std::invalid_argument);
  EXPECT_THROW(links.extend(1000, four, four), std::invalid_argument);
  EXPECT_THROW(links.extend(-1, four, four), std::invalid_argument);
  Model small = zeros(2), odd = zeros(4);
  odd.M.resize(3);
  const auto all = links(four, four);
  const auto longest = std::max_element(all.begin(), all.end(),
                                        [](const auto& a, const auto& b) { return a.joints.size() < b.joints.size(); });
  EXPECT_THROW(scatter_add<double>(*longest, small.M, small.C, small.g), std::invalid_argument);
  EXPECT_THROW(scatter_add<double>(*longest, odd.M, odd.C, odd.g), std::invalid_argument);
}

// --- what some links add ---

TEST(OnlyLinks, SayNothingOfWhatIsLeftOut) {
  const Robot robot = load_robot(find_model("pelican_crucible"));
  const Robot only = only_links(robot, {"crucible"});
  EXPECT_TRUE(only.warnings.empty());
  EXPECT_EQ(only.mass(), 1.0);
  EXPECT_TRUE(only_links(robot, {}).warnings.empty());
  EXPECT_EQ(only_links(robot, {}).mass(), 0.0);
  ASSERT_EQ(only_links(robot, {"base"}).warnings.size(), 1U);
  EXPECT_EQ(only_links(robot, {"base"}).warnings[0].text,
            "warning: link 0 'base': has neither mass nor inertia, so it adds nothing");
  try {
    only_links(robot, {"ladle"});
    ADD_FAILURE();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "Pelican with crucible: no link 'ladle' that could be kept");
  }
  // Nothing accelerates a massless robot.
  std::vector<double> qdd(3);
  Call<double> forward(make_mechanism(only_links(robot, {})), "forward");
  const Values zero(3);
  EXPECT_THROW(forward({.q = zero, .qd = zero, .tau = zero}, qdd), std::domain_error);
}

TEST(OnlyLinks, KeepTheWarningsOfTheLinksThatStay) {
  const std::string link =
      "[[link]]\njoint = 'revolute'\na = 1.0\nmass = 1.0\ncom = [0, 0, 0]\ninertia = [1.0, 1.0, 9.0]\n";
  const Robot robot = parse_toml("name = 'r'\nconvention = 'classic'\n" + link + link, "r.toml");
  ASSERT_EQ(robot.warnings.size(), 2U);
  ASSERT_EQ(only_links(robot, {robot.links[2].name}).warnings.size(), 1U);
  EXPECT_EQ(only_links(robot, {robot.links[2].name}).warnings[0].text, robot.warnings[1].text);
}

// --- the pelican and its crucible, three ways ---

// Laus's example by its closed forms, as corrected.
struct ClosedForm {
  double a1 = 0.26, a2 = 0.26, l1 = 0.0983, l2 = 0.0229, l3 = 0.15, g = 9.81;
  double m1 = 6.5225, m2 = 2.0458, m3 = 1.0, I1 = 0.1213, I2 = 0.0116, I3 = 0.01;

  static Model link1(const ClosedForm& p, const State& x) {
    return {{p.m1 * p.l1 * p.l1 + p.I1}, {0.0}, {p.m1 * p.g * p.l1 * std::cos(x.q[0])}};
  }
  static Model link2(const ClosedForm& p, const State& x) {
    const double c1 = std::cos(x.q[0]), c2 = std::cos(x.q[1]), s2 = std::sin(x.q[1]), c12 = std::cos(x.q[0] + x.q[1]);
    const double M11 = p.m2 * (p.a1 * p.a1 + p.l2 * p.l2 + 2 * p.a1 * p.l2 * c2) + p.I2;
    const double M12 = p.m2 * p.l2 * (p.l2 + p.a1 * c2) + p.I2, M22 = p.m2 * p.l2 * p.l2 + p.I2;
    const double h = p.m2 * p.a1 * p.l2 * s2;
    return {{M11, M12, M12, M22},
            {-h * x.qd[1], -h * (x.qd[0] + x.qd[1]), h * x.qd[0], 0.0},
            {p.m2 * p.g * (p.a1 * c1 + p.l2 * c12), p.m2 * p.g * p.l2 * c12}};
  }
  static Model link3(const ClosedForm& p, const State& x) {
    const double q1 = x.q[0], q2 = x.q[1], q3 = x.q[2], d1 = x.qd[0], d2 = x.qd[1], d3 = x.qd[2];
    const double c2 = std::cos(q2), c3 = std::cos(q3), c23 = std::cos(q2 + q3), c1 = std::cos(q1);
    const double s2 = std::sin(q2), s3 = std::sin(q3), s23 = std::sin(q2 + q3);
    const double c12 = std::cos(q1 + q2), c123 = std::cos(q1 + q2 + q3);
    const double along = p.l3 + p.a2 * c3 + p.a1 * c23, across = p.a2 * s3 + p.a1 * s23;
    const double M11 = p.m3 * (along * along + across * across) + p.I3;
    const double M12 =
        p.m3 * (p.a2 * p.a2 + p.l3 * p.l3 + p.a1 * p.a2 * c2 + 2 * p.a2 * p.l3 * c3 + p.a1 * p.l3 * c23) + p.I3;
    const double M13 = p.m3 * p.l3 * along + p.I3;
    const double M22 = p.m3 * (p.a2 * p.a2 + p.l3 * p.l3 + 2 * p.a2 * p.l3 * c3) + p.I3;
    const double M23 = p.m3 * p.l3 * (p.l3 + p.a2 * c3) + p.I3, M33 = p.m3 * p.l3 * p.l3 + p.I3;
    const double alpha = p.m3 * p.a1 * (p.a2 * s2 + p.l3 * s23), beta = p.m3 * p.l3 * across;
    const double gamma = p.m3 * p.a2 * p.l3 * s3;
    const double w = p.m3 * p.g;
    return {{M11, M12, M13, M12, M22, M23, M13, M23, M33},
            {-alpha * d2 - beta * d3, -alpha * (d1 + d2) - beta * d3, -beta * (d1 + d2 + d3),  //
             alpha * d1 - gamma * d3, -gamma * d3, -gamma * (d1 + d2 + d3),                    //
             gamma * (d1 + d2) + p.m3 * p.a1 * p.l3 * s23 * d1, gamma * (d1 + d2), 0.0},
            {w * (p.a1 * c1 + p.a2 * c12 + p.l3 * c123), w * (p.a2 * c12 + p.l3 * c123), w * p.l3 * c123}};
  }
};

const State published{{0.4, 0.9, -1.2}, {0.7, -0.3, 0.5}, {1.0, -2.0, 0.5}};

TEST(Pelican, HasTheLinkModelsOfThePaper) {
  const Robot robot = load_robot(find_model("pelican_crucible"));
  LinkModels<double> links(robot);
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    const State x = k == 0 ? published : random_state(random, 3);
    const auto all = links(x.q, x.qd);
    const Model closed[] = {ClosedForm::link1({}, x), ClosedForm::link2({}, x), ClosedForm::link3({}, x)};
    ASSERT_EQ(all.size(), 4U);
    EXPECT_TRUE(all[0].joints.empty());
    for (std::size_t i = 1; i < 4; ++i) {
      EXPECT_EQ(all[i].joints.size(), i);
      expect_same_model({all[i].M, all[i].C, all[i].g}, closed[i - 1]);
    }
  }
}

Values torque(const Model& model, const State& x) {
  const std::size_t n = model.g.size();
  Values tau = model.g;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) tau[i] += model.M[i * n + j] * x.qdd[j] + model.C[i * n + j] * x.qd[j];
  return tau;
}

TEST(Pelican, MatchesTheTableWithAndWithoutItsCrucible) {
  const Tolerance table = relative(2e-11);
  const Model with{{0.704960217341, 0.227887340072, 0.0838900755005, 0.227887340072, 0.141036742827, 0.0466319524246,
                    0.0838900755005, 0.0466319524246, 0.0325},
                   {0.039228128944, 0.00354977588926, 0.0430873311713, 0.0538531152311, 0.0181747621764,
                    0.0327145719174, -0.0226075113829, -0.0145398097411, 0.0},
                   {15.2180271063, 2.26937010537, 1.46414862921}};
  const Model without{{0.35043839863, 0.0202444782916, 0.0202444782916, 0.012672837978},
                      {0.00286243942844, -0.00381658590459, 0.00667902533303, 0.0},
                      {10.7223377935, 0.122938963875}};
  State two = published;
  two.q.resize(2), two.qd.resize(2), two.qdd.resize(2);
  for (const auto& [name, x, expected, tau] :
       {std::tuple("pelican_crucible", published, with, Values{15.5570961043, 2.28710197397, 1.45956148481}),
        std::tuple("pelican", two, without, Values{11.0354359189, 0.122513083943})}) {
    SCOPED_TRACE(name);
    const Robot robot = load_robot(find_model(name));
    LinkModels<double> links(robot);
    const Model sum = sum_of(links(x.q, x.qd), x.q.size());
    expect_same_model(sum, expected, table);
    expect_same_model(by_jobs(robot, x), expected, table);
    EXPECT_TRUE(near(torque(sum, x), tau, table));
    EXPECT_TRUE(near(torques(make_mechanism(robot), {}, x), tau, table));
  }
}

// The crucible as a robot of its own, one body, and the joint it swings from.
Robot crucible_of(const Robot& together) {
  Robot crucible;
  crucible.name = "crucible";
  crucible.add_link("crucible", together.links[3].inertial);
  return crucible;
}

TEST(Pelican, IsTheSameTogetherLinkByLinkAndJoined) {
  const Robot together = load_robot(find_model("pelican_crucible")), pelican = load_robot(find_model("pelican"));
  Robot joined = join(pelican, pelican.tool_name(), crucible_of(together), together.joints[2]);
  EXPECT_EQ(joined.name, together.name);
  joined.tool = together.tool_name();
  expect_same(joined, together);
  expect_same(together, joined);
  Random random(4);
  for (int k = 0; k < 50; ++k) {
    const State x = k == 0 ? published : random_state(random, 3);
    const Values two(x.q.begin(), x.q.begin() + 2), rates(x.qd.begin(), x.qd.begin() + 2);
    Model by_link = zeros(3);
    LinkModels<double> arm(pelican), loaded(joined);
    for (const auto& link : arm(two, rates)) scatter_add<double>(link, by_link.M, by_link.C, by_link.g);
    loaded(x.q, x.qd);
    scatter_add<double>(loaded.extend(3, x.q, x.qd), by_link.M, by_link.C, by_link.g);
    expect_same_model(by_link, by_jobs(together, x));
    expect_same_model(by_jobs(joined, x), by_jobs(together, x));
  }
}

// --- what adding a link costs: the table of docs/progressive-models.md ---

struct Cost {
  OperationCount add, whole;
};

// Adding the last link, and its model to the sum, against all of it.
Cost cost_of_last(const Robot& robot) {
  const std::size_t n = static_cast<std::size_t>(robot.dof());
  const std::vector<Counted> q(n, Counted(0.3)), qd(n, Counted(0.7));
  LinkModels<Counted> links(robot);
  const auto scatter = [&](const LinkModel<Counted>& link, std::vector<Counted>& M, std::vector<Counted>& C,
                           std::vector<Counted>& g) { scatter_add<Counted>(link, M, C, g); };
  std::vector<Counted> M(n * n), C(n * n), g(n);
  Cost cost;
  Counted::reset();
  for (const auto& link : links(q, qd))
    if (!link.joints.empty()) scatter(link, M, C, g);
  cost.whole = Counted::count();
  Counted::reset();
  scatter(links.extend(static_cast<int>(robot.links.size()) - 1, q, qd), M, C, g);
  cost.add = Counted::count();
  return cost;
}

TEST(Counts, OfAddingALinkAreThoseOfTheDocuments) {
  const std::string page = contents(CATENA_SOURCE_DIR "/docs/progressive-models.md");
  const auto row = [](const std::string& name, const OperationCount& count) {
    return "| " + name + " | " + std::to_string(count.multiplications) + " | " + std::to_string(count.additions) + " |";
  };
  const auto expect_row = [&](const std::string& text) { EXPECT_NE(page.find(text), std::string::npos) << text; };
  const Cost pelican = cost_of_last(load_robot(find_model("pelican_crucible")));
  expect_row(row("pelican, all three links", pelican.whole));
  expect_row(row("pelican, the crucible added", pelican.add));
  for (const int n : {6, 12}) {
    const Cost arm = cost_of_last(general_arm(n));
    expect_row(row("general arm, all " + std::to_string(n) + " links", arm.whole));
    expect_row(row("general arm, the " + std::to_string(n) + "th added to " + std::to_string(n - 1), arm.add));
  }
  EXPECT_EQ(pelican.add.sincos, 1);
  OperationCount jobs;  // the fastest way to all three, each by itself
  for (const char* job : {"inertia", "coriolis", "gravity"}) {
    const OperationCount one = count_operations(make_mechanism(general_arm(6)), job, job_info(job).standard(6)).online;
    jobs.multiplications += one.multiplications, jobs.additions += one.additions;
  }
  expect_row(row("general arm, 6 links, by the jobs", jobs));
}

}  // namespace
}  // namespace catena::test::link_models_test
