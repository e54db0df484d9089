// The functions that the page can call (page/src/engine.ts). Rare requests are made in JSON, through catena_ask; those
// made at every frame use arrays in the module's memory.
#include <algorithm>
#include <string>

#include "catena/robot_file.hpp"
#include "fall.hpp"
#include "report/robot.hpp"
#include "session.hpp"

namespace {

using namespace catena;
using namespace catena::wasm;

std::string answer;  // of the latest call: JSON, or an error message

template <class T>
std::uintptr_t address(T* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}
template <class T>
T& behind(const Json& request, const char* key) {
  return *reinterpret_cast<T*>(request.at(key).get<std::uintptr_t>());
}

Json load(const Json& request) {
  auto session = std::make_unique<Session>(request.at("toml").get<std::string>());
  Json out = {{"state", address(session->state().joints().data())},
              {"inputs", session->state().inputs_json()},
              {"description", report::description(session->robot())},
              {"frames", Json::array()}};
  for (const auto& frame : session->mechanism().frames) out["frames"].push_back(frame.name);
  out["robot"] = address(session.release());
  return out;
}

Json call(const Json& request) {
  Session& session = behind<Session>(request, "robot");
  Served& served = session.served(request.at("job"), request.at("method"));
  return {{"call", address(&served)}, {"out", address(served.out.data())}, {"size", served.out.size()}};
}

Json fall(const Json& request) {
  Session& session = behind<Session>(request, "robot");
  session.state().fill(request.at("state"), session.mechanism());
  return {{"fall", address(new Fall(session))}};
}

Json answer_to(const Json& request) {
  const std::string what = request.at("ask");
  if (what == "jobs") return jobs_json();
  if (what == "load") return load(request);
  if (what == "call") return call(request);
  if (what == "fall") return fall(request);
  Session& session = behind<Session>(request, "robot");
  if (what == "toml") return to_toml(session.robot());
  if (what == "edited") return session.edited(request.at("edits"));
  if (what == "methods") return session.methods(request.at("job"));
  if (what == "compare") return session.compare(request.at("job"), request.at("state"));
  if (what == "pose") return session.solve_pose(request);
  if (what == "poles") return session.poles(request);
  if (what == "ellipsoids") return session.ellipsoids(request);
  if (what == "base") {
    session.set_base(request.at("motion").get<std::vector<double>>());
    return nullptr;
  }
  throw std::invalid_argument("the module does not know '" + what + "'");
}

// 0: done; 1: `answer` contains the error message.
template <class F>
int tried(const F& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& e) {
    answer = e.what();
    return 1;
  }
}

}  // namespace

#define CATENA_EXPORT extern "C" __attribute__((used, visibility("default")))
#define CATENA_NAMED(name) __attribute__((export_name(#name)))

CATENA_EXPORT CATENA_NAMED(catena_answer) const char* catena_answer() { return answer.data(); }
CATENA_EXPORT CATENA_NAMED(catena_answer_length) std::size_t catena_answer_length() { return answer.size(); }

CATENA_EXPORT CATENA_NAMED(catena_allocate) void* catena_allocate(std::size_t bytes) { return ::operator new(bytes); }
CATENA_EXPORT CATENA_NAMED(catena_release) void catena_release(void* at) { ::operator delete(at); }

CATENA_EXPORT CATENA_NAMED(catena_ask)
int catena_ask(const char* text, std::size_t length) {
  return tried([&] { answer = report::text_of(answer_to(Json::parse(text, text + length))); });
}

CATENA_EXPORT CATENA_NAMED(catena_run)
int catena_run(Session* session, Served* served, int frame, std::size_t wrenches) {
  return tried([&] { session->run(*served, frame, wrenches); });
}

// The same `count` times on varying states; for measuring.
CATENA_EXPORT CATENA_NAMED(catena_run_many)
int catena_run_many(Session* session, Served* served, int count) {
  return tried([&] {
    const Mechanism& robot = session->mechanism();
    const std::span<double> q = session->state().joints().first(index(robot.nq()));
    const std::span<double> rates = session->state().joints().subspan(q.size());
    // Closed loops do not close everywhere: positions stay.
    const std::size_t first = robot.coordinates.is_closed() ? q.size() : robot.coordinates.is_free() ? 7 : 0;
    for (int k = 0; k < count; ++k) {
      for (std::size_t j = first; j < q.size(); ++j) q[j] += q[j] > 3.0 ? -6.0 : 0.01 * double(j + 1);
      for (double& rate : rates) rate = 0.5 - 0.3 * rate;
      session->run(*served, tool_frame, 0);
    }
  });
}

CATENA_EXPORT CATENA_NAMED(catena_step)
int catena_step(Fall* fall, double dt, double damping, std::size_t wrenches) {
  return tried([&] { fall->step(dt, damping, wrenches); });
}
CATENA_EXPORT CATENA_NAMED(catena_told) const double* catena_told(Fall* fall) { return fall->told().data(); }

CATENA_EXPORT CATENA_NAMED(catena_free_fall) void catena_free_fall(Fall* fall) { delete fall; }
CATENA_EXPORT CATENA_NAMED(catena_free_robot) void catena_free_robot(Session* session) { delete session; }
