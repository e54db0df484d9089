// catena count, catena compare: what formulations cost in operations and in time, and how much their results differ.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "catena/call.hpp"
#include "catena/count.hpp"
#include "catena/math/quaternion.hpp"
#include "catena/model/regroup.hpp"
#include "catena/program.hpp"
#include "command.hpp"
#include "options/efforts.hpp"
#include "options/job_options.hpp"
#include "options/model_options.hpp"
#include "output/output.hpp"
#include "output/plot.hpp"
#include "pages/report_option.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace count_command {

struct Options {
  ModelOptions model;
  PlotOption plot;
  ReportOption report;
  std::string job = "inverse", formulation, twists = "general", constants = "any";
  int n = 0;
  bool json = false;
};

// Options about a model need a MODEL, options about a general arm need --n.
void require_companions(const CLI::App& command, const Options& options) {
  if (options.n > 0 && !options.model.model.empty()) throw UsageError("give a MODEL or --n, not both");
  const auto given = [&](const char* name) { return command.get_option(name)->count() > 0; };
  if (given("--twists") && !given("--n")) throw UsageError("--twists goes with --n N");
  if (!given("--n")) return;
  CLI::App of_models;  // these options alone
  of_models.set_help_flag();
  ModelOptions().add_dynamics(of_models);
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && of_models.get_option_no_throw(option->get_name()) != nullptr)
      throw UsageError(option->get_name() + " goes with a MODEL");
}

Robot read_robot(const Options& options) {
  if (options.n < 0 || options.n > 1000) throw UsageError("--n must lie between 1 and 1000");
  if (options.n > 0) return general_arm(options.n, options.twists == "right" ? AxisAngles::right : AxisAngles::general);
  if (options.model.model.empty()) throw UsageError("give a MODEL, or --n N for a general arm of N joints");
  return options.model.load();
}
Mechanism robot_of(const Options& options, const Robot& robot) {
  return options.n > 0 ? make_mechanism(robot) : options.model.mechanism(robot);
}
Mechanism robot_of(const Options& options) { return robot_of(options, read_robot(options)); }

constexpr int largest_compared = 150;  // joints; beyond this, formulations kept only for comparison take minutes

std::vector<FormulationInfo> chosen(const Options& options, const Mechanism& robot) {
  if (job_set(options.job).size() != 1) throw UsageError("--compute takes one job here");
  require_method(options.formulation, options.job);
  const std::vector<std::string_view>& serving = job_info(options.job).interchangeable;
  std::vector<FormulationInfo> list;
  for (const FormulationInfo& f : formulations(options.job)) {
    if (!options.formulation.empty() && f.name != options.formulation) continue;
    if (options.formulation.empty() && !job_info(options.job).serves(robot, f.name)) continue;
    if (options.formulation.empty() && robot.joints() > largest_compared &&
        std::find(serving.begin(), serving.end(), f.name) == serving.end()) {
      note(fmt::format("catena: {} is left out beyond {} joints; --method {} includes it", f.name, largest_compared,
                       f.name));
      continue;
    }
    list.push_back(f);
  }
  return list;
}

Json to_json(const OperationCount& c) {
  return {{"multiplications", c.multiplications},
          {"additions", c.additions},
          {"divisions", c.divisions},
          {"sincos", c.sincos}};
}

constexpr int largest_generated = 12;  // joints; beyond this, the search takes too long

// The formulation as generated code for this robot: constants folded, free choices made.
std::optional<OperationCount> count_generated(const Mechanism& robot, const std::string& job,
                                              std::string_view formulation) {
  if (robot.joints() < 1 || robot.joints() > largest_generated) return std::nullopt;
  ProgramRequest request{.jobs = {job}, .formulations = {std::string(formulation)}};
  request.packed = true;
  const GraphCost cost = find_cheapest(robot, request).cost();
  return OperationCount{cost.multiplications, cost.additions, cost.reciprocals, cost.sincos};
}

