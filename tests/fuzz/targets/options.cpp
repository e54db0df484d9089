// A line of options for robots of several kinds, and the numbers and names that people type.
#include "catena/mechanism.hpp"
#include "catena/model_options.hpp"
#include "fuzz/support/input_file.hpp"
#include "fuzz/support/known_robots.hpp"
#include "fuzz/support/violation.hpp"
#include "io/option_texts.hpp"

namespace catena::fuzz {

void fuzz_options(Input input) {
  const std::string text = as_text(input);
  for (const Robot& robot : known_robots())
    or_say_why<OptionError, ModelError>([&] {
      const ModelChanges changes = parse_model_options(text);
      changes.reading();
      const Robot changed = changes.applied(robot);
      require(validate(changed).ok(), "options made a robot that is not valid");
      make_mechanism(changed, changes.mechanism_options());
    });
  or_say_why<OptionError>([&] { io::parse_numbers(text, "--numbers"); });
  or_say_why<OptionError>([&] { io::parse_vec3(text, "--vector"); });
  or_say_why<OptionError>([&] { io::parse_named(text, "--named"); });
  or_say_why<OptionError>([&] { io::require_link(known_robots().front(), text, "--link"); });
  or_say_why<OptionError>([&] { io::frame_to_hang_on(known_robots().front(), text, "--frame"); });
}

}  // namespace catena::fuzz
