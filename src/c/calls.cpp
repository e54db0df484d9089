// Calls of catena.h: a job of a robot, what is set for it, and computing it by any name.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "c/handles.hpp"
#include "jobs/checks.hpp"

namespace catena::c {
namespace {

thread_local char message[4096];

std::size_t job_index(std::string_view name) { return static_cast<std::size_t>(&job_info(name) - jobs().data()); }

const InputInfo* input_of(const catena_call* call, std::size_t k) {
  if (call == nullptr || k >= call->call.job().inputs.size()) return nullptr;
  return &info_of(call->call.job().inputs[k]);
}
const OutputInfo* output_of(const catena_call* call, std::size_t k) {
  if (call == nullptr || k >= call->call.job().outputs.size()) return nullptr;
  return &call->call.job().outputs[k];
}
Sizes sizes_of_robot(const catena_call& call) { return sizes_of(call.parts->mechanism); }

void set_frame(catena_call& call, int frame) {
  if (!call.call.job().takes_frame)
    throw std::invalid_argument(std::string(call.call.job().name) + " does not take a frame");
  if (frame != tool_frame) require_frame(call.parts->mechanism, frame);
  call.in.frame = frame;
}

void set_wrenches(catena_call& call, std::span<const catena_wrench> given) {
  if (!call.call.job().feels_wrenches() && !given.empty())
    throw std::invalid_argument(std::string(call.call.job().name) + " does not take external wrenches");
  const Mechanism& robot = call.parts->mechanism;
  for (const catena_wrench& w : given)
    if (w.frame != CATENA_TOOL) require_frame(robot, w.frame);
  call.wrenches.resize(given.size());
  std::transform(given.begin(), given.end(), call.wrenches.begin(), [&](const catena_wrench& w) {
    return ExternalWrench<double>{w.frame == CATENA_TOOL ? robot.tool : w.frame,
                                  {w.force[0], w.force[1], w.force[2]},
                                  {w.moment[0], w.moment[1], w.moment[2]},
                                  w.along_world != 0 ? Axes::world : Axes::frame};
  });
  call.in.wrenches = call.wrenches;
}

void set_base(catena_call& call, const double* motion) {
  if (!call.parts->mechanism.coordinates.is_moving())
    throw std::invalid_argument("robot '" + call.parts->robot.name +
                                "' is not on a moving base; catena_robot_on_moving_base gives one");
  if (motion != nullptr) std::copy_n(motion, call.base.size(), call.base.begin());
  call.in.base = motion != nullptr ? std::span<const double>(call.base) : std::span<const double>();
}

}  // namespace

catena_status refused(catena_status status, std::string_view text) noexcept {
  std::size_t length = std::min(text.size(), sizeof message - 1);
  if (length < text.size())  // not in the middle of a character
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
  return status;
}

catena_status refused_null(const char* argument) noexcept {
  return tried([&] { throw std::invalid_argument(std::string(argument) + " is NULL"); });
}

catena_status refused_call(const catena_call* call, std::size_t job) noexcept {
  if (call == nullptr) return refused_null("the call");
  return tried([&] {
    throw std::invalid_argument("this is a call of '" + std::string(call->call.job().name) + "', not of '" +
                                std::string(jobs()[job].name) + "'");
  });
}

}  // namespace catena::c

using namespace catena;
using namespace catena::c;

catena_call::catena_call(std::shared_ptr<const RobotParts> of, const char* job_name, const char* formulation)
    : parts(std::move(of)),
      call(parts->mechanism, job_name, formulation != nullptr ? formulation : ""),
      job(job_index(job_name)),
      size(call.size()) {
  const Sizes sizes = sizes_of_robot(*this);
  for (const Input input : call.job().inputs) in[input] = {base.data(), index(info_of(input).size(sizes))};
}

catena_call::catena_call(const catena_call& other)
    : parts(other.parts),
      call(other.call),
      job(other.job),
      size(other.size),
      in(other.in),
      base(other.base),
      wrenches(other.wrenches) {
  in.wrenches = wrenches;
  if (!in.base.empty()) in.base = base;
}

