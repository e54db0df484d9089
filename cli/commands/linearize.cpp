// catena linearize, beyond D, V and P: the state space, continuous or sampled, at a state or along a motion; the
// regulator designed from it; the model in a frame's coordinates; the sensitivities to the links' parameters.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "catena/control.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "command.hpp"
#include "options/cartesian_options.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/job_options.hpp"
#include "options/weights.hpp"
#include "output/motion_plot.hpp"
#include "output/motion_table.hpp"
#include "output/poles.hpp"
#include "pages/linear.hpp"
#include "states/run_jobs.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace linearize_command {

struct More {
  bool state_space = false, regulator = false, cartesian = false;
  std::optional<double> sample_time, rate;
  std::string weights, trajectory, wrt = "motion";
  std::optional<std::string> parameters;
  CartesianChoice choice;
  PlotOption plot;
  ReportOption report;
};

// The command's own options, read once.
struct Setting {
  const JobOptions& options;
  const More& more;
  Robot robot;
  Mechanism mechanism;
  std::vector<ExternalWrench<double>> wrenches;
  std::vector<double> base;  // its motion, where it moves

  Setting(const JobOptions& given, const More& rest)
      : options(given),
        more(rest),
        robot(given.model.load()),
        mechanism(given.mechanism(robot)),
        wrenches(given.wrenches.parse(mechanism)) {
    if (const auto told = given.base.motion(); given.base.given()) base.assign(told.begin(), told.end());
  }
};

// Named matrices: one set per state, or a table of them along a motion.
struct Named {
  std::string name;
  std::size_t rows, columns;
};
using Matrices = std::vector<double>;  // of all names, concatenated

std::vector<std::string> columns_of(const std::vector<Named>& names) {
  std::vector<std::string> columns;
  for (const Named& own : names)
    for (std::size_t i = 1; i <= own.rows; ++i)
      for (std::size_t j = 1; j <= own.columns; ++j) columns.push_back(fmt::format("{}{}_{}", own.name, i, j));
  return columns;
}
Json to_json(const std::vector<Named>& names, std::span<const double> values) {
  Json out;
  std::size_t at = 0;
  for (const Named& own : names) {
    const std::span<const double> part = values.subspan(at, own.rows * own.columns);
    out[own.name] = rows_of({part.begin(), part.end()}, own.columns);
    at += part.size();
  }
  return out;
}

// Runs over the rows of --trajectory; compute(row) returns the matrices of one row.
template <class Compute>
void along(const Setting& s, const std::vector<Input>& inputs, const std::vector<Named>& names, Compute&& compute) {
  const InterruptGuard interrupt;
  try {
    MotionTable table(s.more.trajectory, s.robot, s.mechanism, inputs, s.options.deg, s.more.rate);
    const std::string path = s.options.output.empty() ? "-" : s.options.output;
    const bool gather = s.options.json && path == "-";
    std::optional<TableWriter> writer;
    if (!gather) writer.emplace(path, columns_of(names), "t");
    Json rows = Json::object();
    std::uint64_t count = 0;
    Progress progress(table.reader().bytes_total());
    for (MotionTable::Row row; table.next(row); progress.update(table.reader().bytes_read()), ++count) {
      Matrices values;
      try {
        values = compute(row);
      } catch (const std::domain_error& error) {
        throw FailedAt(table.reader().place() + ": " + error.what());
      } catch (const std::invalid_argument& error) {
        throw InputError(table.reader().place() + ": " + error.what());
      }
      if (writer) {
        writer->write(values, fmt::format("{}", row.t));
        continue;
      }
      rows["t"].push_back(row.t);
      const Json parts = to_json(names, values);
      for (const auto& [name, value] : parts.items()) rows[name].push_back(value);
    }
    progress.clear();
    if (count == 0) throw InputError(s.more.trajectory + ": has no rows");
    if (writer) writer->finish();
    if (s.options.json) emit(json_line(gather ? rows : Json{{"output", path}, {"rows", count}}));
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
}

void draw_poles(const Setting& s, std::vector<PlotCurve> curves) {
  const bool discrete = s.more.sample_time.has_value();
  s.more.plot.write(s.robot.name,
                    {{discrete ? "real part" : "real part, 1/s", discrete ? "imaginary part" : "imaginary part, rad/s",
                      std::move(curves), PlotPanel::Kind::points}});
}

StateSpace sampled(StateSpace model, const More& more) {
  if (!more.sample_time) return model;
  try {
    return discretize(model, *more.sample_time);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--discrete: ") + error.what());
  }
}

// The motion given by the options: q, qd and qdd.
std::vector<std::vector<double>> typed_motion(const Setting& s) {
  std::vector<std::vector<double>> in;
  for (const Input input : {Input::q, Input::qd, Input::qdd}) in.push_back(s.options.input(info_of(input), s.robot));
  return in;
}

// The joints that have a motor: the columns of B, the rows of K.
std::vector<std::string> driven(const Mechanism& robot) {
  std::vector<std::string> names;
  for (const Coordinate c : robot.coordinates.all())
    if (!robot.is_passive(c)) names.push_back(robot.name_of(c));
  return names;
}

// Names of the states and the inputs of A, B and K, for the page.
void put_names(const Setting& s, Json& json) {
  for (const char* sign : {"δq ", "δq̇ "})
    for (const Coordinate c : s.mechanism.coordinates.all()) json["states"].push_back(sign + s.mechanism.name_of(c));
  json["inputs"] = driven(s.mechanism);
}

// A and B of joints, or of a frame's coordinates. Returns what the page is to show; null along a motion.
Json state_space(const Setting& s) {
  std::optional<Linearization> of_joints;
  std::optional<CartesianDynamics> of_frame;
  if (s.more.cartesian) {
    of_frame = s.more.choice.make(s.mechanism);
  } else {
    of_joints.emplace(s.mechanism);
  }
  const auto model_at = [&](std::span<const double> q, std::span<const double> qd, std::span<const double> qdd) {
    return sampled(of_frame ? catena::state_space(of_frame->linearize(q, qd, qdd, s.wrenches), s.mechanism)
                            : of_joints->along(q, qd, qdd, s.wrenches),
                   s.more);
  };
  if (!s.more.trajectory.empty()) {
    if (s.more.regulator)
      throw UsageError("--lqr is for one state; along a motion, 'catena simulate' has --torque lqr");
    const std::size_t n = index(s.mechanism.nv());
    along(s, {Input::q, Input::qd, Input::qdd}, {{"A", 2 * n, 2 * n}, {"B", 2 * n, driven(s.mechanism).size()}},
          [&](const MotionTable::Row& row) {
            StateSpace model = model_at(row.inputs[0], row.inputs[1], row.inputs[2]);
            model.A.insert(model.A.end(), model.B.begin(), model.B.end());
            return model.A;
          });
    return {};
  }
  const auto in = typed_motion(s);
  const StateSpace model = model_at(in[0], in[1], in[2]);
  Json json{{"A", rows_of(model.A, model.states())},
            {"B", rows_of(model.B, model.inputs())},
            {"poles", poles_json(poles(model))}};
  std::string text = fmt::format("A\n{}\nB\n{}{}", matrix_text(rows_of(model.A, model.states())),
                                 matrix_text(rows_of(model.B, model.inputs())), poles_text("poles", poles(model)));
  if (s.more.regulator) {
    const QuadraticCost cost = cost_of_weights(s.more.weights, model);
    const Regulator regulator = s.more.sample_time ? sampled_lqr(model, cost) : lqr(model, cost);
    json["K"] = rows_of(regulator.K, model.states());
    json["closed_loop_poles"] = poles_json(regulator.poles);
    json["residual"] = regulator.residual;
    text += fmt::format("\nK\n{}{}\nresidual of the Riccati equation {:.1e}\n",
                        matrix_text(rows_of(regulator.K, model.states()), driven(s.mechanism)),
                        poles_text("poles of the closed loop", regulator.poles), regulator.residual);
  }
  if (s.more.plot.given()) {
    std::vector<PlotCurve> curves{poles_curve("poles", poles(model))};
    if (s.more.regulator) {
      PlotCurve closed{"poles of the closed loop", {}, {}};
      for (const auto& pole : json["closed_loop_poles"]) {
        closed.x.push_back(pole[0].get<double>());
        closed.y.push_back(pole[1].get<double>());
      }
      curves.push_back(std::move(closed));
    }
    draw_poles(s, std::move(curves));
  }
  emit(s.options.json ? json_line(json) : text);
  if (!s.more.cartesian) put_names(s, json);
  if (s.more.sample_time) json["sample_time"] = *s.more.sample_time;
  return json;
}

// δτ = D_hat δχ̈ + V_hat δχ̇ + P_hat δχ
void cartesian(const Setting& s) {
  CartesianDynamics dynamics = s.more.choice.make(s.mechanism);
  const std::size_t n = index(s.mechanism.nv());
  if (!s.more.trajectory.empty()) {
    const std::vector<double> zeros(n);
    const std::size_t m = s.more.choice.row_count();
    bool noted = false;
    return along(s, {Input::q, Input::qd, Input::qdd}, {{"D_hat", n, m}, {"V_hat", n, m}, {"P_hat", n, m}},
                 [&](const MotionTable::Row& row) {
                   CartesianLinearization model =
                       dynamics.linearize(row.inputs[0], row.inputs[1], row.inputs[2], s.wrenches);
                   if (!noted) note_damping(model);
                   noted = noted || model.damped();
                   Matrices values = std::move(model.D);
                   for (const auto* part : {&model.V, &model.P})
                     values.insert(values.end(), part->begin(), part->end());
                   return values;
                 });
  }
  const auto in = typed_motion(s);
  const CartesianLinearization model = dynamics.linearize(in[0], in[1], in[2], s.wrenches);
  Json json = motion_json(model, n);
  json["frame"] = s.mechanism.frames[index(frame_index(s.mechanism, s.more.choice.frame))].name;
  json["coordinates"] = s.more.choice.coordinates;
  put_linear(model, json);
  note_damping(model);
  emit(s.options.json ? json_line(json) : cartesian_text(json, coordinate_names(s.mechanism)));
}

// "m3,m3 cx3" as indices into parameter_names(); where not given, all.
std::vector<int> chosen_parameters(const More& more, int joints) {
  const std::vector<std::string> names = parameter_names(joints);
  std::vector<int> chosen;
  if (!more.parameters) {
    for (std::size_t k = 0; k < names.size(); ++k) chosen.push_back(static_cast<int>(k));
    return chosen;
  }
  for (const std::string& word : split(*more.parameters, ',')) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      throw UsageError(
          fmt::format("--parameters: no parameter '{}'{}; 'catena regressor MODEL --parameters' lists them",
                      printable(word), suggest(word, names)));
    chosen.push_back(static_cast<int>(found - names.begin()));
  }
  return chosen;
}

void by_parameters(const Setting& s) {
  const std::vector<int> chosen = chosen_parameters(s.more, s.mechanism.joints());
  const std::vector<std::string> all = parameter_names(s.mechanism.joints());
  const std::size_t n = index(s.mechanism.nv()), p = chosen.size();
  ParameterSensitivity sensitivity(s.mechanism, chosen);
  if (!s.more.trajectory.empty()) {
    if (!s.wrenches.empty())
      throw UsageError("--wrench: a recorded run does not say which wrenches acted, so none are applied");
    bool started = false;
    return along(s, {Input::q, Input::qd, Input::tau}, {{"dq", n, p}, {"dqd", n, p}}, [&](const MotionTable::Row& row) {
      const auto &q = row.inputs[0], &qd = row.inputs[1], &tau = row.inputs[2];
      started ? sensitivity.advance(row.t, q, qd, tau) : sensitivity.start(row.t, q, qd, tau);
      started = true;
      return Matrices(sensitivity.values().begin(), sensitivity.values().end());
    });
  }
  const auto in = typed_motion(s);
  std::vector<double> tau(n), Y(n * all.size()), torques, accelerations(n * p);
  Call<double>(s.mechanism, "inverse")({.q = in[0], .qd = in[1], .qdd = in[2], .wrenches = s.wrenches}, tau);
  Call<double>(s.mechanism, "regressor")({.q = in[0], .qd = in[1], .qdd = in[2]}, Y);
  for (std::size_t i = 0; i < n; ++i)
    for (const int k : chosen) torques.push_back(Y[i * all.size() + index(k)]);
  sensitivity.accelerations(in[0], in[1], tau, accelerations, s.wrenches);
  std::vector<std::string> names;
  for (const int k : chosen) names.push_back(all[index(k)]);
  if (s.options.json)
    return emit(json_line({{"parameters", names}, {"dtau", rows_of(torques, p)}, {"dqdd", rows_of(accelerations, p)}}));
  const auto turned = [&](const std::vector<double>& by_joint) {
    Rows rows(p, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < p; ++k) rows[k][i] = by_joint[i * p + k];
    return matrix_text(rows, names);
  };
  emit(fmt::format(
      "torques by parameters, one column per joint\n{}\naccelerations by parameters under these torques\n{}",
      turned(torques), turned(accelerations)));
}

// The diagonals of D, V and P along the motion: each joint's effect on itself.
void draw_diagonals(const JobInfo& job, const JobOptions& options, const More& more) {
  if (!more.plot.given()) return;
  const Setting s(options, more);
  const InterruptGuard interrupt;
  const std::size_t n = index(s.mechanism.nv());
  MotionPlot plot(more.plot, s.robot,
                  {{"diagonal of D", unit::inertia},
                   {"diagonal of V", {"N m s/rad", "N s/m"}},
                   {"diagonal of P", {"N m/rad", "N/m"}}});
  Call<double> linearize(s.mechanism, job.name, options.formulation);
  std::vector<double> out(linearize.size()), diagonals(3 * n);
  try {
    MotionTable table(more.trajectory, s.robot, s.mechanism, {Input::q, Input::qd, Input::qdd}, options.deg, more.rate);
    for (MotionTable::Row row; table.next(row);) {
      linearize({.q = row.inputs[0], .qd = row.inputs[1], .qdd = row.inputs[2], .base = s.base, .wrenches = s.wrenches},
                out);
      for (std::size_t m = 0; m < 3; ++m)
        for (std::size_t j = 0; j < n; ++j) diagonals[m * n + j] = out[m * n * n + j * n + j];
      plot.add(row.t, diagonals);
    }
  } catch (const TableError& error) {
    throw InputError(error.what());
  }
  plot.write(s.robot.name);
}

void write_report(const JobInfo& job, const JobOptions& options, const More& more, Json state_space = {}) {
  if (!more.report.given()) return;
  const Setting s(options, more);
  LinearReport report{job,    options.model,       s.robot,   s.mechanism, s.wrenches,
                      s.base, options.formulation, more.rate, options.deg};
  report.path = more.trajectory.empty() ? options.states : more.trajectory;
  if (report.path.empty()) report.at = typed_motion(s);
  report.state_space = std::move(state_space);
  more.report.write(report.scene());
}

// What --plot can draw here.
void require_plot(const More& more) {
  if (!more.plot.given()) return;
  const bool along_motion = !more.trajectory.empty();
  if ((more.cartesian && !more.state_space) || more.wrt == "parameters" || along_motion == more.state_space)
    throw UsageError(
        "--plot draws the diagonals of D, V and P along a --trajectory, or the poles of --state-space at a state");
  if (more.trajectory == "-") throw UsageError("--plot reads the motion a second time; give a file");
  more.plot.require();
}

void run(const JobInfo& job, const JobOptions& options, const More& more) {
  require_plot(more);
  more.report.require();
  if (more.report.given() && (more.trajectory == "-" || options.states == "-"))
    throw UsageError("--report reads the motion a second time; give a file");
  const bool parameters = more.wrt == "parameters";
  const char* asked = parameters         ? "--wrt parameters"
                      : more.cartesian   ? "--cartesian"
                      : more.state_space ? "--state-space"
                                         : "";
  if (parameters && (more.cartesian || more.state_space))
    throw UsageError("--wrt parameters excludes --cartesian and --state-space");
  if (more.parameters && !parameters) throw UsageError("--parameters goes with --wrt parameters");
  if (!options.states.empty() && !more.trajectory.empty()) throw UsageError("give one of --states and --trajectory");
  if (*asked == '\0') {
    if (more.rate) throw UsageError("--rate goes with --state-space, --cartesian and --wrt parameters");
    JobOptions plain = options;
    if (!more.trajectory.empty()) plain.states = more.trajectory;
    run_jobs(plain, {&job});
    draw_diagonals(job, options, more);
    return write_report(job, options, more);
  }
  if (!options.states.empty()) throw UsageError(fmt::format("{} is for one state, or a motion: --trajectory", asked));
  for (const InputInfo& info : all_inputs)
    if (!more.trajectory.empty() && options.inputs[static_cast<std::size_t>(info.input)])
      throw UsageError(fmt::format("--trajectory already gives the states; leave out --{}", info.name));
  options.require_consistent();
  options.base.refuse(asked);
  require_no_method(options, asked);
  options.engine.explain_generic(fmt::format("{} is not part of compiled code", asked));
  const Setting setting(options, more);
  if (more.state_space) return write_report(job, options, more, state_space(setting));
  parameters ? by_parameters(setting) : cartesian(setting);
  write_report(job, options, more);
}

void add_options(CLI::App& command, More& more) {
  command.add_flag("--state-space", more.state_space,
                   "instead of D, V and P: A, B of ẋ = A x + B δτ, x = (δq, δq̇), and poles");
  command.add_option("--discrete", more.sample_time, "a model sampled every DT seconds, with torques held in between")
      ->type_name("DT");
  command.add_flag("--lqr", more.regulator, "the regulator δτ = -K x too");
  command
      .add_option("--weights", more.weights,
                  fmt::format("weights of positions, speeds and torques in its cost; default {}", default_weights))
      ->type_name(weights_form);
  command.add_flag("--cartesian", more.cartesian, "instead: δτ by changes of a frame's motion, D_hat, V_hat, P_hat");
  command.add_option("--frame", more.choice.frame, "the link or frame of --cartesian; default the model's tool")
      ->type_name("NAME");
  more.choice.add(command);
  command.add_option("--wrt", more.wrt, "by the motion (default), or by the parameters of links and drives")
      ->check(one_of({"motion", "parameters"}))
      ->type_name("motion|parameters");
  command
      .add_option("--parameters", more.parameters,
                  "only these parameters: \"m3,m3 cx3\"; 'catena regressor --parameters' lists them")
      ->type_name("NAME,NAME");
  command
      .add_option("--trajectory", more.trajectory,
                  "along a motion: a table t,q1,…,qd1,…,qdd1,…; with --wrt parameters a run, t,q1,…,qd1,…,tau1,…")
      ->type_name("FILE");
  command.add_option("--rate", more.rate, "rows per second, where the table has no column t")->type_name("HZ");
  more.plot.add(command, "the diagonals of D, V and P along a motion, or poles");
  more.report.add(command);
}

}  // namespace linearize_command

void extend_linearize(CLI::App& command, const JobInfo& job, const std::shared_ptr<JobOptions>& options) {
  using namespace linearize_command;
  const auto more = std::make_shared<More>();
  more->weights = default_weights;
  add_options(command, *more);
  goes_with(command, "--discrete", {"--state-space"});
  goes_with(command, "--lqr", {"--state-space"});
  goes_with(command, "--weights", {"--lqr"});
  goes_with(command, "--frame", {"--cartesian"});
  for (const std::string& option : CartesianChoice::option_names()) goes_with(command, option, {"--cartesian"});
  goes_with(command, "--rate", {"--trajectory"});
  goes_with(command, "--plot", {"--trajectory", "--state-space"});
  options->motions.emplace_back("--trajectory");
  command.footer(command.get_footer() +
                 "\n  catena linearize stanford --q 0,0,0.1,0,0,0 --state-space --lqr\n"
                 "  catena linearize ur5 --q 0,-1,1,0,0,0 --state-space --discrete 0.001 --json\n"
                 "  catena linearize ur5 --trajectory motion.csv --state-space --discrete 0.01 -o sampled.npz\n"
                 "  catena linearize ur5 --q 0,-1,1,0,1,0 --cartesian --coordinates rpy\n"
                 "  catena linearize planar2r --q 0.3,1 --cartesian --rows x,y --state-space --lqr\n"
                 "  catena linearize planar2r --trajectory run.csv --wrt parameters --parameters m2 -o answers.csv");
  command.callback([options, more, &job] { run(job, *options, *more); });
}

}  // namespace catena::cli
