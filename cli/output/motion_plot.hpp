// Joint quantities over time in panels: one curve per joint, turning and sliding joints separate, limits shaded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/job.hpp"
#include "output/plot.hpp"

namespace catena::cli {

// A quantity that each joint has during a motion.
struct JointQuantity {
  std::string words;  // "positions"
  Unit unit;
  double (*lower)(const JointLimits&) = nullptr;  // the joint's limit of this quantity; nullptr: none
  double (*upper)(const JointLimits&) = nullptr;
};
JointQuantity quantity_of(Input input);

// Long motions are thinned evenly to a few thousand points.
class MotionPlot {
 public:
  MotionPlot(PlotOption option, const Robot& robot, std::vector<JointQuantity> quantities);
  // Adds a joint that is attached later; it slides or turns.
  void add_joint(const std::string& name, bool slides);
  // Adds curves that do not belong to joints, such as energies.
  void add_panel(const std::string& y_label, const std::vector<std::string>& names);

  // One quantity after the other, one number per joint; then the numbers of the added panels, in order.
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
