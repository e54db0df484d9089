#include "session.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/control.hpp"
#include "catena/inverse_kinematics.hpp"
#include "catena/robot_file.hpp"
#include "jobs/all_jobs.hpp"
#include "jobs/extent_text.hpp"
#include "model/find_frame.hpp"
#include "report/ellipsoids.hpp"

namespace catena::wasm {
namespace {

std::vector<double> numbers(const Json& request, const char* key, std::size_t size) {
  std::vector<double> out(size);
  if (!request.contains(key) || request.at(key).is_null()) return out;
  const auto given = request.at(key).get<std::vector<double>>();
  if (given.size() != size)
    throw std::invalid_argument(std::string(key) + " has " + std::to_string(given.size()) +
                                " numbers, the robot needs " + std::to_string(size));
  return given;
}

Vec3<double> vec3(const std::vector<double>& v) {
  if (v.size() != 3) throw std::invalid_argument("a vector needs three numbers");
  return {v[0], v[1], v[2]};
}

void check(catena_status status) {
  if (status != CATENA_OK) throw std::runtime_error(catena_last_error());
}

RobotHandle read(const std::string& toml) {
  // A physically impossible inertia is shown as such, not refused: the page is a place to look for it.
  catena_robot* robot = nullptr;
  check(catena_robot_parse(toml.data(), toml.size(), "robot", "--lenient", &robot));
  return RobotHandle(robot);
}

}  // namespace

StateBuffer::StateBuffer(const Mechanism& robot) {
  const Sizes sizes = sizes_of(robot);
  for (const InputInfo& info : all_inputs)
    if (info.by_joint()) parts_.push_back({info.input, index(info.size(sizes))});
  for (const Part& part : parts_) wrenches_at_ += part.size;
  numbers_.resize(wrenches_at_ + 8 * most_wrenches);
}

Json StateBuffer::inputs_json() const {
  Json out = Json::array();
  for (const Part& part : parts_) out.push_back({{"name", info_of(part.input).name}, {"size", part.size}});
  return out;
}

void StateBuffer::fill(const Json& state, const Mechanism& robot) {
  auto to = numbers_.begin();
  for (const Part& part : parts_) {
    const std::vector<double> given = numbers(state, info_of(part.input).name.data(), part.size);
    to = std::copy(given.begin(), given.end(), to);
  }
  if (wrenches_in(state) > most_wrenches) throw std::invalid_argument("the page takes 32 wrenches at most");
  for (std::size_t k = 0; k < wrenches_in(state); ++k) {
    const Json& wrench = state.at("wrenches")[k];
    const std::string name = wrench.at("frame");
    const int frame = name.empty() ? robot.tool : find_frame(robot, name);
    if (frame < 0) throw std::invalid_argument("external wrench: the robot has no frame '" + name + "'");
    *to++ = frame;
    *to++ = wrench.at("axes") == "world" ? 1.0 : 0.0;
    const auto given = wrench.at("wrench").get<std::vector<double>>();
    if (given.size() != 6) throw std::invalid_argument("a wrench needs six numbers");
    to = std::copy(given.begin(), given.end(), to);
  }
}

std::size_t StateBuffer::wrenches_in(const Json& state) const {
  return state.contains("wrenches") && state.at("wrenches").is_array() ? state.at("wrenches").size() : 0;
}

Inputs<double> StateBuffer::inputs() {
  const double* at = numbers_.data();
  Inputs<double> in;
  for (const Part& part : parts_) {
    in[part.input] = {at, part.size};
    at += part.size;
  }
  return in;
}

std::span<const catena_wrench> StateBuffer::wrenches(std::size_t count) {
  acting_.resize(std::min(count, most_wrenches));
  const double* w = numbers_.data() + wrenches_at_;
  for (catena_wrench& wrench : acting_) {
    wrench = {static_cast<int>(w[0]), w[1] != 0.0, {w[2], w[3], w[4]}, {w[5], w[6], w[7]}};
    w += 8;
  }
  return acting_;
}

Session::Session(const std::string& toml) : at_rest_(read(toml)), state_(at_rest()) {}

void Session::set_base(const std::vector<double>& motion) {
  if (!motion.empty() && motion.size() != base_motion_size)
    throw std::invalid_argument("the motion of a base needs " + std::to_string(base_motion_size) + " numbers");
  if (!motion.empty() && at_rest().coordinates.is_free())
    throw std::invalid_argument("the base of this robot is free, and moves by itself");
  catena_robot* moving = nullptr;
  if (!motion.empty()) check(catena_robot_on_moving_base(at_rest_.get(), &moving));
  moving_.reset(moving);
  base_motion_ = motion;
  calls_.clear();
  counts_.clear();
}

Served& Session::served(const std::string& job, const std::string& formulation) {
  std::unique_ptr<Served>& place = calls_[{job, formulation}];
  if (place) return *place;
  catena_call* call = nullptr;
  check(catena_call_new((moving_ ? moving_ : at_rest_).get(), job.c_str(),
                        formulation.empty() ? nullptr : formulation.c_str(), &call));
  place = std::make_unique<Served>();
  place->call.reset(call);
  if (moving_) check(catena_call_set_base(call, base_motion_.data()));
  const Inputs<double> in = state_.inputs();
  for (const Input input : call->call.job().inputs) {
    place->inputs.push_back(in[input].data());
    place->sizes.push_back(in[input].size());
  }
  place->out.resize(catena_call_size(call));
  return *place;
}

void Session::run(Served& served, int frame, std::size_t wrenches) {
  catena_call* call = served.call.get();
  if (call->call.job().takes_frame) check(catena_call_set_frame(call, frame));
  if (call->call.job().feels_wrenches()) {
    const auto acting = state_.wrenches(wrenches);
    check(catena_call_set_wrenches(call, acting.data(), acting.size()));
  }
  check(catena_call_run(call, served.inputs.data(), served.sizes.data(), served.inputs.size(), served.out.data(),
                        served.out.size()));
}

int Session::frame(const std::string& name) const {
  if (name.empty()) return tool_frame;
  const int found = find_frame(mechanism(), name);
  if (found < 0) throw std::invalid_argument("the robot has no frame '" + name + "'");
  return found;
}

const OperationCount& Session::counted(const std::string& job, const std::string& formulation) {
  const auto [place, is_new] = counts_.try_emplace({job, formulation});
  if (is_new) place->second = count_operations(mechanism(), job, formulation).online;
  return place->second;
}

Json Session::methods(const std::string& job) {
  const JobInfo& info = job_info(job);
  Json out = Json::array();
  for (const FormulationInfo& f : info.formulations) {
    if (!info.serves(mechanism(), f.name)) continue;
    const OperationCount& count = counted(job, std::string(f.name));
    out.push_back({{"name", f.name},
                   {"source", f.source},
                   {"multiplications", count.multiplications},
                   {"additions", count.additions},
                   {"standard", f.name == info.standard_for(mechanism())}});
  }
  return out;
}

Json Session::compare(const std::string& job, const Json& state) {
  Json out = methods(job);
  state_.fill(state, mechanism());
  const std::size_t wrenches = state_.wrenches_in(state);
  const int at = frame(state.value("frame", ""));
  Served& standard = served(job, "");
  run(standard, at, wrenches);
  double scale = 0.0;
  for (const double v : standard.out) scale = std::max(scale, std::abs(v));
  for (Json& row : out) {
    double worst = 0.0;
    try {
      Served& other = served(job, row.at("name"));
      run(other, at, wrenches);
      for (std::size_t k = 0; k < other.out.size(); ++k)
        worst = std::max(worst, std::abs(other.out[k] - standard.out[k]));
      row["disagreement"] = scale > 0.0 ? worst / scale : worst;
    } catch (const std::exception& e) {
      row["disagreement"] = nullptr;
      row["error"] = e.what();
    }
  }
  return out;
}

Json Session::solve_pose(const Json& request) {
  const int at = frame(request.value("frame", ""));
  Pose<double> target;
  target.p = vec3(request.at("position"));
  const bool turned = request.contains("rotation") && !request.at("rotation").is_null();
  if (turned) {
    const auto r = request.at("rotation").get<std::vector<double>>();
    if (r.size() != 9) throw std::invalid_argument("a rotation needs nine numbers");
    target.R = {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]};
  }
  std::vector<double> start = numbers(request, "q", index(mechanism().nq()));
  for (const Coordinate c : at_rest().coordinates.all()) {  // a fall may have exceeded the limits
    const JointLimits& limits = at_rest().limits(c);
    double& position = start[at_rest().coordinates.position_of(c)];
    if (limits.lower <= limits.upper) position = std::clamp(position, limits.lower, limits.upper);
  }
  InverseKinematics solver(at_rest(), at == tool_frame ? at_rest().tool : at, turned ? Aim::pose : Aim::position);
  const InverseKinematicsResult& result = solver.solve(target, start, {.starts = 20});
  return {{"q", result.q},
          {"reached", result.reached},
          {"residual", std::hypot(result.position_error, result.rotation_error)}};
}

