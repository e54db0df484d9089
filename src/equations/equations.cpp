#include "catena/equations.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/program.hpp"
#include "equations/expand.hpp"
#include "equations/loops.hpp"
#include "equations/symbol_choice.hpp"
#include "model/close_loops.hpp"

namespace catena {
namespace {

// Revolute joints whose axes stay parallel share a group, with or without prismatic joints between them.
void set_groups(TrigSpace& space, const Mechanism& robot) {
  space.group.assign(index(robot.joints()), -1);
  struct Turning {
    Vec3<double> axis{};  // of the last revolute joint, in the link's frame
    int group = -1;
  };
  std::vector<Turning> turning(index(robot.joints()));
  for (int i = 0; i < robot.joints(); ++i) {
    const auto& link = robot.link(i);
    const Turning before = link.parent == base_link ? Turning{} : turning[index(link.parent)];
    if (!link.revolute) {
      turning[index(i)] = {to_child(link.tilt, link.fixed_turn, before.axis), before.group};
      continue;
    }
    const double cosine = dot(before.axis, link.z_in_parent);
    const bool parallel = before.group >= 0 && std::abs(std::abs(cosine) - 1.0) < 1e-14;
    const int group = parallel ? before.group : space.groups++;
    turning[index(i)] = {{0.0, 0.0, 1.0}, group};
    space.group[index(link.q)] = group;
  }
}

// Gravity along the user's axes: a symbol for each component, or a single one where it points along an axis.
struct GravitySymbols {
  Vec3<double> value{};
  std::vector<ChosenSymbol> symbols;
  std::string names[3];
  double signs[3] = {0.0, 0.0, 0.0};

  explicit GravitySymbols(const Mechanism& robot) : value(robot.world_from_base.R * robot.gravity) {
    const double parts[] = {value.x, value.y, value.z};
    const double size = std::sqrt(dot(value, value));
    const auto counts = [&](double part) { return std::abs(part) > 1e-12 * size; };
    const bool along_axis = std::count_if(parts, parts + 3, counts) == 1;
    for (int k = 0; k < 3; ++k) {
      if (!counts(parts[k])) continue;
      names[k] = along_axis ? "g" : std::string("g") + "xyz"[k];
      signs[k] = along_axis && parts[k] < 0.0 ? -1.0 : 1.0;
      ChosenSymbol symbol;
      symbol.name = names[k];
      symbol.kind = SymbolKind::gravity;
      symbol.meaning = "acceleration of gravity, ";
      symbol.meaning.append(along_axis ? "along " : "").append(signs[k] < 0.0 ? "-" : "").append(1, "xyz"[k]);
      symbol.nominal = signs[k] * parts[k];
      symbols.push_back(std::move(symbol));
    }
  }
};

// Rounds rotation entries of the user's frames that are 0 or ±1 except for rounding, as is done for the links.
Mechanism with_exact_frames(Mechanism robot) {
  for (auto& frame : robot.frames) {
    Mat3<double>& R = frame.in_link.R;
    for (double* entry : {&R.xx, &R.xy, &R.xz, &R.yx, &R.yy, &R.yz, &R.zx, &R.zy, &R.zz})
      if (std::abs(*entry - std::round(*entry)) < 1e-14) *entry = std::round(*entry);
  }
  return robot;
}

// Whether M q̈ + C q̇ + g = τ says what the job's results are.
bool is_of_motion(const JobInfo& job) {
  return std::all_of(job.outputs.begin(), job.outputs.end(), [](const OutputInfo& output) {
    const Kind kind = output.kind;
    return kind == Kind::torque || kind == Kind::bias || kind == Kind::weight || kind == Kind::form ||
           kind == Kind::connection;
  });
}

class Writer {
 public:
  Writer(const Robot& robot, const Mechanism& mechanism, const EquationsRequest& request)
      : mechanism_(with_exact_frames(mechanism)),
        request_(request),
        choice_(choose_symbols(symbol_text(), robot, mechanism)),
        gravity_(mechanism),
        limit_(request.limit) {}

