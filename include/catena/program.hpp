// Generated code before it is printed: constants kept as symbols, frames that joints share, and the program itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/job.hpp"
#include "catena/mechanism.hpp"
#include "catena/model/regroup.hpp"
#include "catena/robot.hpp"
#include "catena/scalar/expr.hpp"
#include "catena/scalar/graph.hpp"
#include "catena/scalar/loops.hpp"

namespace catena {

// Robot constants that remain symbols in generated code: for identification, for payloads that change.

// One number of the robot.
struct KeptParameter {
  enum class Kind {
    mass,            // of what the joint moves: the link and everything fixed to it
    com,             // its mass centre, in the link's frame as the user described it; `axis` 0, 1 or 2
    inertia,         // about the mass centre, along the axes of that frame; `axis`: xx, yy, zz, xy, xz, yz
    joint_position,  // moves the joint on its parent link, along `direction` (parent link frame as described)
    link_position,   // moves the link on its joint, along `direction` (child link frame as described)
    load,            // of a point beside the link, in frame `child_frame`; `axis` 0: its mass, 1 to 3: its place
    viscous,         // friction of the joint proportional to its speed
    coulomb,         // friction of the joint with the sign of its speed
    rotor,           // inertia of the joint's rotor, on the motor's side of the gear
    gear,            // its ratio
    stiffness,       // of the joint's spring
    rest,            // where it exerts nothing
    stribeck,        // friction of the joint at rest beyond coulomb
    offset,          // the constant part of the joint's torque
  };
  std::string name;  // as it appears in the code: m3, a2
  Kind kind = Kind::mass;
  int link = 0;  // of the mechanism
  int axis = 0;
  int parent_frame = 0, child_frame = 0;  // frames of the mechanism: the joint's parent and child link as described
  Vec3<double> direction{};
  double nominal = 0.0;  // the model's value
  double partner = 0.0;  // rotor: the gear ratio, gear: the rotor inertia, of the model
};

// Parses "mass:3,com:3,inertia:forearm,length:a2": a quantity, then the joint (its number from 1, or its name). length:
// a or d of a Denavit-Hartenberg row, or x, y, z of the joint's origin in its parent link, then the joint.
// friction:3 is viscous and Coulomb friction, rotor:3 the rotor's inertia and the gear ratio,
// spring:3 the spring's stiffness and its rest position; Stribeck friction and an offset stand beside them where the
// joint has them.
// Throws std::invalid_argument with one line that lists what is allowed.
std::vector<KeptParameter> parse_kept(std::string_view text, const Robot& robot, const Mechanism& mechanism);

// The mechanism with these constants replaced by symbols, one per parameter, in order.
BasicMechanism<Expr> with_symbols(const Mechanism& mechanism, const std::vector<KeptParameter>& keep,
                                  const std::vector<Expr>& symbols);

// Joint-parallel frames: revolute joints with parallel axes share one orientation, in which their angles simply add up.
// Equations: docs/equations/shared_frames.md.

// The orientation that the links of a group of parallel joints share.
enum class SharedFrames {
  none,          // each link has its own, as built
  before_first,  // that of the first link before its joint turns
  after_first,   // that of the first link
};

// The same robot in the configuration q, for one run of any formulation that reads its constants on line: within a
// group the links' constants are rotated, once, and no vector is. They become functions of q, which Expr can represent.
BasicMechanism<Expr> share_parallel_frames(const BasicMechanism<Expr>& robot, std::span<const Expr> q,
                                           SharedFrames shared);

// Whether any two consecutive joints have parallel axes.
bool has_parallel_axes(const Mechanism& robot);

// Program: one function of generated code before it is printed. It is a formulation, run once on Expr for one robot,
// with every constant folded; its arguments; and the free choices with the values they got.

// An array that the function reads or fills.
struct Argument {
  std::string name;
  int rows = 0, columns = 1;
  bool packed = false;                      // the upper triangle by rows
  std::string meaning;                      // one line for the reader of the code
  std::vector<KeptParameter> parameters{};  // if the entries are parameters: these, in order
  bool matrix = false;                      // also if it has one column
  bool by_columns = false;                  // else by rows
  std::vector<double> nominal{};            // values that make sense, if not all do

