// catena denoc: the matrices of the decoupled natural orthogonal complement, in numbers or in symbols.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "command.hpp"
#include "formulations/shared/denoc_table.hpp"
#include "options/companions.hpp"
#include "options/equations.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace denoc_command {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd;
  std::string objects, format, symbols;
  bool deg = false, json = false;
};

std::string kind_names(const char* between) {
  std::string names;
  for (const DenocKind& kind : denoc_kinds) names.append(names.empty() ? "" : between).append(kind.name);
  return names;
}

std::vector<const DenocKind*> chosen(const Options& options, bool symbolic) {
  std::vector<const DenocKind*> list;
  if (options.objects.empty()) {
    for (const DenocKind& kind : denoc_kinds)
      if (!(symbolic && kind.divides)) list.push_back(&kind);
    return list;
  }
  for (const std::string& name : split(options.objects, ',')) {
    const auto* found = std::find_if(std::begin(denoc_kinds), std::end(denoc_kinds),
                                     [&](const DenocKind& k) { return k.name == name; });
    if (found == std::end(denoc_kinds)) {
      throw UsageError(fmt::format("--objects: no '{}'; known: {}", name, kind_names(", ")));
    }
    if (symbolic && found->divides)
      throw UsageError(fmt::format("--objects {}: it divides by functions of q and has no polynomial form", name));
    list.push_back(found);
  }
  return list;
}

void print_numbers(const Options& options) {
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  require_fixed_base(mechanism, "the objects of DeNOC do");
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  Json json;
  std::string text;
  for (const auto& [kind, indices, matrix] :
       collect_denoc(DenocObjects<double>(mechanism, q, qd), chosen(options, false))) {
    for (const double entry : matrix.entries)
      if (!std::isfinite(entry))
        throw std::domain_error(fmt::format("{} is not finite: a joint moves nothing that has inertia", kind->name));
    const Rows rows = rows_of(matrix.entries, index(matrix.columns));
    const Json value = matrix.entries.size() == 1 ? Json(matrix.entries[0])
                       : matrix.columns == 1      ? Json(matrix.entries)
                                                  : Json(rows);
    const std::string which = fmt::format("{}", fmt::join(indices, ","));
    if (indices.empty()) {
      json[std::string(kind->name)] = value;
    } else {
      json[std::string(kind->name)][which] = value;
    }
    const Rows shown = matrix.columns == 1 ? Rows{matrix.entries} : rows;  // a column is printed as a row
    text += fmt::format("{}{}{}{}\n{}", text.empty() ? "" : "\n", kind->name, which.empty() ? "" : " ", which,
                        matrix_text(shown));
  }
  emit(options.json ? json_line(json) : text);
}

void print_symbols(const Options& options) {
  if (options.q || options.qd || options.deg || options.json)
    throw UsageError("--q, --qd, --deg and --json are for numbers; --format prints symbols");
  const std::vector<const DenocKind*> list = chosen(options, true);
  EquationsWork work{options.model, {}, options.symbols, "--symbols"};
  work.more = [list](const BasicMechanism<Expr>& robot, const Inputs<Expr>& in) {
    std::vector<SymbolicMatrix> matrices;
    for (auto& [kind, indices, matrix] : collect_denoc(DenocObjects<Expr>(robot, in.q, in.qd), list)) {
      const std::string which = fmt::format("{}", fmt::join(indices, ","));
      SymbolicMatrix out;
      out.name = std::string(kind->name) + (which.empty() ? "" : " ") + which;
      out.meaning = std::string(kind->latex) + (which.empty() ? "" : "_{" + which + "}");
      out.rows = matrix.rows;
      out.columns = matrix.columns;
      out.entries = std::move(matrix.entries);
      matrices.push_back(std::move(out));
    }
    return matrices;
  };
  emit(find_format(options.format)->print(equations_of(work), 6));
}

}  // namespace denoc_command

void add_denoc(CLI::App& program) {
  using namespace denoc_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "denoc", "The matrices of the decoupled natural orthogonal complement, in numbers or symbols",
      "  catena denoc ur5 --q 0,-1,1,0,0,0 --qd 0.1,0.2,0,0,0,0 --objects p,M_tilde\n"
      "  catena denoc planar2r --format text --symbols "
      "all,cx1=-a1/2,Izz1=m1*a1^2/12,cx2=-a2/2,Izz2=m2*a2^2/12 --objects p,c,c_dot\n"
      "  catena denoc stanford --objects N_l,N_d --json\n"
      "  catena denoc planar2r --format text --objects V,W,M_tilde_dot\n"
      "\n"
      "Components along the axes of the base link, twists (angular, linear) at mass centres, links numbered\n"
      "by their joints. M_hat, psi_hat, m_hat, psi, Psi, U and U_inverse divide by functions of q: numbers only.");
  options->model.of_links = true;
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; or JOINT=X,...; default all 0")
      ->type_name("X1,X2,...");
  command->add_option("--qd", options->qd, "joint velocities, likewise; default all 0")->type_name("X1,X2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees; results stay in radians");
  goes_with(*command, "--deg", {"--q", "--qd", "--lock"});
  command->add_option("--objects", options->objects, "which matrices, comma-separated; default all")
      ->type_name(kind_names(","));
  command->add_option("--format", options->format, "symbols instead of numbers: a LaTeX document, or text")
      ->check(one_of(format_names()))
      ->type_name(fmt::format("{}", fmt::join(format_names(), "|")));
  command->add_option("--symbols", options->symbols, "robot constants to keep as symbols, as in 'catena equations'")
      ->type_name("all|none|LIST");
  goes_with(*command, "--symbols", {"--format"});
  command->add_flag("--json", options->json, "print one JSON object: each object by the numbers of its joints");
  command->callback([options] { options->format.empty() ? print_numbers(*options) : print_symbols(*options); });
}

}  // namespace catena::cli