  Equations write() {
    const Program program = run();
    for (const auto& link : mechanism_.links) {
      out_.revolute.resize(index(mechanism_.nv()));
      out_.revolute[index(link.q)] = link.revolute;
    }
    out_.robot_name = mechanism_.name;
    for (const TreeJoint joint : mechanism_.coordinates.joints) {
      const auto& drive = mechanism_.drives[joint];
      out_.stribeck_speed.push_back(drive.stribeck != 0.0 ? drive.stribeck_speed : 0.0);
    }
    make_space();
    std::vector<int> signs;
    const std::vector<InputMeaning> inputs = meanings(program, signs);
    auto polynomials = expand(program.graph, program.results(), inputs, signs, out_.space, limit_);
    drop_rounding(program, polynomials);
    out_.has_friction = std::any_of(mechanism_.drives.begin(), mechanism_.drives.end(), [](const auto& d) {
      return static_cast<const Friction::Constants<double>&>(d).acts();
    });
    const bool beside = std::find(program.jobs.begin(), program.jobs.end(), "coriolis") != program.jobs.end();
    if (out_.has_friction && beside) add_friction(polynomials);
    std::vector<Formula> formulas = written_out(polynomials, out_.space, out_.alphabet);
    auto next = formulas.begin();
    auto output = program.outputs.begin();
    for (const std::string& job : program.jobs)
      for (const OutputInfo& info : job_info(job).outputs) {
        const auto end = next + output->size();
        add_equation(job, *output++, info.symmetric, {next, end});
        describe(out_.equations.back(), job_info(job), info);
        next = end;
      }
    for (; output != program.outputs.end(); ++output) {  // results that belong to no job
      const auto end = next + output->size();
      add_equation("", *output, false, {next, end});
      out_.equations.back().head = output->meaning;
      next = end;
    }
    if (next != formulas.end()) {
      Program::Output friction;
      friction.name = "f";
      friction.rows = mechanism_.nv();
      add_equation("", friction, false, {next, formulas.end()});
    }
    note_symbols();
    return std::move(out_);
  }

 private:
  // Drops terms that are zero except for rounding: negligible beside the largest coefficient of the result.
  static void drop_rounding(const Program& program, std::vector<TrigPolynomial>& polynomials) {
    auto next = polynomials.begin();
    for (const Program::Output& output : program.outputs) {
      const auto end = next + output.size();
      double largest = 0.0;
      for (auto p = next; p != end; ++p) largest = std::max(largest, p->largest());
      for (; next != end; ++next) next->drop_below(1e-14 * largest);
    }
  }

  // Formulations do not include friction: it is added to the result of any of them (forces/joint_forces.hpp).
  void add_friction(std::vector<TrigPolynomial>& polynomials) {
    const auto constant = [&](const std::string& name, double value) {
      for (const ChosenParameter& p : choice_.parameters)
        if (p.kept.name == name) return parameter(p);
      return number(value);
    };
    for (const Coordinate c : mechanism_.coordinates.all()) {
      const std::string joint = std::to_string(c + 1);
      const auto& drive = mechanism_.drives[mechanism_.coordinates.joints[c]];
      TrigPolynomial f = constant("fv" + joint, drive.viscous).times(symbol("qd" + joint), out_.space, limit_);
      TrigPolynomial dry = constant("fc" + joint, drive.coulomb);
      if (drive.stribeck != 0.0)
        dry.add(constant("fs" + joint, drive.stribeck).times(symbol("exp" + joint), out_.space, limit_));
      f.add(dry.times(symbol("sgn" + joint), out_.space, limit_));
      polynomials.push_back(std::move(f));
    }
  }

  std::string symbol_text() const {
    if (!request_.symbols.empty()) return request_.symbols;
    return mechanism_.nv() <= 3 ? "all" : "none";
  }

  Program run() const {
    ProgramRequest program{.jobs = request_.jobs};
    program.gravity_input = choice_.gravity;
    program.frame = request_.frame;
    program.more = request_.more;
    for (const ChosenParameter& p : choice_.parameters) program.keep.push_back(p.kept);
    Choices choices = usual_choices(mechanism_, program);
    for (std::size_t k = 0; k < request_.jobs.size(); ++k)
      if (const auto named = request_.formulations.find(request_.jobs[k]); named != request_.formulations.end())
        choices.formulations[k] = named->second;
    choices.regrouped = false;  // it moves constants from link to link: fewer operations, but stranger formulas
    try {
      return make_program(mechanism_, program, choices);
    } catch (const std::domain_error&) {  // the formulation needs constants where shared frames have functions of q
      choices.frames = SharedFrames::none;
      return make_program(mechanism_, program, choices);
    }
  }