const char* catena_last_error(void) { return message; }

size_t catena_jobs(void) { return jobs().size(); }
const char* catena_job_name(size_t job) { return job < jobs().size() ? jobs()[job].name.data() : nullptr; }
const char* catena_job_words(size_t job) { return job < jobs().size() ? jobs()[job].words.data() : nullptr; }

catena_status catena_call_new(const catena_robot* robot, const char* job, const char* formulation, catena_call** call) {
  if (robot == nullptr) return refused_null("the robot");
  if (job == nullptr) return refused_null("the job");
  if (call == nullptr) return refused_null("where the call is to be stored");
  return tried([&] { *call = new catena_call(robot->parts, job, formulation); });
}
catena_status catena_call_copy(const catena_call* call, catena_call** copy) {
  if (call == nullptr) return refused_null("the call");
  if (copy == nullptr) return refused_null("where the copy is to be stored");
  return tried([&] { *copy = new catena_call(*call); });
}
void catena_call_free(catena_call* call) { delete call; }

const char* catena_call_job(const catena_call* call) { return call ? call->call.job().name.data() : nullptr; }
const char* catena_call_formulation(const catena_call* call) {
  return call ? call->call.formulation().name.data() : nullptr;
}
size_t catena_call_inputs(const catena_call* call) { return call ? call->call.job().inputs.size() : 0; }
const char* catena_call_input_name(const catena_call* call, size_t k) {
  const InputInfo* input = input_of(call, k);
  return input ? input->name.data() : nullptr;
}
size_t catena_call_input_size(const catena_call* call, size_t k) {
  const InputInfo* input = input_of(call, k);
  return input ? call->in[input->input].size() : 0;
}
size_t catena_call_size(const catena_call* call) { return call ? call->size : 0; }
size_t catena_call_outputs(const catena_call* call) { return call ? call->call.job().outputs.size() : 0; }
const char* catena_call_output_name(const catena_call* call, size_t k) {
  const OutputInfo* output = output_of(call, k);
  return output ? output->name.data() : nullptr;
}
size_t catena_call_output_rows(const catena_call* call, size_t k) {
  const OutputInfo* output = output_of(call, k);
  return output ? index(output->rows(sizes_of_robot(*call))) : 0;
}
size_t catena_call_output_columns(const catena_call* call, size_t k) {
  const OutputInfo* output = output_of(call, k);
  return output ? index(output->columns(sizes_of_robot(*call))) : 0;
}

catena_status catena_call_set_frame(catena_call* call, int frame) {
  if (call == nullptr) return refused_null("the call");
  return tried([&] { set_frame(*call, frame); });
}
catena_status catena_call_set_wrenches(catena_call* call, const catena_wrench* wrenches, size_t count) {
  if (call == nullptr) return refused_null("the call");
  if (wrenches == nullptr && count > 0) return refused_null("the array of wrenches");
  return tried([&] { set_wrenches(*call, {wrenches, count}); });
}
catena_status catena_call_set_base(catena_call* call, const double* motion) {
  if (call == nullptr) return refused_null("the call");
  return tried([&] { set_base(*call, motion); });
}

catena_status catena_call_run(catena_call* call, const double* const* inputs, const size_t* sizes, size_t count,
                              double* out, size_t size) {
  if (call == nullptr) return refused_null("the call");
  if (inputs == nullptr || sizes == nullptr) return refused_null("the list of inputs");
  if (out == nullptr) return refused_null("the array of results");
  const std::vector<Input>& taken = call->call.job().inputs;
  for (std::size_t k = 0; k < std::min(count, taken.size()); ++k)
    if (inputs[k] == nullptr) return refused_null(info_of(taken[k]).name.data());
  return tried([&] {
    require_length(count, taken.size(), "the list of inputs");
    Inputs<double> in = call->in;
    for (std::size_t k = 0; k < count; ++k) in[taken[k]] = {inputs[k], sizes[k]};
    call->call(in, {out, size});
  });
}