Json Session::poles(const Json& request) {
  const std::size_t n = index(mechanism().nv());
  const std::vector<double> q = numbers(request, "q", index(mechanism().nq())), qd = numbers(request, "qd", n), rest(n);
  Json out = Json::array();
  for (const auto& pole : catena::poles(Linearization(mechanism()).along(q, qd, rest)))
    out.push_back({{"re", pole.real()}, {"im", pole.imag()}});
  return out;
}

Json Session::ellipsoids(const Json& request) const {
  const int asked = frame(request.value("frame", "")), at = asked == tool_frame ? at_rest().tool : asked;
  const std::vector<double> q = numbers(request, "q", index(at_rest().nq()));
  const std::size_t n = index(at_rest().nv());
  std::vector<double> J(6 * n);
  Call<double>(at_rest(), "jacobian")({.q = q, .frame = at}, J);
  Json out = report::ellipsoids_json(catena::ellipsoids(at_rest(), at, q));
  out["manipulability"] = dexterity(std::span(J).first(3 * n), 3, n).manipulability;
  return out;
}

Json jobs_json() {
  Json out = Json::array();
  for (const JobInfo& job : jobs()) {
    Json inputs = Json::array(), outputs = Json::array();
    for (const Input input : job.inputs) inputs.push_back(info_of(input).name);
    for (const OutputInfo& o : job.outputs)
      outputs.push_back({{"name", o.name},
                         {"words", o.words},
                         {"turning", o.unit.turning},
                         {"sliding", o.unit.sliding},
                         {"rows", extent_text(o.rows)},
                         {"columns", extent_text(o.columns)},
                         {"symmetric", o.symmetric}});
    out.push_back({{"name", job.name},
                   {"words", job.words},
                   {"inputs", inputs},
                   {"outputs", outputs},
                   {"takesFrame", job.takes_frame},
                   {"takesWrenches", job.feels_wrenches()}});
  }
  return out;
}

}  // namespace catena::wasm
