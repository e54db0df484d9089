// What the handles of catena.h hold, and how its functions end: with a status, never with an exception.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena.h"
#include "catena/call.hpp"
#include "catena/robot.hpp"

namespace catena::c {

// A robot, constant once it is made; handles share it.
struct RobotParts {
  RobotParts(Robot described, Mechanism made);

  Robot robot;
  Mechanism mechanism;
  std::vector<std::string> joints;
  std::string warnings;
};

// Keeps the message for catena_last_error and returns the status.
catena_status refused(catena_status status, std::string_view message) noexcept;
// The same for the exception that is being handled.
catena_status failure() noexcept;
catena_status refused_null(const char* argument) noexcept;

template <class Work>
catena_status tried(const Work& work) noexcept {
  try {
    work();
    return CATENA_OK;
  } catch (...) {
    return failure();
  }
}

}  // namespace catena::c

struct catena_robot {
  std::shared_ptr<const catena::c::RobotParts> parts;
};

struct catena_call {
  catena_call(std::shared_ptr<const catena::c::RobotParts> of, const char* job_name, const char* formulation);
  catena_call(const catena_call& other);
  catena_call& operator=(const catena_call&) = delete;

  std::shared_ptr<const catena::c::RobotParts> parts;
  catena::Call<double> call;
  std::size_t job;  // index into jobs()
  std::size_t size;
  // Every span has its length from the start. Those of the job's inputs get their pointers in every computation.
  catena::Inputs<double> in;
  std::array<double, catena::base_motion_size> base{};
  std::vector<catena::ExternalWrench<double>> wrenches;
};

namespace catena::c {

catena_status refused_call(const catena_call* call, std::size_t job) noexcept;

// "qd"_in: the input with this name.
consteval Input operator""_in(const char* name, std::size_t length) {
  for (const InputInfo& info : all_inputs)
    if (info.name == std::string_view(name, length)) return info.input;
  throw "no input has this name";
}

// A job's own function: takes arrays of its inputs, in this order.
template <std::size_t job, Input... taken>
catena_status run(catena_call* call, const std::array<const double*, sizeof...(taken)>& arrays, double* out) noexcept {
  if (call == nullptr || call->job != job) [[unlikely]]
    return refused_call(call, job);
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (arrays[k] == nullptr) [[unlikely]]
      return refused_null(std::array{info_of(taken).name.data()...}[k]);
  if (out == nullptr) [[unlikely]]
    return refused_null("the array of results");
  std::size_t k = 0;
  ((call->in[taken] = {arrays[k++], call->in[taken].size()}), ...);
  try {
    call->call(call->in, {out, call->size});
    return CATENA_OK;
  } catch (...) {
    return failure();
  }
}

}  // namespace catena::c