// Where the operations of one formulation go, by the equations of its source.
std::string lines_text(const FormulationCount& count) {
  TextTable table;
  table.column("equation", TextTable::Align::left);
  for (const char* title : {"multiplications", "additions"}) table.column(title);
  for (const LineCount& line : count.lines)
    table.row({std::string(line.equation), std::to_string(line.online.multiplications),
               std::to_string(line.online.additions)});
  return "\n" + table.text();
}

// Bars for the formulations, one panel per key.
void draw(const PlotOption& plot, const std::string& title, const std::vector<std::string>& names,
          std::vector<PlotPanel> panels) {
  for (PlotPanel& panel : panels) {
    panel.kind = PlotPanel::Kind::bars;
    panel.categories = names;
  }
  plot.write(title, panels);
}

std::string remarks(const Options& options, const Mechanism& robot) {
  std::string text =
      "\nCounted as this program computes, which is not how every source counts: 'catena methods' has the published\n"
      "costs, and docs/operation-counts.md has both side by side.\n";
  if (options.constants != "any")
    text +=
        "Operations that the constants 0, 1 and -1 make superfluous are not counted, although the running code "
        "performs them.\n";
  if (robot.coordinates.is_closed())
    text +=
        "Positions of joints in closed loops are taken as given: 'count --compute place' counts five steps of "
        "Newton's\nmethod for them, as generated code.\n";
  return text;
}

void run_count(const Options& options, const CLI::App& command) {
  require_companions(command, options);
  const Mechanism robot = robot_of(options);
  const std::vector<FormulationInfo> list = chosen(options, robot);
  TextTable table;
  table.column("formulation", TextTable::Align::left);
  for (const char* title : {"multiplications", "additions", "divisions", "sin/cos", "off-line M", "off-line A"})
    table.column(title);
  Json counts = Json::array();
  std::vector<std::string> names;
  PlotCurve multiplications{"multiplications", {}, {}}, additions{"additions", {}, {}};
  const auto add = [&](const std::string& name, const FormulationCount& c) {
    table.row({name, std::to_string(c.online.multiplications), std::to_string(c.online.additions),
               std::to_string(c.online.divisions), std::to_string(c.online.sincos),
               std::to_string(c.offline.multiplications), std::to_string(c.offline.additions)});
    counts.push_back({{"name", name}, {"online", to_json(c.online)}, {"offline", to_json(c.offline)}});
    for (const LineCount& line : c.lines) counts.back()["lines"][std::string(line.equation)] = to_json(line.online);
    names.push_back(name);
    multiplications.y.push_back(static_cast<double>(c.online.multiplications));
    additions.y.push_back(static_cast<double>(c.online.additions));
  };
  const Mechanism optimized = optimize(robot);
  const std::vector<PartCount> parts = options.constants == "any" ? count_parts(robot) : std::vector<PartCount>{};
  const Constants constants = options.constants == "known"    ? Constants::known
                              : options.constants == "twists" ? Constants::twists
                                                              : Constants::any;
  std::string lines;
  for (const FormulationInfo& f : list) {
    const FormulationCount plain = count_operations(robot, options.job, f.name, constants);
    const FormulationCount better = count_operations(optimized, options.job, f.name, constants);
    add(std::string(f.name), plain);
    if (!options.formulation.empty() && !plain.lines.empty()) lines = lines_text(plain);
    if (better.online != plain.online) add(fmt::format("{} (optimized)", f.name), better);
    if (constants != Constants::any) continue;
    if (!options.formulation.empty() || job_info(options.job).is_interchangeable(f.name))
      if (const auto generated = count_generated(robot, options.job, f.name))
        add(fmt::format("{} (generated)", f.name), {*generated, {}});
    for (const PartCount& part : parts)
      if (part.job == f.job && part.formulation == f.name)
        add(fmt::format("{} (less {})", f.name, part.beside), {part.online, {}});
  }
  draw(options.plot, fmt::format("{}, {}", options.job, robot.name), names,
       {{"", "operations per call", {multiplications, additions}}});
  if (!options.json) return emit(table.text() + lines + remarks(options, robot));
  Json out{{"compute", options.job}};
  if (!options.formulation.empty()) {
    out.update(counts[0]);
    for (const Json& c : counts)
      if (c["name"] == options.formulation + " (generated)") out["generated"] = c["online"];
  }
  out["counts"] = counts;
  emit(json_line(out));
}

