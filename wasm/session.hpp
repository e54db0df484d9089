// A robot in the page: its calls, each created once, and the state that they read.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "catena/count.hpp"
#include "catena/robot.hpp"

namespace catena::wasm {

using Json = nlohmann::ordered_json;

// Positions, rates and wrenches, which the page writes into the module's memory: the inputs with one entry per joint,
// concatenated, then eight numbers per wrench: frame, 1 where its axes are the world's, force, moment.
class StateBuffer {
 public:
  static constexpr std::size_t most_wrenches = 32;
  explicit StateBuffer(const Mechanism& robot);
  std::span<double> joints() { return std::span(numbers_).first(wrenches_at_); }  // the inputs
  Json inputs_json() const;                                                       // names and sizes, in that order
  void fill(const Json& state, const Mechanism& robot);
  Inputs<double> inputs();
  std::span<const catena_wrench> wrenches(std::size_t count);  // the first of them
  std::size_t wrenches_in(const Json& state) const;

 private:
  struct Part {
    Input input;
    std::size_t size;
  };
  std::vector<Part> parts_;
  std::size_t wrenches_at_ = 0;
  std::vector<double> numbers_;
  std::vector<catena_wrench> acting_;
};

// Handles of catena.h, freed by their owner.
struct Freed {
  void operator()(catena_robot* robot) const { catena_robot_free(robot); }
  void operator()(catena_call* call) const { catena_call_free(call); }
};
using RobotHandle = std::unique_ptr<catena_robot, Freed>;
using CallHandle = std::unique_ptr<catena_call, Freed>;

struct Served {
  CallHandle call;
  std::vector<const double*> inputs;  // in the state buffer
  std::vector<std::size_t> sizes;
  std::vector<double> out;
};

class Session {
 public:
  explicit Session(const std::string& toml);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Robot& robot() const { return at_rest_->parts->robot; }
  const Mechanism& mechanism() const { return (moving_ ? moving_ : at_rest_)->parts->mechanism; }
  const Mechanism& at_rest() const { return at_rest_->parts->mechanism; }
  StateBuffer& state() { return state_; }
  // Puts the robot on a base with this motion, the same in all calls; empty: back on its own base. Calls are rebuilt.
  void set_base(const std::vector<double>& motion);
  std::span<const double> base_motion() const { return base_motion_; }
  // Without a formulation: the default one.
  Served& served(const std::string& job, const std::string& formulation);
  void run(Served& served, int frame, std::size_t wrenches);
  int frame(const std::string& name) const;  // "": the tool

  Json methods(const std::string& job);
  Json compare(const std::string& job, const Json& state);
  Json solve_pose(const Json& request);
  Json poles(const Json& request);
  Json ellipsoids(const Json& request) const;  // of a frame, with the base at rest
  std::string edited(const Json& edits) const;

 private:
  const OperationCount& counted(const std::string& job, const std::string& formulation);

  RobotHandle at_rest_, moving_;     // the latter where the base moves,
  std::vector<double> base_motion_;  // like this
  StateBuffer state_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Served>> calls_;
  std::map<std::pair<std::string, std::string>, OperationCount> counts_;
};

Json jobs_json();

}  // namespace catena::wasm
