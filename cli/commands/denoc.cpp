// catena denoc: the matrices of the decoupled natural orthogonal complement, in numbers or in symbols.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "command.hpp"
#include "formulations/shared/denoc_objects.hpp"
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

// The available matrices, in the order of printing.
enum class Of { link, link_and_ancestor, link_and_beyond, robot };  // beyond: or the link itself
struct Kind {
  std::string_view name, latex;
  Of of;
  bool divides = false;  // no polynomial form
};
constexpr Kind kinds[] = {{"p", "\\mathbf{p}", Of::link},
                          {"c", "\\mathbf{c}", Of::link_and_ancestor},
                          {"c_dot", "\\dot{\\mathbf{c}}", Of::link_and_ancestor},
                          {"B", "\\mathbf{B}", Of::link_and_ancestor},
                          {"B_dot", "\\dot{\\mathbf{B}}", Of::link_and_ancestor},
                          {"V", "\\mathbf{V}", Of::link},
                          {"W", "\\mathbf{W}", Of::link},
                          {"M", "\\mathbf{M}", Of::link},
                          {"M_tilde", "\\tilde{\\mathbf{M}}", Of::link},
                          {"M_tilde_dot", "\\dot{\\tilde{\\mathbf{M}}}", Of::link},
                          {"H_tilde", "\\tilde{\\mathbf{H}}", Of::link_and_ancestor},
                          {"M_hat", "\\hat{\\mathbf{M}}", Of::link, true},
                          {"psi_hat", "\\hat{\\boldsymbol{\\psi}}", Of::link, true},
                          {"m_hat", "\\hat m", Of::link, true},
                          {"psi", "\\boldsymbol{\\psi}", Of::link, true},
                          {"Psi", "\\boldsymbol{\\Psi}", Of::link_and_beyond, true},
                          {"U", "\\mathbf{U}", Of::robot, true},
                          {"U_inverse", "\\mathbf{U}^{-1}", Of::robot, true},
                          {"N_l", "\\mathbf{N}_l", Of::robot},
                          {"N_d", "\\mathbf{N}_d", Of::robot}};

std::string kind_names(const char* between) {
  std::string names;
  for (const Kind& kind : kinds) names.append(names.empty() ? "" : between).append(kind.name);
  return names;
}

std::vector<const Kind*> chosen(const Options& options, bool symbolic) {
  std::vector<const Kind*> list;
  if (options.objects.empty()) {
    for (const Kind& kind : kinds)
      if (!(symbolic && kind.divides)) list.push_back(&kind);
    return list;
  }
  for (const std::string& name : split(options.objects, ',')) {
    const auto* found = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.name == name; });
    if (found == std::end(kinds)) {
      throw UsageError(fmt::format("--objects: no '{}'; known: {}", name, kind_names(", ")));
    }
    if (symbolic && found->divides)
      throw UsageError(fmt::format("--objects {}: it divides by functions of q and has no polynomial form", name));
    list.push_back(found);
  }
  return list;
}

template <class S>
struct Object {
  const Kind* kind;
  std::vector<int> indices;  // joints; empty: the matrix is one for the whole robot
  DenseMatrix<S> matrix;
};

template <class S>
DenseMatrix<S> as_column(const Vec3<S>& v) {
  DenseMatrix<S> out(3, 1);
  out.entries = {v.x, v.y, v.z};
  return out;
}

template <class S>
DenseMatrix<S> of_pair(std::string_view name, const DenocObjects<S>& all, int i, int j) {
  if (name == "c") return as_column(all.c(i, j));
  if (name == "c_dot") return as_column(all.c_dot(i, j));
  if (name == "B") return all.B(i, j);
  if (name == "B_dot") return all.B_dot(i, j);
  return all.H_tilde(i, j);
}

template <class S>
DenseMatrix<S> of_link(std::string_view name, const DenocObjects<S>& all, int i) {
  if (name == "p") return all.p(i);
  if (name == "V") return all.V(i);
  if (name == "W") return all.W(i);
  if (name == "M") return all.M(i);
  if (name == "M_tilde") return all.M_tilde(i);
  return all.M_tilde_dot(i);
}

template <class S>
DenseMatrix<S> of_articulated(std::string_view name, const typename DenocObjects<S>::Articulated& hat, int i) {
  if (name == "M_hat") return hat.M_hat[index(i)];
  if (name == "psi_hat") return hat.psi_hat[index(i)];
  if (name == "psi") return hat.psi[index(i)];
  DenseMatrix<S> out(1, 1);
  out(0, 0) = hat.m_hat[index(i)];
  return out;
}

template <class S>
DenseMatrix<S> of_robot(std::string_view name, const DenocObjects<S>& all,
                        const typename DenocObjects<S>::Articulated& hat) {
  if (name == "N_l") return all.N_l();
  if (name == "N_d") return all.N_d();
  return all.U(hat, name == "U_inverse");
}

template <class S>
std::vector<Object<S>> collect(const DenocObjects<S>& all, const std::vector<const Kind*>& list) {
  std::vector<Object<S>> out;
  for (const Kind* kind : list) {
    const auto hat = kind->divides ? all.articulated() : typename DenocObjects<S>::Articulated{};
    if (kind->of == Of::robot) out.push_back({kind, {}, of_robot(kind->name, all, hat)});
    if (kind->of == Of::robot) continue;
    for (int i = 0; i < all.joints(); ++i) {
      if (kind->of == Of::link)
        out.push_back({kind,
                       {all.number(i)},
                       kind->divides ? of_articulated<S>(kind->name, hat, i) : of_link(kind->name, all, i)});
      for (int j = 0; j < all.joints(); ++j) {
        if (kind->of == Of::link_and_ancestor && j < i && all.is_ancestor(j, i))
          out.push_back({kind, {all.number(i), all.number(j)}, of_pair(kind->name, all, i, j)});
        if (kind->of == Of::link_and_beyond && all.is_ancestor(i, j))
          out.push_back({kind, {all.number(i), all.number(j)}, all.Psi(hat, i, j)});
      }
    }
  }
  return out;
}

void print_numbers(const Options& options) {
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  require_fixed_base(mechanism, "the objects of DeNOC do");
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  Json json;
  std::string text;
  for (const auto& [kind, indices, matrix] : collect(DenocObjects<double>(mechanism, q, qd), chosen(options, false))) {
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
  const std::vector<const Kind*> list = chosen(options, true);
  EquationsWork work{options.model, {}, options.symbols, "--symbols"};
  work.more = [list](const BasicMechanism<Expr>& robot, const Inputs<Expr>& in) {
    std::vector<SymbolicMatrix> matrices;
    for (auto& [kind, indices, matrix] : collect(DenocObjects<Expr>(robot, in.q, in.qd), list)) {
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
  command->add_option("--objects", options->objects, "which, comma-separated; default all")->type_name(kind_names(","));
  command->add_option("--format", options->format, "symbols instead of numbers: a LaTeX document, or text")
      ->check(one_of(format_names()))
      ->type_name(fmt::format("{}", fmt::join(format_names(), "|")));
  command->add_option("--symbols", options->symbols, "robot constants that are symbols, as of 'catena equations'")
      ->type_name("all|none|LIST");
  goes_with(*command, "--symbols", {"--format"});
  command->add_flag("--json", options->json, "print one JSON object: each object by the numbers of its joints");
  command->callback([options] { options->format.empty() ? print_numbers(*options) : print_symbols(*options); });
}

}  // namespace catena::cli
