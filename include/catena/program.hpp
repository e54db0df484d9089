// Generated code before it is printed: which constants stay symbols, which frames joints share, and the program itself.
#pragma once

#include <functional>
#include <memory>
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

namespace catena {

// Robot constants that stay symbols in generated code: for identification, for payloads that change.

// One number of the robot.
struct KeptParameter {
  enum class Kind {
    mass,            // of what the joint moves: the link and all that is fixed to it
    com,             // its mass centre, in the frame of the link as the user described it; `axis` 0, 1 or 2
    inertia,         // about the mass centre, along the axes of that frame; `axis`: xx, yy, zz, xy, xz, yz
    joint_position,  // moves the joint on its parent link, along `direction` (parent link frame as described)
    link_position,   // moves the link on its joint, along `direction` (child link frame as described)
    viscous,         // friction of the joint that grows with its speed
    coulomb,         // friction of the joint that has the sign of its speed
    rotor,           // inertia of the joint's rotor, on the motor's side of the gear
    gear,            // its ratio
  };
  std::string name;  // as it appears in the code: m3, a2
  Kind kind = Kind::mass;
  int link = 0;  // of the mechanism
  int axis = 0;
  int parent_frame = 0, child_frame = 0;  // frames of the mechanism: the joint's parent and child link as described
  Vec3<double> direction{};
  double nominal = 0.0;  // what the model says
  double partner = 0.0;  // rotor: the gear's ratio, gear: the rotor's inertia, as the model says
};

// Reads "mass:3,com:3,inertia:forearm,length:a2": which quantity, of which joint (its number from 1, or its name).
// length: a or d of a Denavit-Hartenberg row, or x, y, z of the joint's origin in its parent link, then the joint.
// friction:3 is viscous and Coulomb friction, rotor:3 the rotor's inertia and the gear's ratio.
// Throws std::invalid_argument with one line that says what is allowed.
std::vector<KeptParameter> parse_kept(std::string_view text, const Robot& robot, const Mechanism& mechanism);

// The mechanism with these constants replaced by symbols, one for each parameter in order.
BasicMechanism<Expr> with_symbols(const Mechanism& mechanism, const std::vector<KeptParameter>& keep,
                                  const std::vector<Expr>& symbols);

// Joint-parallel frames: revolute joints with parallel axes share one orientation, in which their angles only add up.
// Equations: docs/equations/shared_frames.md.

// Which orientation the links of a group of parallel joints share.
enum class SharedFrames {
  none,          // each link its own, as made
  before_first,  // that of the first link before its joint turns
  after_first,   // that of the first link
};

// The same robot at the configuration q, for one run of any formulation that reads its constants on line: within a
// group no vector is turned any more; the links' constants are, once. They become functions of q, as Expr may hold.
BasicMechanism<Expr> share_parallel_frames(const BasicMechanism<Expr>& robot, std::span<const Expr> q,
                                           SharedFrames shared);

// Some two joints in a row have parallel axes.
bool has_parallel_axes(const Mechanism& robot);

// Program: one function of generated code before it is printed. A formulation, run once on Expr for one robot, with
// every constant folded; its arguments; the choices that were free and how they were made.

// An array that the function takes or fills.
struct Argument {
  std::string name;
  int rows = 0, columns = 1;
  bool packed = false;                      // the upper triangle by rows
  std::string meaning;                      // one line for the reader of the code
  std::vector<KeptParameter> parameters{};  // where the entries are these, in order
  bool matrix = false;                      // also where it has one column

  int size() const { return packed ? rows * (rows + 1) / 2 : rows * columns; }
};

// What may be chosen without changing a result.
struct Choices {
  std::vector<std::string> formulations;  // one for each job
  std::vector<Slide> slides;              // by link; empty: all to the child
  SharedFrames frames = SharedFrames::none;
  bool regrouped = true;
  std::vector<char> early_omega{};  // by link: which of two forms of Ω (model/tree.hpp); empty: the usual one
};

// Results that are no job's, of a robot and a state on symbols.
struct SymbolicMatrix {
  std::string name, meaning;
  int rows = 0, columns = 1;
  std::vector<Expr> entries;  // by rows
};
using MoreResults = std::function<std::vector<SymbolicMatrix>(const BasicMechanism<Expr>&, const Inputs<Expr>&)>;

struct ProgramRequest {
  std::vector<std::string> jobs;            // more than one: they share one call and its subexpressions
  std::vector<std::string> formulations{};  // for each job, or empty: free to choose
  bool packed = false;                      // symmetric results as their upper triangle
  bool gravity_input = false;               // gravity as an argument, along the axes of the user's base link
  std::vector<KeptParameter> keep{};        // robot constants that stay arguments
  int frame = tool_frame;                   // for jobs that take one: which frame of the mechanism
  MoreResults more{};                       // behind those of the jobs; of q and q̇
  bool weighted = false;                    // of matrices with a row a joint: the sums of rows times an input `weight`
  long most_operations = 0;                 // more are too many: TooManyOperations; 0: any number
};

// Straight-line code grows with the robot, of some jobs with the cube of its joints. what() says how long it would be.
class TooManyOperations : public std::length_error {
 public:
  using std::length_error::length_error;
};

// What a C compiler takes for code of this cost, in seconds: measured in docs/compiled-engine.md.
double compile_seconds(const GraphCost& cost);

struct Program {
  struct Output : Argument {
    std::vector<NodeRef> entries;
  };

  std::string robot_name;
  int joints = 0;
  std::vector<std::string> jobs;
  bool weighted = false;  // ProgramRequest::weighted
  Choices choices;
  Graph graph;                   // input k of the graph is entry k of all inputs in a row
  std::vector<Argument> inputs;  // in the order of the arguments
  std::vector<Output> outputs;

  std::vector<NodeRef> results() const;  // all outputs in a row
  GraphCost cost() const { return graph.cost(results()); }
  bool reads(std::string_view input) const;  // some result depends on this argument
  // All outputs in a row, for all inputs in a row.
  std::vector<double> evaluate(std::span<const double> values) const { return graph.evaluate(results(), values); }
};

// The program for these choices. Throws std::invalid_argument when the request names something that does not exist, and
// std::domain_error when a formulation cannot be written with the choices (it asks for the size of a symbol).
Program make_program(const Mechanism& robot, const ProgramRequest& request, const Choices& choices);

// The program for the usual choices, the first that can be written. Throws TooManyOperations.
Program usual_program(const Mechanism& robot, const ProgramRequest& request);

// Good choices without a search.
Choices usual_choices(const Mechanism& robot, const ProgramRequest& request);

// The cheapest program: formulations, origins, shared frames, by instructions after fusing. The same robot and request
// give the same program, on every machine; so that it takes seconds also where programs are long, it ends after a fixed
// amount of work. `progress` is told what share of the search is done, 0 to 1.
using SearchProgress = std::function<void(double share)>;
Program find_cheapest(const Mechanism& robot, const ProgramRequest& request, const SearchProgress& progress = {});

// The measure that the search makes small.
double instruction_cost(const GraphCost& cost);

}  // namespace catena
