// Inverse dynamics along a motion, from a table or as typed: torques row by row, and a check of the limits.
#pragma once

#include <string>

#include "options/app.hpp"
#include "options/motion_options.hpp"
#include "output/motion_plot.hpp"
#include "report/scene.hpp"
#include "states/limit_check.hpp"

namespace catena::cli {

struct InverseAlong {
  const std::vector<std::string> sources{"--to", "--via", "--trajectory"};  // options that supply a motion
  std::string table;                                                        // --trajectory
  MotionOptions motion;
  LimitCheck limits;
  PlotOption plot;

  // What the rest of the command line specifies.
  struct Setting {
    const Robot& robot;
    const Mechanism& mechanism;
    std::string formulation;
    std::vector<ExternalWrench<double>> wrenches;
    std::string output;
    bool degrees, json;
    report::Recording* recording = nullptr;  // filled with t, q, qd, qdd, tau, unless null
  };

  void add(CLI::App& command);
  bool given() const { return !table.empty() || motion.given(); }
  void run(const Setting& setting) const;

 private:
  LimitReport run_typed(const Setting& setting, Json& about) const;
};

}  // namespace catena::cli