  int size() const { return packed ? rows * (rows + 1) / 2 : rows * columns; }
};

// Choices that do not change any result.
struct Choices {
  std::vector<std::string> formulations;  // one per job
  std::vector<Slide> slides;              // by link; empty: all to the child
  SharedFrames frames = SharedFrames::none;
  bool regrouped = true;
  std::vector<char> early_omega{};  // by link: which of two forms of Ω (model/tree.hpp); empty: the usual one
};

// Results that belong to no job, computed from a robot and a state made of symbols.
struct SymbolicMatrix {
  std::string name, meaning;
  int rows = 0, columns = 1;
  std::vector<Expr> entries;  // by rows
};
using MoreResults = std::function<std::vector<SymbolicMatrix>(const BasicMechanism<Expr>&, const Inputs<Expr>&)>;

struct ProgramRequest {
  std::vector<std::string> jobs;            // more than one: they share one call and its subexpressions
  std::vector<std::string> formulations{};  // one per job, or empty: free to choose
  bool packed = false;                      // symmetric results as their upper triangle
  bool gravity_input = false;               // gravity as an argument, along the axes of the user's base link
  std::vector<KeptParameter> keep{};        // robot constants that remain arguments
  int frame = tool_frame;                   // for jobs that take one: which frame of the mechanism
  MoreResults more{};                       // after those of the jobs; functions of q and q̇
  bool weighted = false;                    // for matrices with a row per joint: the sum of rows times input `weight`
  bool loops = false;                       // not straight-line where a robot has many joints: scalar/loops.hpp
  int closing_steps = 5;                    // of Newton's method, where the job `place` closes loops
  long most_operations = 0;                 // more throw TooManyOperations; 0: no limit
};

// Straight-line code grows with the robot, for some jobs with the cube of its joints. what() says how long it would be.
class TooManyOperations : public std::length_error {
 public:
  using std::length_error::length_error;
};

// The time a C compiler needs for code of this cost, in seconds: measured in docs/compiled-engine.md.
double compile_seconds(const GraphCost& cost);

// Work in the middle of a program that is done by loops: tables are filled, and results read from there on.
struct ProgramLoops {
  using Table = std::vector<NodeRef>;
  struct Factors {
    std::size_t left, right;  // of the tables
    int terms;
  };
  struct Products {
    MatrixBlock block;
    Factors below, above;
    std::size_t result;  // where the block starts among the results
    int columns() const { return block.column_end - block.column; }
    int size() const { return (block.row_end - block.row) * columns(); }
  };
  struct Columns {
    std::vector<int> q_of;
    std::vector<LoopedColumns::Limb> limbs;
    std::size_t links;                                  // of the tables
    std::vector<std::vector<std::size_t>> right_sides;  // one table each, or none: the unit matrix
    std::size_t result;
  };
  struct Body {
    std::vector<std::size_t> rows;  // of the tables: inputs of the graph
    Graph graph;
    std::vector<NodeRef> results;  // one row each
    std::size_t result;
  };
  int joints = 0;
  std::vector<Table> tables;
  std::vector<Body> bodies;
  std::vector<Products> products;
  std::vector<Columns> columns;
  std::size_t results = 0;       // their number: inputs of the graph, after those of earlier loops
  std::uint32_t first_node = 0;  // the first one

