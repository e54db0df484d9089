// The content of a page for one robot: Scene of page/src/data.ts.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "catena/job.hpp"
#include "catena/math/pose.hpp"
#include "catena/robot_file.hpp"
#include "report/robot.hpp"

namespace catena::report {

struct Column {
  std::string name, label, unit, group;  // as in data.ts
  int joint = -1;
  std::vector<double> values{};
};

// Columns over time.
class Recording {
 public:
  explicit Recording(const Robot& robot);

  // Add columns: the time, a group of the robot's numbers, or a column by its name. Call them before the first row.
  void add_time() { columns_.push_back({"t", "time", "s", "t"}); }
  void add_group(Input input);
  void add_joint_after(Input input, std::size_t j, const std::string& joint);  // of a joint that is attached later
  void add_reference();  // the positions that a law follows: q_ref1, …; a free base follows none
  void add_named(const std::string& name);

  // Adds a row: one number per column, in the order in which the columns were added.
  void add(std::span<const double> row);
  // The positions of all joints of the tree in the row that was added last. Without them the page shows joints in
  // closed loops where they follow from q.
  void place(std::span<const double> tree) { trees_.emplace_back(tree.begin(), tree.end()); }
  // Where the base is, by time: seven columns, as BasePath has them. Call it after the last row.
  void add_base(const std::function<std::span<const double>(double)>& place);
  // Columns of what a law followed, a row for each that was added: positions by their entries in q, or poses of a frame
  // (with `turns` its axes follow too). Call them before complete().
  void put_reference(std::span<const std::vector<double>> positions);
  void put_path(const Mechanism& robot, int frame, bool turns, std::span<const Pose<double>> poses);
  void add_event(double t, const std::string& text) { events_.push_back({{"t", t}, {"text", text}}); }

  bool empty() const { return columns_.empty(); }
  std::size_t count() const { return columns_.empty() ? 0 : columns_.front().values.size(); }
  bool has(std::string_view group) const;
  const std::vector<Column>& columns() const { return columns_; }
  std::vector<double> numbers(std::string_view group, std::size_t row) const;

  // Adds what follows from the columns: positions of joints in closed loops, torques of a motion, accelerations of a
  // run (where `forward`), power, energies, the energy balance (where `whole`: nothing was attached or detached). A
  // value that cannot be computed is not a number. `base`: the motion of the base, where it moves.
  void complete(const Mechanism& robot, std::span<const ExternalWrench<double>> wrenches, bool forward,
                bool whole = true, std::span<const double> base = {});

  Json json() const;

 private:
  void put_group(Input input, std::vector<std::vector<double>> columns);
  void add_dependent(const Mechanism& robot);
  std::vector<std::vector<double>> trees(const Mechanism& robot) const;
  void add_torques(const Mechanism& robot, const Inputs<double>& around, bool forward);
  void add_power();
  void add_energies(const Mechanism& robot, const Inputs<double>& around);
  void add_balance();

  Robot robot_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> trees_;  // by row; empty: none were given
  Json events_ = Json::array();
};

struct Scene {
  std::string name, kind = "robot", command;
  Robot robot;
  std::string source{};        // what to tell scenes of one name apart by: the file of the result or the robot
  std::string file{};          // the robot's file, which names the meshes
  LoadOptions reading{};       // how that is read
  std::vector<double> q{};     // empty: zeros, or where closed loops close
  std::vector<double> base{};  // its constant motion; empty: it does not move
  Json wrenches = Json::array();
  Json payloads = Json::array();
  std::vector<Recording> recordings{};  // none or one
  Json matrix{}, compare{};             // null: none
  Json phases{};                        // the robot after each change, as data.ts has it; null: it does not change
  std::vector<std::string> notes{};

  // What cannot be shown properly is passed to `warn`, in one line, and listed in the notes.
  Json json(const std::function<void(const std::string&)>& warn) const;
};

// Wrenches in the form that the page draws.
Json wrenches_json(std::span<const ExternalWrench<double>> wrenches, const Mechanism& robot);

}  // namespace catena::report