  void make_space() {
    std::vector<Symbol>& symbols = out_.space.symbols;
    symbols.assign(choice_.symbols.begin(), choice_.symbols.end());
    if (choice_.gravity)
      for (const Symbol& s : gravity_.symbols) symbols.push_back(s);
    for (int j = 0; j < mechanism_.nv(); ++j) {
      const std::string number = std::to_string(j + 1);
      symbols.push_back({"q" + number, SymbolKind::position, j + 1});
      symbols.push_back({"qd" + number, SymbolKind::speed, j + 1});
      symbols.push_back({"qdd" + number, SymbolKind::acceleration, j + 1});
      symbols.push_back({"sgn" + number, SymbolKind::sign, j + 1});
      if (out_.stribeck_speed[index(j)] != 0.0) symbols.push_back({"exp" + number, SymbolKind::decay, j + 1});
    }
    std::stable_sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
      return std::pair(a.kind, a.joint) < std::pair(b.kind, b.joint);
    });
    set_groups(out_.space, mechanism_);
  }

  TrigPolynomial symbol(const std::string& name) const {
    return TrigPolynomial::symbol(out_.space, index(out_.space.find(name)));
  }
  TrigPolynomial number(double value) const { return TrigPolynomial::constant(out_.space, value); }

  // The symbol, relation or number written for a constant of the robot.
  TrigPolynomial parameter(const ChosenParameter& p, int depth = 0) {
    if (p.symbol) return symbol(p.kept.name);
    if (!p.relation) return number(std::abs(p.kept.nominal) <= 1e-14 ? 0.0 : p.kept.nominal);
    const auto refuse = [&](const std::string& why) {
      throw SymbolError("'" + p.kept.name + "=" + p.relation_text + "': " + why);
    };
    if (depth > 20) refuse("goes in a circle");
    const auto named = [&](const std::string& name) {
      for (const ChosenParameter& other : choice_.parameters)
        if (other.kept.name == name) return parameter(other, depth + 1);
      return symbol(name);
    };
    const auto times = [&](const TrigPolynomial& a, const TrigPolynomial& b) { return a.times(b, out_.space, limit_); };
    const auto divided = [&](const TrigPolynomial& a, const TrigPolynomial& b) {
      const double divisor = b.constant_term(out_.space);
      if (!b.is_constant() || divisor == 0.0) refuse("only numbers can divide");
      return times(a, number(1.0 / divisor));
    };
    return catena::evaluate<TrigPolynomial>(
        *p.relation, named, [&](double x) { return number(x); }, times, divided);
  }

  std::vector<InputMeaning> meanings(const Program& program, std::vector<int>& signs) {
    std::vector<InputMeaning> inputs;
    for (const Argument& argument : program.inputs)
      for (int k = 0; k < argument.size(); ++k) {
        const std::string joint = std::to_string(k + 1);
        signs.push_back(argument.name == "qd" ? out_.space.find("sgn" + joint) : -1);
        if (argument.name == "q" && out_.revolute[index(k)]) {
          inputs.push_back({k, symbol("q" + joint)});
        } else if (argument.name == "gravity") {
          TrigPolynomial part;
          if (!gravity_.names[k].empty()) part.add(symbol(gravity_.names[k]), gravity_.signs[k]);
          inputs.push_back({-1, part});
        } else if (argument.name == "parameters") {
          inputs.push_back({-1, parameter(choice_.parameters[index(k)])});
        } else {
          inputs.push_back({-1, symbol(argument.name + joint)});
        }
      }
    return inputs;
  }

