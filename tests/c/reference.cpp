#include "c/reference.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>

#include "catena/call.hpp"
#include "catena/math/quaternion.hpp"
#include "catena/model_options.hpp"
#include "catena/robot_file.hpp"

using namespace catena;

struct reference {
  Robot robot;
  Mechanism mechanism;
};

namespace {

reference made(const char* model, const char* text, const char* options, bool moving) {
  const ModelChanges changes = parse_model_options(options ? options : "");
  Robot robot =
      text != nullptr ? parse_robot(text, model, changes.reading()) : load_robot(find_model(model), changes.reading());
  robot = changes.applied(std::move(robot));
  Mechanism mechanism = make_mechanism(robot, changes.mechanism_options());
  return {robot, moving ? on_moving_base(mechanism) : mechanism};
}

}  // namespace

reference* reference_new(const char* model, const char* text, const char* options, int moving) try {
  return new reference(made(model, text, options, moving != 0));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", model, error.what());
  std::abort();
}
void reference_free(reference* robot) { delete robot; }

void reference_input(const reference* robot, const char* name, unsigned seed, double* values) {
  const Mechanism& made = robot->mechanism;
  const bool positions = std::string(name) == "q";
  std::mt19937 generator(seed * 31U + static_cast<unsigned>(std::string(name).size()));
  std::uniform_real_distribution<double> between(-1.0, 1.0);
  const std::span<double> all(values, index(positions ? made.nq() : made.nv()));
  for (double& value : all) value = between(generator);
  if (!positions) return;
  if (made.coordinates.is_free()) normalize_quaternion(&values[3]);
  if (!made.coordinates.is_closed()) return;
  for (const Coordinate c : made.coordinates.all())
    if (const auto found = robot->robot.closed.find(made.name_of(c)); found != robot->robot.closed.end()) {
      double& value = values[made.coordinates.position_of(c)];
      value = found->second + 0.01 * value;
    }
}

const char* reference_run(const reference* robot, const char* job, const double* const* inputs, int frame,
                          const catena_wrench* wrenches, size_t count, const double* base, double* out, size_t size) {
  thread_local std::string said;
  try {
    Call<double> call(robot->mechanism, job);
    Inputs<double> in;
    const Sizes sizes = sizes_of(robot->mechanism);
    for (std::size_t k = 0; k < call.job().inputs.size(); ++k) {
      const InputInfo& info = info_of(call.job().inputs[k]);
      in[info.input] = {inputs[k], index(info.size(sizes))};
    }
    std::vector<ExternalWrench<double>> acting;
    for (const catena_wrench& w : std::span(wrenches, count))
      acting.push_back({w.frame == CATENA_TOOL ? robot->mechanism.tool : w.frame,
                        {w.force[0], w.force[1], w.force[2]},
                        {w.moment[0], w.moment[1], w.moment[2]},
                        w.along_world != 0 ? Axes::world : Axes::frame});
    in.wrenches = acting;
    in.frame = frame;
    if (base != nullptr) in.base = {base, base_motion_size};
    call(in, {out, size});
    return nullptr;
  } catch (const std::exception& error) {
    said = error.what();
    return said.c_str();
  }
}

int reference_feels_wrenches(const char* job) { return job_info(job).feels_wrenches() ? 1 : 0; }
int reference_takes_frame(const char* job) { return job_info(job).takes_frame ? 1 : 0; }
