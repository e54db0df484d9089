// Robots of catena.h.
#include <exception>
#include <new>
#include <stdexcept>

#include "c/handles.hpp"
#include "c/models.hpp"
#include "catena/model_options.hpp"
#include "catena/robot_file.hpp"
#include "model/find_frame.hpp"

namespace catena::c {
namespace {

std::string listed(const std::vector<Warning>& warnings) {
  std::string lines;
  for (const Warning& warning : warnings) lines += (lines.empty() ? "" : "\n") + warning.text;
  return lines;
}

// read(options) gives the robot as it is written.
template <class Read>
catena_status made(const char* options, catena_robot** robot, const Read& read) noexcept {
  if (robot == nullptr) return refused_null("where the robot is to be stored");
  return tried([&] {
    const ModelChanges changes = parse_model_options(options != nullptr ? options : "");
    Robot described = changes.applied(read(changes.reading()));
    Mechanism mechanism = make_mechanism(described, changes.mechanism_options());
    *robot = new catena_robot{std::make_shared<const RobotParts>(std::move(described), std::move(mechanism))};
  });
}

const Mechanism* mechanism_of(const catena_robot* robot) { return robot ? &robot->parts->mechanism : nullptr; }

}  // namespace

RobotParts::RobotParts(Robot described, Mechanism made)
    : robot(std::move(described)),
      mechanism(std::move(made)),
      joints(coordinate_names(mechanism)),
      warnings(listed(robot.warnings)) {}

catena_status failure() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return refused(CATENA_NO_MEMORY, "there is not enough memory");
  } catch (const ModelError& error) {
    return refused(CATENA_BAD_MODEL, error.what());
  } catch (const OptionError& error) {
    return refused(CATENA_BAD_ARGUMENT, error.what());
  } catch (const std::domain_error& error) {
    return refused(CATENA_NO_RESULT, error.what());
  } catch (const std::logic_error& error) {
    return refused(CATENA_BAD_ARGUMENT, error.what());
  } catch (const std::exception& error) {
    return refused(CATENA_FAILED, error.what());
  } catch (...) {
    return refused(CATENA_FAILED, "an unknown error");
  }
}

}  // namespace catena::c

using namespace catena;
using namespace catena::c;

const char* catena_version(void) { return CATENA_VERSION; }

catena_status catena_robot_load(const char* model, const char* options, catena_robot** robot) {
  if (model == nullptr) return refused_null("the model");
  return made(options, robot, [&](const LoadOptions& reading) { return load_model(model, reading); });
}
catena_status catena_robot_parse(const char* text, size_t length, const char* file, const char* options,
                                 catena_robot** robot) {
  if (text == nullptr) return refused_null("the text");
  return made(options, robot, [&](const LoadOptions& reading) {
    return parse_robot({text, length}, file != nullptr ? file : "robot", reading);
  });
}
catena_status catena_robot_on_moving_base(const catena_robot* robot, catena_robot** moving) {
  if (robot == nullptr) return refused_null("the robot");
  if (moving == nullptr) return refused_null("where the robot is to be stored");
  return tried([&] {
    const RobotParts& parts = *robot->parts;
    *moving = new catena_robot{std::make_shared<const RobotParts>(parts.robot, on_moving_base(parts.mechanism))};
  });
}
void catena_robot_free(catena_robot* robot) { delete robot; }

const char* catena_robot_name(const catena_robot* robot) { return robot ? robot->parts->robot.name.c_str() : nullptr; }
const char* catena_robot_warnings(const catena_robot* robot) {
  return robot ? robot->parts->warnings.c_str() : nullptr;
}
size_t catena_robot_nq(const catena_robot* robot) { return robot ? index(mechanism_of(robot)->nq()) : 0; }
size_t catena_robot_nv(const catena_robot* robot) { return robot ? index(mechanism_of(robot)->nv()) : 0; }
const char* catena_robot_joint(const catena_robot* robot, size_t k) {
  return robot != nullptr && k < robot->parts->joints.size() ? robot->parts->joints[k].c_str() : nullptr;
}
size_t catena_robot_frames(const catena_robot* robot) { return robot ? mechanism_of(robot)->frames.size() : 0; }
const char* catena_robot_frame(const catena_robot* robot, size_t k) {
  return k < catena_robot_frames(robot) ? mechanism_of(robot)->frames[k].name.c_str() : nullptr;
}
int catena_robot_find_frame(const catena_robot* robot, const char* name) {
  const int found = robot != nullptr && name != nullptr ? find_frame(*mechanism_of(robot), name) : -1;
  return found < 0 ? CATENA_NO_FRAME : found;
}