  // All results, from the numbers in all tables.
  std::vector<double> run(const std::vector<std::vector<double>>& tables_filled) const;
  void add_cost(GraphCost& cost) const;
};

// How a program is abridged: docs/generated-code.md#abridged-models.
struct Abridging {
  double significance = 0.01;  // the largest error, as a share of the result's scale; 0: nothing is left out
  // The motions, by coordinate: rates lie within these, both ways. Empty: the model's top speeds, or 2 where it has
  // none; and accelerations that reach them in 0.2 s. Positions lie within the model's limits, or π around 0.
  std::vector<double> speeds{}, accelerations{};
  std::uint64_t seed = 1;
};
struct Abridgement {
  Abridging how;               // with the ranges that were taken
  GraphCost exact;             // of the program with all its summands
  std::size_t states = 0;      // fresh ones, by which no summand was chosen; 0: nothing is left out
  std::vector<double> errors;  // by entry of all outputs in sequence: the largest over these states, as such a share
  std::vector<double> scales;  // of each entry: its largest magnitude over these states, or its row's in a matrix
  double largest_error() const;
};

struct Program {
  struct Output : Argument {
    std::vector<NodeRef> entries;
  };

  std::string robot_name;
  int joints = 0;
  std::vector<std::string> jobs;
  bool weighted = false;  // ProgramRequest::weighted
  std::string derived{};  // how it came from the program of these jobs: "_jacobian", "_gradient_jacobian"
  Choices choices;
  Graph graph;                   // input k of the graph is entry k of all inputs in sequence
  std::vector<Argument> inputs;  // in the order of the arguments
  std::vector<Output> outputs;
  std::vector<ProgramLoops> loops;  // one after the other
  std::optional<Abridgement> abridged{};

  std::vector<NodeRef> results() const;                       // all outputs in sequence
  std::vector<NodeRef> needed() const;                        // these, and the tables of all loops
  GraphCost written() const { return graph.cost(needed()); }  // without what loops compute
  GraphCost cost() const;
  bool reads(std::string_view input) const;  // whether some result depends on this argument
  // All outputs in sequence, from all inputs in sequence.
  std::vector<double> evaluate(std::span<const double> values) const;
};

// The program for these choices. Throws std::invalid_argument if the request names something that does not exist, and
// std::domain_error if the choices allow no program (the formulation compares the value of a symbol).
Program make_program(const Mechanism& robot, const ProgramRequest& request, const Choices& choices);

// The program for the first of the usual choices that can be generated. Throws TooManyOperations.
Program usual_program(const Mechanism& robot, const ProgramRequest& request);

// Good choices without a search.
Choices usual_choices(const Mechanism& robot, const ProgramRequest& request);

// The cheapest program over formulations, origins and shared frames, by instructions after fusing. The same robot and
// request give the same program on every machine; the search ends after a fixed amount of work, so that it takes only
// seconds even for long programs. `progress` receives the fraction of the search that is done, 0 to 1.
using SearchProgress = std::function<void(double share)>;
Program find_cheapest(const Mechanism& robot, const ProgramRequest& request, const SearchProgress& progress = {});

// The cost that the search minimizes.
double instruction_cost(const GraphCost& cost);

// The same program with matrices by columns.
Program by_columns(Program program);

// Derivatives of the results with respect to the arguments, as programs; sign() is taken as constant. Throw
// std::invalid_argument if the program has loops.
Program jacobian_of(const Program& program);  // of each result by each argument: jac_tau_q, jac_tau_qd, …
Program gradient_of(const Program& program);  // of the results times arguments adj_tau, …: adj_q, adj_qd, …
// Of all results along one direction of all arguments, which follows them: d_q, d_qd, …; results d_qdd, ….
Program tangent_of(const Program& program);
// The same program where sign(x) is tanh(x / s), for one more argument s of this name: dry friction without a jump.
// Throws std::invalid_argument if the program has loops.
Program smooth_signs(const Program& program, const std::string& speed);
// The program, its jacobian from order 1, and from order 2 its gradient and the jacobian of that. Derivatives that are
// a job come from it where that is cheaper. Throws TooManyOperations.
std::vector<Program> with_derivatives(const Mechanism& robot, const ProgramRequest& request, const Program& program,
                                      int order, bool search = true);

// The same program without summands that matter little in motions of this robot; Program::abridged says what was found.
// Throws std::invalid_argument if `exact` has loops or arguments that are not part of a motion, or if `how` has numbers
// out of range, and std::domain_error if hardly any motion closes the robot's loops.
Program abridge(const Mechanism& robot, const Program& exact, const Abridging& how = {});

}  // namespace catena