  void add_equation(const std::string& job, const Program::Output& output, bool symmetric,
                    std::vector<Formula> formulas) {
    Equation equation{.job = job,
                      .name = output.name,
                      .rows = output.rows,
                      .columns = output.columns,
                      .symmetric = symmetric,
                      .entries = {}};
    for (const Formula& f : formulas) equation.entries.push_back(collect(f, out_.alphabet, out_.space));
    equation.common = take_common_factor(formulas);
    for (Formula& f : formulas) equation.inside.push_back(collect(std::move(f), out_.alphabet, out_.space));
    out_.equations.push_back(std::move(equation));
  }

  void describe(Equation& equation, const JobInfo& job, const OutputInfo& output) const {
    if (!is_of_motion(job)) equation.words = output.words;
    if (job.takes_frame)
      equation.frame = mechanism_.frames[index(request_.frame == tool_frame ? mechanism_.tool : request_.frame)].name;
    // The potential energy does not depend on the speeds that the job takes; a C that is zero is still C(q, q̇).
    const auto depends = [&](Input input, SymbolKind kind) {
      const bool zero =
          std::all_of(equation.entries.begin(), equation.entries.end(), [](const Formula& f) { return f.empty(); });
      return job.takes(input) && (zero || std::any_of(equation.entries.begin(), equation.entries.end(),
                                                      [&](const Formula& f) { return contains(f, kind); }));
    };
    equation.by_speed = depends(Input::qd, SymbolKind::speed);
    equation.by_acceleration = depends(Input::qdd, SymbolKind::acceleration);
  }
  bool contains(const Formula& formula, SymbolKind kind) const {
    return std::any_of(formula.begin(), formula.end(), [&](const Product& p) {
      const auto is = [&](const auto& factor) {
        const Atom& atom = out_.alphabet[index(factor.first)];
        return atom.symbol >= 0 && out_.space.symbols[index(atom.symbol)].kind == kind;
      };
      return std::any_of(p.factors.begin(), p.factors.end(), is) || contains(p.sum, kind) ||
             contains(p.other_sum, kind);
    });
  }

  void note_symbols() {
    std::vector<bool> used(out_.space.symbols.size(), false);
    for (const Atom& atom : out_.alphabet)
      if (atom.symbol >= 0) used[index(atom.symbol)] = true;
    std::vector<ChosenSymbol> all = choice_.symbols;
    if (choice_.gravity) all.insert(all.end(), gravity_.symbols.begin(), gravity_.symbols.end());
    for (std::size_t k = 0; k < used.size(); ++k)
      for (const ChosenSymbol& s : all)
        if (used[k] && s.name == out_.space.symbols[k].name)
          out_.notes.push_back({static_cast<int>(k), s.meaning, s.nominal, unit_of(s)});
  }

  std::string unit_of(const Symbol& s) const {
    const bool turns = s.joint == 0 || out_.revolute[index(s.joint - 1)];
    switch (s.kind) {
      case SymbolKind::mass:
        return "kg";
      case SymbolKind::gravity:
        return "m/s^2";
      case SymbolKind::inertia:
      case SymbolKind::rotor:
        return "kg m^2";
      case SymbolKind::gear:
        return turns ? "" : "rad/m";
      case SymbolKind::friction:
        return s.name.starts_with("fv") ? (turns ? "N m s" : "N s/m") : (turns ? "N m" : "N");
      case SymbolKind::spring:
        if (s.name.starts_with("to")) return turns ? "N m" : "N";
        return s.name.starts_with("k") ? (turns ? "N m/rad" : "N/m") : (turns ? "rad" : "m");
      default:
        return "m";
    }
  }

  Mechanism mechanism_;
  const EquationsRequest& request_;
  SymbolChoice choice_;
  GravitySymbols gravity_;
  TermLimit limit_;
  Equations out_;
};

// Throws std::invalid_argument for a formulation that does not exist or that belongs to no job of the request.
void require_formulations(const EquationsRequest& request) {
  for (const auto& [job, formulation] : request.formulations) {
    if (std::find(request.jobs.begin(), request.jobs.end(), job) == request.jobs.end())
      throw std::invalid_argument("a formulation of " + job + " is named, but " + job + " is not among the jobs");
    job_info(job).formulation(formulation);
  }
}

// "walker-orin of inertia", for each that is named
std::string named(const EquationsRequest& request) {
  std::string text;
  for (const auto& [job, formulation] : request.formulations)
    text += (text.empty() ? "" : ", ") + formulation + " of " + job;
  return text;
}

// The model of the open tree and what closes it: G has no polynomial form and stays a symbol.
Equations with_open_loops(const Robot& robot, const Mechanism& mechanism, EquationsRequest request) {
  for (const std::string& job : request.jobs)
    if (job_info(job).gives(Kind::positions) || job_info(job).gives(Kind::loop_force))
      throw std::invalid_argument(job + " of closed loops has no polynomial form");
  request.more = with_loops(mechanism.coordinates.closure, std::move(request.more));
  Equations out = make_equations(without_loops(robot), open_tree(mechanism), request);
  for (const TreeJoint joint : mechanism.coordinates.joints) out.independent.push_back(joint);
  return out;
}

}  // namespace

std::span<const EquationFormat> equation_formats() {
  static constexpr EquationFormat all[] = {{"latex", "a LaTeX document", to_latex},
                                           {"text", "text for the terminal", to_text}};
  return all;
}

Equations make_equations(const Robot& robot, const Mechanism& mechanism, const EquationsRequest& request) {
  for (const std::string& job : request.jobs)
    if (job_info(job).inverts_inertia)
      throw std::invalid_argument(job +
                                  " divides by expressions in q and has no polynomial form: solve M qdd = tau - C "
                                  "qd - g");
  for (const std::string& job : request.jobs)
    for (const Input input : job_info(job).inputs)
      if (!info_of(input).of_motion())
        throw std::invalid_argument(job + " takes " + std::string(info_of(input).name) +
                                    ", for which printed equations have no symbols");
  require_formulations(request);
  require_fixed_base(mechanism, "printed equations do");
  if (mechanism.coordinates.is_closed()) return with_open_loops(robot, mechanism, request);
  require_uncoupled(mechanism, "printed equations");
  try {
    return Writer(robot, mechanism, request).write();
  } catch (const TooManyTerms&) {
    throw TooManyTerms(mechanism.name + ": a formula on the way has more than " + std::to_string(request.limit.terms) +
                       " terms");
  } catch (const std::domain_error& error) {
    if (!request.formulations.empty()) throw std::invalid_argument(named(request) + ": " + error.what());
    std::string jobs;
    for (const std::string& job : request.jobs) jobs += (jobs.empty() ? "" : ",") + job;
    throw std::invalid_argument(jobs + ": " + error.what());
  }
}

bool Equations::of_motion() const {
  return std::any_of(equations.begin(), equations.end(), [](const Equation& e) {
    return e.is_friction() || (e.head.empty() && is_of_motion(job_info(e.job)));
  });
}

std::vector<double> Equations::symbol_values(std::span<const double> q, std::span<const double> qd,
                                             std::span<const double> qdd) const {
  std::vector<double> symbols(space.symbols.size(), 0.0);
  for (const SymbolNote& note : notes) symbols[std::size_t(note.symbol)] = note.nominal.value_or(0.0);
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const Symbol& s = space.symbols[k];
    const std::size_t j = std::size_t(s.joint) - 1;
    if (s.kind == SymbolKind::position) symbols[k] = q[j];
    if (s.kind == SymbolKind::speed) symbols[k] = qd[j];
    if (s.kind == SymbolKind::acceleration) symbols[k] = qdd[j];
    if (s.kind == SymbolKind::sign) symbols[k] = double((qd[j] > 0.0) - (qd[j] < 0.0));
    if (s.kind == SymbolKind::decay) symbols[k] = decay(std::pow(qd[j] / stribeck_speed[j], 2));
  }
  return symbols;
}

std::vector<double> Equations::evaluate(std::span<const double> q, std::span<const double> qd,
                                        std::span<const double> qdd) const {
  const std::vector<double> symbols = symbol_values(q, qd, qdd);
  std::vector<double> values;
  for (const Equation& equation : equations)
    for (const Formula& entry : equation.entries) values.push_back(catena::evaluate(entry, alphabet, symbols, q));
  return values;
}

}  // namespace catena
