// The samples of a run as tables, JSON and plots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/control.hpp"
#include "catena/progressive.hpp"
#include "catena/simulation.hpp"
#include "catena/tables.hpp"
#include "output/motion_plot.hpp"
#include "output/output.hpp"
#include "report/scene.hpp"

namespace catena::cli {

// What acts in a run besides joints and drives: each adds a column of energy, and the base also its orientation.
struct Beside {
  bool wrenches = false, base = false;
};

// Where samples go as they are computed: a table, a plot, or neither.
class SampleSink {
 public:
  // `joints`: all joints that exist at some time; a joint has no numbers while it does not exist.
  SampleSink(std::vector<std::string> joints, Beside beside, bool free_base = false)
      : joints_(std::move(joints)), beside_(beside), free_base_(free_base) {}
  void write_table(const std::string& path);
  void write_plot(MotionPlot plot) { plot_ = std::move(plot); }
  void record(const Robot& robot);  // for a page
  // The same where the robot changes; `tree`: its joints in the order of Sample::q_tree at the start.
  void record(const Robot& robot, std::vector<std::string> tree);

  // `tree`: the joints of this sample's q_tree, where the robot has changed.
  void add(const std::vector<std::string>& joints, const Sample& sample, const std::vector<std::string>& tree = {});
  // Not `whole`: nothing is drawn, and the table stays beside its file. Returns where; empty: nowhere.
  std::string finish(const std::string& title, bool whole);
  // What was recorded; call it once, at the end.
  report::Recording recorded(const std::vector<EventRecord>& events);
  std::string position_column(const std::string& joint) const;

 private:
  void add_free(const Sample& sample);
  void record_row(const std::vector<double>& row, const Sample& sample);
  void record_tree(std::vector<double> row, const Sample& sample, const std::vector<std::string>& tree);

  std::vector<std::string> joints_;
  Beside beside_;
  std::vector<std::string> home_;  // where the robot changes: the joints of its tree at the start
  bool free_base_;                 // q has one entry more than there are joints, and all joints exist throughout
  std::optional<TableWriter> table_;
  std::optional<MotionPlot> plot_;
  std::optional<report::Recording> recording_;
};
// Positions, speeds, torques and energies.
MotionPlot sample_plot(const PlotOption& option, const Robot& robot, Beside beside);

Json to_json(const SimulationResult& result, const Mechanism& robot, Beside beside);
Json to_json(const ProgressiveResult& result, Beside beside);

// How far the robot was from its reference, over all samples and joints.
struct TrackingError {
  double rms = 0.0, largest = 0.0;
};
// The same for a frame: in m, and in rad where its axes follow too.
struct PathError {
  TrackingError place;
  std::optional<TrackingError> turn;
};
PathError path_error_of(const SimulationResult& result, const Mechanism& robot, int frame, const FrameReference& path,
                        bool turns);
TrackingError tracking_error(const SimulationResult& result, const Reference& reference);
Json to_json(const TrackingError& error);
Json to_json(const PathError& error);

// One line each, for people.
std::string text_of(const SimulationResult& result);
std::string text_of(const ChangeRecord& change);
std::string text_of(const TrackingError& error);
std::string text_of(const PathError& error, const std::string& frame);
// Says on stderr which joints were beyond their limits at a sample.
void note_left_limits(const Segment& segment);

std::size_t sample_count(const ProgressiveResult& result);

}  // namespace catena::cli
