// catena excite: a motion to measure base parameters along.
#include <fmt/format.h>

#include <memory>

#include "catena/identify.hpp"
#include "command.hpp"
#include "options/model_options.hpp"
#include "output/output.hpp"
#include "output/timed_table.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace excite_command {

struct Options {
  ModelOptions model;
  ExcitationOptions search;
  std::size_t samples = 1000;
  std::string output;
  bool json = false;
};

void run(const Options& options) {
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::size_t n = index(mechanism.nv());
  if (n == 0) throw UsageError(fmt::format("{} has no moving joints: there is nothing to excite", robot.name));
  ExcitationOptions search = options.search;
  search.drives = !options.model.rigid;
  const Excitation found = find_excitation(mechanism, search);
  note(fmt::format("condition number {:.4g}; {:.4g} before the search", found.condition, found.first_condition));
  TimedTable table(options.output, {"q", "qd", "qdd"}, n, options.json);
  std::vector<double> row(3 * n);
  const std::span<double> all(row);
  for (std::size_t k = 0; k < options.samples; ++k) {
    const double t = search.period * static_cast<double>(k) / static_cast<double>(options.samples);
    found.motion.at(t, all.first(n), all.subspan(n, n), all.subspan(2 * n, n));
    table.add(t, row);
  }
  table.finish({{"period", found.motion.period},
                {"condition", found.condition},
                {"first_condition", found.first_condition},
                {"centre", found.motion.centre},
                {"sines", rows_of(found.motion.sines, index(found.motion.harmonics))},
                {"cosines", rows_of(found.motion.cosines, index(found.motion.harmonics))}});
}

}  // namespace excite_command

void add_excite(CLI::App& program) {
  using namespace excite_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(program, "excite", "Find a periodic motion within the limits that shows all base parameters",
                  "  catena excite panda --time 10 -o motion.csv\n"
                  "  catena excite stanford --time 20 --harmonics 8 --steps 1000 --json -o motion.npz\n"
                  "\n"
                  "Positions and speeds stay within the limits of the model; efforts: catena inverse.");
  options->model.add_dynamics(*command);
  ExcitationOptions& search = options->search;
  command->add_option("--time", search.period, "period of the motion, s")
      ->required()
      ->check(CLI::PositiveNumber)
      ->type_name("T");
  command->add_option("--harmonics", search.harmonics, "of the Fourier series of each joint; default 5")
      ->check(CLI::Range(1, 50))
      ->type_name("K");
  command->add_option("--starts", search.starts, "random starts of the search; default 4")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  command->add_option("--steps", search.steps, "of the search from each start; default 300")
      ->check(CLI::Range(0, 1000000))
      ->type_name("K");
  command->add_option("--seed", search.seed, "of the random starts; default 1")->type_name("K");
  command->add_option("--samples", options->samples, "rows of the table; default 1000")
      ->check(CLI::Range(1, 100000000))
      ->type_name("N");
  command
      ->add_option("-o,--output", options->output, "where the table goes: CSV, .npy, .npz, or - for stdout (default)")
      ->type_name("FILE");
  command->add_flag("--json", options->json,
                    "print one JSON object: the table or its place; period, condition, and the series");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli
