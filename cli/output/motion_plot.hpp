// Quantities of joints over time as panels: one curve a joint, turning and sliding ones apart, limits shaded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/job.hpp"
#include "output/plot.hpp"

namespace catena::cli {

// One of what a joint has, in a motion.
struct JointQuantity {
  std::string words;  // "positions"
  Unit unit;
  double (*lower)(const JointLimits&) = nullptr;  // of its limits; nullptr: none
  double (*upper)(const JointLimits&) = nullptr;
};
JointQuantity quantity_of(Input input);

// Long motions are thinned to some thousand points, evenly.
class MotionPlot {
 public:
  MotionPlot(PlotOption option, const Robot& robot, std::vector<JointQuantity> quantities);
  // The same with joints that come later; each slides or turns.
  void add_joint(const std::string& name, bool slides);
  // Curves of their own beside those of the joints: energies.
  void add_panel(const std::string& y_label, const std::vector<std::string>& names);

  // Quantity after quantity, a number a joint; then those of the panels, one behind the other.
  void add(double t, std::span<const double> values);
  void write(const std::string& title) const;

 private:
  struct JointShown {
    std::string name;
    bool slides;
    JointLimits limits;
  };
  struct Extra {
    std::string y_label;
    std::vector<std::string> names;
  };
  PlotCurve curve(const std::string& name, std::size_t column) const;

  PlotOption option_;
  std::vector<JointQuantity> quantities_;
  std::vector<JointShown> joints_;
  std::vector<Extra> extras_;
  std::vector<double> times_;
  std::vector<std::vector<double>> rows_;
  std::size_t stride_ = 1, seen_ = 0;
};

}  // namespace catena::cli
