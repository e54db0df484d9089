#include "output/published_counts.hpp"

namespace catena::cli {
namespace {

using P = CountPolynomial;

constexpr P halves(long square, long linear, long constant) { return P::in_halves(square, linear, constant); }
constexpr P sixths(long cube, long square, long linear, long constant) {
  return P::in_sixths(cube, square, linear, constant);
}
constexpr P cubic(long cube, long square, long linear, long constant) {
  return P::in_sixths(6 * cube, 6 * square, 6 * linear, 6 * constant);
}
constexpr P figure(long value) { return P(0, value); }

std::vector<PublishedTable> inverse_tables() {
  return {{"Saha 1999, Table 1",
           false,
           {{"Hollerbach 1980", {412, -277}, {320, -201}, "inverse", "hollerbach-3x3"},
            {"Luh et al. 1980", {150, -48}, {131, 48}, "inverse", "luh-walker-paul"},
            {"Walker and Orin 1982", {137, -22}, {101, -11}, "inverse", "luh-walker-paul"},
            {"Saha 1999 (RIDIM)", {120, -44}, {97, -55}, "inverse", "denoc"},
            {"Khalil et al. 1986", {105, -92}, {94, -86}},
            {"Angeles et al. 1989", {105, -109}, {90, -105}},
            {"Balafoutis et al. 1988", {93, -69}, {81, -65}, "inverse", "tensor-augmented"}},
           {"In print, the additions of Luh et al. are 131n + 48, 834 at n = 6; Balafoutis has 131n - 48 (738) both in "
            "his text and in his table.",
            "The additions of Balafoutis et al. are printed as 81n - 65; the rows of his own Table 5.1 add up to 81n - "
            "66."}},
          {"Balafoutis 1989, Table 5.3",
           false,
           {{"Hollerbach, 4x4", {830, -592}, {675, -464}, "inverse", "hollerbach-4x4"},
            {"Hollerbach, 3x3", {412, -277}, {320, -201}, "inverse", "hollerbach-3x3"},
            {"Vukobratovic et al.", sixths(9, 105, 54, -96), sixths(7, 69, 128, -168), "inverse", "christoffel"},
            {"Luh et al.", {150, -48}, {131, -48}, "inverse", "luh-walker-paul"},
            {"Craig", {126, -99}, {106, -92}, "inverse", "luh-walker-paul"},
            {"Khosla and Neuman", {123, -60}, {96, -55}, "inverse", "luh-walker-paul"},
            {"Li", {120, -104}, {98, -94}, "inverse", "luh-walker-paul"},
            {"Ma, n ≥ 2", {109, -109}, {95, -108}, "inverse", "kane"},
            {"Khalil et al.", {105, -92}, {94, -86}, "inverse", "tensor-augmented"},
            {"Algorithm 5.4", {96, -77}, {84, -70}, "inverse", "tensor"},
            {"Algorithm 5.5", {93, -69}, {81, -66}, "inverse", "tensor-augmented"},
            {"Algorithm 5.5, semi-customized, n ≥ 2", {93, -108}, {81, -100}, "inverse", "tensor-augmented"}},
           {"Vukobratovic et al.: 776 additions are printed for n = 6; the printed formula gives 766.",
            "The running text gives the 3x3 version 675n - 201 additions; its table, and Hollerbach, 320n - 201.",
            "Vukobratovic et al., Khosla and Neuman, Li, and Khalil et al. are quoted without equations. Beside each "
            "stands the nearest form that the thesis writes down: the closed form with Christoffel symbols, Newton and "
            "Euler in link frames, and, for the one that regroups inertial parameters, the augmented links."}},
          {"Balafoutis 1989, section 5.2.1, n = 6",
           true,
           {{"Uicker and Kahn, equation 5.2.2", figure(66271), figure(51548), "inverse", "uicker-kahn"},
            {"Waters, equation 5.2.3", figure(7051), figure(5652), "inverse", "waters"}},
           {"Both figures are Hollerbach's, as the thesis quotes them."}}};
}

std::vector<BreakdownTable> inverse_breakdowns() {
  return {{"Balafoutis 1989, Table 5.1: Algorithm 5.5 by equations",
           true,
           {{"5.3.45a, ω", {8, -8}, {5, -5}, {4, -4}, {3, -3}},
            {"5.3.45b, ω̇", {10, -10}, {7, -7}, {6, -6}, {5, -5}},
            {"5.3.45c, Ω", {6, -5}, {9, -9}, {6, -5}, {9, -9}},
            {"5.3.45e, s̈", {17, -14}, {13, -13}, {13, -11}, {11, -11}},
            {"5.3.45f, μ", {15, -10}, {15, -12}, {15, -10}, {15, -12}},
            {"5.3.46a, Ü", {17, -8}, {13, -7}, {13, -4}, {11, -5}},
            {"5.3.46b, η", {20, -14}, {19, -13}, {16, -10}, {17, -11}}},
           {"total", {93, -69}, {81, -66}, {73, -50}, {71, -56}},
           "inverse",
           "tensor-augmented",
           {"Link by link the code does what the general columns say; the difference to the total is at the first two "
            "links.",
            "The table already takes the first and the last link out of the loop; Table 5.2 adds what is saved at link "
            "2 and in η₁.",
            "Two cells are reconstructed from a damaged scan, so that the columns add up to their totals: the general "
            "additions of 5.3.45e and 5.3.45f, run together there as 13(n-1)+3, and the multiplications of 5.3.45e for "
            "right angles, 13(n-2) there."}},
          {"Balafoutis 1989, Table 5.2: Algorithm 5.5 semi-customized, by equations, n ≥ 2",
           true,
           {{"5.3.45a, ω", {8, -12}, {5, -9}, {4, -7}, {3, -5}},
            {"5.3.45b, ω̇", {10, -15}, {7, -11}, {6, -10}, {5, -8}},
            {"5.3.45c, Ω", {6, -5}, {9, -9}, {6, -5}, {9, -9}},
            {"5.3.45e, s̈", {17, -19}, {13, -16}, {13, -16}, {11, -14}},
            {"5.3.45f, μ", {15, -13}, {15, -14}, {15, -13}, {15, -14}},
            {"5.3.46a, Ü", {17, -17}, {13, -16}, {13, -13}, {11, -3}},
            {"5.3.46b, η", {20, -27}, {19, -25}, {16, -20}, {17, -22}}},
           {"total", {93, -108}, {81, -100}, {73, -84}, {71, -75}},
           "inverse",
           "tensor-augmented",
           {"The last column of 5.3.46a looks misprinted: peeling takes 9 off the row of Table 5.1 in the other "
            "columns, which would make it 11n - 14, the total 71n - 86 and 340 at n = 6."}}};
}

std::vector<PublishedTable> inertia_tables() {
  return {
      {"Balafoutis 1989, Table 6.2",
       false,
       {{"Walker and Orin, composite rigid bodies", {12, 56, -27}, {7, 67, -56}, "inertia", "walker-orin"},
        {"Angeles and Ma, natural orthogonal complement", cubic(1, 17, -15, 8), cubic(1, 14, -16, 5), "inertia", "noc"},
        {"Featherstone, composite rigid bodies, spatial", {10, 31, -41}, {6, 40, -46}, "inertia", "spatial-composite"},
        {"Algorithm 6.2", {11, 11, -42}, halves(11, 65, -108), "inertia", "generalized-links"}},
       {"Walker and Orin: 601 additions are printed for n = 6, the printed formula gives 598; with -53 for -56 the two "
        "agree. The running text has 12n² + 26n + 27 multiplications, 615 at n = 6, which fits neither.",
        "Algorithm 6.2: see Table 6.1."}},
      {"Lin 1991, Table I, n ≥ 2",
       false,
       {{"Walker and Orin, reformulated", {11, 53, -74}, {8, 52, -62}, "inertia", "walker-orin"},
        {"Renaud", halves(27, 45, -136), {9, 26, -64}, "inertia", "renaud"},
        {"Lin 1988", sixths(7, 99, -214, 114), sixths(6, 81, -171, 84)},
        {"Fijany and Bejczy", halves(9, 231, -350), {4, 88, -134}, "inertia", "fijany-bejczy"},
        {"Lin 1991", halves(21, 77, -170), {6, 39, -70}, "inertia", "base-origin"}},
       {"All entries printed for n = 2 to 8 follow from the formulas.",
        "Walker and Orin: another count than Balafoutis' for the same algorithm; Lin's is of a reformulation with "
        "modified Denavit-Hartenberg frames.",
        "Renaud: the lines of the printed program add up to the claim.",
        "Lin 1991: the legible lines of the printed program add up to 2n + 6 M and 7 A more than claimed."}}};
}

std::vector<BreakdownTable> inertia_breakdowns() {
  return {{"Balafoutis 1989, Table 6.1: Algorithm 6.2 by equations, n ≥ 2",
           true,
           {{"6.3.29a, U", {8, -16}, {7, -10}, {4, -8}, {5, -10}},
            {"6.3.29b, s", {2, -2}, {}, {2, -2}, {}},
            {"6.3.29c, E", {30, -42}, {39, -52}, {20, -25}, {32, -42}},
            {"6.3.30a, f", {4, -12, 8}, {2, -6, 4}, {2, -6, 4}, {1, -3, 2}},
            {"6.3.30b, η", {7, -17, 16}, halves(7, -15, 8), {5, -13, 8}, halves(5, -11, 6)}},
           {"total", {11, 11, -42}, halves(11, 65, -108), {7, 7, -23}, halves(7, 57, -94)},
           "inertia",
           "generalized-links",
           {"Multiplications: the total follows with 7n² - 17n + 10 for 6.3.30b, 14 an inner step and 4 for the last.",
            "Additions of 6.3.29a: seven for each of n - 2 links would be 7n - 14, as in the last column; the total "
            "has -10 in it.",
            "Additions of 6.3.30b: an inner step is counted with 7, but a cross product (3), a sum (3) and a rotation "
            "(4) make 10, which is what Table 7.1 counts for the same structure. With the cheaper congruence the "
            "scheme then takes 11n² + 12n - 41 M and 7n² + 30n - 56 A, 427 and 376 at n = 6."}}};
}

std::vector<PublishedTable> bias_tables() {
  return {{"Lin 1991, Table II, n ≥ 2",
           false,
           {{"Khalil and Kleinfinger", {101, -129}, {90, -118}},
            {"Balafoutis et al.", {93, -69}, {81, -66}, "bias", "tensor-augmented"},
            {"Lin 1991, beside his inertia matrix", halves(25, 11, 6), {9, 1, 0}, "bias", "base-origin", "inertia"}},
           {"All entries printed for n = 2 to 8 follow from the formulas.",
            "Inertia matrix and bias together are claimed at 23n² + 44n - 82 M and 15n² + 40n - 70 A, the sum of "
            "Tables I and "
            "II; ours, likewise, take the sum of the two rows `base-origin`."}}};
}

std::vector<PublishedTable> forward_tables() {
  return {
      {"Saha 1999, Table 2",
       false,
       {{"Saha 1999 (RFDSIM), the bias not counted", {201, -335}, {193, -361}, "forward", "denoc", "bias"},
        {"Featherstone 1983", {199, -198}, {174, -173}, "forward", "articulated-body"},
        {"Walker and Orin 1982", sixths(1, 69, 230, -282), sixths(1, 42, 233, -276), "forward", "walker-orin"}},
       {"Walker and Orin: 480 additions are printed for n = 6, the formula gives 475.",
        "Only the first row compares. Featherstone's and Walker and Orin's figures are far below those of "
        "Balafoutis' Table 6.3 for the same algorithms, as if they, too, left the bias out; ours has it in.",
        "That the recursion pays from n = 12 on holds for M + A (4032 against 4073, at n = 11 3638 against 3438); "
        "for M alone it does from n = 11, for A alone from n = 15."}},
      {"Balafoutis 1989, Table 6.3, n = 6",
       true,
       {{"Kazerounian and Gupta, zero reference positions", figure(2468), figure(1879), "forward", "walker-orin-1"},
        {"Walker and Orin, composite rigid bodies", figure(1627), figure(1261), "forward", "walker-orin"},
        {"Wang and Ravani, modified Walker and Orin", figure(1659), figure(1252), "forward", "walker-orin-2"},
        {"Featherstone, articulated bodies", figure(1533), figure(1415), "forward", "articulated-body"},
        {"Featherstone, composite rigid bodies, spatial", figure(1303), figure(1019), "forward", "spatial-composite"},
        {"Angeles and Ma, natural orthogonal complement", figure(1353), figure(1165), "forward", "noc"},
        {"Algorithms 6.2 and 5.5, linear solver", figure(956), figure(790), "forward", "composite-ldlt"}},
       {"The last row is 420 + 450 + 86 M and 339 + 386 + 65 A; the solver takes n³/6 + 3n²/2 - 2n/3 M and n³/6 + "
        "n² - 7n/6 A.",
        "Kazerounian and Gupta, and Wang and Ravani, are quoted without equations. Beside them stand Walker and "
        "Orin's other methods by inverse dynamics, in full columns and in halves.",
        "Walker and Orin: 741 + 800 + 86 M and 601 + 595 + 65 A, with their inverse dynamics of 137n - 22 M and "
        "101n - 11 A."}},
      {"Lin 1991, inertia matrix and bias together, n ≥ 2",
       false,
       {{"Lin 1991", {23, 44, -82}, {15, 40, -70}, "forward", "base-origin", "solver"}},
       {"The sum of Tables I and II; forward dynamics adds the solver."}}};
}

std::vector<PublishedTable> linearize_tables() {
  return {
      {"Balafoutis 1989, Tables 7.1 and 7.2 together",
       false,
       {{"Algorithms 7.1 and 7.2, equations 7.3.2 to 7.3.4",
         {67, -40, 14},
         halves(105, 61, -66),
         "linearize",
         "tensor"}},
       {"The tables begin where Algorithm 5.5 ends: its ω, Ω, s̈, Ü and η are not in them, 489 M 420 A at n = 6 as it "
        "counts itself. Ours has them."}}};
}

std::vector<BreakdownTable> linearize_breakdowns() {
  return {{"Balafoutis 1989, Table 7.1: Algorithms 7.1 and 7.2 by equations",
           true,
           {{"7.3.12a, z", {4, -10, 6}, {2, -6, 4}, {2, -6, 4}, {1, -3, 2}},
            {"7.3.12b, ż", {4, -12, 8}, {2, -6, 4}, {2, -6, 4}, {1, -3, 2}},
            {"7.3.12c, z̈", {4, -12, 8}, {2, -6, 4}, {2, -6, 4}, {1, -3, 2}},
            {"7.3.12d, s̈ from the base", {4, -10, 5}, {2, -6, 4}, {2, -3, 1}, {1, -3, 2}},
            {"7.3.12e, s", {4, -10, 6}, halves(7, -23, 14), {2, -6, 4}, halves(5, -15, 10)},
            {"7.3.12f, ṡ", {7, -7, 0}, {5, -5, 0}, {5, -5, 0}, {4, -4, 0}},
            {"7.3.14a, U", {8, -8}, {7, -7}, {4, -4}, {5, -5}},
            {"7.3.14b, U̇", {14, -14}, {10, -10}, {10, -10}, {8, -8}},
            {"7.3.14c, E", {30, -30}, {39, -39}, {20, -20}, {32, -32}},
            {"7.3.14d, L", {69, -69}, {74, -74}, {51, -51}, {63, -63}}},
           {"total", {27, 61, -88}, halves(33, 201, -214), {15, 53, -68}, halves(21, 169, -190)},
           {},
           {},
           {"Multiplications: the total follows with 4n² - 9n + 5 for 7.3.12d.",
            "Additions: with 7n²/2 - 21n/2 + 7 for 7.3.12e, which is 3.5(n - 1)(n - 2), the rows add up to 33n²/2 + "
            "181n/2 - 107, 1030 at n = 6. The printed 1090, and the 2040 made with it, are 60 too high."}},
          {"Balafoutis 1989, Table 7.2: equations 7.3.2 to 7.3.4",
           false,
           {{"7.3.2, D", {9, -18, 8}, {9, -12, 3}, {}, {}},
            {"7.3.3, V", {15, -30, 34}, {14, -15, 25}, {}, {}},
            {"7.3.4, P", {16, -53, 60}, {13, -43, 46}, {}, {}}},
           {"total", {40, -101, 102}, {36, -70, 74}, {}, {}},
           {},
           {},
           {"Both tables together, as printed: 2186 M 2040 A at n = 6 (1726 M 1740 A with twists of 0° and 90°)."}}};
}

}  // namespace

std::vector<PublishedTable> published_tables(std::string_view job) {
  if (job == "inverse") return inverse_tables();
  if (job == "inertia") return inertia_tables();
  if (job == "bias") return bias_tables();
  if (job == "forward") return forward_tables();
  if (job == "linearize") return linearize_tables();
  return {};
}

std::vector<BreakdownTable> breakdown_tables(std::string_view job) {
  if (job == "inverse") return inverse_breakdowns();
  if (job == "inertia") return inertia_breakdowns();
  if (job == "linearize") return linearize_breakdowns();
  return {};
}

std::string_view why_different(std::string_view job, std::string_view formulation) {
  struct Reason {
    std::string_view job, formulation, text;
  };
  static constexpr Reason reasons[] = {
      {"inverse", "hollerbach-4x4",
       "the constant last row of a homogeneous matrix takes no part, and a product with a joint's derivative matrix "
       "only exchanges columns."},
      {"inverse", "hollerbach-3x3", "rotations are applied factor by factor, 8 M 4 A a vector."},
      {"inverse", "luh-walker-paul",
       "rotations take 8 M 4 A, and nothing but gravity is carried over from the base; of the two claims for this "
       "recursion Craig's is the nearer."},
      {"inverse", "denoc",
       "the recursion as printed, one M and one A a link below the claim; the first link takes what is left of it when "
       "the base stands still, 39 M and 26 A where the claim leaves room for 76 and 42. The paper has no breakdown to "
       "compare with."},
      {"inverse", "uicker-kahn",
       "last rows of homogeneous matrices take no part, a product with the moments is formed once for a link and a "
       "joint, and each pair of rates once."},
      {"inverse", "waters",
       "last rows of homogeneous matrices take no part, products with a joint's derivative matrix exchange columns, "
       "and "
       "accelerations meet the moments once a link."},
      {"inverse", "christoffel", "coefficients link by link; no breakdown was published."},
      {"inverse", "kane",
       "the sums of equations 5.2.13 and 5.2.14 as they are printed, O(n²); the claim is for a recursion that the "
       "thesis "
       "does not print."},
      {"inverse", "tensor", "nothing but gravity is carried over from the base."},
      {"inverse", "tensor-augmented",
       "one text, peeled at the first two links: the parent of the second turns about its own z, and of the first no "
       "more is asked than one moment. The last link is a link like others."},
      {"inertia", "generalized-links",
       "the congruence takes 16 M 15 A, the first link and the last step are peeled, and every addition of a step is "
       "counted (Table 6.1)."},
      {"inertia", "walker-orin",
       "the congruence takes 16 M 15 A; Steiner's terms of the mass centres share their products."},
      {"inertia", "spatial-composite",
       "the congruence takes 16 M 15 A, and every addition is counted; no breakdown was published."},
      {"inertia", "noc",
       "the roots of the bodies' inertias are triangular, and a body's own column is constant; no breakdown was "
       "published."},
      {"inertia", "renaud", "the congruence takes 16 M 15 A, and of the first link only one moment is formed."},
      {"inertia", "fijany-bejczy", "no breakdown was published; the congruence takes 16 M 15 A."},
      {"inertia", "base-origin", "the congruence takes 16 M 15 A where the paper takes 37 M 19 A."},
      {"bias", "tensor-augmented", "the inverse dynamics of that name at q̈ = 0; nothing is saved for the zeros."},
      {"bias", "base-origin",
       "run after the inertia matrix, whose places, composites, axes and forces it finds done. Of the program in print "
       "our copy lacks the sheet with this part, the third of four."},
      {"forward", "denoc",
       "2n - 2 divisions stand apart; the paper has no breakdown to compare with. That its figure leaves the bias out "
       "is "
       "our inference from its size: the paper does not say so."},
      {"forward", "articulated-body",
       "bias included, revolute joints give way with the third row and column left out."},
      {"forward", "base-origin", "see the inertia matrix and the bias of that name."},
      {"forward", "walker-orin-1",
       "n + 1 sweeps of Newton and Euler in link frames, where the claim is for the axes of the base."},
      {"forward", "walker-orin-2", "half of the columns' sweeps; the thesis does not say what was modified."},
      {"forward", "walker-orin", "the sum of `walker-orin`, `luh-walker-paul` and the solver, bias included."},
      {"forward", "spatial-composite", "the sum of `spatial-composite`, `luh-walker-paul` and the solver."},
      {"forward", "noc",
       "all columns are made orthogonal after Gram and Schmidt, about 2n³ M and as many A; Table 6.3 has no "
       "breakdown."},
      {"forward", "composite-ldlt",
       "the sum of `generalized-links`, `tensor-augmented` and the solver, divisions apart; the additions have τ - b "
       "(n) in them and those which the claim for Algorithm 6.2 leaves out. The loops for large n take what the "
       "unrolled solver for small n takes."},
      {"linearize", "tensor",
       "inverse dynamics included, which the tables leave out; columns and rows are walked to the base together, seven "
       "vectors a step, where Algorithm 7.1 carries six from every joint to every tip and forms the products there."},
  };
  for (const Reason& r : reasons)
    if (r.job == job && r.formulation == formulation) return r.text;
  return {};
}

std::vector<PublishedRow> main_claims() {
  return {{"Algorithm 5.5", figure(489), figure(420), "inverse", "tensor-augmented"},
          {"Algorithm 5.5, semi-customized", figure(450), figure(386), "inverse", "tensor-augmented"},
          {"Algorithm 5.4", figure(499), figure(434), "inverse", "tensor"},
          {"Luh, Walker and Paul, Craig's count", figure(657), figure(544), "inverse", "luh-walker-paul"},
          {"RIDIM", figure(676), figure(527), "inverse", "denoc"},
          {"Algorithm 6.2", figure(420), figure(339), "inertia", "generalized-links"},
          {"Lin's inertia matrix", figure(524), figure(380), "inertia", "base-origin"},
          {"Lin's bias beside it", figure(486), figure(330), "bias", "base-origin", "inertia"},
          {"Renaud", figure(553), figure(416), "inertia", "renaud"},
          {"Lin's inertia matrix and bias, one stage", figure(1010), figure(710), "forward", "base-origin", "solver"},
          {"RFDSIM, the bias not counted", figure(871), figure(797), "forward", "denoc", "bias"},
          {"Algorithms 5.5 and 6.2, LDLᵀ", figure(956), figure(790), "forward", "composite-ldlt"},
          {"Algorithms 7.1 and 7.2, without 5.5", figure(2186), figure(2040), "linearize", "tensor"}};
}

}  // namespace catena::cli