constexpr std::size_t states = 256;

// A fixed set of states in which no two joints have equal values.
std::vector<double> table_of(std::size_t n, double phase) {
  std::vector<double> values(n * states);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.5 * std::sin(1.7 * static_cast<double>(k) + phase);
  return values;
}

struct Measured {
  std::vector<double> results;
  double nanoseconds = std::numeric_limits<double>::infinity();
};

// Halves the way to positions in which the loops are known to be closed, until they close.
void close_loops_at(const Mechanism& robot, Call<double>& place, std::span<double> q) {
  const Closure<double>& closure = robot.coordinates.closure;
  std::vector<double> tree(place.size());
  for (int tries = 0; tries < 60; ++tries) {
    try {
      return place({.q = q}, tree);
    } catch (const std::domain_error&) {
      for (std::size_t m = 0; m < closure.movers.size(); ++m) {
        const int c = closure.coordinate[m];
        if (c < (robot.coordinates.is_free() ? base_joints : 0)) continue;
        double& position = q[robot.coordinates.position_of(Coordinate(c))];
        position = 0.5 * (position + closure.closed[m]);
      }
    }
  }
}

// Positions; where the base is free, they include a unit quaternion, and closed loops close at them.
std::vector<double> positions_of(const Mechanism& robot) {
  const std::size_t n = index(robot.nq());
  std::vector<double> q = table_of(n, 0.3);
  for (std::size_t k = 0; robot.coordinates.is_free() && k < q.size(); k += n) normalize_quaternion(&q[k + 3]);
  if (!robot.coordinates.is_closed()) return q;
  Call<double> place(robot, "place");
  for (std::size_t k = 0; k < q.size(); k += n) close_loops_at(robot, place, std::span(q).subspan(k, n));
  return q;
}

Measured measure(const Mechanism& robot, Call<double> call) {
  const std::size_t n = index(robot.nv()), size = call.size();
  const std::vector<double> q = positions_of(robot), qd = table_of(n, 1.1), qdd = table_of(n, 2.4);
  Measured m;
  m.results.resize(size * states);
  const auto row = [&](const std::vector<double>& v, std::size_t k) {
    return std::span<const double>(v).subspan(k * (v.size() / states), v.size() / states);
  };
  double spent = 0.0;  // some formulations take milliseconds per call
  for (int repetition = 0; repetition < 25 && spent < 1e9; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < states; ++k)
      call(with_others<double>({.q = row(q, k), .qd = row(qd, k)}, row(qdd, k)),
           std::span<double>(m.results).subspan(k * size, size));
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    m.nanoseconds = std::min(m.nanoseconds, elapsed.count() / states);
    spent += elapsed.count();
  }
  return m;
}

void run_compare(const Options& options, const CLI::App& command) {
  require_companions(command, options);
  const Robot described = read_robot(options);
  const Mechanism robot = robot_of(options, described);
  const std::vector<FormulationInfo> list = chosen(options, robot);
  TextTable table;
  table.column("formulation", TextTable::Align::left);
  for (const char* title : {"disagreement", "multiplications", "additions", "ns per call"}) table.column(title);
  Json rows = Json::array(), shown = Json::array();
  std::vector<std::string> names;
  PlotCurve multiplications{"multiplications", {}, {}}, additions{"additions", {}, {}}, times{"time", {}, {}};
  const Measured standard = measure(robot, Call<double>(robot, options.job));
  double scale = 0.0;
  for (const double v : standard.results) scale = std::max(scale, std::abs(v));
  for (const FormulationInfo& f : list) {
    const Measured m = measure(robot, Call<double>(robot, options.job, f.name));
    double worst = 0.0;
    for (std::size_t k = 0; k < m.results.size(); ++k)
      worst = std::max(worst, std::abs(m.results[k] - standard.results[k]));
    const double relative = scale > 0.0 ? worst / scale : worst;
    const OperationCount c = count_operations(robot, options.job, f.name).online;
    table.row({std::string(f.name), fmt::format("{:.1e}", relative), std::to_string(c.multiplications),
               std::to_string(c.additions), fmt::format("{:.0f}", m.nanoseconds)});
    rows.push_back({{"name", f.name}, {"disagreement", relative}, {"operations", to_json(c)}, {"ns", m.nanoseconds}});
    shown.push_back({{"name", f.name},
                     {"source", f.source},
                     {"disagreement", relative},
                     {"multiplications", c.multiplications},
                     {"additions", c.additions},
                     {"ns", m.nanoseconds}});
    names.emplace_back(f.name);
    multiplications.y.push_back(static_cast<double>(c.multiplications));
    additions.y.push_back(static_cast<double>(c.additions));
    times.y.push_back(m.nanoseconds);
  }
  table.row({"(default)", "0", "", "", fmt::format("{:.0f}", standard.nanoseconds)});
  draw(options.plot, fmt::format("{}, {}", options.job, robot.name), names,
       {{"", "time of a call, ns", {times}}, {"", "operations per call", {multiplications, additions}}});
  if (options.report.given()) {
    report::Scene scene = scene_of(options.model, described, "compare");
    scene.compare = {{"job", options.job}, {"robot", robot.name}, {"rows", shown}};
    options.report.write(scene);
  }
  emit(options.json
           ? json_line({{"compute", options.job}, {"default_ns", standard.nanoseconds}, {"formulations", rows}})
           : table.text());
}

std::shared_ptr<Options> add_common(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  options->model.add_dynamics(command);
  command.get_option("MODEL")->required(false);
  command.add_option("--compute", options->job, "a job, see 'catena jobs'; default inverse")->type_name("JOB");
  add_method(command, options->formulation);
  command.add_option("--n", options->n, "instead of MODEL: a general arm of N revolute joints")->type_name("N");
  command.add_option("--twists", options->twists, "twist angles of that arm: general (default) or right angles")
      ->type_name("general|right")
      ->check(one_of({"general", "right"}));
  options->plot.add(command, "them as bars");
  return options;
}

}  // namespace count_command

void add_count(CLI::App& program) {
  using namespace count_command;
  CLI::App* command =
      add_command(program, "count", "Count the multiplications and additions of each formulation by running it",
                  "  catena count --compute inverse --n 6\n"
                  "  catena count ur5 --compute inertia --method renaud --json\n"
                  "  catena count --n 6 --twists right --constants twists --method tensor-augmented");
  const auto options = add_common(*command);
  command
      ->add_option("--constants", options->constants,
                   "do not count what constants 0, 1 and -1 make superfluous: those of the twists, or all known ones; "
                   "any (default): count everything")
      ->type_name("any|twists|known")
      ->check(one_of({"any", "twists", "known"}));
  command->add_flag("--json", options->json,
                    "print one JSON object: counts; with --method also online, offline, generated");
  command->callback([options, command] {
    options->plot.require();
    run_count(*options, *command);
  });
}

void add_compare(CLI::App& program) {
  using namespace count_command;
  CLI::App* command =
      add_command(program, "compare", "Compare all formulations of a job: disagreement, operations, time",
                  "  catena compare ur5\n"
                  "  catena compare panda --compute forward --json");
  const auto options = add_common(*command);
  command->add_flag("--json", options->json, "print one JSON object: compute, default_ns, formulations");
  options->report.add(*command);
  command->callback([options, command] {
    options->plot.require();
    options->report.require();
    run_compare(*options, *command);
  });
}

}  // namespace catena::cli
