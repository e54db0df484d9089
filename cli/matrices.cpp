// catena inertia, bias, coriolis, factor: the terms of M(q) q̈ + C(q, q̇) q̇ + g(q) = τ at one state.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "catena/dynamics/factor.hpp"
#include "command.hpp"
#include "support/efforts.hpp"
#include "support/engine.hpp"
#include "support/errors.hpp"
#include "support/model_options.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"

namespace catena::cli {
namespace {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd;
  std::string method;  // empty: the fastest
  EngineOption engine;
  std::string frame;
  bool inverse = false, translation = false;
  bool deg = false, json = false;
};

// The robot at the state that was typed.
struct AtState {
  Robot robot;
  Mechanism mechanism;
  std::vector<double> q, qd;

  explicit AtState(const Options& options)
      : robot(options.model.load()),
        mechanism(options.model.mechanism(robot)),
        q(joint_vector(options.q, "--q", robot, options.deg)),
        qd(joint_vector(options.qd, "--qd", robot, options.deg)) {}
  std::size_t n() const { return q.size(); }
};

Rows rows_of(std::span<const double> entries, std::size_t columns) {
  Rows rows;
  for (std::size_t k = 0; k < entries.size(); k += columns)
    rows.emplace_back(entries.begin() + static_cast<std::ptrdiff_t>(k),
                      entries.begin() + static_cast<std::ptrdiff_t>(k + columns));
  return rows;
}

void show_matrix(const Options& options, const AtState& at, const char* key, std::span<const double> entries,
                 const RobotCalls& calls) {
  const Rows rows = rows_of(entries, at.n());
  emit(options.json ? json_line(with_engine({{key, rows}}, calls)) : matrix_text(rows, at.mechanism.joint_names));
}

void run_inertia(const Options& options) {
  require_method(options.method, "inertia");
  const AtState at(options);
  const RobotCalls calls = options.engine.make(at.mechanism, {"inertia", options.method, "", ""});
  std::vector<double> M(at.n() * at.n());
  calls.inertia(at.q, M);
  show_matrix(options, at, "M", M, calls);
}

void run_coriolis(const Options& options) {
  require_method(options.method, "coriolis");
  const AtState at(options);
  const RobotCalls calls = options.engine.make(at.mechanism, {"coriolis", options.method, "", ""});
  std::vector<double> C(at.n() * at.n());
  calls.coriolis(at.q, at.qd, C);
  show_matrix(options, at, "C", C, calls);
}

void run_bias(const Options& options) {
  require_method(options.method, "bias");
  const AtState at(options);
  const RobotCalls calls = options.engine.make(at.mechanism, {"bias", options.method, "", ""});
  std::vector<double> b(at.n());
  calls.bias(at.q, at.qd, b);
  emit(options.json ? json_line(with_engine({{"b", b}}, calls)) : effort_text(at.robot, b, "bias"));
}

void run_factor(const Options& options) {
  const AtState at(options);
  const std::size_t n = at.n();
  int frame = -1;
  if (!options.frame.empty() && (frame = at.mechanism.frame_index(options.frame)) < 0) {
    std::vector<std::string> names;
    for (const auto& f : at.mechanism.frames) names.push_back(f.name);
    throw UsageError(fmt::format("--frame: no frame '{}'{}", printable(options.frame), suggest(options.frame, names)));
  }
  Factorization<double> factorization(at.mechanism, options.method);
  factorization.factor(at.q);
  Json json{{"U", rows_of(factorization.U(), n)}, {"D", factorization.D()}};
  std::string text = fmt::format("U\n{}\nD\n{}", matrix_text(rows_of(factorization.U(), n), at.mechanism.joint_names),
                                 matrix_text(rows_of(factorization.D(), n)));
  if (options.inverse) {
    std::vector<double> inverse(n * n);
    factorization.inverse(inverse);
    json["M_inverse"] = rows_of(inverse, n);
    text += fmt::format("\nM⁻¹\n{}", matrix_text(rows_of(inverse, n), at.mechanism.joint_names));
  }
  if (frame >= 0) {
    const std::size_t size = options.translation ? 3 : 6;
    std::vector<double> Lambda(size * size);
    factorization.operational_inertia(frame, Lambda, options.translation ? Directions::translation : Directions::all);
    json["Lambda"] = rows_of(Lambda, size);
    text += fmt::format("\nΛ of {}\n{}", options.frame, matrix_text(rows_of(Lambda, size)));
  }
  json["method"] = factorization.method().name;
  emit(options.json ? json_line(json) : text);
}

CLI::App* add_job(CLI::App& program, const std::string& name, const std::string& summary, const std::string& examples,
                  const std::shared_ptr<Options>& options, bool speeds, const std::string& keys,
                  void (*run)(const Options&)) {
  CLI::App* command = add_command(program, name, summary, examples);
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; default all 0")->type_name("Q1,Q2,...");
  if (speeds) command->add_option("--qd", options->qd, "joint speeds; default all 0")->type_name("V1,V2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees");
  add_method(*command, options->method);
  if (run != run_factor) options->engine.add(*command);
  command->add_flag("--json", options->json, "print one JSON object: " + keys);
  command->callback([options, run] { run(*options); });
  return command;
}

}  // namespace

void add_inertia(CLI::App& program) {
  add_job(program, "inertia", "Inertia matrix M(q), rotors included",
          "  catena inertia ur5 --q 0,-1,1,0,0,0 --json\n"
          "  catena inertia panda --q 0,10,0,-90,0,100,45 --deg --method renaud",
          std::make_shared<Options>(), false, "M, method, engine", run_inertia);
}

void add_bias(CLI::App& program) {
  add_job(program, "bias", "Torques at zero acceleration: Coriolis, centrifugal, gravity and friction",
          "  catena bias ur5 --q 0,-1,1,0,0,0 --qd 0.1,0.2,0,0,0,0 --json\n"
          "  catena bias stanford --qd 0,0,0.5,0,0,0 --method base-origin",
          std::make_shared<Options>(), true, "b, method, engine", run_bias);
}

void add_coriolis(CLI::App& program) {
  add_job(program, "coriolis", "Matrix C(q, q̇) of the rigid links: velocity torques are C q̇, and Ṁ - 2C is skew",
          "  catena coriolis ur5 --q 0,-1,1,0,0,0 --qd 0.1,0.2,0,0,0,0 --json\n"
          "  catena coriolis pelican --qd 1,2 --method progressive",
          std::make_shared<Options>(), true, "C, method, engine", run_coriolis);
}

void add_factor(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      add_job(program, "factor", "Factors of the inertia matrix, M = U D Uᵀ, its inverse, and inertia at a frame",
              "  catena factor ur5 --q 0,-1,1,0,0,0 --json\n"
              "  catena factor panda --q 0,10,0,-90,0,100,45 --deg --inverse\n"
              "  catena factor ur5 --q 0,-1,1,0.2,1,0 --frame tool0 --json",
              options, false, "U, D, method, and M_inverse, Lambda where asked for", run_factor);
  command->add_flag("--inverse", options->inverse, "M⁻¹ too");
  command->add_option("--frame", options->frame, "operational-space inertia Λ of this frame too")->type_name("NAME");
  command->add_flag("--translation", options->translation, "Λ of the frame's translation alone, 3x3");
}

}  // namespace catena::cli
