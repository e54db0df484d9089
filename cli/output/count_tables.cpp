#include "output/count_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "catena/count.hpp"
#include "catena/dynamics.hpp"
#include "catena/model/regroup.hpp"
#include "catena/program.hpp"
#include "catena/robot_file.hpp"
#include "output/published_counts.hpp"

namespace catena::cli {
namespace {

// The general arm of every size that a polynomial is fitted to.
struct Arms {
  std::vector<Mechanism> as_made, optimized;

  Arms() {
    for (int n = fitted_from; n <= fitted_to; ++n) {
      as_made.push_back(make_mechanism(general_arm(n)));
      optimized.push_back(optimize(as_made.back()));
    }
  }
};

OperationCount count_one(const Mechanism& robot, std::string_view job, std::string_view formulation,
                         std::string_view beside) {
  if (beside.empty()) return count_operations(robot, job, formulation).online;
  for (const PartCount& part : count_parts(robot))
    if (part.job == job && part.formulation == formulation && part.beside == beside) return part.online;
  throw std::logic_error("no part " + std::string(formulation) + " beside " + std::string(beside));
}

// A formulation's count for n = 2 … 12.
struct Series {
  std::vector<OperationCount> counts;

  Series(const std::vector<Mechanism>& arms, std::string_view job, std::string_view formulation,
         std::string_view beside) {
    for (const Mechanism& arm : arms) counts.push_back(count_one(arm, job, formulation, beside));
  }
  const OperationCount& at(int n) const { return counts[static_cast<std::size_t>(n - fitted_from)]; }
  std::optional<FittedCount> fit(long OperationCount::*what) const {
    return fit_count([&](int n) { return at(n).*what; });
  }
  friend bool operator==(const Series&, const Series&) = default;
};

std::string pair_of(long M, long A) { return fmt::format("{}, {}", M, A); }
std::string polynomial(const std::optional<FittedCount>& fit) { return fit ? fit->polynomial.text() : "none"; }
std::string code(std::string_view name) { return fmt::format("`{}`", name); }

std::string ours(const PublishedRow& row) {
  if (row.formulation.empty()) return "—";
  return row.beside.empty() ? code(row.formulation) : fmt::format("{} less {}", code(row.formulation), row.beside);
}

// Words in lines of at most 120 characters; the first line starts with `lead`, the others with as many blanks.
std::string wrapped(std::string_view lead, std::string_view text) {
  constexpr std::size_t width = 120;
  const auto length = [](std::string_view word) {
    return static_cast<std::size_t>(std::count_if(word.begin(), word.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  std::string out(lead);
  std::size_t used = lead.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (used > lead.size() && used + 1 + length(word) > width) {
      out += '\n' + std::string(lead.size(), ' ');
      used = lead.size();
    } else if (used > lead.size()) {
      out += ' ';
      ++used;
    }
    out += word;
    used += length(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + '\n';
}

void add_notes(std::string& page, const Notes& notes) {
  for (const auto note : notes) page += wrapped("- ", note);
}

void add_reasons(std::string& page, const std::vector<PublishedRow>& different) {
  std::set<std::string_view> told;
  for (const PublishedRow& row : different) {
    const std::string_view why = why_different(row.job, row.formulation);
    if (why.empty()) throw std::logic_error("nothing says why " + std::string(row.formulation) + " differs");
    if (told.insert(row.formulation).second) page += wrapped("- ", fmt::format("{} differs: {}", ours(row), why));
  }
}

void add_table(std::string& page, const Arms& arms, const PublishedTable& table) {
  page += fmt::format("\n### {}\n\n", table.title);
  page += table.only_six_joints
              ? "| algorithm | claimed M, A | ours | counted M, A |\n| --- | --- | --- | --- |\n"
              : "| algorithm | claimed M | claimed A | n = 6 | ours | counted M | counted A | n = 6 |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  std::vector<PublishedRow> different;
  for (const PublishedRow& row : table.rows) {
    const std::string six = pair_of(row.M.at(6), row.A.at(6));
    std::string counted[3] = {"—", "—", "—"};
    if (!row.formulation.empty()) {
      const Series series(arms.as_made, row.job, row.formulation, row.beside);
      const auto M = series.fit(&OperationCount::multiplications), A = series.fit(&OperationCount::additions);
      counted[0] = polynomial(M), counted[1] = polynomial(A);
      counted[2] = pair_of(series.at(6).multiplications, series.at(6).additions);
      if (counted[2] != six) different.push_back(row);
    }
    page += table.only_six_joints
                ? fmt::format("| {} | {} | {} | {} |\n", row.algorithm, six, ours(row), counted[2])
                : fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", row.algorithm, row.M.text(), row.A.text(),
                              six, ours(row), counted[0], counted[1], counted[2]);
  }
  page += '\n';
  add_notes(page, table.notes);
  add_reasons(page, different);
}

void add_breakdown(std::string& page, const Arms& arms, const BreakdownTable& table) {
  page += fmt::format("\n### {}\n\n", table.title);
  page += table.right_twists ? "| equation | M | A | M, 0° and 90° | A, 0° and 90° |\n| --- | --- | --- | --- | --- |\n"
                             : "| equation | M | A |\n| --- | --- | --- |\n";
  const auto add = [&](std::string_view name, const auto& text, const BreakdownRow& row) {
    page += fmt::format("| {} | {} | {} |", name, text(row.M), text(row.A));
    page += table.right_twists ? fmt::format(" {} | {} |\n", text(row.M_right), text(row.A_right)) : "\n";
  };
  const auto formula = [](const CountPolynomial& p) { return p.text(); };
  const auto six = [](const CountPolynomial& p) { return std::to_string(p.at(6)); };
  BreakdownRow sum{};
  for (const BreakdownRow& row : table.rows) {
    add(row.equation, formula, row);
    sum = {"", sum.M + row.M, sum.A + row.A, sum.M_right + row.M_right, sum.A_right + row.A_right};
  }
  const bool agree = sum.M == table.total.M && sum.A == table.total.A && sum.M_right == table.total.M_right &&
                     sum.A_right == table.total.A_right;
  if (!agree) add("the rows add up to", formula, sum);
  add(agree ? "total" : "total in print", formula, table.total);
  add("n = 6", six, table.total);
  if (!table.formulation.empty()) {
    const Series series(arms.as_made, table.job, table.formulation, {});
    page += fmt::format("| counted: {} | {} | {} | | |\n", code(table.formulation),
                        polynomial(series.fit(&OperationCount::multiplications)),
                        polynomial(series.fit(&OperationCount::additions)));
    page += fmt::format("| n = 6 | {} | {} | | |\n", series.at(6).multiplications, series.at(6).additions);
  }
  page += '\n';
  add_notes(page, table.notes);
  if (!table.formulation.empty()) add_reasons(page, {{"", {}, {}, table.job, table.formulation}});
}

// One row for each formulation of a job, and one for the optimized robot where that is cheaper.
void add_polynomials(std::string& page, const Arms& arms, std::string_view job) {
  page +=
      "\n### Every formulation\n\n| formulation | M | A | divisions | from | n = 6: M, A, D |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  bool none = false;
  const auto add = [&](const std::string& name, const Series& series) {
    const auto M = series.fit(&OperationCount::multiplications), A = series.fit(&OperationCount::additions),
               D = series.fit(&OperationCount::divisions);
    const OperationCount& six = series.at(6);
    std::string from = "—";
    if (M && A && D) from = fmt::format("n = {}", std::max({M->from, A->from, D->from}));
    none = none || !M || !A;
    page += fmt::format("| {} | {} | {} | {} | {} | {}, {}, {} |\n", name, polynomial(M), polynomial(A), polynomial(D),
                        from, six.multiplications, six.additions, six.divisions);
  };
  for (const FormulationInfo& f : formulations(job)) {
    const Series plain(arms.as_made, job, f.name, {}), better(arms.optimized, job, f.name, {});
    add(code(f.name), plain);
    if (!(better == plain)) add(code(f.name) + ", optimized", better);
  }
  for (const PartCount& part : count_parts(arms.as_made.front()))
    if (part.job == job)
      add(fmt::format("{} less {}", code(part.formulation), part.beside),
          Series(arms.as_made, job, part.formulation, part.beside));
  if (none) page += '\n' + wrapped("", "\"none\": no polynomial of degree four or less meets the counts.");
}

void add_claims(std::string& page, const Arms& arms) {
  page +=
      "\n## In short\n\nn = 6, twists general, the robot as it was made:\n\n"
      "| formulation | claim | claimed M, A | counted M, A |\n| --- | --- | --- | --- |\n";
  for (const PublishedRow& claim : main_claims()) {
    const OperationCount c = count_one(arms.as_made[6 - fitted_from], claim.job, claim.formulation, claim.beside);
    page += fmt::format("| {}: {} | {} | {} | {} |\n", claim.job, ours(claim), claim.algorithm,
                        pair_of(claim.M.at(6), claim.A.at(6)), pair_of(c.multiplications, c.additions));
  }
}

// The formulations take any twist: whether the angles are right or not makes no difference.
void add_right_twists(std::string& page) {
  const Mechanism general = make_mechanism(general_arm(6)), right = make_mechanism(general_arm(6, AxisAngles::right));
  bool same = true;
  for (const FormulationInfo& f : formulations())
    same &= count_operations(general, f.job, f.name).online == count_operations(right, f.job, f.name).online;
  page += "\n## Twists of 0° and 90°\n\n";
  page += wrapped(
      "",
      same ? "The code takes any twist, and multiplies by a sine that happens to be 0 as by any other: on an arm with "
             "twists "
             "of 0° and 90° every formulation counts what it counts on the general one (`catena count --n 6 --twists "
             "right`). What the columns for such twists claim is therefore not met here; it takes code made for the "
             "robot."
           : "The counts on an arm with twists of 0° and 90° are not those on the general one.");
}

// Code made for one robot, its zeros folded.
// What is left of a formulation when it is written out for one robot and its constants are folded.
void add_generated_code(std::string& page) {
  page += "\n## Generated code\n\n";
  page +=
      wrapped("",
              "`catena generate` runs a formulation once for one robot and folds what is constant, zero or one. M, A "
              "(and D) of the cheapest program it finds; the inertia matrix as its upper triangle. The first two "
              "robots are the general arm of six joints, with general twists and with twists of 0° and 90°.");
  std::vector<std::string> searched;  // where there is something to choose from
  for (const JobInfo& job : jobs())
    if (job.interchangeable.size() > 1) searched.emplace_back(job.name);
  page += fmt::format("\n| robot | {} |\n| ---", fmt::join(searched, " | "));
  for (std::size_t k = 0; k < searched.size(); ++k) page += " | ---";
  page += " |\n";
  const auto add = [&](const std::string& name, const Mechanism& robot) {
    page += "| " + name;
    for (const std::string& job : searched) {
      const GraphCost cost = find_cheapest(robot, {.jobs = {job}, .packed = true}).cost();
      page += " | " + pair_of(cost.multiplications, cost.additions);
      if (cost.reciprocals > 0) page += fmt::format(" (+{})", cost.reciprocals);
    }
    page += " |\n";
  };
  add("general twists", make_mechanism(general_arm(6)));
  add("twists of 0° and 90°", make_mechanism(general_arm(6, AxisAngles::right)));
  for (const std::string& name : shipped_models())
    if (const Robot robot = load_robot(find_model(name)); robot.dof() > 3) add(code(name), make_mechanism(robot));
  page += "\n";
  page +=
      wrapped("- ",
              "Twists of 0° and 90°: claimed are 388 M 370 A for Algorithm 5.5, 354 M 351 A semi-customized (Tables "
              "5.1, 5.2), and 271 M 250 A for Algorithm 6.2 (Table 6.1). Folding takes what the papers take by hand, "
              "and base parameters take more.");
}

}  // namespace

std::string operation_counts_page() {
  const Arms arms;
  std::string page = "# Operation counts\n\n";
  page +=
      wrapped("",
              "The published tables of operation counts, and beside each claim what our code takes. Written by `catena "
              "count --tables`; a test compares this page with what the program says.");
  page += '\n';
  page += wrapped(
      "",
      "Counted means run: the code that computes ran on a scalar that counts (`Counted`), on a general arm of n "
      "revolute joints without a zero among its constants. M are multiplications, A additions and "
      "subtractions; divisions (D) stand apart. Sines and cosines, signs, and what is computed once for a robot "
      "are not counted. Polynomials are exact: they meet the count at every n from the one given to 12. "
      "*Optimized* is the robot after [regrouping](equations/regrouping.md), which is what a call without a "
      "formulation runs. *Less inertia* and *less bias* are what a formulation takes beyond that other result, as "
      "the papers count it; it ran after it, and only it was counted. *Less solver* is as far as the inertia matrix "
      "and "
      "the bias, *less conjugacy to all* the plain recurrence of conjugate gradients, n steps of it.");
  add_claims(page, arms);
  for (const JobInfo& job : jobs()) {
    page += fmt::format("\n## {}: {}\n", job.name, job.words);
    for (const PublishedTable& table : published_tables(job.name)) add_table(page, arms, table);
    for (const BreakdownTable& table : breakdown_tables(job.name)) add_breakdown(page, arms, table);
    add_polynomials(page, arms, job.name);
  }
  add_right_twists(page);
  add_generated_code(page);
  return page;
}

}  // namespace catena::cli
